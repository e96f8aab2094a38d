"""A deal in notation from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat

from rules.books import RuleBook
from rules.cards import Card
from rules.game import events as e
from rules.game.events import Event
from rules.game.state import DealState
from rules.game.transitions import follow_deal
from rules.notation.dealing import order_of
from rules.notation.reading import read
from rules.notation.shape import UNNAMED, MoveLine, Notation
from rules.notation.writing import noted, write
from rules.shuffling import commitment, label_of


def from_events(
    book: RuleBook,
    happened: Sequence[Event],
    *,
    date: str,
    seats: int,
    names: Mapping[int, str] | None = None,
    seed: str | None = None,
    times: Sequence[int] | None = None,
) -> Notation:
    """Return a deal that is over, void or cut short, given all its events from `DealPrepared` on.

    `names` are the players by seat; without them they are numbered. `seed` is for events that do not hold it; where
    nobody knows it, the cards are given. `times` are the moments of the events in milliseconds. Raises NotationError
    for a deal that has more moves than a file; ValueError for one whose cards were never dealt.
    """
    told = _Told()
    for (event, deal), at in zip(follow_deal(book, happened), times or repeat(None), strict=times is not None):
        told.take(event, deal, at)
    if told.dealt is None or told.cut is None:
        raise ValueError("the cards of this deal were never dealt")
    seed = seed or told.seed
    seen, label = told.dealt, label_of(told.dealt.deal_id)
    notation = Notation(
        book=book,
        deal=label,
        date=date,
        seats=seats,
        players=_players(seats, seen.order, names),
        packs=seen.packs,
        commitment=commitment(label, bytes.fromhex(seed)) if seed else told.commitment,
        seed=seed,
        clients=_clients(seen, told.clients) if seed else (),
        hands=() if seed else tuple(sorted(zip(seen.order, seen.hands, strict=True))),
        stock=() if seed else seen.closed,
        cut=told.cut,
        first=seen.order[0],
        result=told.result,
        moves=tuple(told.moves),
    )
    if order_of(notation) != seen.order:
        notation = replace(notation, order=seen.order)
    return read(write(notation))


@dataclass(slots=True)
class _Told:
    """What the events have told so far."""

    seed: str | None = None
    commitment: str | None = None
    clients: dict[int, str] = field(default_factory=dict)
    dealt: e.CardsDealt | None = None
    cut: Card | None = None
    result: tuple[tuple[int, int], ...] | None = None
    moves: list[MoveLine] = field(default_factory=list)
    began: int = 0
    is_over: bool = False

    def take(self, event: Event, deal: DealState | None, at: int | None) -> None:
        """Take up one event of the deal and the state of the deal after it."""
        match event:
            case e.DealPrepared() if self.dealt is None:
                self.seed, self.commitment = event.seed, event.commitment
            case e.ClientSeedAdded() if self.dealt is None:
                self.clients[event.seat] = event.seed
            case e.CardsDealt():
                self.dealt, self.began = event, at or 0
            case e.CutJokerTurned():
                self.cut = event.card
            case e.DealEnded():
                self.result = tuple(sorted((row.seat, row.points) for row in event.rows))
                self.is_over = True
            case e.DealVoided() | e.MatchCancelled() | e.MatchEnded():
                self.is_over = True
            case _ if deal is not None and not self.is_over:
                self._move(event, deal, at)

    def _move(self, event: Event, deal: DealState, at: int | None) -> None:
        if isinstance(event, e.PlayerLeft) and event.seat not in deal.order:
            return
        if (move := noted(event, deal)) is not None:
            self.moves.append(replace(move, at_ms=None if at is None else max(0, at - self.began)))


def _players(seats: int, dealt: Iterable[int], names: Mapping[int, str] | None) -> tuple[str | None, ...]:
    """Return a name for each seat that was dealt to, in one line; who has none is numbered."""
    named = {
        seat: " ".join((names or {}).get(seat, "").split()) or unnamed
        for seat, unnamed in zip(sorted(dealt), UNNAMED, strict=False)
    }
    return tuple(named.get(seat) for seat in range(seats))


def _clients(dealt: e.CardsDealt, given: Mapping[int, str]) -> tuple[tuple[int, str], ...]:
    """Return the seeds of the players by seat; those of unknown seats go to the first ones, in the same order."""
    seats = sorted(dealt.order)
    known = tuple((seat, given[seat]) for seat in seats if seat in given)
    if tuple(seed for _, seed in known) == dealt.clients:
        return known
    return tuple(zip(seats, dealt.clients, strict=False))
