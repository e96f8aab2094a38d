"""What of a finished deal is counted: its toss, its first hands, and who won. Sums are added, never averaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from rules.cards import Card, face, rank, total_points
from rules.game import events
from rules.melds import has_run

#: The numbers that are counted, beside those of each face.
DEALS, TOSSES, TOSSES_WON, FIRSTS, FIRST_WINS, WINS = "deals", "tosses", "tosses_won", "firsts", "first_wins", "wins"
PRINTED, WILD, POINTS, PURE = "printed", "wild", "points", "pure"
FIELDS: Final = (DEALS, TOSSES, TOSSES_WON, FIRSTS, FIRST_WINS, WINS, PRINTED, WILD, POINTS, PURE)
#: In key of a seat: all seats of the deal together.
ALL_SEATS: Final = -1

#: By FIELDS and by faces of cards; the faces are counted for all seats together only.
Tally: TypeAlias = Counter[str]


class Holders(StrEnum):
    """Who held the hands; of a void deal nothing is counted but that there was one."""

    PEOPLE = "people"
    COMPUTERS = "computers"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class FirstHands:
    """What is read of one finished deal; `hands` are by seat, the first turn first."""

    book: str
    hands: Mapping[int, tuple[Card, ...]]
    wild: int
    computers: frozenset[int]
    winner: int
    #: Whether this deal had a toss: in pool and deals only the first of a match has one.
    tossed: bool

    @property
    def first(self) -> int:
        return next(iter(self.hands))


#: The names of the events that tell it.
TELLING: Final = frozenset(
    event.name for event in (events.TossMade, events.CardsDealt, events.CutJokerTurned, events.DealEnded)
)


def first_hands(book: str, happened: Iterable[events.Event], computers: Iterable[int]) -> FirstHands:
    """Return what the events of a finished deal say. ValueError if they are not those of a deal with a result."""
    dealt = cut = ended = None
    tossed = False
    for event in happened:
        match event:
            case events.CardsDealt():
                dealt = event
            case events.CutJokerTurned():
                cut = event
            case events.DealEnded():
                ended = event
            case events.TossMade():
                tossed = True
    if dealt is None or cut is None or ended is None:
        raise ValueError("these are not all events of a finished deal")
    return FirstHands(
        book=book,
        hands=dict(zip(dealt.order, dealt.hands, strict=True)),
        wild=cut.wild_rank,
        computers=frozenset(computers),
        winner=ended.winner,
        tossed=tossed,
    )


@dataclass(frozen=True, slots=True, order=True)
class SumKey:
    """What deals are counted apart by: `hands` of the `players` were held by these, in one `seat` or in all."""

    book: str
    players: int
    holders: Holders
    seat: int
    hands: int


def tallies(deal: FirstHands) -> Iterator[tuple[SumKey, Tally]]:
    """Yield what a deal adds to the sums of people and of computer players: of all their seats together and of each."""
    for holders in (Holders.PEOPLE, Holders.COMPUTERS):
        seats = [seat for seat in deal.hands if (seat in deal.computers) == (holders is Holders.COMPUTERS)]
        counted = [(seat, _counted(deal, seat)) for seat in seats]
        for seat, tally in counted:
            yield SumKey(deal.book, len(deal.hands), holders, seat, len(seats)), tally
        if seats:
            whole = sum((tally for _, tally in counted), Counter[str]())
            whole.update({DEALS: 1 - len(seats), TOSSES: (1 - len(seats)) * deal.tossed})
            whole.update(face(card) for seat in seats for card in deal.hands[seat])
            yield SumKey(deal.book, len(deal.hands), holders, ALL_SEATS, len(seats)), whole


def void_tally(book: str, players: int) -> tuple[SumKey, Tally]:
    """Return what a deal adds that had no result."""
    return SumKey(book, players, Holders.VOID, ALL_SEATS, 0), Counter({DEALS: 1})


def _counted(deal: FirstHands, seat: int) -> Tally:
    hand, first = deal.hands[seat], seat == deal.first
    ranks = [rank(card) for card in hand]
    return Counter(
        {
            DEALS: 1,
            TOSSES: deal.tossed,
            TOSSES_WON: deal.tossed and first,
            FIRSTS: first,
            FIRST_WINS: first and seat == deal.winner,
            WINS: seat == deal.winner,
            PRINTED: ranks.count(0),
            WILD: ranks.count(deal.wild),
            POINTS: total_points(hand, deal.wild),
            PURE: has_run(hand),
        }
    )
