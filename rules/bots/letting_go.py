"""Which card to let go: for each strength but the strongest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from rules.bots.eye import Eye, Strength
from rules.bots.links import completing, hope, linked, near
from rules.bots.seen import cards_gone
from rules.cards import Card, is_joker, points, rank
from rules.melds import Kind
from rules.solver.search import Best

_WANTED_BY_NEXT: Final = 4
#: A sharp player's weights for a discard: of points, at first and added each turn; runs; the next player's picks.
_CAUTION, _CAUTION_A_TURN = 0.35, 0.1
_RUN_WORTH, _FIRST_RUN_WORTH = 1.2, 2.0
_WANTED: Final = 2


def _least_useful(eye: Eye, arranged: Best) -> Card:
    """Return the card outside melds with the least hope, the most points, and the least use for the next player."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    picked = eye.picked_by_next()

    def keep(card: Card) -> tuple[int, str]:
        use_for_next = _WANTED_BY_NEXT * any(near(card, other) for other in picked)
        return 2 * hope(card, eye.me["hand"], eye.wild) + use_for_next - points(card, eye.wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _dearest(eye: Eye, arranged: Best) -> Card:
    """Return the card outside melds that counts most."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    return max(spare, key=lambda card: (points(card, eye.wild), card), default=arranged.discard)


def _least_likely(eye: Eye, arranged: Best) -> Card:
    """Return the card outside melds that is least likely to meld with cards to come, weighed against its points."""
    assert arranged.discard is not None
    spare = [card for card in (*arranged.loose, arranged.discard) if not is_joker(card, eye.wild)]
    picked, gone, packs = eye.picked_by_next(), cards_gone(eye), eye.packs
    caution = _CAUTION + _CAUTION_A_TURN * eye.deal["turn_number"]
    run_worth = _RUN_WORTH if Kind.PURE in arranged.kinds else _FIRST_RUN_WORTH

    def keep(card: Card) -> tuple[float, str]:
        others = {other[:-1]: other for other in spare if other[:-1] != card[:-1]}
        outs = sum([_outs(card, other, packs, gone, run_worth) for other in others.values()])
        use_for_next = _WANTED * any(near(card, other) for other in picked)
        return outs + use_for_next - caution * points(card, eye.wild), card

    return min(spare, key=keep) if spare else arranged.discard


def _outs(card: Card, other: Card, packs: int, gone: Counter[str], run_worth: float) -> float:
    """Count the cards to come that would complete a meld of these two; cards for a run have the weight `run_worth`."""
    if not linked(card, other):
        return 0
    worth = 1 if rank(card) == rank(other) else run_worth
    return worth * sum([max(0, packs - gone[face]) for face in completing(card, other)])


DISCARDS: Final[dict[Strength, Callable[[Eye, Best], Card]]] = {
    Strength.GENTLE: _dearest,
    Strength.SOUND: _least_useful,
    Strength.SHARP: _least_likely,
}
