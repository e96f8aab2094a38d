"""Simulated people: honest ones with strengths and habits of their own, and colluders, who know what they must not.

A colluder is a wrapper around an honest person: it changes a move where that helps a partner. What it knows beyond its
own view, the partner's hand, it reads from the state. Deals of all these go through the pure engine, unchecked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from rules import bots
from rules.books import RuleBook, book
from rules.bots import Frame, Strength
from rules.cards import PACK, Card, is_joker, points
from rules.collusion.deals import arranged, completes, is_linked, promise
from rules.game import DealState, Phase, TableState, legal_moves, view_for
from rules.game.events import Event
from rules.game.views.shapes import View
from rules.melds import Kind, has_run
from rules.solver.search import Best
from tables.play import protocol
from tables.simulation.run import OneDeal, terms_of

#: So much better must the partner's hand be, in jokers, that a colluder drops for it.
_BETTER: Final = 0.4
#: So many cards can be asked for by signs.
_ASKED: Final = 3
#: A deal that takes more steps than this does not end.
_MOST_STEPS = 2_000
#: From this own turn on somebody who passes chips on may show wrongly.
_WRONG_FROM: Final = 5


@dataclass(frozen=True, slots=True)
class Habits:
    """What is a person's own: chances of taking an open card that does not help yet, of leaving one that does, of
    dropping a poor hand, of playing one that should be dropped, and of discarding without much thought."""

    strength: Strength
    takes: float
    leaves: float
    drops: float
    stays: float
    errs: float


def habits_of(rng: Random) -> Habits:
    """Return the habits of somebody: any strength, and habits from hardly any to strong."""
    return Habits(
        strength=rng.choice((Strength.GENTLE, Strength.SOUND, Strength.SHARP)),
        takes=rng.uniform(0, 0.3),
        leaves=rng.uniform(0, 0.3),
        drops=rng.uniform(0, 0.4),
        stays=rng.uniform(0, 0.5),
        errs=rng.uniform(0, 0.15),
    )


class Person:
    """Somebody honest: a computer player with habits."""

    def __init__(self, name: str, habits: Habits, rng: Random) -> None:
        self.name, self.habits, self._rng = name, habits, rng

    def frame(self, view: View, state: TableState, company: Mapping[str, int]) -> Frame | None:
        """Return the frame that they send. `company`, the seats by name, is for people who play together only."""
        frame = bots.choose(view, self.habits.strength)
        me = view["me"]
        if frame is None or me is None:
            return frame
        if frame["type"] in ("draw", "drop"):
            return self._before_draw(frame, view)
        if frame["type"] == "discard" and self._rng.random() < self.habits.errs:
            return {"type": "discard", "card": self._rng.choice(_loose(view))}
        return frame

    def _before_draw(self, frame: Frame, view: View) -> Frame:
        me, deal, chance = view["me"], view["deal"], self._rng.random()
        assert me is not None and deal is not None
        may_drop = "drop" in me["moves"] and me["drop_points"] == _book(view).first_drop
        if frame["type"] == "drop":
            return {"type": "draw", "pile": "closed"} if chance < self.habits.stays else frame
        if may_drop and _is_poor(_wild(view), me["hand"]) and chance < self.habits.drops / 2:
            return {"type": "drop"}
        if not me["pickable_open"] or deal["open_top"] is None:
            return frame
        if frame["pile"] == "open":
            return {"type": "draw", "pile": "closed"} if chance < self.habits.leaves else frame
        if chance < self.habits.takes and completes(deal["open_top"], me["hand"]):
            return {"type": "draw", "pile": "open"}
        return frame


class Pact:
    """What two colluders have agreed on: in which share of their deals they help each other, and who is next to win."""

    def __init__(self, rng: Random, share: float = 1.0) -> None:
        self._rng, self._share = rng, share
        self._deal = ""
        self.deals, self.holds = 0, False

    def meet(self, deal_id: str) -> None:
        """Note a deal in which both play; the first of them to move does."""
        if deal_id != self._deal:
            self._deal, self.deals = deal_id, self.deals + 1
            self.holds = self._rng.random() < self._share


class Colluder(Person):
    """Somebody who helps a partner by a pact; the subclasses say how."""

    def __init__(self, name: str, habits: Habits, rng: Random, *, partner: str, pact: Pact) -> None:
        super().__init__(name, habits, rng)
        self.partner, self.pact = partner, pact

    def frame(self, view: View, state: TableState, company: Mapping[str, int]) -> Frame | None:
        frame = super().frame(view, state, company)
        partner = company.get(self.partner)
        if frame is None or partner is None or state.deal is None or frame["type"] not in _PLAYED:
            return frame
        self.pact.meet(state.deal.deal_id)
        if not self.pact.holds or partner not in state.deal.alive:
            return frame
        return self.helping(frame, view, state.deal, partner)

    def helping(self, frame: Frame, view: View, deal: DealState, partner: int) -> Frame:
        """Return the frame that helps the partner, or the same one."""
        raise NotImplementedError

    def _draws_what_helps(self, frame: Frame, view: View, deal: DealState) -> Frame:
        me, top = view["me"], view["deal"] and view["deal"]["open_top"]
        assert me is not None
        if frame["type"] == "draw" and top and me["pickable_open"] and gain(view, me["hand"], top) > 0:
            return {"type": "draw", "pile": "open"}
        return frame

    def _feeds(self, frame: Frame, view: View, deal: DealState, partner: int, cards: list[Card]) -> Frame:
        """Discard what helps the partner most if they are next; else keep what would help them."""
        held = deal.hand(partner).cards
        worth = {card: gain(view, held, card) for card in cards}
        if _next(deal, view) == partner:
            most = max(cards, key=lambda card: (worth[card], card))
            return {"type": "discard", "card": most} if worth[most] > 0 else frame
        if worth.get(frame["card"], gain(view, held, frame["card"])) > 0:
            useless = [card for card in cards if worth[card] <= 0]
            return (
                {"type": "discard", "card": max(useless, key=lambda card: points(card, _wild(view)))}
                if useless
                else frame
            )
        return frame


class SharedHands(Colluder):
    """Each knows the partner's hand: lets go what helps, keeps from others what the partner needs."""

    def helping(self, frame: Frame, view: View, deal: DealState, partner: int) -> Frame:
        if frame["type"] == "discard":
            return self._feeds(frame, view, deal, partner, _loose(view))
        return self._draws_what_helps(frame, view, deal)


