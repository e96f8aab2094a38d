"""Say whether a player who is out of a pool may rejoin."""

from argparse import ArgumentParser
from dataclasses import asdict

from rules.payouts import rejoin
from tables.management.commands._common import (
    Fields,
    RulesCommand,
    add_pool_arguments,
    amount,
    check_scores,
)
from wallet.base.commands import BadInput


class Command(RulesCommand):
    help = "Say whether a player who is out of a pool may rejoin, and with which score."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_pool_arguments(parser)
        parser.add_argument("--player", required=True, type=amount, help="their place among the scores, from 0")

    def answer(self, question: Fields) -> Fields:
        check_scores(question)
        if question["player"] >= len(question["scores"]):
            raise BadInput(f"no player {question['player']} among {len(question['scores'])} scores")
        names = ("limit", "drop", "started", "scores", "player")
        return asdict(rejoin(**{name: question[name] for name in names}))

    def text(self, question: Fields, answer: Fields) -> str:
        return f"{'May rejoin' if answer['allowed'] else 'May not rejoin'}: {answer['reason']}"
