"""What a player could know, and deals that fit it: against the true deals of simulated tables, and without them."""

import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from rules.analysis import Decision, decisions_of, sampled
from rules.cards import ordered_shoe
from rules.game import check_invariants, codec, events
from rules.game.state import DealState, Standing, TableState
from rules.game.transitions import follow_deal
from tests.support.simulated import PlayedDeal, played_deals

REPEATED = [("standard-points", 2), ("standard-blind", 2), ("standard-pool-101", 3), ("standard-deals-2", 2)]
BOOKS = [
    ("standard-points", 6),
    ("standard-blind", 6),
    ("lives-drop-points", 4),
    ("club-points", 3),
    *(pytest.param(*case, marks=pytest.mark.slow) for case in REPEATED),
]
CLOSED, PILE = "closed", "pile"


@cache
def deals(book: str, players: int) -> tuple[PlayedDeal, ...]:
    return tuple(played_deals(book, players=players, deals=6, seed=7))


def moments(book: str, players: int) -> Iterator[tuple[PlayedDeal, Decision, DealState]]:
    """Yield some decisions of every seat in every deal, each with the true deal at that moment."""
    for played in deals(book, players):
        states = [state for _, state in follow_deal(played.book, played.happened)]
        order = next(event.order for event in played.happened if isinstance(event, events.CardsDealt))
        for seat in order:
            every = list(decisions_of(played.book, played.happened, seat))
            for decision in every[:2] + every[2::5] + every[-1:]:
                true = states[decision.event - 1]
                assert true is not None
                yield played, decision, true


def places(deal: DealState) -> dict[str, object]:
    """Return where each card lies: a seat, CLOSED or PILE."""
    found: dict[str, object] = dict.fromkeys(deal.closed, CLOSED)
    found |= {entry.card: PILE for entry in deal.discards if entry.lies}
    return found | {card: seat for seat, hand in enumerate(deal.hands) if hand is not None for card in hand.cards}


def possible_places(played: PlayedDeal, decision: Decision) -> dict[str, set[object]]:
    """Return where each card may be as far as the player has seen, card by card, by another way than the product."""
    me, face_down = decision.seen.seat, not played.book.open_pile
    may: dict[str, set[object]] = {}
    for event in played.happened[: decision.event]:
        match event:
            case events.CardsDealt():
                own = dict(zip(event.order, event.hands, strict=True))[me]
                others: set[object] = {*event.order, CLOSED} - {me}
                may = {card: {me} if card in own else set(others) for card in ordered_shoe(event.packs)}
            case events.UpcardTurned():
                may[event.card] = {PILE}
            case events.CutJokerTurned():
                del may[event.card]
            case events.CardDrawn():
                if event.seat == me or event.pile == "open":
                    may[event.card] = {event.seat}
                else:
                    for where in may.values():
                        if CLOSED in where:
                            where.add(event.seat)
            case events.CardDiscarded() | events.ShowRefused() if event.card is not None:
                if event.seat == me or not face_down:
                    may[event.card] = {PILE}
                else:
                    for where in may.values():
                        if event.seat in where:
                            where.add(PILE)
            case events.ClosedDeckReshuffled():
                for card, where in may.items():
                    where.discard(CLOSED)
                    if PILE in where and (face_down or card in event.cards):
                        where.discard(PILE)
                        where.add(CLOSED)
            case _:
                pass
    return may


def impossible(played: PlayedDeal, decision: Decision, deal: DealState) -> list[str]:
    """Return the cards that lie where they cannot."""
    may = possible_places(played, decision)
    return [card for card, where in places(deal).items() if where not in may[card]]


def shown(state: DealState, seat: int, *, open_pile: bool) -> dict[str, Any]:
    """Return what the player of `seat` sees of a deal."""
    return {
        "hand": state.hand(seat).cards,
        "turn": state.turn,
        "closed": len(state.closed),
        "cut": (state.cut, state.wild),
        "discards": [
            (entry.seat, entry.card if open_pile or entry.seat == seat else None, entry.picked_by, entry.reshuffled)
            for entry in state.discards
        ],
        "hands": {
            seat: (len(hand.cards), hand.draws, hand.standing is Standing.IN, hand.points)
            for seat, hand in enumerate(state.hands)
            if hand is not None
        },
        "reshuffles": state.reshuffles,
    }


