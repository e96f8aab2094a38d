"""Making puzzles of deals: of computer players, by seeds, and of those who share theirs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from lobby.puzzles.making.hands import cards_that_complete, chances, hand_puzzle, kind_of
from lobby.puzzles.making.judged import can_be_shown, completing_puzzle, show_puzzle
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.questions import CLOSED, DROP, OPEN, PLAY, Candidate
from rules import bots
from rules.analysis import Decision, Known, decisions_of
from rules.books import BOOKS, RuleBook
from rules.bots import Strength
from rules.cards import is_joker
from rules.game import view_for
from rules.game.events import Event
from rules.game.moves import Finish
from rules.melds import Kind
from rules.solver.search import best
from tables.play import protocol
from tables.simulation.run import OneDeal, terms_of

#: Among whom a deal is played, by chance: those who play well make more telling positions, the others more mistakes.
_TABLES: Final = (
    (Strength.SHARP, Strength.SHARP),
    (Strength.SHARP, Strength.SOUND),
    (Strength.SOUND, Strength.SHARP),
    (Strength.SHARP, Strength.SHARP, Strength.SHARP),
)
#: Where it is asked whether to drop: the more players, the more a hopeless hand costs. Hands to play are of the same
#: tables, else the number of players would tell the answer.
_LARGER: Final = ((Strength.SHARP,) * 4,)
#: Of one player so many decisions of a deal are played on at most.
_MOST_TRIED: Final = 3
#: What to let go is asked where one answer leaves so many more cards that complete the hand than any other.
_MORE_CHANCES: Final = 8
#: Who holds more points than this is still far from a show.
_NEARLY: Final = 25
#: A hand is as good as finished where of so many unseen cards one completes it.
_ONE_OF: Final = 7
#: At a table of so many a hand is hopeless with so many points, without a joker and without a pure sequence.
_MANY: Final = 4
_HOPELESS: Final = 70
#: So many points less are much.
_MUCH: Final = 8
#: The book of the deals: most others differ from it in money and matches only.
_BOOK: Final = "standard-points"


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for in deals: the decisions that fit, cheaply found before anything is played on, are made
    puzzles, which stay where the answer is the wanted one (empty: any)."""

    kind: PuzzleKind
    fits: Callable[[Decision], bool]
    wanted: str = ""
    tables: tuple[tuple[Strength, ...], ...] = _TABLES


def from_computers(search: str, seed: int, first: int = 0) -> Iterator[tuple[int, Candidate]]:
    """Yield puzzles of that search with the number of their deal, without end; the same seed, the same puzzles.

    The deals are of computer players, numbered from `first`; each number stands for itself.
    """
    number = first
    while True:
        rng = Random(f"{search} {seed} {number}")  # noqa: S311  reproducible on purpose; no real deal comes from here
        happened = computer_deal(BOOKS[_BOOK], rng.choice(SEARCHES[search].tables), rng)
        for puzzle in puzzles_of_deal(BOOKS[_BOOK], happened, search, rng):
            yield number, puzzle
        number += 1


def puzzles_of_deal(book: RuleBook, happened: list[Event], search: str, rng: Random) -> Iterator[Candidate]:
    """Yield the puzzles of that search in one finished deal, one a player at most."""
    sought = SEARCHES[search]
    for seat in rng.sample(range(book.max_seats), book.max_seats):
        fitting = [each.seen for each in decisions_of(book, happened, seat) if sought.fits(each)]
        tried = rng.sample(fitting, min(len(fitting), _MOST_TRIED))
        made = (_puzzle(sought.kind, seen, rng) for seen in tried)
        puzzle = next((each for each in made if each is not None and sought.wanted in (each.solution, "")), None)
        if puzzle is not None:
            yield puzzle


def _puzzle(kind: PuzzleKind, seen: Known, rng: Random) -> Candidate | None:
    if kind is PuzzleKind.SHOW:
        return show_puzzle(seen.book, seen.cut, seen.hand, rng)
    if kind is not PuzzleKind.DROP and can_be_shown(seen):
        return completing_puzzle(kind, seen)
    return hand_puzzle(kind, seen)


# --- which decisions fit ----------------------------------------------------------------------------------------------


def _is_a_finish(decision: Decision) -> bool:
    return isinstance(decision.played, Finish) and decision.played.card is not None


