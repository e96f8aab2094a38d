"""Writing a deal in notation: the move that an event is, and all of it as text, in its one canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from rules.cards import Card
from rules.game import events as e
from rules.game.events import By, Event
from rules.game.moves import Pile
from rules.game.results import Groups
from rules.game.state import DealState, Standing
from rules.notation.shape import CLIENTS, HANDS, NOBODY, PLAYERS, Action, MoveLine, Notation


def noted(event: Event, deal: DealState) -> MoveLine | None:
    """Return the move that this event of a deal is; `deal` is the deal after it. None for what follows from moves."""
    make = _MOVES.get(type(event))
    return make(event, deal) if make is not None else None


def _drawn(event: e.CardDrawn, deal: DealState) -> MoveLine:
    card = event.card if event.pile is Pile.OPEN else None
    return _move(event, Action.DRAW, pile=event.pile, card=card)


def _shown(event: e.ShowAccepted | e.HandSubmitted, deal: DealState) -> MoveLine:
    hand = deal.hand(event.seat)
    return _move(event, Action.SHOW, groups=hand.groups, loose=hand.loose)


def _refused(event: e.ShowRefused, deal: DealState) -> MoveLine | None:
    """Return the wrong show, unless the declarer makes it by leaving, which comes next."""
    hand = deal.hand(event.seat)
    return None if event.by is By.LEAVING else _move(event, Action.SHOW, groups=hand.groups, loose=hand.loose)


def _left(event: e.PlayerLeft, deal: DealState) -> MoveLine | None:
    """Return the leaving of a player of the deal; after a show their hand counts as it lies, so it is told."""
    if event.points is None:
        return None
    hand = deal.hand(event.seat)
    if deal.winner is None or hand.standing is not Standing.LEFT:
        return MoveLine(seat=event.seat, action=Action.LEAVE)
    return MoveLine(seat=event.seat, action=Action.LEAVE, groups=hand.groups, loose=hand.loose)


def _move(event: Any, action: Action, **what: Any) -> MoveLine:
    return MoveLine(seat=event.seat, action=action, auto=event.by is By.PLATFORM, **what)


_MOVES: Final[Mapping[type[Event], Callable[[Any, DealState], MoveLine | None]]] = {
    e.CardDrawn: _drawn,
    e.CardDiscarded: lambda event, deal: _move(event, Action.DISCARD, card=event.card),
    e.PlayerDropped: lambda event, deal: _move(event, Action.DROP),
    e.FinishPlaced: lambda event, deal: MoveLine(seat=event.seat, action=Action.FINISH, card=event.card),
    e.ShowAccepted: _shown,
    e.ShowRefused: _refused,
    e.HandSubmitted: _shown,
    e.PlayerLeft: _left,
}


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
