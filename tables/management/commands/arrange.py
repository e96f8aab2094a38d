"""Find the best arrangement of a hand."""

from argparse import ArgumentParser

from rules.cards import HAND_SIZE
from rules.solver.search import best
from tables.management.commands import _common
from tables.management.commands._common import Fields, HandCommand


class Command(HandCommand):
    help = "Find the arrangement of 13 cards with the fewest points, or of 14 cards with the best discard."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("cards", nargs="?", help='"3H 4H 5H 7H 8H JR 10H ..."')

    def answer(self, question: Fields) -> Fields:
        book, wild = _common.read_book(question), _common.read_wild(question)
        cards = _common.read_cards(question, "cards")
        _common.check_hand(question, cards, HAND_SIZE, HAND_SIZE + 1)
        found = best(book, wild, cards)
        return {
            "groups": found.groups,
            "loose": found.loose,
            "kinds": found.kinds,
            "points": found.points,
            "valid": found.valid,
            "discard": found.discard,
        }

    def text(self, question: Fields, answer: Fields) -> str:
        rows = [*zip(answer["kinds"], answer["groups"], strict=True), ("loose", answer["loose"])]
        rows += [("discard", [answer["discard"]])] if answer["discard"] else []
        lines = [f"{name:8} {' '.join(cards)}" for name, cards in rows if cards]
        return "\n".join([*lines, _common.verdict(answer)])
