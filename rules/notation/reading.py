"""The reader: text to a deal in notation, or one error that names the first line that is wrong, and the reason.

Here a file is checked by itself: form, order, numbers, cards. What was played is checked by `replaying`, which is asked
here only about the lines before one that nobody can read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeVar

from rules.books import RuleBook, book
from rules.cards import Card, ordered_shoe
from rules.errors import RulesError, is_text, quoted
from rules.notation.move_lines import read_move
from rules.notation.replaying import replay
from rules.notation.shape import (
    CLIENTS,
    HANDS,
    HEADERS,
    LONGEST_LINE,
    MOST_BYTES,
    MOST_MOVES,
    MOST_PACKS,
    MOST_SEATS,
    NOBODY,
    PLAYERS,
    CutShort,
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

T = TypeVar("T")


def read(content: str | bytes) -> Notation:
    """Return the deal in notation; raises NotationError.

    A byte order mark at the start, CR LF at the ends of lines, blanks behind them, blank lines around the moves, and
    comments are read over; all else must be as the grammar has it.
    """
    lines, unreadable = _lines(content)
    headers, values, faults = _Headers(len(lines)), iter(enumerate(lines, start=1)), list[NotationError]()
    for number, line in values:
        if not line and headers.lines:
            break
        if line and not line.startswith("#"):
            with _noting(faults):
                headers.add(number, line)
    else:
        headers.cut_at = None if unreadable is None else unreadable.line
    return _Reader(headers, faults).notation([*values], unreadable)


@contextmanager
def _noting(faults: list[NotationError]) -> Iterator[None]:
    """Go on behind a fault: another one may stand further up in the file."""
    try:
        yield
    except NotationError as error:
        faults.append(error)


def _first(faults: Iterable[NotationError]) -> NotationError:
    return min(faults, key=lambda fault: fault.line)


def _lines(content: str | bytes) -> tuple[list[str], NotationError | None]:
    """Return the lines without their ends and the blanks there, up to one that is no text, and what is wrong there."""
    text, unreadable = _decoded(content) if isinstance(content, bytes) else (content, None)
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise NotationError(1, message("A file has at most {most} bytes.", most=MOST_BYTES))
    lines: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        try:
            lines.append(_line(number, line.removesuffix("\r").rstrip(_BLANKS)))
        except NotationError as error:
            return lines, error
    return lines, unreadable


def _line(number: int, line: str) -> str:
    if len(line) > LONGEST_LINE:
        raise NotationError(number, message("A line has at most {most} characters.", most=LONGEST_LINE))
    if _CONTROL.search(line) or (not line.isascii() and not is_text(line)):
        raise NotationError(number, message("The line holds characters that no text has."))
    return line


def _decoded(content: bytes) -> tuple[str, NotationError | None]:
    """Return the text, up to the first line that is none; and what is wrong with that."""
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        before = content[: content.rfind(b"\n", 0, error.start) + 1].decode("utf-8")
        return before, NotationError(line, message("The line is no text in UTF-8."))


class _Headers:
    """The header lines in the order in which they were read, of a file of `count` lines: values and line numbers.

    `cut_at` is the line that cannot be read where that is among them.
    """

    def __init__(self, count: int) -> None:
        self._count = max(1, count)
        self.cut_at: int | None = None
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
        if name in self.values:
            raise NotationError(number, message("{name} is there twice.", name=name))
        self.values[name], self.lines[name] = value, number
        place = HEADERS.index(name)
        if place < self._last:
            raise NotationError(
                number, message("{name} stands behind {before}.", name=name, before=HEADERS[self._last])
            )
        self._last = place

    def value(self, name: str) -> str:
        """Return the value of a header. Raises NotationError where it should have stood."""
        if name not in self.values:
            self.missing(name)
        return self.values[name]

    def missing(self, name: str) -> NoReturn:
        """Raise NotationError at the line at which the header should have stood: the first one behind it."""
        behind = [self.lines[each] for each in self.values if HEADERS.index(each) > HEADERS.index(name)]
        end = min(self._count, max(self.lines.values(), default=0) + 1)
        line = min(behind, default=self.cut_at or end)
        raise NotationError(line, message("{name} is missing before this line.", name=name))


class _Reader:
    """Reads the values of the headers, each with the number of its line for errors, and the moves."""

    def __init__(self, headers: _Headers, faults: list[NotationError]) -> None:
        self._values, self._lines, self._faults = headers.values, headers.lines, faults
        self._value, self._missing = headers.value, headers.missing

    def notation(self, rest: list[tuple[int, str]], unreadable: NotationError | None) -> Notation:
        """Return the deal; `rest` are the numbered lines behind the header, up to one that is `unreadable`.

        Raises NotationError: the first fault.
        """
        self._try(self._check_version)
        rules, seats = self._try(self._book), self._try(lambda: self._number("Seats", 2, MOST_SEATS))
        packs = self._try(lambda: self._number("Packs", 1, MOST_PACKS))
        shoe = frozenset(ordered_shoe(packs or MOST_PACKS))
        by_seeds = self._try(self._check_source)
        makers: dict[str, Callable[[], Any]] = {
            "deal": self._name,
            "date": self._date,
            "players": lambda: self._players(seats or MOST_SEATS),
            "commitment": lambda: self._hex("Commitment", _COMMITMENT) if "Commitment" in self._values else None,
            "seed": lambda: self._hex("Seed", _SEED) if by_seeds else None,
            "clients": lambda: tuple(self._clients()),
            "hands": lambda: tuple(self._hands(shoe)),
            "stock": lambda: self._cards("Stock", shoe) if by_seeds is False else (),
            "cut": lambda: self._card("Cut", shoe),
            "first": lambda: self._number("First", 0, (seats or MOST_SEATS) - 1),
            "order": self._order,
            "result": self._result,
        }
        made: dict[str, Any] = {name: self._try(make) for name, make in makers.items()}
        if self._faults or rules is None or seats is None or packs is None:
            raise _first([*([unreadable] if unreadable else []), *self._faults])
        moves, wrong = self._moves(rest, shoe)
        notation = Notation(book=rules, seats=seats, packs=packs, moves=moves, lines=self._lines, **made)
        if faults := [*_wrong_seats(notation)]:
            raise _first(faults)
        if (fault := wrong or unreadable) is not None:
            raise _earlier(notation) or fault
        return notation

    def _try(self, make: Callable[[], T]) -> T | None:
        """Return what is made of the header lines; None where they are wrong, which is noted."""
        with _noting(self._faults):
            return make()
        return None

    def _check_version(self) -> None:
        if self._value("RDN") != _VERSION:
            self._refuse("RDN", message("Only version {version} of the notation can be read.", version=_VERSION))

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

    def _book(self) -> RuleBook:
        key, _, version = self._value("Book").partition("/")
        if not _NUMBER.fullmatch(version):
            self._refuse("Book", message("A book has a version: {given}", given=quoted(self._value("Book"))))
        try:
            return book(key, int(version))
        except RulesError as error:
            raise NotationError(self._lines["Book"], error.message) from error

    def _text(self, name: str) -> str:
        value = self._value(name)
        if not value.strip() or len(value) > _LONGEST_VALUE:
            self._refuse(name, message("{name} has 1 to {most} characters.", name=name, most=_LONGEST_VALUE))
        return value

    def _name(self) -> str:
        """Return the name of the deal: with it, the platform's own ids of fixed shoes cannot be meant."""
        if is_fixed(self._value("Deal")):
            self._refuse("Deal", message("The name of a deal holds no slash."))
        return self._text("Deal")

    def _date(self) -> str:
        found = _DATE.fullmatch(self._value("Date"))
        if found is None or not _is_day(*map(int, found.group(1, 2, 3))):
            self._refuse("Date", message("This is no time in UTC: {given}", given=quoted(self._value("Date"))))
        return self._value("Date")

    def _number(self, name: str, least: int, most: int) -> int:
        value = self._value(name)
        if not _NUMBER.fullmatch(value) or not least <= int(value) <= most:
            self._refuse(name, message("{name} is a number from {least} to {most}.", name=name, least=least, most=most))
        return int(value)

    def _hex(self, name: str, size: int) -> str:
        value = self._value(name)
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
        return self._of_shoe(name, self._value(name), shoe)

    def _cards(self, name: str, shoe: frozenset[Card]) -> tuple[Card, ...]:
        cards = tuple(self._of_shoe(name, card, shoe) for card in self._value(name).split())
        if len(set(cards)) != len(cards):
            self._refuse(name, message("A card is there twice."))
        return cards

    def _of_shoe(self, name: str, card: str, shoe: frozenset[Card]) -> Card:
        if card not in shoe:
            self._refuse(name, message("{given} is no card of these packs.", given=quoted(card)))
        return card

    def _order(self) -> tuple[int, ...] | None:
        if "Order" not in self._values:
            return None
        seats = self._value("Order").split()
        if not all(_NUMBER.fullmatch(seat) for seat in seats):
            self._refuse("Order", message("This is no list of seats: {given}", given=quoted(self._value("Order"))))
        return tuple(map(int, seats))

    def _result(self) -> tuple[tuple[int, int], ...] | None:
        if self._value("Result") == NOBODY:
            return None
        parts = [_RESULT.fullmatch(part) for part in self._value("Result").split()]
        points = {int(part[1]): int(part[2]) for part in parts if part is not None}
        if None in parts or len(points) != len(parts) or list(points.values()).count(0) != 1:
            self._refuse("Result", message("This is no result: {given}", given=quoted(self._value("Result"))))
        return tuple(sorted(points.items()))

    def _moves(
        self, rest: list[tuple[int, str]], shoe: frozenset[Card]
    ) -> tuple[tuple[MoveLine, ...], NotationError | None]:
        """Return the moves, up to a line that is none; and what is wrong with that."""
        moves: list[MoveLine] = []
        for number, line in rest:
            said = line.partition("#")[0].strip(_BLANKS)
            if said and len(moves) == MOST_MOVES:
                raise NotationError(number, message("A deal has at most {most} moves.", most=MOST_MOVES))
            try:
                moves += [read_move(number, said, shoe)] if said else []
            except NotationError as error:
                return tuple(moves), error
        return tuple(moves), None


