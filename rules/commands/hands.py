"""`judge` and `arrange`: an arrangement judged, and the best one found; one hand, or with --file one a line."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain

from rules.cards import HAND_SIZE
from rules.commands import reading
from rules.commands.base import BadQuestion, Fields, RulesCommand, to_json
from rules.declaration import judge
from rules.melds import judge_group
from rules.solver.search import best


class HandCommand(RulesCommand):
    """A command with a question about a hand, or with --file many: a JSON object per line, an answer per line."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--book", help="the key of a rule book")
        parser.add_argument("--cut", metavar="CARD", help="the cut joker")
        parser.add_argument("--file", metavar="PATH", help="one JSON object a line; - is standard input")

    def lines(self, options: Fields) -> Iterator[str]:
        if options["file"] is None:
            return super().lines(options)
        beside = [name for name in ("book", "cut", "groups", "loose", "cards") if options.get(name) is not None]
        if beside:
            raise BadQuestion(f"{beside[0]} given beside --file, whose lines say all")
        answers = [self._of_line(number, line) for number, line in reading.numbered_lines(options["file"])]
        return map(to_json, answers)

    def _of_line(self, number: int, line: str) -> Fields:
        try:
            question = json.loads(line)
            if not isinstance(question, dict):
                raise BadQuestion("not a JSON object")
            return self.checked(question)
        except BadQuestion as error:
            raise BadQuestion(f"line {number}: {error}") from error
        except (ValueError, RecursionError) as error:
            raise BadQuestion(f"line {number}: not JSON") from error


class JudgeCommand(HandCommand):
    help = "Say what each group of an arrangement is, whether it is a valid declaration, and what a loser pays with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("groups", nargs="?", help='"3H 4H 5H | 7H 8H JR 10H | ..."')
        parser.add_argument("--loose", metavar="CARDS", help="the cards in no group")

    def answer(self, question: Fields) -> Fields:
        book, wild = reading.read_book(question), reading.read_wild(question)
        groups, loose = reading.read_groups(question), reading.read_loose(question)
        reading.check_hand(question, [*chain(*groups), *loose], HAND_SIZE)
        judgement = judge(book, wild, groups, loose)
        return {"kinds": judgement.kinds, "valid": judgement.valid, "points": judgement.points}

    def text(self, question: Fields, answer: Fields) -> str:
        book, wild = reading.read_book(question), reading.read_wild(question)
        lines = []
        for group, kind in zip(reading.read_groups(question), answer["kinds"], strict=True):
            reason = judge_group(book, wild, group).reason
            lines.append(f"{kind:8} {' '.join(group)}" + (f"  ({reason})" if reason else ""))
        return "\n".join([*lines, _verdict(answer)])


class ArrangeCommand(HandCommand):
    help = "Find the arrangement of 13 cards with the fewest points, or of 14 cards with the best discard."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("cards", nargs="?", help='"3H 4H 5H 7H 8H JR 10H ..."')

    def answer(self, question: Fields) -> Fields:
        book, wild = reading.read_book(question), reading.read_wild(question)
        cards = reading.read_cards(question, "cards")
        reading.check_hand(question, cards, HAND_SIZE, HAND_SIZE + 1)
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
        return "\n".join([*lines, _verdict(answer)])


def _verdict(answer: Fields) -> str:
    return f"{'A valid' if answer['valid'] else 'Not a valid'} declaration; {answer['points']} points for a loser"