class FedDiscards(Colluder):
    """The partner asks for a few cards by some sign, and gets them; nobody sees a hand."""

    def helping(self, frame: Frame, view: View, deal: DealState, partner: int) -> Frame:
        if frame["type"] != "discard" or _next(deal, view) != partner:
            return self._draws_what_helps(frame, view, deal)
        laid = _arranged(view, deal.hand(partner).cards)
        asked = _asked(laid.loose, _wild(view))
        given = [card for card in _loose(view) if card[:-1] in asked]
        return {"type": "discard", "card": given[0]} if given else frame


class DropsForOther(Colluder):
    """Whoever has the worse hand of the two drops, so that only one of them can be caught."""

    def helping(self, frame: Frame, view: View, deal: DealState, partner: int) -> Frame:
        me, wild = view["me"], _wild(view)
        assert me is not None
        first = "drop" in me["moves"] and me["drop_points"] == _book(view).first_drop
        if first and promise(wild, deal.hand(partner).cards) > promise(wild, me["hand"]) + _BETTER:
            return {"type": "drop"}
        return frame


class AlternatingWins(Colluder):
    """They take turns in winning: the other one feeds, and does not show."""

    def helping(self, frame: Frame, view: View, deal: DealState, partner: int) -> Frame:
        if (self.pact.deals + (self.name < self.partner)) % 2:
            return self._draws_what_helps(frame, view, deal)
        if frame["type"] in ("finish", "discard"):
            discard = {"type": "discard", "card": _loose(view)[0]} if frame["type"] == "finish" else frame
            return self._feeds(discard, view, deal, partner, _loose(view))
        return {"type": "draw", "pile": "closed"} if frame["type"] == "draw" else frame