def _earlier(notation: Notation) -> NotationError | None:
    """Return the first fault of a deal that ends where its file cannot be read; None where all is well so far."""
    try:
        for _ in replay(notation):
            pass
    except CutShort:
        return None
    except NotationError as error:
        return error
    return None


def _is_day(year: int, month: int, day: int) -> bool:
    """Return whether there is such a day."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return year > 0 and 1 <= month <= len(lengths) and 1 <= day <= lengths[month - 1]


def _wrong_seats(notation: Notation) -> Iterator[NotationError]:
    """Yield where the lines speak of players who are not there, or of other packs than the book has for these."""

    def wrong(name: str, reason: str) -> NotationError:
        return NotationError(notation.lines.get(name, 1), reason)

    dealt, rules = notation.dealt, notation.book
    last = "Result" if notation.result is not None else HANDS[dealt[0]] if notation.hands else PLAYERS[0]
    if dealt and dealt[-1] >= notation.seats:
        yield wrong(last, message("There are only {seats} seats.", seats=notation.seats))
        return
    if not rules.min_seats <= len(dealt) <= rules.max_seats:
        yield wrong(last, message("This book is for {least} to {most} players.", least=rules.min_seats,
                                  most=rules.max_seats))  # fmt: skip
        return
    for name, seats in (
        ("First", [notation.first]),
        *((CLIENTS[seat], [seat]) for seat, _ in notation.clients),
        *((HANDS[seat], [seat]) for seat, _ in notation.hands),
    ):
        if not set(seats) <= set(dealt):
            yield wrong(name, message("Seat {seat} was dealt no hand.", seat=seats[0]))
    packs = rules.packs_for(len(dealt))
    if notation.packs != packs:
        yield wrong("Packs", message("{players} players have {packs} packs here.", players=len(dealt), packs=packs))
    if notation.hands and [seat for seat, _ in notation.hands] != list(dealt):
        yield wrong("Stock", message("A hand is missing before this line."))
    if notation.order is not None and (sorted(notation.order) != list(dealt) or notation.order[0] != notation.first):
        yield wrong("Order", message("The order has each player once, the first one first."))
    for move in notation.moves:
        if move.seat not in dealt:
            yield NotationError(move.line, message("Seat {seat} was dealt no hand.", seat=move.seat))
