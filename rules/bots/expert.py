"""The strongest computer player (prototype)."""

from __future__ import annotations

from math import log

from rules.bots.eye import Eye
from rules.bots.plans import BIT, FACE_OF, RANK_MASKS, RUNS, Outlook, Unseen, sight_of
from rules.cards import HAND_SIZE, Card, is_joker, points

W: dict[str, float] = {
    "a1": 1.5,
    "a2": 1.5,
    "a3": 3.0,
    "e1": 0.02,
    "e2": 0.01,
    "e3": 1e-6,
    "c0": 0.1,
    "ct": 0.05,
    "danger": 5.0,
    "open": 0.3,
}


def seen_cards(eye: Eye) -> tuple[set[Card], set[Card]]:
    """Return all cards whose place is known, and those of them that the next player holds."""
    deal = eye.deal
    lying: set[Card] = set()
    held: dict[Card, int] = {}
    for number, entry in enumerate(deal["discards"]):
        card = entry["card"]
        if not card:
            continue
        held.pop(card, None)
        if "picked_by" in entry:
            held[card] = entry["picked_by"]
        elif number >= deal["reshuffled_count"]:
            lying.add(card)
    seen = set(eye.me["hand"]) | lying | set(held)
    if deal["cut_joker"]:
        seen.add(deal["cut_joker"])
    next_seat = following(eye)
    return seen, {card for card, seat in held.items() if seat == next_seat}


def following(eye: Eye) -> int:
    seats, own = eye.view["seats"], eye.me["seat"]
    around = (*seats[own + 1 :], *seats[:own])
    return next((seat["seat"] for seat in around if seat["status"] == "playing"), own)


def sight(eye: Eye, seen: set[Card]) -> Unseen:
    return sight_of(seen, eye.packs, eye.wild, 53 * eye.packs - len(seen))


def score(v1: float, v2: float, v3: float) -> float:
    return W["a1"] * log(min(1.0, v1) + W["e1"]) + W["a2"] * log(min(1.0, v2) + W["e2"]) + W["a3"] * log(v3 + W["e3"])


class Danger:
    def __init__(self, eye: Eye, sight: Unseen, theirs: set[Card]) -> None:
        self.sight = sight
        self.eye = eye
        self.known = 0
        for card in theirs:
            self.known |= BIT[card[:-1]]
        share = (HAND_SIZE - len(theirs)) / max(1, sight.total)
        next_seat = following(eye)
        self.chance: dict[int, float] = {}
        shunned = 0
        for entry in eye.deal["discards"]:
            if entry["seat"] == next_seat and entry["card"]:
                mask = BIT[entry["card"][:-1]]
                shunned |= mask
        self.shunned = shunned
        self.share = share

    def has(self, mask: int) -> float:
        if mask & self.known:
            return 1.0
        found = self.chance.get(mask)
        if found is None:
            found = self.chance[mask] = 1 - (1 - self.share) ** self.sight.copies(mask)
        return found

    def of(self, card: Card) -> float:
        mask = BIT[card[:-1]]
        safe = 1.0
        for window, _ in RUNS:
            if window & mask:
                rest = window ^ mask
                low = rest & -rest
                part = self.has(low) * self.has(rest ^ low)
                if rest & self.shunned:
                    part *= 0.4
                safe *= 1 - part
        for row in RANK_MASKS:
            if row & mask:
                rest = row ^ mask
                bits = [1 << place for place in range(52) if rest >> place & 1]
                for one in range(3):
                    for two in range(one + 1, 3):
                        part = self.has(bits[one]) * self.has(bits[two])
                        if row & self.shunned:
                            part *= 0.4
                        safe *= 1 - part
        return 1 - safe


def ranking(
    eye: Eye, cards: list[Card], seen: set[Card], theirs: set[Card], keep: Card | None = None
) -> list[tuple[float, Card]]:
    """Return the cards that may be let go with the worth of what is left, best first."""
    known = sight(eye, seen)
    outlook = Outlook(cards, eye.wild, known)
    danger = Danger(eye, known, theirs)
    turn = eye.deal["turn_number"] / 2
    caution = W["c0"] + W["ct"] * turn
    found: dict[str, tuple[float, Card]] = {}
    for card in sorted(cards):
        if is_joker(card, eye.wild) or card[:-1] in found or card == keep:
            continue
        v = outlook.without(card, eye.wild)
        found[card[:-1]] = (score(*v) + caution * points(card, eye.wild) - W["danger"] * danger.of(card), card)
    return sorted(found.values(), reverse=True)


def best_discard(eye: Eye) -> Card:
    seen, theirs = seen_cards(eye)
    return ranking(eye, eye.me["hand"], seen, theirs)[0][1]


def wants_open(eye: Eye) -> bool:
    top = eye.deal["open_top"]
    if top is None:
        return False
    if is_joker(top, eye.wild):
        return True
    seen, _theirs = seen_cards(eye)
    known = sight(eye, seen)
    outlook = Outlook(eye.me["hand"], eye.wild, known)
    v1, v2, v3 = outlook.without(None, eye.wild)

    def after(mask: int) -> float:
        return score(
            v1 + sum(g for wants, g in outlook.gain1.items() if wants & mask),
            v2 + sum(g for wants, g in outlook.gain2.items() if wants & mask),
            v3 + sum(g for wants, g in outlook.gain3.items() if wants & mask),
        )

    expected = 0.0
    plain = 0
    for mask in FACE_OF:
        if mask & RANK_MASKS[eye.wild - 1]:
            continue
        number = known.copies(mask)
        if number:
            expected += number * after(mask)
            plain += number
    expected += known.jokers * score(v1, v2 + outlook.gain2_joker, v3 + outlook.gain3_joker)
    expected /= plain + known.jokers
    return after(BIT[top[:-1]]) > expected + W["open"]
