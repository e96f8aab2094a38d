"""The fairness proof of a deal: the cards that its events show, and the check that its seeds give exactly these.

Verification needs only the proof: no database, no Django.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict

from rules.books import RuleBook
from rules.cards import HAND_SIZE, MAX_PACKS, Card
from rules.errors import RulesError
from rules.game import DealState, events, follow_deal
from rules.shuffling import commitment, reshuffle, shoe, toss


class TossCard(TypedDict):
    seat: int
    card: Card


class Reshuffled(TypedDict):
    """The cards of a reshuffle in the order of the discards, and in their new order."""

    number: int
    discarded: list[Card]
    closed: list[Card]


class ShownOfShoe(TypedDict):
    """What the events of a deal show of its shoe; `hands` are by seat, `closed` is the closed deck after the deal."""

    packs: int | None
    toss: list[TossCard] | None
    hands: dict[str, list[Card]]
    upcard: Card | None
    cut_joker: Card | None
    closed: list[Card]
    reshuffles: list[Reshuffled]


#: The events that show cards of the shoe.
_OF_SHOE = (events.TossMade, events.CardsDealt, events.UpcardTurned, events.CutJokerTurned, events.ClosedDeckReshuffled)


def shown_of_shoe(book: RuleBook, happened: Iterable[events.Event]) -> ShownOfShoe:
    """Return the parts of the proof that the events of one deal show, as plain JSON."""
    content: ShownOfShoe = {
        "packs": None,
        "toss": None,
        "hands": {},
        "upcard": None,
        "cut_joker": None,
        "closed": [],
        "reshuffles": [],
    }
    before: DealState | None = None
    # The moves after the last such event show no more of it.
    of_shoe = list(happened)
    while of_shoe and not isinstance(of_shoe[-1], _OF_SHOE):
        of_shoe.pop()
    for event, deal in follow_deal(book, of_shoe):
        match event:
            case events.TossMade():
                content["toss"] = [{"seat": seat, "card": card} for seat, card in event.cards]
            case events.CardsDealt():
                content["packs"] = event.packs
                content["hands"] = {str(seat): list(hand) for seat, hand in zip(event.order, event.hands, strict=True)}
            case events.UpcardTurned():
                content["upcard"] = event.card
            case events.CutJokerTurned() if deal is not None:
                content["cut_joker"], content["closed"] = event.card, list(deal.closed)
            case events.ClosedDeckReshuffled() if before is not None:
                content["reshuffles"].append(_reshuffled(before, event))
        before = deal
    return content


def _reshuffled(before: DealState, event: events.ClosedDeckReshuffled) -> Reshuffled:
    """Return the reshuffled cards in the order of the discards, and in their new order."""
    new = set(event.cards)
    discarded = [entry.card for entry in before.open_pile if entry.card in new]
    return {"number": event.number, "discarded": discarded, "closed": list(event.cards)}


def verify(proof: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each part of the proof that differs from its own inputs; empty for an honest deal.

    For a proof with a missing or malformed part, return one sentence that says so.
    """
    try:
        return list(_differences(proof))
    except KeyError as missing:
        return [f"This is not a proof of a deal: it has no {missing}."]
    except (TypeError, ValueError, AttributeError, IndexError, RulesError) as error:
        return [f"This is not a proof of a deal: {error}."]


def _differences(proof: Mapping[str, Any]) -> Iterator[str]:
    deal_id, seed = str(proof["deal"]), bytes.fromhex(proof["seed"])
    clients = [bytes.fromhex(client) for client in proof["client_seeds"]]
    if commitment(deal_id, seed) != proof["commitment"]:
        yield "The commitment is not the one of this seed."
    order = [str(seat) for seat in proof["order"]]
    if sorted(proof["hands"]) != sorted(order):
        yield "The hands are not those of the seats that were dealt to."
    shown = [proof[part] for part in ("toss", "upcard", "cut_joker", "closed", "reshuffles")]
    if not order:
        if any(shown):
            yield "Cards are shown, but none were dealt."
        return
    if proof["packs"] not in range(1, MAX_PACKS + 1):
        raise ValueError(f"no shoe has {proof['packs']!r:.20} packs")
    cards = list(shoe(deal_id, seed, clients, proof["packs"]))
    for place, seat in enumerate(order):
        if cards[place : HAND_SIZE * len(order) : len(order)] != proof["hands"][seat]:
            yield f"The hand of seat {int(seat) + 1} is not the one that the shoe gives."
    rest = cards[HAND_SIZE * len(order) :]
    yield from _table_differences(proof, rest)
    yield from _toss_differences(proof, toss(deal_id, seed, clients))
    for number, each in enumerate(proof["reshuffles"], start=1):
        if (
            each["number"] != number
            or list(reshuffle(each["discarded"], number, deal_id, seed, clients)) != each["closed"]
        ):
            yield f"Reshuffle {number} is not the one of this seed."


def _table_differences(proof: Mapping[str, Any], rest: list[str]) -> Iterator[str]:
    if proof["upcard"] is not None and rest.pop(0) != proof["upcard"]:
        yield "The upcard is not the one that the shoe gives."
    if rest.pop(0) != proof["cut_joker"]:
        yield "The cut joker is not the one that the shoe gives."
    if rest != proof["closed"]:
        yield "The closed deck is not the rest of the shoe."


def _toss_differences(proof: Mapping[str, Any], pack: tuple[str, ...]) -> Iterator[str]:
    toss = proof["toss"]
    if toss is None:
        return
    seats = sorted(proof["order"])
    if [(each["seat"], each["card"]) for each in toss] != list(zip(seats, pack, strict=False)):
        yield "The toss is not the one of this seed."
