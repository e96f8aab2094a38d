"""The fairness proof of a deal: its inputs, revealed once it has ended, and what anyone can recompute from them."""

from collections.abc import Iterable, Iterator
from typing import Any

from rules.cards import HAND_SIZE
from rules.errors import RulesError
from rules.game import events, moves
from rules.shuffling import commitment, reshuffle, shoe, toss
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal


def proof(deal: Deal, happened: Iterable[events.Event] | None = None) -> dict[str, Any]:
    """All that `verify` needs, as JSON; `happened` are the deal's events where they have been read already.

    Only for a deal that has ended; ValueError before.
    """
    if deal.ended_at is None:
        raise ValueError("a deal's seed is not revealed before it has ended")
    shown = _Shown()
    for event in _read(deal) if happened is None else happened:
        shown.add(event)
    return {
        "deal": deal.pk,
        "book": deal.book,
        "book_version": deal.book_version,
        "status": deal.status,
        "commitment": deal.commitment,
        "seed": SEEDS.unseal(deal).hex(),
        "client_seeds": deal.client_seeds,
        "order": deal.order,
        **shown.content,
    }


def _read(deal: Deal) -> Iterator[events.Event]:
    for entry in reading.of_deal(deal):
        yield entry.event()


class _Shown:
    """What the events of one deal show of its shoe."""

    def __init__(self) -> None:
        self.content: dict[str, Any] = {
            "packs": None,
            "toss": None,
            "hands": {},
            "upcard": None,
            "cut_joker": None,
            "closed": [],
            "reshuffles": [],
        }
        self._pile: list[str] = []
        self._in_slot: dict[int, str] = {}

    def add(self, event: events.Event) -> None:
        match event:
            case events.TossMade():
                self.content["toss"] = [{"seat": seat, "card": card} for seat, card in event.cards]
            case events.CardsDealt():
                hands = zip(event.order, event.hands, strict=True)
                self.content |= {"packs": event.packs, "closed": list(event.closed)}
                self.content["hands"] = {str(seat): list(hand) for seat, hand in hands}
            case events.UpcardTurned():
                self.content["upcard"] = self.content["closed"].pop(0)
                self._pile.append(event.card)
            case events.CutJokerTurned():
                self.content["cut_joker"] = self.content["closed"].pop(0)
            case _:
                self._follow_pile(event)

    def _follow_pile(self, event: events.Event) -> None:
        match event:
            case events.CardDrawn(pile=moves.Pile.OPEN):
                self._pile.remove(event.card)
            case events.CardDiscarded():
                self._pile.append(event.card)
            case events.FinishPlaced(card=str() as card):
                self._in_slot[event.seat] = card
            case events.ShowRefused() | events.PlayerLeft():
                if event.seat in self._in_slot:
                    self._pile.append(self._in_slot.pop(event.seat))
            case events.ClosedDeckReshuffled():
                self._reshuffled(event)
            case _:
                pass

    def _reshuffled(self, event: events.ClosedDeckReshuffled) -> None:
        discarded = [card for card in self._pile if card in set(event.cards)]
        shown = {"number": event.number, "discarded": discarded, "closed": list(event.cards)}
        self.content["reshuffles"].append(shown)
        self._pile = [card for card in self._pile if card not in set(event.cards)]


def verify(proof: dict[str, Any]) -> list[str]:
    """What in the proof differs from what its own inputs give, a sentence each; empty for an honest deal.

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
