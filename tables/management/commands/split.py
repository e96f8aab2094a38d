"""Compute how the players left in a pool can split its prize."""

from argparse import ArgumentParser
from dataclasses import asdict

from rules.payouts import split
from tables.management.commands._common import (
    Fields,
    RulesCommand,
    add_pool_arguments,
    amount,
    check_scores,
)
from wallet.base.commands import BadInput


class Command(RulesCommand):
    help = "Say whether the players left in a pool can split its prize, and each one's share in smallest units."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        add_pool_arguments(parser)
        parser.add_argument("--fee", required=True, type=amount, help="what one entry costs")
        parser.add_argument("--prize", required=True, type=amount, help="the prize pool")

    def answer(self, question: Fields) -> Fields:
        check_scores(question)
        if max(question["scores"]) >= question["limit"]:
            raise BadInput(
                f"a score of {max(question['scores'])} is out of the match, whose limit is {question['limit']}"
            )
        names = ("limit", "drop", "prize", "started", "scores")
        return asdict(split(entry=question["fee"], **{name: question[name] for name in names}))

    def text(self, question: Fields, answer: Fields) -> str:
        drops = f"drops  {' '.join(map(str, answer['drops']))}"
        if answer["shares"] is None:
            return f"{drops}\nno split"
        how = "at once" if answer["auto"] else "if all agree"
        return f"{drops}\nshares {' '.join(map(str, answer['shares']))}, {how}"