@pytest.mark.parametrize(("book", "players"), BOOKS)
def test_every_sampled_deal_is_possible_and_looks_the_same_to_the_player(book: str, players: int) -> None:
    seen = 0
    for played, decision, true in moments(book, players):
        seat, open_pile = decision.seen.seat, played.book.open_pile
        for number in range(3):
            state = sampled(decision.seen, b"any", number)
            check_invariants(state)
            assert shown(state.current, seat, open_pile=open_pile) == shown(true, seat, open_pile=open_pile)
            assert not impossible(played, decision, state.current)
            seen += 1
    assert seen > 30


@pytest.mark.parametrize(("book", "players"), BOOKS)
def test_the_true_deal_is_possible_as_well(book: str, players: int) -> None:
    """Otherwise the check above would ask too much, and prove nothing."""
    for played, decision, true in moments(book, players):
        assert not impossible(played, decision, true)


def test_a_card_where_it_cannot_be_is_found() -> None:
    for played, decision, _ in moments("standard-points", 2):
        state = sampled(decision.seen, b"any", 0).current
        known = next((card for each in decision.seen.seats for card in each.known), None)
        if known is not None:
            other = next(seat for seat in state.order if seat != decision.seen.seat)
            hand = tuple(card for card in state.hand(other).cards if card != known)
            assert known in state.hand(other).cards
            moved = places(state) | {known: CLOSED, state.closed[0]: other}
            may = possible_places(played, decision)
            assert moved[known] not in may[known] and len(hand) + 1 == len(state.hand(other).cards)
            return
    pytest.fail("nobody picked a card")


def test_other_samples_are_other_deals_and_the_same_ones_the_same() -> None:
    _, decision, true = next(moments("standard-points", 2))
    ten = [sampled(decision.seen, b"any", number).current for number in range(10)]
    assert len({deal.closed for deal in ten}) == 10 and true.closed not in {deal.closed for deal in ten}
    assert ten == [sampled(decision.seen, b"any", number).current for number in range(10)]
    assert sampled(decision.seen, b"other", 0).current.closed != ten[0].closed


def test_no_hidden_card_is_more_likely_in_one_place_than_in_another() -> None:
    """Each hidden card lies with the other player as often as their share of the hidden cards: within four errors."""
    _, decision, _ = next(moments("standard-points", 2))
    seen, samples = decision.seen, 400
    other = next(each.seat for each in seen.seats if each.seat != seen.seat)
    found = dict.fromkeys((card for card, _ in seen.hidden), 0)
    for number in range(samples):
        for card in sampled(seen, b"even", number).current.hand(other).cards:
            found[card] += 1
    share = 13 / len(found)
    error = (samples * share * (1 - share)) ** 0.5
    assert max(abs(count - samples * share) for count in found.values()) < 4 * error


# --- the truth is not looked at ---------------------------------------------------------------------------------------


def exchanged(played: PlayedDeal, decision: Decision, chance: Random) -> list[events.Event]:
    """Return the events up to the decision with all cards that are still hidden exchanged among each other."""
    hidden = [card for card, shuffle in decision.seen.hidden if shuffle == 0]
    other = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: renamed(each) for key, each in value.items()}
        if isinstance(value, list):
            return [renamed(each) for each in value]
        return other.get(value, value) if isinstance(value, str) else value

    before = played.happened[: decision.event + 1]
    return [codec.load_event(renamed(json.loads(json.dumps(codec.dump_event(event))))) for event in before]


@pytest.mark.parametrize(("book", "players"), BOOKS)
def test_what_a_player_could_know_is_the_same_whatever_is_hidden_from_them(book: str, players: int) -> None:
    chance, changed = Random(3), 0
    for played, decision, _ in moments(book, players):
        happened = exchanged(played, decision, chance)
        changed += happened != played.happened[: decision.event + 1]
        *_, again = decisions_of(played.book, happened, decision.seen.seat)
        assert again == decision
    assert changed > 10


def test_a_leak_would_be_found() -> None:
    """The same comparison finds somebody who looks at the top of the closed deck."""

    def peeks(happened: list[events.Event]) -> object:
        *_, deal = (state for _, state in follow_deal(played.book, happened))
        return deal and deal.closed[0]

    found = set()
    for played, decision, _ in moments("standard-points", 2):
        before = played.happened[: decision.event]
        found.add(peeks(before) == peeks(exchanged(played, decision, Random(1))[: decision.event]))
    assert False in found


def test_a_sample_is_a_table_of_its_own() -> None:
    _, decision, _ = next(moments("standard-pool-101", 3))
    state: TableState = sampled(decision.seen, b"any", 0)
    assert state.current.seed != "" and state.current.commitment == "" and state.current.deal_id == "analysis"
