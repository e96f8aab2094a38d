"""The ways in which a hand may become a valid show: which cards each way keeps, and which it still waits for.

A plan is a pure sequence, a second sequence, two more melds of three, and a card that makes one of them four long. Its
weight is the product, over all cards still missing, of the share of unseen cards that would do. The distance of a hand
is the number of cards that the nearest plan waits for. Sets of faces are numbers of 52 bits, compared in one step.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import Final, NamedTuple, TypeAlias

from rules.cards import PACK, RANKS, SUITS, Card, is_joker, rank, suit
from rules.melds import LEAST

#: A set of faces; a printed joker is in none.
Faces: TypeAlias = int

BIT: Final[dict[str, Faces]] = {
    shown: 1 << (SUITS.index(suit(shown)) * len(RANKS) + rank(shown) - 1) if rank(shown) else 0 for shown in PACK
}
#: The faces of each rank, aces first.
RANK_MASKS: Final = [sum(BIT[name + letter] for letter in SUITS) for name in RANKS]


def _runs() -> Iterator[tuple[Faces, Faces]]:
    """Yield each run of three, and the faces that would make it longer."""
    for letter in SUITS:
        row = [BIT[name + letter] for name in (*RANKS, RANKS[0])]
        for start in range(len(row) - 2):
            window = sum(row[start : start + LEAST])
            beyond = sum(row[max(0, start - 1) : start] + row[start + LEAST : start + LEAST + 1])
            yield window, beyond & ~window


RUNS: Final = tuple(_runs())

#: How many plans beyond the nearest are looked at, in missing cards.
_FARTHER: Final = 1
#: A missing card counts so many times its share of the unseen cards: that many cards pass by in a few turns.
_CARDS_THAT_PASS: Final = 2.5
#: How many copies would do for the two cards missing in a meld of which one is held: about so many.
_TO_BEGIN, _TO_END = 14, 6
_TO_BEGIN_PURE, _TO_END_PURE = 12, 3
#: So many of the cards that would make a plan's meld four long are tried.
_FOURTHS: Final = 3


class Unseen(NamedTuple):
    """The cards that may still come: faces of which at least one, two, three copies are unseen, jokers, all cards."""

    once: Faces
    twice: Faces
    thrice: Faces
    jokers: int
    total: int

    def copies(self, faces: Faces) -> int:
        """Return how many cards with one of these faces are unseen."""
        return (faces & self.once).bit_count() + (faces & self.twice).bit_count() + (faces & self.thrice).bit_count()


class Missing(NamedTuple):
    """A card for which a plan waits: the faces that would do, how many are unseen, and whether a joker would do."""

    wants: Faces
    copies: int
    joker: bool


class MeldPart(NamedTuple):
    """Two or three cards of a meld: those held, the one still missing, and the faces that make the meld four long."""

    held: Faces
    missing: tuple[Missing, ...]
    beyond: Faces
    run: bool
    #: Wild cards that stand in their own place, which a joker less is left for.
    wild: int = 0


class Weights(NamedTuple):
    """How near a hand is to a pure sequence and to a whole show: no chances, but greater with them."""

    pure: float
    show: float


#: Part of a plan: the faces used, those used twice, the cards missing, and the faces that make a meld four long.
_Partial: TypeAlias = tuple[Faces, Faces, tuple[Missing, ...], Faces]


class Outlook:
    """All plans of a hand of 13 or 14 cards, and their weights."""

    def __init__(self, cards: Sequence[Card], wild: int, unseen: Unseen) -> None:
        plain = Counter(BIT[card[:-1]] for card in cards if not is_joker(card, wild))
        self._unseen = unseen
        self._share = _CARDS_THAT_PASS / max(1, unseen.total)
        self._jokers = len(cards) - plain.total()
        self._held = sum(plain)
        self._double = sum(shown for shown, count in plain.items() if count > 1)
        self._own = sum({BIT[card[:-1]] for card in cards if rank(card) == wild})
        self._begun = (Missing(0, _TO_BEGIN + unseen.jokers, True), Missing(0, _TO_END + unseen.jokers, True))
        self._plans: list[tuple[int, int, _Partial]] = []
        #: The fewest cards for which any plan waits.
        self.distance = len(cards)
        self._levels = (_Level(), _Level())
        self._find(list(self._part_runs()), list(self._part_sets()))
        self._weigh()

    def without(self, card: Card | None) -> Weights:
        """Return the weights once this card, which is no joker, is let go; None: nothing is."""
        shown = BIT[card[:-1]] if card is not None else 0
        return Weights(*[level.without(shown, double=shown & self._double > 0) for level in self._levels])

    def _missing(self, wants: Faces, *, pure: bool) -> tuple[Missing, ...]:
        copies = self._unseen.copies(wants)
        return (Missing(wants, copies if pure else copies + self._unseen.jokers, not pure),)

    def _part_runs(self) -> Iterator[MeldPart]:
        """Yield whole runs and pairs that lack one card, with wild cards as jokers."""
        pairs: dict[Faces, list[Faces]] = {}
        for window, beyond in RUNS:
            have = window & self._held
            if have == window:
                yield MeldPart(have, (), beyond, run=True)
            elif have.bit_count() == LEAST - 1:
                entry = pairs.setdefault(have, [0, 0])
                entry[0] |= window ^ have
                entry[1] |= beyond
        for have, (wants, beyond) in pairs.items():
            yield MeldPart(have, self._missing(wants, pure=False), beyond & ~wants, run=True)

    def _part_sets(self) -> Iterator[MeldPart]:
        """Yield whole sets and pairs of a rank."""
        for row in RANK_MASKS:
            have = row & self._held
            count = have.bit_count()
            if count < LEAST - 1:
                continue
            bits = [1 << place for place in range(have.bit_length()) if have >> place & 1]
            for chosen in combinations(bits, LEAST):
                yield MeldPart(sum(chosen), (), row ^ sum(chosen), run=False)
            for pair in combinations(bits, LEAST - 1):
                yield MeldPart(sum(pair), self._missing(row ^ sum(pair), pure=False), 0, run=False)

    def _pures(self, runs: Sequence[MeldPart]) -> Iterator[MeldPart]:
        """Yield the runs that are or may become pure, also with a wild card in its own place."""
        for part in runs:
            if not part.missing:
                yield part
            elif copies := self._unseen.copies(part.missing[0].wants):
                yield part._replace(missing=(Missing(part.missing[0].wants, copies, joker=False),))
        for window, beyond in RUNS if self._own else ():
            have = window & (self._held | self._own)
            if window & self._own and (have & self._own).bit_count() == 1 and have.bit_count() >= LEAST - 1:
                missing = self._missing(window ^ have, pure=True) if have != window else ()
                if not missing or missing[0].copies:
                    yield MeldPart(have, missing, beyond, run=True, wild=1)
        if all(part.missing for part in runs):
            yield MeldPart(0, (Missing(0, _TO_BEGIN_PURE, False), Missing(0, _TO_END_PURE, False)), 0, run=True)

    def _find(self, runs: list[MeldPart], sets: list[MeldPart]) -> None:
        """Find all plans, whole melds first."""
        runs.sort(key=lambda part: bool(part.missing))
        others = sorted([*runs, *sets], key=lambda part: bool(part.missing))
        for pure in self._pures(runs):
            if pure.wild <= self._jokers:
                self._levels[0].add(pure.held, 0, pure.missing, self._share)
                self._find_second(pure, runs, others)

    def _find_second(self, pure: MeldPart, runs: Sequence[MeldPart], others: Sequence[MeldPart]) -> None:
        """Find the plans with this pure sequence."""
        jokers = self._jokers - pure.wild
        for second in (*runs, None):
            if second is None:
                partial: _Partial = (pure.held, 0, (*pure.missing, *self._begun), pure.beyond)
            else:
                clash = second.held & pure.held
                # Two whole runs are one plan, whichever is called the first.
                twin = not (second.missing or pure.missing or pure.wild) and second.held < pure.held
                if clash & ~self._double or twin:
                    continue
                missing = (*pure.missing, *second.missing)
                partial = (pure.held | second.held, clash, missing, pure.beyond | second.beyond)
            used, twice, missing, _ = partial
            if _still_missing(missing, jokers) <= self.distance + _FARTHER:
                fitting = [part for part in others if self._fits(part, used, twice) and _later(part, second)]
                self._find_others(partial, jokers, fitting)

    def _fits(self, part: MeldPart, used: Faces, twice: Faces) -> bool:
        return not (part.held & used & ~self._double or part.held & twice)

    def _find_others(self, lives: _Partial, jokers: int, fitting: Sequence[MeldPart]) -> None:
        """Find the plans with both lives as they are, and two more melds."""
        for number, third in enumerate((*fitting, None)):
            three = self._joined(lives, third)
            if _still_missing(three[2], jokers) > self.distance + _FARTHER:
                continue
            for fourth in (*fitting[number + 1 :], None):
                if fourth is None or self._fits(fourth, three[0], three[1]):
                    self._note(self._joined(three, fourth), jokers)

    def _joined(self, partial: _Partial, part: MeldPart | None) -> _Partial:
        """Return the partial plan with one more meld; None: one of which hardly anything is held."""
        used, twice, missing, beyond = partial
        if part is None:
            return used, twice, (*missing, *self._begun), beyond
        return used | part.held, twice | used & part.held, (*missing, *part.missing), beyond | part.beyond

    def _note(self, plan: _Partial, jokers: int) -> None:
        """Note the plan of four melds, with each card held that makes one of them four long, or with one missing."""
        used, twice, missing, beyond = plan
        spare = beyond & (self._held & ~used | self._double & used & ~twice)
        if not spare:
            missing = (*missing, *self._missing(beyond, pure=False))
        distance = _still_missing(missing, jokers)
        if distance > self.distance + _FARTHER:
            return
        self.distance = min(self.distance, distance)
        if not spare:
            self._plans.append((distance, jokers, (used, twice, missing, 0)))
        for _ in range(_FOURTHS):
            fourth = spare & -spare
            spare ^= fourth
            if fourth:
                self._plans.append((distance, jokers, (used | fourth, twice | used & fourth, missing, 0)))

    def _weigh(self) -> None:
        """Weigh the plans that are near enough."""
        for distance, jokers, (used, twice, missing, _) in self._plans:
            if distance <= self.distance + _FARTHER:
                self._levels[1].add(used, twice, _left(missing, jokers), self._share)


class _Level:
    """Partial or whole plans: the weight of all that use the same faces."""

    def __init__(self) -> None:
        self._weights: dict[tuple[Faces, Faces], float] = defaultdict(float)

    def add(self, used: Faces, twice: Faces, missing: Sequence[Missing], share: float) -> None:
        """Add a plan; each missing card has its `share` of the weight for each unseen copy that would do."""
        self._weights[used, twice] += prod([each.copies * share for each in missing])

    def without(self, shown: Faces, *, double: bool) -> float:
        """Return the weight of the plans that can do without one card of this face, of which two may be held."""
        if double:
            return sum([weight for (_, twice), weight in self._weights.items() if not twice & shown])
        return sum([weight for (used, _), weight in self._weights.items() if not used & shown])


def _still_missing(missing: Sequence[Missing], jokers: int) -> int:
    """Return how many of these cards jokers in the hand cannot stand for."""
    pure = sum([not each.joker for each in missing])
    return pure + max(0, len(missing) - pure - jokers)


def _left(missing: Sequence[Missing], jokers: int) -> Sequence[Missing]:
    """Return the cards still missing once jokers stand for those that are hardest to get."""
    if not jokers:
        return missing
    pure = [each for each in missing if not each.joker]
    return pure + sorted([each for each in missing if each.joker], key=lambda each: each.copies)[jokers:]


def _later(part: MeldPart, second: MeldPart | None) -> bool:
    """Return whether a meld may follow this second life: no run is tried both as the life and as another meld."""
    if second is None or not part.run:
        return True
    return part.held > second.held or bool(part.missing and not second.missing)
