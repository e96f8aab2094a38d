"""`judge` and `arrange`: an arrangement judged, and the best one found; one hand, or with --file one a line."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from rules.books import RuleBook, book
from rules.cards import HAND_SIZE, Card, Face, face, parse, wild_rank
from rules.commands.base import BadQuestion, Fields, RulesCommand, to_json
from rules.declaration import judge
from rules.errors import quoted
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
        answers = [self._of_line(number, line) for number, line in _numbered_lines(options["file"])]
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
        book, wild = _read_book(question), _read_wild(question)
        groups, loose = _read_groups(question), _read_loose(question)
        _check_hand(question, [*chain(*groups), *loose], HAND_SIZE)
        judgement = judge(book, wild, groups, loose)
        return {"kinds": judgement.kinds, "valid": judgement.valid, "points": judgement.points}

    def text(self, question: Fields, answer: Fields) -> str:
        book, wild = _read_book(question), _read_wild(question)
        lines = []
        for group, kind in zip(_read_groups(question), answer["kinds"], strict=True):
            reason = judge_group(book, wild, group).reason
            lines.append(f"{kind:8} {' '.join(group)}" + (f"  ({reason})" if reason else ""))
        return "\n".join([*lines, _verdict(answer)])


class ArrangeCommand(HandCommand):
    help = "Find the arrangement of 13 cards with the fewest points, or of 14 cards with the best discard."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("cards", nargs="?", help='"3H 4H 5H 7H 8H JR 10H ..."')

    def answer(self, question: Fields) -> Fields:
        book, wild = _read_book(question), _read_wild(question)
        cards = _read_cards(question, "cards")
        _check_hand(question, cards, HAND_SIZE, HAND_SIZE + 1)
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


def _numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """Return the lines that are not blank, numbered from 1 as an editor shows them; `-` is standard input.

    BadQuestion for a file that cannot be read.
    """
    try:
        content = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise BadQuestion(f"cannot read {quoted(path, 80)}: {reason}") from error
    lines = content.removeprefix("\ufeff").split("\n")
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _read_book(question: Fields) -> RuleBook:
    return book(_read(question, "book", str))


def _read_wild(question: Fields) -> int:
    """Return the wild rank that the cut joker makes."""
    return wild_rank(_read_cut(question))


def _read_cut(question: Fields) -> Card | Face:
    return parse(_read(question, "cut", str))


def _read_cards(question: Fields, name: str) -> list[Card | Face]:
    """Return the cards of a field: a list of them, or one text with spaces between."""
    return _cards(_read(question, name, (str, list)))


def _read_loose(question: Fields) -> list[Card | Face]:
    """Return the cards in no group; an empty list if the field is missing."""
    return [] if question.get("loose") is None else _read_cards(question, "loose")


def _read_groups(question: Fields) -> list[list[Card | Face]]:
    """Return the groups of an arrangement: a list of lists, or a text with | between. BadQuestion for an empty one."""
    groups = _read(question, "groups", (str, list))
    if isinstance(groups, str):
        groups = groups.split("|") if groups.strip() else []
    groups = [_cards(group) for group in groups]
    if not all(groups):
        raise BadQuestion("a group without cards")
    return groups


def _check_hand(question: Fields, cards: Sequence[Card | Face], *sizes: int) -> None:
    """Raise BadQuestion unless the cards can be one hand in the question's book, together with its cut joker."""
    if len(cards) not in sizes:
        raise BadQuestion(f"a hand has {' or '.join(map(str, sizes))} cards, not {len(cards)}")
    rules, cut = _read_book(question), _read_cut(question)
    packs, dealt = rules.packs_for(rules.max_seats), [*cards, cut]
    pieces, faces = [card for card in dealt if card != face(card)], [face(card) for card in dealt]
    for card in pieces:
        if int(card[-1]) > packs:
            raise BadQuestion(f"{card} is of pack {card[-1]}, but there are {packs} packs")
    for given, most, there in ((pieces, 1, "there is only one"), (faces, packs, f"there are {packs} packs")):
        for card, count in Counter(given).items():
            if count > most:
                with_cut = " with the cut joker" if card in (cut, face(cut)) else ""
                raise BadQuestion(f"{card} {count} times{with_cut}, but {there}")


def _read(question: Fields, name: str, kind: type | tuple[type, ...]) -> Any:
    value = question.get(name)
    if value is None:
        raise BadQuestion(f"{name} is missing")
    if not isinstance(value, kind):
        raise BadQuestion(f"{name} is not as it should be: {quoted(value)}")
    return value


def _cards(cards: Any) -> list[Card | Face]:
    if isinstance(cards, str):
        cards = cards.split()
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise BadQuestion(f"no list of cards: {quoted(cards)}")
    return [parse(card) for card in cards]
