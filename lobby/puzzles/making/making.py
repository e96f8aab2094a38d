"""Making puzzles of deals: of computer players, by seeds, and of those who share theirs."""

from collections.abc import Iterator
from random import Random
from typing import Final

from lobby.puzzles.making.candidates import Candidate
from lobby.puzzles.making.completing import can_be_shown, completing_puzzle
from lobby.puzzles.making.deals import computer_deal
from lobby.puzzles.making.facts import chances
from lobby.puzzles.making.hands import hand_puzzle, kind_of
from lobby.puzzles.making.shows import show_puzzle
from lobby.puzzles.models import PuzzleKind
from rules.analysis import Decision, Known, decisions_of
from rules.books import BOOKS, RuleBook
from rules.bots import Strength
from rules.cards import face, is_joker, points, rank, suit
from rules.game.events import Event
from rules.game.moves import Finish
from rules.melds import Kind
from rules.solver.search import best

#: Among whom a deal is played, by chance: those who play well make more telling positions, the others more mistakes.
_TABLES: Final = (
    (Strength.SHARP, Strength.SHARP),
    (Strength.SHARP, Strength.SOUND),
    (Strength.SOUND, Strength.SHARP),
    (Strength.SHARP, Strength.SHARP, Strength.SHARP),
)
#: For the question whether to play: the more there are, the more a hopeless hand costs.
_LARGER: Final = ((Strength.SHARP,) * 4,) * 8
#: Of one player so many decisions of a deal are played on at most.
_MOST_TRIED: Final = 3
#: What to let go is asked where one answer leaves so many more cards that complete the hand, or costs so much more.
_MORE_CHANCES: Final = 3
_DEARER: Final = 5
#: Who holds more points than this is still far from a show.
_NEARLY: Final = 25
#: At a table of so many a hand is hopeless with so many points, without a joker and without a pure sequence.
_MANY: Final = 4
_HOPELESS: Final = 70
#: So many points less are much.
_MUCH: Final = 8
#: Cards of one suit so near are parts of one run with one more card.
_NEAR: Final = 2
#: The book of the deals: most others differ from it in money and matches only.
_BOOK: Final = "standard-points"


def from_computers(kind: str, seed: int) -> Iterator[Candidate]:
    """Yield puzzles of that kind without end, from deals of computer players; the same seed, the same puzzles."""
    number = 0
    while True:
        rng = Random(f"{kind} {seed} {number}")  # noqa: S311  reproducible on purpose; no real deal comes from here
        tables = (*_TABLES, *_LARGER) if kind == PuzzleKind.DROP else _TABLES
        happened = computer_deal(BOOKS[_BOOK], rng.choice(tables), rng)
        yield from puzzles_of_deal(BOOKS[_BOOK], happened, kind, rng)
        number += 1


def puzzles_of_deal(book: RuleBook, happened: list[Event], kind: str, rng: Random) -> Iterator[Candidate]:
    """Yield the puzzles of that kind in one finished deal, one a player at most."""
    for seat in rng.sample(range(book.max_seats), book.max_seats):
        fitting = [each.seen for each in decisions_of(book, happened, seat) if _fits(kind, each)]
        tried = rng.sample(fitting, min(len(fitting), _MOST_TRIED))
        puzzle = next((made for seen in tried if (made := _puzzle(kind, seen, rng)) is not None), None)
        if puzzle is not None:
            yield puzzle


def _puzzle(kind: str, seen: Known, rng: Random) -> Candidate | None:
    if kind == PuzzleKind.SHOW:
        return show_puzzle(seen.book, seen.cut, seen.hand, rng)
    if kind != PuzzleKind.DROP and can_be_shown(seen):
        return completing_puzzle(PuzzleKind(kind), seen)
    return hand_puzzle(kind, seen)


def _fits(kind: str, decision: Decision) -> bool:
    """Return whether the decision is one to ask of: cheaply, before anything is played on."""
    seen = decision.seen
    if kind == PuzzleKind.SHOW:
        return isinstance(decision.played, Finish) and decision.played.card is not None
    if kind_of(seen) != kind:
        return False
    if kind != PuzzleKind.DROP and can_be_shown(seen):
        return True
    if kind == PuzzleKind.DISCARD:
        return _decides(seen)
    return _tempts(seen) if kind == PuzzleKind.TAKE else _is_telling(seen)


def _is_telling(seen: Known) -> bool:
    """Return whether a first hand is far from the middle: among a few a strong one, among many one with little hope."""
    now, jokers = best(seen.book, seen.wild, seen.hand), sum(is_joker(card, seen.wild) for card in seen.hand)
    pure = Kind.PURE in now.kinds
    if len(seen.seats) >= _MANY:
        return not pure and jokers == 0 and now.points >= _HOPELESS
    return (pure and jokers > 0) or jokers > 1


def _decides(seen: Known) -> bool:
    """Return whether one card, once let go, leaves more cards that complete the hand than any other, or is the dearest
    of those that leave as many."""
    if best(seen.book, seen.wild, seen.hand).points > _NEARLY:
        return False
    left = chances(seen)
    most = max(left.values())
    alike = sorted((points(card, seen.wild) for card, count in left.items() if count == most), reverse=True)
    if len(alike) > 1:
        return most > 0 and alike[0] >= alike[1] + _DEARER
    return most >= sorted(left.values())[-2] + _MORE_CHANCES


def _tempts(seen: Known) -> bool:
    """Return whether the open card either lies in a meld that makes the hand much better, or only seems to."""
    top = seen.discards[-1].card
    before, after = best(seen.book, seen.wild, seen.hand), best(seen.book, seen.wild, (*seen.hand, top))
    if any(top in group for group in after.groups):
        return after.valid or before.points - after.points >= _MUCH
    others = [card for card in seen.hand if not is_joker(card, seen.wild) and face(card) != face(top)]
    return any(
        rank(card) == rank(top) or (suit(card) == suit(top) and abs(rank(card) - rank(top)) <= _NEAR) for card in others
    )
