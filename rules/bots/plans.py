"""The ways in which a hand may become a valid show: which cards each way keeps, and which it still waits for.

A plan is a pure sequence, a second sequence, two more melds of three, and one card that makes one of them four long.
Faces are bits of one number, so that sets of faces are compared in one step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from rules.cards import PACK, RANKS, SUITS, Card, is_joker, rank, suit

#: A set of faces; a printed joker is in none.
Faces: TypeAlias = int

_WIDTH: Final = len(RANKS)
BIT: Final[dict[str, Faces]] = {
    shown: 1 << (SUITS.index(suit(shown)) * _WIDTH + rank(shown) - 1) if rank(shown) else 0 for shown in PACK
}
FACE_OF: Final = {mask: shown for shown, mask in BIT.items() if mask}


def faces_of_rank(value: int) -> Faces:
    return sum(BIT[RANKS[value - 1] + letter] for letter in SUITS)


def _windows() -> list[tuple[Faces, Faces]]:
    """Return each run of three, and the faces that would make it longer."""
    found = []
    for letter in SUITS:
        row = [BIT[name + letter] for name in (*RANKS, RANKS[0])]
        for start in range(len(row) - 2):
            beyond = (row[start - 1] if start else 0) | (row[start + 3] if start + 3 < len(row) else 0)
            window = sum(row[start : start + 3])
            found.append((window, beyond & ~window))
    return found


RUNS: Final = _windows()
RANK_MASKS: Final = [faces_of_rank(value) for value in range(1, _WIDTH + 1)]


class Unseen(NamedTuple):
    """What a player knows of the cards that they do not see: faces by the number of their unseen copies."""

    once: Faces
    twice: Faces
    thrice: Faces
    jokers: int
    total: int

    def copies(self, faces: Faces) -> int:
        return (faces & self.once).bit_count() + (faces & self.twice).bit_count() + (faces & self.thrice).bit_count()


class MeldPart(NamedTuple):
    """Part of a meld of three: the faces held, those of which one completes it, and those that make it four long."""

    held: Faces
    wants: Faces
    copies: int
    beyond: Faces
    run: bool
    jokers: int = 0


class Plan(NamedTuple):
    weight: float
    used: Faces
    twice: Faces
    #: For each card still missing: the faces that would do, how many copies are unseen, and whether a joker would do.
    items: tuple[tuple[Faces, int, bool], ...]


FILL1, FILL2, PFILL1, PFILL2 = 14, 6, 12, 3
SLACK = 1
RATE = 2.5


class Outlook:
    """All plans of a hand, and what becomes of them."""

    def __init__(self, cards: Sequence[Card], wild: int, sight: Unseen) -> None:
        plain: Counter[Faces] = Counter(BIT[card[:-1]] for card in cards if not is_joker(card, wild))
        self.jokers = len(cards) - plain.total()
        self.held = sum(plain)
        self.double = sum(mask for mask, count in plain.items() if count > 1)
        own = 0
        for card in cards:
            if rank(card) == wild:
                own |= BIT[card[:-1]]
        self.own = own
        self.sight = sight
        self.runs: list[MeldPart] = []
        self.pures: list[MeldPart] = []
        self.sets: list[MeldPart] = []
        self._find_groups()
        self.lives1: list[tuple[float, Faces, Faces, Faces]] = []
        self.lives2: dict[tuple[Faces, Faces], float] = {}
        self.gain1: dict[Faces, float] = {}
        self.gain2: dict[Faces, float] = {}
        self.gain2_joker = 0.0
        self.plans: dict[tuple[Faces, Faces], float] = {}
        self.gain3: dict[Faces, float] = {}
        self.gain3_joker = 0.0
        self.best = 99
        self._raw: list[tuple[int, Faces, Faces, list[tuple[Faces, int, bool]]]] = []
        self._find_plans()
        self._weigh()

    def _find_groups(self) -> None:
        held, own, copies = self.held, self.own, self.sight.copies
        both = held | own
        pairs: dict[Faces, list[int]] = {}
        owns: dict[Faces, list[int]] = {}
        for window, beyond in RUNS:
            have = window & held
            count = have.bit_count()
            if count == 3:
                self.runs.append(MeldPart(have, 0, 0, beyond, True))
            elif count == 2:
                entry = pairs.setdefault(have, [0, 0])
                entry[0] |= window ^ have
                entry[1] |= beyond
            if own & window:
                mine = window & both
                # The wild card in its own place costs a joker.
                size = mine.bit_count()
                if size == 3 and (mine & own).bit_count() == 1:
                    self.pures.append(MeldPart(mine, 0, 0, beyond, True, 1))
                elif size == 2 and (mine & own).bit_count() == 1:
                    entry = owns.setdefault(mine, [0, 0])
                    entry[0] |= window ^ mine
                    entry[1] |= beyond
        self.pures = self.runs + self.pures
        for have, (wants, beyond) in pairs.items():
            group = MeldPart(have, wants, copies(wants), beyond & ~wants, True)
            self.runs.append(group)
            if group.copies:
                self.pures.append(group)
        for have, (wants, beyond) in owns.items():
            number = copies(wants)
            if number:
                self.pures.append(MeldPart(have, wants, number, beyond & ~wants, True, 1))
        for row in RANK_MASKS:
            have = row & held
            count = have.bit_count()
            if count < 2:
                continue
            bits = []
            left = have
            while left:
                low = left & -left
                bits.append(low)
                left ^= low
            if count >= 3:
                for out in bits if count == 4 else (0,):
                    self.sets.append(MeldPart(have ^ out, 0, 0, row ^ have ^ out, False))
            for one in range(count):
                for two in range(one + 1, count):
                    pair = bits[one] | bits[two]
                    self.sets.append(MeldPart(pair, row ^ pair, copies(row ^ pair), 0, False))

    def _find_plans(self) -> None:
        sight, jokers, double = self.sight, self.jokers, self.double
        copies, more = sight.copies, sight.jokers
        runs, held = self.runs, self.held
        others = [*runs, *self.sets]
        others.sort(key=lambda group: group.wants != 0)
        fill = [(0, FILL1 + more, True), (0, FILL2 + more, True)]
        raw = self._raw
        best = 99
        total = sight.total or 1
        pures: list[tuple[MeldPart, list[tuple[Faces, int, bool]]]] = [
            (group, [(group.wants, group.copies, False)] if group.wants else []) for group in self.pures
        ]
        if not any(not group.wants for group in self.pures):
            pures.append((MeldPart(0, 0, 0, 0, True), [(0, PFILL1, False), (0, PFILL2, False)]))
        for pure, pitems in pures:
            pmiss = len(pitems)
            have = jokers - pure.jokers
            if have < 0:
                continue
            w1 = 1.0
            for _, n, _ in pitems:
                w1 *= n * RATE / total
            self.lives1.append((w1, pure.held, 0, pure.wants))
            if pure.wants:
                g = w1 * (total / (pure.copies * RATE) - 1)
                self.gain1[pure.wants] = self.gain1.get(pure.wants, 0.0) + g
            for second in [*runs, None]:
                if second is None:
                    used, twice, items, beyond = pure.held, 0, [*pitems, *fill], pure.beyond
                    w2 = w1 * (
                        1.0
                        if have > 1
                        else (FILL1 + more) * RATE / total * (1.0 if have else (FILL2 + more) * RATE / total)
                    )
                    wants2 = 0
                else:
                    clash = second.held & pure.held
                    if clash & ~double:
                        continue
                    if not second.wants and not pitems and not pure.jokers and second.held < pure.held:
                        continue
                    used, twice, beyond = pure.held | second.held, clash, pure.beyond | second.beyond
                    wants2 = second.wants
                    items = [*pitems, (wants2, second.copies + more, True)] if wants2 else list(pitems)
                    w2 = w1 * (1.0 if not wants2 or have else (second.copies + more) * RATE / total)
                key = used, twice
                self.lives2[key] = self.lives2.get(key, 0.0) + w2
                if len(items) - pmiss > have or pmiss:
                    if pmiss and pure.wants:
                        self.gain2[pure.wants] = self.gain2.get(pure.wants, 0.0) + w2 * (
                            total / (pure.copies * RATE) - 1
                        )
                    if wants2 and not have and second is not None:
                        g = w2 * (total / ((second.copies + more) * RATE) - 1)
                        self.gain2[wants2] = self.gain2.get(wants2, 0.0) + g
                        self.gain2_joker += g
                miss2 = pmiss + max(0, len(items) - pmiss - have)
                if miss2 > best + SLACK:
                    continue
                fit = [group for group in others if not (group.held & used & ~double or group.held & twice)]
                if second is not None:
                    # A run may stand second or later: once is enough.
                    fit = [
                        group
                        for group in fit
                        if not group.run or group.held > second.held or (group.wants and not second.wants)
                    ]
                fit_count = len(fit)
                for a in range(fit_count + 1):
                    if a < fit_count:
                        first = fit[a]
                        used_a, twice_a = used | first.held, twice | used & first.held
                        items_a = [*items, (first.wants, first.copies + more, True)] if first.wants else items
                        beyond_a = beyond | first.beyond
                    else:
                        used_a, twice_a, items_a, beyond_a = used, twice, [*items, *fill], beyond
                    if pmiss + max(0, len(items_a) - pmiss - have) > best + SLACK:
                        continue
                    for b in range(a + 1, fit_count + 1) if a < fit_count else (fit_count,):
                        if b < fit_count:
                            last = fit[b]
                            if last.held & used_a & ~double or last.held & twice_a:
                                continue
                            used_b, twice_b = used_a | last.held, twice_a | used_a & last.held
                            items_b = [*items_a, (last.wants, last.copies + more, True)] if last.wants else items_a
                            beyond_b = beyond_a | last.beyond
                        else:
                            used_b, twice_b, items_b, beyond_b = used_a, twice_a, [*items_a, *fill], beyond_a
                        miss = pmiss + max(0, len(items_b) - pmiss - have)
                        if miss > best + SLACK:
                            continue
                        spare = beyond_b & (held & ~used_b | double & used_b & ~twice_b)
                        if spare:
                            tail = items_b
                            hits: list[Faces] = []
                            while spare and len(hits) < 3:
                                low = spare & -spare
                                hits.append(low)
                                spare ^= low
                            if miss < best:
                                best = miss
                            for low in hits:
                                raw.append((miss, used_b | low, twice_b | used_b & low, tail))
                        else:
                            tail = [*items_b, (beyond_b, copies(beyond_b) + more, True)]
                            miss = pmiss + max(0, len(tail) - pmiss - have)
                            if miss > best + SLACK:
                                continue
                            if miss < best:
                                best = miss
                            raw.append((miss, used_b, twice_b, tail))
        self.best = best

    def _weigh(self) -> None:
        total, jokers = self.sight.total or 1, self.jokers
        rate = RATE / total
        plans, gain = self.plans, self.gain3
        own = self.own
        limit = self.best + SLACK
        for miss, used, twice, items in self._raw:
            if miss > limit:
                continue
            have = jokers - (1 if used & own else 0)
            if have:
                free = sorted((item for item in items if item[2]), key=lambda item: item[1])[have:]
                left = [item for item in items if not item[2]] + free
            else:
                left = items
            weight = 1.0
            for _, number, _ in left:
                weight *= number * rate
            if not weight:
                continue
            key = used, twice
            plans[key] = plans.get(key, 0.0) + weight
            least = 0
            for wants, number, open_to_jokers in left:
                if wants:
                    gain[wants] = gain.get(wants, 0.0) + weight * (1 / (number * rate) - 1)
                if open_to_jokers and (not least or number < least):
                    least = number
            if least:
                self.gain3_joker += weight * (1 / (least * rate) - 1)

    def without(self, card: Card | None, wild: int) -> tuple[float, float, float]:
        """Return the weights of pure sequences, of both lives and of whole plans once this card is let go."""
        mask = BIT[card[:-1]] if card is not None else 0
        if card is not None and is_joker(card, wild):
            return 0.0, 0.0, 0.0
        double = mask & self.double
        one = sum(w for w, used, twice, _ in self.lives1 if not (twice if double else used) & mask)
        two = sum(w for (used, twice), w in self.lives2.items() if not (twice if double else used) & mask)
        three = sum(w for (used, twice), w in self.plans.items() if not (twice if double else used) & mask)
        return one, two, three


def sight_of(seen: Iterable[Card], packs: int, wild: int, total: int) -> Unseen:
    left = dict.fromkeys(FACE_OF, packs)
    jokers = packs
    for card in seen:
        mask = BIT[card[:-1]]
        if mask:
            left[mask] -= 1
        else:
            jokers -= 1
    for mask in FACE_OF:
        if RANK_MASKS[wild - 1] & mask:
            jokers += left[mask]
    return Unseen(
        sum(mask for mask, count in left.items() if count > 0),
        sum(mask for mask, count in left.items() if count > 1),
        sum(mask for mask, count in left.items() if count > 2),
        jokers,
        total,
    )
