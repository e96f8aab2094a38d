"""A table that tests play in plain words.

    table = deal("standard-points", ["3H 4H 5H …", "…"], upcard="9C", cut="2D", closed="KD 8S")
    play(table, "draw closed; discard KD")
    play(table, "1: leave")

A statement is `[seat:] verb words`; without a seat it is the one whose turn it is. `wait 12` lets seconds pass,
`timeout` runs the clock out, `timeout 1 2` does so with seats 1 and 2 offline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from rules.books import book
from rules.cards import Card, face, ordered_shoe, wild_rank
from rules.errors import Refused
from rules.game import apply, check_invariants, moves as m, start, view_for, wants_deal
from rules.game.events import Event
from rules.game.state import Clocks, Discarded, TableState, Terms

NOW = 1_800_000_000_000
SEED = "5a" * 64


def terms(key: str, seats: int, **changes: Any) -> Terms:
    """Return terms with point value 10, entry 100 and fee 10 %, unless changed."""
    rules = book(key)
    staked = rules.per_point
    money = {"point_value": 10, "minimum": 800} if staked else {"entry": 100}
    usual = {"book": key, "book_version": rules.version, "seats": seats, "fee_percent": 10, "clocks": Clocks()}
    return Terms(**{**usual, **money, **changes})


class Table:
    """A state, a clock that only the test moves, and all events so far."""

    def __init__(self, of: Terms) -> None:
        self.terms = of
        self.state: TableState = start(of)
        self.now = NOW
        self.log: list[tuple[Event, ...]] = []
        self.deals = 0

    def do(self, move: m.Move) -> tuple[Event, ...]:
        """Make the move, prepare the next deal if one is wanted, and return the events of the move."""
        transition = apply(self.state, move, self.now)
        self.state = transition.after
        if transition.events:
            self.log.append(transition.events)
        if wants_deal(self.state):
            self.deals += 1
            self.do(m.PrepareDeal(deal_id=f"deal-{self.deals}", seed=SEED))
        return transition.events

    def view(self, seat: int | None) -> dict[str, Any]:
        return view_for(self.state, seat, self.now)

    def happened(self) -> list[Event]:
        """Return all events, in order."""
        return [event for events in self.log for event in events]

    def names(self, last: int = 1) -> list[str]:
        """Return the names of the events of the last transitions."""
        return [event.name for events in self.log[-last:] for event in events]

    @property
    def turn(self) -> int:
        """Return the seat whose turn it is."""
        turn = self.state.current.turn
        assert turn is not None, "nobody has a turn"
        return turn.seat

    def stacks(self) -> list[int | None]:
        return [seat.stack if seat is not None else None for seat in self.state.seats]

    def totals(self) -> list[int | None]:
        return [seat.total if seat is not None else None for seat in self.state.seats]

    def points(self) -> dict[int, int]:
        assert self.state.result is not None
        return {row.seat: row.points for row in self.state.result.rows}

    def find(self, kind: type[Event]) -> Any:
        """Return the newest event of this kind."""
        return next(event for events in reversed(self.log) for event in reversed(events) if isinstance(event, kind))


def seated(key: str, players: int, *, seats: int | None = None, stack: int | None = None, **changes: Any) -> Table:
    """Return a table at which that many players have just sat down."""
    table = Table(terms(key, seats or players, **changes))
    for seat in range(players):
        table.do(m.Sit(seat=seat, stack=stack or table.terms.entry or table.terms.minimum))
    return table


def dealt(key: str, players: int, **changes: Any) -> Table:
    """Return a table at the first turn of its first deal, as the shoe decided."""
    table = seated(key, players, **changes)
    play(table, "timeout")
    return table


def deal(key: str, hands: Sequence[str], *, upcard: str = "", cut: str = "", closed: str = "", **changes: Any) -> Table:
    """Return a table at the first turn, seat 0 to play, with these hands of 13 faces; shorter ones are filled up."""
    table = dealt(key, len(hands), **changes)
    rig(table, hands, upcard=upcard, cut=cut, closed=closed)
    return table


def rig(
    table: Table, hands: Sequence[str], *, upcard: str = "", cut: str = "", closed: str = "", first: int = 0
) -> None:
    """Rearrange the running deal like this; fill unnamed places with what is left of the shoe."""
    state = table.state
    deal = state.current
    left = list(ordered_shoe(deal.packs))
    named = [_take(left, hand.split()) for hand in hands]
    top, wild, stock = _take(left, upcard.split()), _take(left, cut.split()), _take(left, closed.split())
    filled = [(*hand, *_fill(left, 13 - len(hand))) for hand in named]
    wild = wild or _fill(left, 1)
    discards = (top or _fill(left, 1)) if state.book.open_pile else ()
    order = tuple(sorted(deal.order))
    order = order[order.index(first) :] + order[: order.index(first)]
    hands_by_seat = dict(zip(sorted(order), filled, strict=True))
    rigged = [hand and replace(hand, cards=hands_by_seat[seat]) for seat, hand in enumerate(deal.hands)]
    turn, clock = deal.turn, state.clock
    assert turn is not None and clock is not None
    table.state = replace(
        state,
        clock=replace(clock, seat=first),
        deal=replace(
            deal,
            order=order,
            hands=tuple(rigged),
            discards=tuple(Discarded(seat=None, card=card) for card in discards),
            cut=wild[0],
            wild=wild_rank(wild[0]),
            closed=(*stock, *left),
            turn=replace(turn, seat=first),
        ),
    )
    check_invariants(table.state)


def _take(left: list[Card], wanted: Iterable[str]) -> tuple[Card, ...]:
    """Take these faces or cards out of the shoe."""
    cards = []
    for text in wanted:
        card = next(card for card in left if text in (card, face(card)))
        left.remove(card)
        cards.append(card)
    return tuple(cards)


def _fill(left: list[Card], count: int) -> tuple[Card, ...]:
    """Take `count` cards from the end of the shoe: high spades and hearts of the last pack."""
    return tuple(left.pop() for _ in range(count))


def groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Return `3H 4H 5H | 7S 7D 7C` as groups."""
    return tuple(tuple(part.split()) for part in text.split("|") if part.split())