class PassesChips(Colluder):
    """One loses to the other: feeds them, keeps the dear cards, never shows, and shows wrongly once both are alone."""

    def helping(self, frame: Frame, view: View, deal: DealState, partner: int) -> Frame:
        me, wild = view["me"], _wild(view)
        assert me is not None
        if self.name > self.partner:
            return self._draws_what_helps(frame, view, deal)
        if frame["type"] in ("finish", "discard"):
            alone = set(deal.alive) == {me["seat"], partner}
            if alone and deal.hand(me["seat"]).draws >= _WRONG_FROM:
                return {"type": "finish", "card": me["hand"][0]}
            cheapest = min(_loose(view), key=lambda card: (points(card, wild), card))
            return self._feeds({"type": "discard", "card": cheapest}, view, deal, partner, _loose(view))
        return {"type": "draw", "pile": "closed"}


#: The five kinds of colluders, by the name of the kind.
COLLUDERS: Final[Mapping[str, Callable[..., Colluder]]] = {
    "shared hands": SharedHands,
    "fed discards": FedDiscards,
    "drops for each other": DropsForOther,
    "alternating wins": AlternatingWins,
    "chips passed on": PassesChips,
}
#: What a colluder may change.
_PLAYED: Final = ("draw", "discard", "drop", "finish")


def gain(view: View, cards: tuple[Card, ...] | list[Card], card: Card) -> float:
    """Return by how many points the card makes this hand of thirteen better by lying in a meld."""
    wild = _wild(view)
    if is_joker(card, wild):
        return 0
    if not is_linked(card, cards, wild):
        return 0
    before, after = _arranged(view, cards), _arranged(view, [*cards, card])
    if Kind.PURE not in before.kinds and Kind.PURE not in after.kinds:
        return 0.5 * completes(card, cards)
    used = any(card in group for group in after.groups)
    return 100.0 if after.valid else used * (before.points - after.points)


def _arranged(view: View, cards: Sequence[Card]) -> Best:
    return arranged(_book(view), _wild(view), tuple(sorted(cards)))


def _loose(view: View) -> list[Card]:
    """Return the cards outside the melds of the hand, of which one can be discarded; else the best discard alone."""
    me = view["me"]
    assert me is not None
    laid = _arranged(view, me["hand"])
    assert laid.discard is not None
    plain = [card for card in (*laid.loose, laid.discard) if not is_joker(card, _wild(view))]
    return plain or [laid.discard]


def _is_poor(wild: int, hand: Sequence[Card]) -> bool:
    """Return whether a habit may drop this hand: one joker or a pure sequence at most."""
    return sum(is_joker(card, wild) for card in hand) + has_run(hand) <= 1


def _asked(loose: Sequence[Card], wild: int) -> list[str]:
    """Return the faces, the dearest first, for which somebody asks who holds these cards outside melds."""
    completing = [each for each in PACK if not is_joker(each, wild) and completes(each, loose)]
    return sorted(completing, key=lambda each: (-points(each, wild), each))[:_ASKED]


def _next(deal: DealState, view: View) -> int:
    """Return the next player still in the deal."""
    assert view["me"] is not None
    alive = deal.alive
    return alive[(alive.index(view["me"]["seat"]) + 1) % len(alive)]


def _book(view: View) -> RuleBook:
    return book(view["table"]["book"])


def _wild(view: View) -> int:
    return (view["deal"] and view["deal"]["wild_rank"]) or 0


def played(rules: RuleBook, people: Sequence[Person], rng: Random) -> list[Event] | None:
    """Return the events of one deal of these people, in their seats; None where it was void or did not end."""
    terms = replace(terms_of(rules, len(people)), maximum=None)
    table = OneDeal(terms, deal_id=rng.randbytes(8).hex(), seed=rng.randbytes(64).hex())
    seats = {person.name: seat for seat, person in enumerate(people)}

    def somebody_moves() -> bool:
        for seat in _to_move(table.state):
            frame = people[seat].frame(view_for(table.state, seat, table.now), table.state, seats)
            if frame is not None:
                table.make(protocol.to_move(protocol.read_frame(frame), seat))
                return True
        return False

    return table.events if table.play(somebody_moves, most=_MOST_STEPS) else None


def _to_move(state: TableState) -> Sequence[int]:
    if state.deal is None:
        return ()
    if state.phase is Phase.PLAYING and state.deal.turn is not None:
        return (state.deal.turn.seat,)
    return [seat for seat in range(state.terms.seats) if "submit" in legal_moves(state, seat)]
