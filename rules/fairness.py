"""The fairness proof of a deal: what its events show of the shoe, and whether its seeds give just that.

Nothing but the proof is needed to verify it: whoever wants to check a deal needs no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rules.books import RuleBook
from rules.cards import HAND_SIZE
from rules.errors import RulesError
from rules.game import DealState, events, follow_deal
from rules.shuffling import commitment, reshuffle, shoe, toss


def shown_of_shoe(book: RuleBook, happened: Iterable[events.Event]) -> dict[str, Any]:
    """Return the parts of the proof that the events of one deal show: toss, hands, piles, reshuffles; plain JSON."""
    content: dict[str, Any] = {
        "packs": None,
        "toss": None,
        "hands": {},
        "upcard": None,
        "cut_joker": None,
        "closed": [],
        "reshuffles": [],
    }
    before: DealState | None = None
    for event, deal in follow_deal(book, happened):
        match event:
            case events.TossMade():
                content["toss"] = [{"seat": seat, "card": card} for seat, card in event.cards]
            case events.CardsDealt():
                content["packs"] = event.packs
                content["hands"] = {str(seat): list(hand) for seat, hand in zip(event.order, event.hands, strict=True)}
            case events.UpcardTurned():
                content["upcard"] = event.card
            case events.CutJokerTurned() if deal is not None:
                content |= {"cut_joker": event.card, "closed": list(deal.closed)}
            case events.ClosedDeckReshuffled() if before is not None:
                content["reshuffles"].append(_reshuffled(before, event))
        before = deal
    return content


def _reshuffled(before: DealState, event: events.ClosedDeckReshuffled) -> dict[str, Any]:
    """Tell what was shuffled, in the order in which it lay, and what came of it."""
    new = set(event.cards)
    discarded = [entry.card for entry in before.open_pile if entry.card in new]
    return {"number": event.number, "discarded": discarded, "closed": list(event.cards)}


def verify(proof: dict[str, Any]) -> list[str]:
    """Return what in the proof differs from what its own inputs give, a sentence each; empty for an honest deal.

    A proof that lacks a part or holds something else than it should gives one sentence that says so.
    """
    try:
        return list(_differences(proof))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RulesError) as error:
        return [f"This is not a proof of a deal: {type(error).__name__}: {error}."]


def _differences(proof: dict[str, Any]) -> Iterator[str]:
    deal_id, seed = str(proof["deal"]), bytes.fromhex(proof["seed"])
    clients = [bytes.fromhex(client) for client in proof["client_seeds"]]
    if commitment(deal_id, seed) != proof["commitment"]:
        yield "The commitment is not the one of this seed."
    if not proof["order"]:
        return
    cards = list(shoe(deal_id, seed, clients, proof["packs"]))
    order = [str(seat) for seat in proof["order"]]
    for place, seat in enumerate(order):
        if cards[place : HAND_SIZE * len(order) : len(order)] != proof["hands"][seat]:
            yield f"The hand of seat {seat} is not the one that the shoe gives."
    rest = cards[HAND_SIZE * len(order) :]
    yield from _table_differences(proof, rest)
    yield from _toss_differences(proof, toss(deal_id, seed, clients))
    for number, each in enumerate(proof["reshuffles"], start=1):
        if (
            each["number"] != number
            or list(reshuffle(each["discarded"], number, deal_id, seed, clients)) != each["closed"]
        ):
            yield f"Reshuffle {number} is not the one of this seed."


def _table_differences(proof: dict[str, Any], rest: list[str]) -> Iterator[str]:
    if proof["upcard"] is not None and rest.pop(0) != proof["upcard"]:
        yield "The upcard is not the one that the shoe gives."
    if rest.pop(0) != proof["cut_joker"]:
        yield "The cut joker is not the one that the shoe gives."
    if rest != proof["closed"]:
        yield "The closed deck is not the rest of the shoe."


def _toss_differences(proof: dict[str, Any], pack: tuple[str, ...]) -> Iterator[str]:
    shown = proof["toss"]
    if shown is None:
        return
    seats = sorted(proof["order"])
    if [(each["seat"], each["card"]) for each in shown] != list(zip(seats, pack, strict=False)):
        yield "The toss is not the one of this seed."