def play(table: Table, script: str) -> None:
    """Make every move in the script."""
    for line in script.replace(";", "\n").splitlines():
        if line.strip():
            _statement(table, line.strip())


def pass_turn(table: Table, turns: int = 1) -> None:
    """Play turns in which the player draws from the closed deck and discards the drawn card."""
    for _ in range(turns):
        play(table, "draw closed")
        play(table, f"discard {table.state.current.hand(table.turn).cards[-1]}")


def refused(table: Table, script: str) -> str:
    """Return the code with which the script's last statement is refused, and check that it changed nothing."""
    *before, last = [part for part in script.split(";") if part.strip()]
    for each in before:
        play(table, each)
    state = table.state
    with pytest.raises(Refused) as refusal:
        play(table, last)
    assert table.state is state
    assert refusal.value.message.endswith(".")
    return refusal.value.code


def _statement(table: Table, text: str) -> None:
    head, colon, rest = text.partition(":")
    verb, _, words = (rest if colon else text).strip().partition(" ")
    if verb == "wait":
        table.now += int(float(words) * 1000)
    elif verb == "timeout":
        assert table.state.clock is not None, "no clock runs"
        table.now = max(table.now, table.state.clock.deadline)
        table.do(m.Expire(offline=frozenset(int(word) for word in words.split())))
    else:
        table.do(_move(int(head) if colon else table.turn, verb, words.strip()))


def _move(seat: int, verb: str, words: str) -> m.Move:
    match verb:
        case "sit":
            return m.Sit(seat=seat, stack=int(words))
        case "draw":
            return m.Draw(seat=seat, pile=m.Pile(words))
        case "discard":
            return m.Discard(seat=seat, card=words)
        case "finish":
            return m.Finish(seat=seat, card=words or None)
        case "auto_drop":
            return m.AutoDrop(seat=seat, on=words != "off")
        case "arrange":
            return m.Arrange(seat=seat, groups=groups(words))
        case "submit":
            return m.Submit(seat=seat, groups=groups(words) if words else None)
        case "add_chips":
            return m.AddChips(seat=seat, amount=int(words))
        case "rejoin":
            return m.Rejoin(seat=seat, accept=words == "yes")
        case "answer_split":
            return m.AnswerSplit(seat=seat, accept=words == "yes")
        case "client_seed":
            return m.ClientSeed(seat=seat, seed=words)
    plain = {kind.name: kind for kind in (m.Drop, m.Sort, m.Continue, m.Leave, m.OfferSplit)}
    return plain[verb](seat=seat)