def _wins(kind: PuzzleKind) -> Callable[[Decision], bool]:
    """Return the check for decisions of that kind with a hand that can be shown."""
    return lambda decision: kind_of(decision.seen) == kind and can_be_shown(decision.seen)


def _does_not_win(kind: PuzzleKind, tells: Callable[[Known], bool]) -> Callable[[Decision], bool]:
    """Return the check for decisions of that kind that satisfy `tells`, with a hand that cannot be shown yet."""

    def fits(decision: Decision) -> bool:
        return kind_of(decision.seen) == kind and not can_be_shown(decision.seen) and tells(decision.seen)

    return fits


def _hopeless(decision: Decision) -> bool:
    """Return whether a first hand at a larger table has little hope."""
    seen = decision.seen
    if not _may_drop_at_a_larger_table(seen):
        return False
    now = best(seen.book, seen.wild, seen.hand)
    return Kind.PURE not in now.kinds and _jokers(seen) == 0 and now.points >= _HOPELESS


def _strong(decision: Decision) -> bool:
    """Return whether a first hand at a larger table is a strong one."""
    seen = decision.seen
    if not _may_drop_at_a_larger_table(seen):
        return False
    pure = Kind.PURE in best(seen.book, seen.wild, seen.hand).kinds
    return _jokers(seen) > (0 if pure else 1)


def _may_drop_at_a_larger_table(seen: Known) -> bool:
    return kind_of(seen) == PuzzleKind.DROP and len(seen.seats) >= _MANY


def _jokers(seen: Known) -> int:
    return sum(is_joker(card, seen.wild) for card in seen.hand)


def _decides(seen: Known) -> bool:
    """Return whether one card, once let go, leaves many more cards that complete the hand than any other."""
    if best(seen.book, seen.wild, seen.hand).points > _NEARLY:
        return False
    *_, second, most = sorted(chances(seen).values())
    return most >= second + _MORE_CHANCES


def _is_useful(seen: Known) -> bool:
    """Return whether the open card lies in a meld that makes the hand much better."""
    top = seen.discards[-1].card
    after = best(seen.book, seen.wild, (*seen.hand, top))
    gains = best(seen.book, seen.wild, seen.hand).points - after.points
    return gains >= _MUCH and any(top in group for group in after.groups)


def _is_useless(seen: Known) -> bool:
    """Return whether the open card fits into the hand of one who only waits for the card that completes it."""
    top = seen.discards[-1].card
    now, after = best(seen.book, seen.wild, seen.hand), best(seen.book, seen.wild, (*seen.hand, top))
    if after.points >= now.points and not any(top in group for group in after.groups):
        return False
    return cards_that_complete(seen, seen.hand) * _ONE_OF >= len(seen.hidden)


SEARCHES: Final[Mapping[str, Search]] = {
    "show": Search(PuzzleKind.SHOW, _is_a_finish),
    "winning-take": Search(PuzzleKind.TAKE, _wins(PuzzleKind.TAKE)),
    "useful-take": Search(PuzzleKind.TAKE, _does_not_win(PuzzleKind.TAKE, _is_useful), OPEN),
    "useless-take": Search(PuzzleKind.TAKE, _does_not_win(PuzzleKind.TAKE, _is_useless), CLOSED),
    "winning-discard": Search(PuzzleKind.DISCARD, _wins(PuzzleKind.DISCARD)),
    "discard": Search(PuzzleKind.DISCARD, _does_not_win(PuzzleKind.DISCARD, _decides)),
    "drop": Search(PuzzleKind.DROP, _hopeless, DROP, _LARGER),
    "play": Search(PuzzleKind.DROP, _strong, PLAY, _LARGER),
}


def computer_deal(book: RuleBook, strengths: Sequence[Strength], rng: Random) -> list[Event]:
    """Play one deal among computer players of these strengths, by seat, and return its events; same dice, same deal."""
    terms = terms_of(book, len(strengths))
    table = OneDeal(terms, deal_id=rng.randbytes(8).hex(), seed=rng.randbytes(64).hex())

    def moves(seat: int) -> bool:
        frame = bots.choose(view_for(table.state, seat, table.now), strengths[seat])
        if frame is not None:
            table.make(protocol.to_move(protocol.read_frame(frame), seat))
        return frame is not None

    table.play(lambda: any(map(moves, range(len(strengths)))))
    return table.events
