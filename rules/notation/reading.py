"""The reader: text to a deal in notation, or one error that names line and reason.

Here a file is checked by itself: form, order, numbers, cards. What was played is checked by `replaying`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rules.books import RuleBook, book
from rules.cards import Card, ordered_shoe
from rules.errors import RulesError, quoted
from rules.notation.move_lines import read_move
from rules.notation.seating import check_seats
from rules.notation.shape import (
    CLIENTS,
    HANDS,
    HEADERS,
    LONGEST_LINE,
    MOST_BYTES,
    MOST_MOVES,
    MOST_SEATS,
    NOBODY,
    PLAYERS,
    MoveLine,
    Notation,
    NotationError,
)
from rules.shuffling import is_fixed
from rules.text import message

_HEADER: Final = re.compile(r'\[([A-Za-z]+[0-9]?) "((?:[^"\\]|\\["\\])*)"\][ \t]*(?:#.*)?')
_ESCAPED: Final = re.compile(r'\\(["\\])')
_BLANKS: Final = " \t"
#: What no line may hold: control characters but for tabs, and what some programs take for the end of a line.
_CONTROL: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_DATE: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|\+00:00))?", re.ASCII
)
_NUMBER: Final = re.compile(r"0|[1-9]\d{0,2}", re.ASCII)
_HEX: Final = re.compile(r"[0-9a-f]*")
_RESULT: Final = re.compile(r"([0-5]):(0|[1-9]\d{0,2})", re.ASCII)
_LONGEST_VALUE: Final = 80
_COMMITMENT, _SEED, _CLIENT = 32, 64, 16
_VERSION: Final = "1"


def read(content: str | bytes) -> Notation:
    """Return the deal in notation; raises NotationError.

    A byte order mark at the start, CR LF at the ends of lines, blanks behind them, blank lines around the moves, and
    comments are read over; all else must be as the grammar has it.
    """
    lines = list(enumerate(_lines(content), start=1))
    headers, values = _Headers(), iter(lines)
    for number, line in values:
        if not line and headers.lines:
            break
        if line and not line.startswith("#"):
            headers.add(number, line)
    headers.check_whole(len(lines))
    return _Reader(headers).notation([*values])


def _lines(content: str | bytes) -> Iterator[str]:
    """Yield the lines without their ends and the blanks there. Raises NotationError for what is no such text at all."""
    text = _decoded(content) if isinstance(content, bytes) else content
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise NotationError(1, message("A file has at most {most} bytes.", most=MOST_BYTES))
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = line.removesuffix("\r").rstrip(_BLANKS)
        if len(line) > LONGEST_LINE:
            raise NotationError(number, message("A line has at most {most} characters.", most=LONGEST_LINE))
        if _CONTROL.search(line) or (not line.isascii() and not _is_text(line)):
            raise NotationError(number, message("The line holds characters that no text has."))
        yield line


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise NotationError(line, message("The line is no text in UTF-8.")) from error


def _is_text(line: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in line)


class _Headers:
    """The header lines in the order in which they were read: values and line numbers by name."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self._last = -1

    def add(self, number: int, line: str) -> None:
        """Add one header line. Raises NotationError: no header, unknown, twice, or out of order."""
        found = _HEADER.fullmatch(line)
        if found is None:
            raise NotationError(number, message("This is no header line: {given}", given=quoted(line)))
        name, value = found[1], _ESCAPED.sub(r"\1", found[2])
        if name not in HEADERS:
            raise NotationError(number, message("There is no header {given}.", given=quoted(name)))
        place = HEADERS.index(name)
        if name in self.values:
            raise NotationError(number, message("{name} is there twice.", name=name))
        if place < self._last:
            raise NotationError(
                number, message("{name} stands behind {before}.", name=name, before=HEADERS[self._last])
            )
        self._last = place
        self.values[name], self.lines[name] = value, number

    def check_whole(self, last: int) -> None:
        """Check that no header is missing that every deal has. Raises NotationError where it should have stood."""
        for name in ("RDN", "Book", "Deal", "Date", "Seats", "Packs", "Cut", "First", "Result"):
            if name not in self.values:
                raise NotationError(
                    self.place_of(name, last), message("{name} is missing before this line.", name=name)
                )

    def place_of(self, name: str, last: int) -> int:
        """Return the line at which a missing header should have stood: that of the first header behind it."""
        behind = [self.lines[each] for each in self.values if HEADERS.index(each) > HEADERS.index(name)]
        return min(behind, default=min(last, max(self.lines.values(), default=0) + 1))


