"""A deal in notation as text, in its one canonical form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.cards import Card
from rules.game.results import Groups
from rules.notation.shape import CLIENTS, HANDS, NOBODY, PLAYERS, Action, MoveLine, Notation


def write(notation: Notation) -> str:
    """Return the canonical text: header lines, a blank line, one move a line; each line ends with a line feed."""
    headers = [f'[{name} "{_escaped(value)}"]' for name, value in _headers(notation)]
    return "\n".join([*headers, "", *map(written, notation.moves)]) + "\n"


def written(move: MoveLine) -> str:
    """Return the line of one move."""
    time = "" if move.at_ms is None else f" @{move.at_ms}"
    return f"{move.seat} {'auto ' if move.auto else ''}{' '.join([move.action, *_what(move)])}{time}"


def in_points(result: Iterable[tuple[int, int]]) -> str:
    """Return points by seat as the Result has them."""
    return " ".join(f"{seat}:{points}" for seat, points in sorted(result))


def _headers(notation: Notation) -> Iterator[tuple[str, str]]:
    yield "RDN", "1"
    yield "Book", f"{notation.book.key}/{notation.book.version}"
    yield "Deal", notation.deal
    yield "Date", notation.date
    yield "Seats", str(notation.seats)
    yield from ((PLAYERS[seat], name or NOBODY) for seat, name in enumerate(notation.players))
    yield "Packs", str(notation.packs)
    if notation.commitment is not None:
        yield "Commitment", notation.commitment
    if notation.seed is not None:
        yield "Seed", notation.seed
    yield from ((CLIENTS[seat], seed) for seat, seed in sorted(notation.clients))
    yield from ((HANDS[seat], " ".join(cards)) for seat, cards in sorted(notation.hands))
    if notation.hands:
        yield "Stock", " ".join(notation.stock)
    yield "Cut", notation.cut
    yield "First", str(notation.first)
    if notation.order is not None:
        yield "Order", " ".join(map(str, notation.order))
    yield "Result", NOBODY if notation.result is None else in_points(notation.result)


def _what(move: MoveLine) -> Iterator[str]:
    if move.pile is not None:
        yield move.pile
    if move.card is not None:
        yield move.card
    if move.action is Action.SHOW or move.groups or move.loose:
        yield from _laid(move.groups, move.loose)


def _laid(groups: Groups, loose: Iterable[Card]) -> Iterator[str]:
    if groups:
        yield " | ".join(" ".join(group) for group in groups)
    cards = " ".join(loose)
    if cards:
        yield f"; loose {cards}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
