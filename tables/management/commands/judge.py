"""Judge an arrangement."""

from argparse import ArgumentParser
from itertools import chain

from rules.cards import HAND_SIZE
from rules.declaration import judge
from rules.melds import judge_group
from tables.management.commands import _common
from tables.management.commands._common import Fields, HandCommand


class Command(HandCommand):
    help = "Say what each group of an arrangement is, whether it is a valid declaration, and what a loser pays with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("groups", nargs="?", help='"3H 4H 5H | 7H 8H JR 10H | ..."')
        parser.add_argument("--loose", metavar="CARDS", help="the cards in no group")

    def answer(self, question: Fields) -> Fields:
        book, wild = _common.read_book(question), _common.read_wild(question)
        groups, loose = _common.read_groups(question), _common.read_loose(question)
        _common.check_hand(question, [*chain(*groups), *loose], HAND_SIZE)
        judgement = judge(book, wild, groups, loose)
        return {"kinds": judgement.kinds, "valid": judgement.valid, "points": judgement.points}

    def text(self, question: Fields, answer: Fields) -> str:
        book, wild = _common.read_book(question), _common.read_wild(question)
        lines = []
        for group, kind in zip(_common.read_groups(question), answer["kinds"], strict=True):
            reason = judge_group(book, wild, group).reason
            lines.append(f"{kind:8} {' '.join(group)}" + (f"  ({reason})" if reason else ""))
        return "\n".join([*lines, _common.verdict(answer)])