class _Reader:
    """Reads the values of the headers, each with the number of its line for errors, and the moves."""

    def __init__(self, headers: _Headers) -> None:
        self._values, self._lines, self._place_of = headers.values, headers.lines, headers.place_of

    def notation(self, rest: list[tuple[int, str]]) -> Notation:
        """Return the deal; `rest` are the numbered lines behind the header."""
        if self._values["RDN"] != _VERSION:
            self._refuse("RDN", message("Only version {version} of the notation can be read.", version=_VERSION))
        rules, seats = self._book(), self._number("Seats", 2, MOST_SEATS)
        packs = self._number("Packs", 1, 3)
        shoe = frozenset(ordered_shoe(packs))
        by_seeds = self._check_source()
        notation = Notation(
            book=rules,
            deal=self._name(),
            date=self._date(),
            seats=seats,
            players=self._players(seats),
            packs=packs,
            commitment=self._hex("Commitment", _COMMITMENT) if "Commitment" in self._values else None,
            seed=self._hex("Seed", _SEED) if by_seeds else None,
            clients=tuple(self._clients()),
            hands=tuple(self._hands(shoe)),
            stock=() if by_seeds else self._cards("Stock", shoe),
            cut=self._card("Cut", shoe),
            first=self._number("First", 0, seats - 1),
            order=self._order(),
            result=self._result(),
            moves=tuple(self._moves(rest, shoe)),
            lines=self._lines,
        )
        check_seats(notation)
        return notation

    def _refuse(self, name: str, reason: str) -> None:
        raise NotationError(self._lines[name], reason)

    def _check_source(self) -> bool:
        """Return whether the cards follow from seeds; else they are given. Raises NotationError for parts of both."""
        given = [name for name in (*HANDS, "Stock") if name in self._values]
        if "Seed" in self._values:
            if given:
                self._refuse(given[0], message("With a Seed the cards are not given."))
            if "Commitment" not in self._values:
                self._missing("Commitment")
            return True
        for name in CLIENTS:
            if name in self._values:
                self._refuse(name, message("Without a Seed there are no seeds of players."))
        for name in (HANDS[0], "Stock"):
            if not given or (name == "Stock" and "Stock" not in self._values):
                self._missing(name if given else "Seed")
        return False

    def _missing(self, name: str) -> None:
        raise NotationError(self._place_of(name, 1), message("{name} is missing before this line.", name=name))

    def _book(self) -> RuleBook:
        key, _, version = self._values["Book"].partition("/")
        if not _NUMBER.fullmatch(version):
            self._refuse("Book", message("A book has a version: {given}", given=quoted(self._values["Book"])))
        try:
            return book(key, int(version))
        except RulesError as error:
            raise NotationError(self._lines["Book"], error.message) from error

    def _text(self, name: str) -> str:
        value = self._values[name]
        if not value.strip() or len(value) > _LONGEST_VALUE:
            self._refuse(name, message("{name} has 1 to {most} characters.", name=name, most=_LONGEST_VALUE))
        return value

    def _name(self) -> str:
        """Return the name of the deal: with it, the platform's own ids of fixed shoes cannot be meant."""
        if is_fixed(self._values["Deal"]):
            self._refuse("Deal", message("The name of a deal holds no slash."))
        return self._text("Deal")

    def _date(self) -> str:
        found = _DATE.fullmatch(self._values["Date"])
        if found is None or not _is_day(*map(int, found.group(1, 2, 3))):
            self._refuse("Date", message("This is no time in UTC: {given}", given=quoted(self._values["Date"])))
        return self._values["Date"]

    def _number(self, name: str, least: int, most: int) -> int:
        value = self._values[name]
        if not _NUMBER.fullmatch(value) or not least <= int(value) <= most:
            self._refuse(name, message("{name} is a number from {least} to {most}.", name=name, least=least, most=most))
        return int(value)

    def _hex(self, name: str, size: int) -> str:
        value = self._values[name]
        if len(value) != 2 * size or not _HEX.fullmatch(value):
            self._refuse(name, message("{name} has {digits} lower-case hex digits.", name=name, digits=2 * size))
        return value

    def _players(self, seats: int) -> tuple[str | None, ...]:
        """Return the names by seat; behind the last seat, too, a line may say that nobody is there."""
        for name in PLAYERS[:seats]:
            if name not in self._values:
                self._missing(name)
        for name in PLAYERS[seats:]:
            if self._values.get(name, NOBODY) != NOBODY:
                self._refuse(name, message("There are only {seats} seats.", seats=seats))
        names = [self._text(name) for name in PLAYERS[:seats]]
        return tuple(None if name == NOBODY else name for name in names)

    def _clients(self) -> Iterator[tuple[int, str]]:
        for seat, name in enumerate(CLIENTS):
            if self._values.get(name, NOBODY) not in ("", NOBODY):
                yield seat, self._hex(name, _CLIENT)

    def _hands(self, shoe: frozenset[Card]) -> Iterator[tuple[int, tuple[Card, ...]]]:
        for seat, name in enumerate(HANDS):
            if name in self._values:
                yield seat, self._cards(name, shoe)

    def _card(self, name: str, shoe: frozenset[Card]) -> Card:
        if self._values[name] not in shoe:
            given = quoted(self._values[name])
            self._refuse(name, message("{given} is no card of these packs.", given=given))
        return self._values[name]

    def _cards(self, name: str, shoe: frozenset[Card]) -> tuple[Card, ...]:
        cards = self._values[name].split()
        for card in cards:
            if card not in shoe:
                self._refuse(name, message("{given} is no card of these packs.", given=quoted(card)))
        if len(set(cards)) != len(cards):
            self._refuse(name, message("A card is there twice."))
        return tuple(cards)

    def _order(self) -> tuple[int, ...] | None:
        if "Order" not in self._values:
            return None
        seats = self._values["Order"].split()
        if not all(_NUMBER.fullmatch(seat) for seat in seats):
            self._refuse("Order", message("This is no list of seats: {given}", given=quoted(self._values["Order"])))
        return tuple(map(int, seats))

    def _result(self) -> tuple[tuple[int, int], ...] | None:
        if self._values["Result"] == NOBODY:
            return None
        parts = [_RESULT.fullmatch(part) for part in self._values["Result"].split()]
        points = {int(part[1]): int(part[2]) for part in parts if part is not None}
        if None in parts or len(points) != len(parts) or list(points.values()).count(0) != 1:
            self._refuse("Result", message("This is no result: {given}", given=quoted(self._values["Result"])))
        return tuple(sorted(points.items()))

    def _moves(self, rest: list[tuple[int, str]], shoe: frozenset[Card]) -> Iterator[MoveLine]:
        count = 0
        for number, line in rest:
            said = line.partition("#")[0].strip(_BLANKS)
            if said:
                count += 1
                if count > MOST_MOVES:
                    raise NotationError(number, message("A deal has at most {most} moves.", most=MOST_MOVES))
                yield read_move(number, said, shoe)


def _is_day(year: int, month: int, day: int) -> bool:
    """Return whether there is such a day."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= len(lengths) and 1 <= day <= lengths[month - 1]
