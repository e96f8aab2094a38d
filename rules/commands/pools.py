"""`split` and `rejoin`: how the prize of a pool may be shared, and whether a player who is out may come back."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Final

from rules.books import BOOKS
from rules.commands.base import BadQuestion, Fields, RulesCommand, amount, amounts
from rules.payouts import rejoin, split

_MOST_SEATS: Final = max(rules.max_seats for rules in BOOKS.values())


class PoolCommand(RulesCommand):
    """A command with a question about the scores of a pool."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--limit", required=True, type=amount, help="who reaches it is out")
        parser.add_argument("--drop", required=True, type=amount, help="the points of a first drop")
        parser.add_argument("--started", required=True, type=amount, help="how many players the match started with")
        parser.add_argument("--scores", required=True, type=amounts, metavar="N,N", help="in seat order")


class SplitCommand(PoolCommand):
    help = "Say whether the players left in a pool can split its prize, and each one's share in smallest units."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--fee", required=True, type=amount, help="what one entry costs")
        parser.add_argument("--prize", required=True, type=amount, help="the prize pool")

    def answer(self, question: Fields) -> Fields:
        _check_scores(question)
        if max(question["scores"]) >= question["limit"]:
            raise BadQuestion(
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


class RejoinCommand(PoolCommand):
    help = "Say whether a player who is out of a pool may rejoin, and with which score."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--player", required=True, type=amount, help="their place among the scores, from 0")

    def answer(self, question: Fields) -> Fields:
        _check_scores(question)
        if question["player"] >= len(question["scores"]):
            raise BadQuestion(f"no player {question['player']} among {len(question['scores'])} scores")
        names = ("limit", "drop", "started", "scores", "player")
        return asdict(rejoin(**{name: question[name] for name in names}))

    def text(self, question: Fields, answer: Fields) -> str:
        return f"{'May rejoin' if answer['allowed'] else 'May not rejoin'}: {answer['reason']}"


def _check_scores(question: Fields) -> None:
    """Raise BadQuestion unless limit and drop are at least 1, and the scores can be those of players of one table."""
    if not question["limit"] or not question["drop"]:
        raise BadQuestion("limit and drop are at least 1")
    if question["started"] > _MOST_SEATS:
        raise BadQuestion(f"{question['started']} players started, but a table has at most {_MOST_SEATS} seats")
    if len(question["scores"]) > question["started"]:
        raise BadQuestion(f"{len(question['scores'])} scores of {question['started']} players")
