"""Puzzles that the judge of shows decides, so that there is exactly one right answer.

Is this a show: what a declarer laid, or the same with one card of it exchanged. And the one card that completes a hand:
to put down, so that the others are a show, or to take. Who can show now wins the deal now.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final

from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import LIVES, OPEN, YES, Candidate, in_plain_order, show_answer
from rules.analysis import Known
from rules.analysis.positions import as_position
from rules.books import RuleBook
from rules.cards import PACK, RANKS, Card, Face, face, is_joker, rank, suit, wild_rank
from rules.declaration import judge
from rules.solver.search import best

#: The rating with which one that completes a hand begins, and what is added for each joker, which may stand anywhere.
_COMPLETING = {PuzzleKind.DISCARD: 900, PuzzleKind.TAKE: 850}
_A_JOKER = 100
Groups = tuple[tuple[Card, ...], ...]
#: How often a hand stays as it was laid, and up to where it loses a life if it can; else one group is made wrong.
_STAYS: Final = 0.4
_LOSES_A_LIFE: Final = 0.6
#: The rating with which a show begins, and what is added for each thing that is easily overlooked.
_SHOW: Final = 800
_MORE: Final = 150


def can_be_shown(seen: Known) -> bool:
    """Return whether the hand can be shown now, or with the open card."""
    if seen.drawn is not None:
        return best(seen.book, seen.wild, seen.hand).valid
    top = seen.discards[-1].card
    return not is_joker(top, seen.wild) and best(seen.book, seen.wild, (*seen.hand, top)).valid


def completing_answer(kind: str, seen: Known) -> str | None:
    """Return the answer that completes the hand; None where there is none, or more than one."""
    if kind == PuzzleKind.TAKE:
        return OPEN if can_be_shown(seen) else None
    left_over = {face(card) for card in seen.hand if best(seen.book, seen.wild, _hand_but(seen, card)).valid}
    return left_over.pop() if len(left_over) == 1 else None


def completing_puzzle(kind: PuzzleKind, seen: Known) -> Candidate | None:
    """Return the puzzle of this decision, or None where no single answer completes the hand."""
    solution = completing_answer(kind, seen)
    if solution is None or (kind == PuzzleKind.DISCARD and is_joker(solution, seen.wild)):
        return None
    jokers = sum(is_joker(card, seen.wild) for card in seen.hand)
    return Candidate(
        kind=kind,
        book=seen.book.key,
        asked=as_position(seen),
        solution=solution,
        proof={"by": "judge", "facts": _facts(kind, seen, solution)},
        rating=_COMPLETING[kind] + _A_JOKER * jokers,
    )


def _facts(kind: str, seen: Known, solution: str) -> Mapping[str, Any]:
    card: Face = solution if kind == PuzzleKind.DISCARD else face(seen.discards[-1].card)
    return {"card": card, "valid": True}


def _hand_but(seen: Known, card: str) -> list[str]:
    return [other for other in seen.hand if other != card]


def show_puzzle(book: RuleBook, cut: Card, hand: tuple[Card, ...], rng: Random) -> Candidate | None:
    """Return a puzzle of 14 cards that can be shown, or None where the exchange leaves no single right answer."""
    wild = wild_rank(cut)
    laid = best(book, wild, hand)
    groups = _changed(book, cut, tuple(rng.sample(laid.groups, len(laid.groups))), rng)
    lying = [in_plain_order(group, wild) for group in groups]
    asked = {"book": book.key, "version": book.version, "cut": cut, "groups": lying}
    solution = show_answer(asked)
    if solution is None:
        return None
    rating = _SHOW + _MORE * _overlooked(wild, groups, solution)
    return Candidate(
        kind=PuzzleKind.SHOW, book=book.key, asked=asked, solution=solution, proof={"by": "judge"}, rating=rating
    )


def _changed(book: RuleBook, cut: Card, groups: Groups, rng: Random) -> Groups:
    """Return the groups as they are, without a life, or with one group that is no meld."""
    dice = rng.random()
    if dice < _STAYS:
        return groups
    wrong = list(_without_life(book, cut, groups)) if dice < _LOSES_A_LIFE else []
    wrong = wrong or list(_with_a_wrong_group(book, cut, groups))
    return rng.choice(wrong) if wrong else groups


def _without_life(book: RuleBook, cut: Card, groups: Groups) -> Iterator[Groups]:
    """Yield the groups with a card exchanged for a joker so that all are melds, and a sequence is missing."""
    wild = wild_rank(cut)
    for changed in _exchanges(cut, groups, lambda old, new: is_joker(new, wild) and not is_joker(old, wild)):
        faults = judge(book, wild, changed, ()).faults
        if faults.life and not faults.wrong:
            yield changed


def _with_a_wrong_group(book: RuleBook, cut: Card, groups: Groups) -> Iterator[Groups]:
    """Yield the groups with a card exchanged for one nearly right, so that one is no meld and nothing else is wrong."""
    wild = wild_rank(cut)
    for changed in _exchanges(cut, groups, lambda old, new: not is_joker(new, wild) and _near(old, new)):
        faults = judge(book, wild, changed, ()).faults
        if faults.wrong == 1 and not faults.life:
            yield changed


def _exchanges(cut: Card, groups: Groups, fits: Callable[[Card, Card], bool]) -> Iterator[Groups]:
    """Yield the groups with one card exchanged for a fitting one of the shoe that is neither among them nor turned."""
    held = {cut, *(card for group in groups for card in group)}
    for number, group in enumerate(groups):
        for place, old in enumerate(group):
            for shown in PACK:
                new = next((card for card in (f"{shown}1", f"{shown}2") if card not in held), None)
                if new is not None and fits(old, new):
                    changed = (*group[:place], new, *group[place + 1 :])
                    yield (*groups[:number], changed, *groups[number + 1 :])


def _near(old: Card, new: Card) -> bool:
    """Return whether a card is easily taken for the other: its rank in another suit, or one near it in the suit."""
    if face(old) == face(new) or rank(old) == 0:
        return False
    apart = abs(rank(old) - rank(new))
    return apart == 0 or (suit(old) == suit(new) and min(apart, len(RANKS) - apart) <= 2)


def _overlooked(wild: int, groups: Groups, solution: str) -> int:
    """Count what makes the answer easy to miss: jokers, a wild card in its place, a wrong group that looks right."""
    jokers = sum(is_joker(card, wild) for group in groups for card in group)
    count = (jokers > 1) + (jokers > 3)
    count += any(
        len({suit(card) for card in group}) == 1 and any(rank(card) == wild for card in group) for group in groups
    )
    if solution == LIVES:
        return count + 2
    if solution != YES:
        wrong = groups[int(solution) - 1]
        count += len({suit(card) for card in wrong}) == 1 or len({rank(card) for card in wrong}) < len(wrong)
        count += any(is_joker(card, wild) for card in wrong)
    return count
