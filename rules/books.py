"""The rule books: every difference between the ways to play is a field of a frozen, versioned value.

The engine asks the book; nothing asks for a book's name. RULES.md, The books.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from rules.errors import UnknownBook
from rules.text import message

#: The most points that a hand counts; a seat must hold their value for a deal (RULES.md, Points and blind: money).
FULL_COUNT = 80


class Family(StrEnum):
    POINTS = "points"
    BLIND = "blind"
    POOL = "pool"
    DEALS = "deals"


#: The families where points have a money value and stacks stay on the table; in the others a match has a pot.
PER_POINT: Final = (Family.POINTS, Family.BLIND)


class Absence(StrEnum):
    """What happens to a player who does not draw in time."""

    DROP = "drop"
    MISS = "miss"
    AUTO_PLAY = "auto_play"


class Leaving(StrEnum):
    """What a player who leaves a running deal gives up, besides the points."""

    SEAT = "seat"
    OUT_OF_MATCH = "out_of_match"
    GIVES_MATCH = "gives_match"


class OpenShow(StrEnum):
    """What a loser pays if they had no turn before the valid declaration."""

    HALF = "half"
    FULL = "full"
    FLAT = "flat"
    DROP_SHOW = "drop_show"


class NoSubmission(StrEnum):
    LAST_ARRANGEMENT = "last_arrangement"
    FULL_COUNT = "full_count"


class WithoutLives(StrEnum):
    COUNTS = "counts"
    FULL_COUNT = "full_count"


class Toss(StrEnum):
    HIGHEST_FIRST = "highest_first"
    BY_RANK = "by_rank"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """One way to play. Numbers are points unless said otherwise; None means that the book has no such thing."""

    key: str
    version: int = 1
    title: str
    family: Family

    min_seats: int = 2
    max_seats: int = 6
    #: Pairs (players at most, packs), fewest players first.
    packs: tuple[tuple[int, int], ...] = ((6, 2),)
    open_pile: bool = True
    toss: Toss = Toss.HIGHEST_FIRST
    toss_each_deal: bool = True

    first_drop: int | None = 20
    middle_drop: int | None = 40
    absent_connected: Absence = Absence.DROP
    absent_offline_first: Absence = Absence.DROP
    absent_offline_later: Absence = Absence.AUTO_PLAY
    #: What a drop for absence costs; None: what a drop costs in that round.
    absence_points: int | None = None
    #: With so many misses in a row a player is dropped at `missed_out_points`.
    misses_allowed: int | None = None
    missed_out_points: int = 40
    #: With so many auto plays in a row a player is dropped at `auto_plays_points`.
    auto_plays_allowed: int = 10
    auto_plays_points: int = 40

    #: Who has drawn and not discarded in time is dropped; else the drawn card is discarded for the player.
    late_discard_drops: bool = False

    leave_first: int = 80
    leave_later: int = 40
    leaving: Leaving = Leaving.SEAT

    open_show: OpenShow = OpenShow.HALF
    open_show_cap: int = 40
    open_show_flat: int = 20
    #: In a drop show: what a loser pays who had a turn.
    drop_show_turn: int = 40
    no_submission: NoSubmission = NoSubmission.LAST_ARRANGEMENT
    #: What a loser pays who had no turn and submits nothing; None: the same as one who had a turn.
    no_submission_no_turn: int | None = None
    #: With nothing submitted in time, a hand that could be declared counts the least, however it lies.
    overlooked_show_is_least: bool = False
    #: On the first turn of one's own one may show all 13 cards without drawing, the finish slot empty.
    show_before_draw: bool = False
    without_lives: WithoutLives = WithoutLives.COUNTS
    full_count: int = FULL_COUNT
    least_points: int = 2

    max_groups: int = 6
    jokers_per_meld: int | None = None
    four_card_life: bool = False
    tunnela: bool = False
    jokers_apart: bool = False

    pool_limit: int | None = None
    deals: int | None = None
    #: A lead of more than so many points before the last deal ends the match.
    decisive_lead: int | None = None
    #: With so many chips for each deal everybody begins; the winner of a deal takes the points of the others as chips,
    #: and the most chips win. None: points are added up, and the lowest total wins.
    chips_a_deal: int | None = None

    @property
    def per_point(self) -> bool:
        """True where money follows each point (points, blind), False where an entry is paid (pool, deals)."""
        return self.family in PER_POINT

    @property
    def first_total(self) -> int:
        """Return the total with which everybody begins a match: their chips, 0 where points are added up."""
        return (self.chips_a_deal or 0) * (self.deals or 0)

    def least_stack(self, point_value: int) -> int:
        """Return the least stack for a deal: the price of a full hand (RULES.md, Points and blind: money)."""
        return self.full_count * point_value

    def packs_for(self, players: int) -> int:
        """Return the number of packs in a deal of that many players."""
        return next(packs for at_most, packs in self.packs if players <= at_most)


_STANDARD_POINTS: Final = RuleBook(key="standard-points", title=message("Points Rummy"), family=Family.POINTS)

_STANDARD_BLIND: Final = replace(
    _STANDARD_POINTS, key="standard-blind", title=message("Blind Rummy"), family=Family.BLIND, open_pile=False
)

_STANDARD_POOL_101: Final = replace(
    _STANDARD_POINTS,
    key="standard-pool-101",
    title=message("Pool Rummy 101"),
    family=Family.POOL,
    toss_each_deal=False,
    leave_later=80,
    leaving=Leaving.OUT_OF_MATCH,
    pool_limit=101,
)

_STANDARD_POOL_61: Final = replace(
    _STANDARD_POOL_101,
    key="standard-pool-61",
    title=message("Pool Rummy 61"),
    first_drop=15,
    middle_drop=30,
    auto_plays_points=30,
    leave_first=60,
    leave_later=60,
    open_show_cap=30,
    full_count=60,
    pool_limit=61,
)

_STANDARD_POOL_201: Final = replace(
    _STANDARD_POOL_101,
    key="standard-pool-201",
    title=message("Pool Rummy 201"),
    first_drop=25,
    middle_drop=50,
    auto_plays_points=50,
    pool_limit=201,
)

_STANDARD_DEALS_3: Final = replace(
    _STANDARD_POINTS,
    key="standard-deals-3",
    title=message("Deals Rummy, best of three"),
    family=Family.DEALS,
    max_seats=2,
    toss_each_deal=False,
    first_drop=None,
    middle_drop=None,
    absent_offline_first=Absence.AUTO_PLAY,
    absence_points=80,
    auto_plays_points=80,
    leave_later=80,
    leaving=Leaving.GIVES_MATCH,
    deals=3,
    decisive_lead=80,
)

# For chips every deal is played, whatever the lead: the most chips after the last one win (RULES.md, Deals).
_STANDARD_DEALS_2: Final = replace(
    _STANDARD_DEALS_3,
    key="standard-deals-2",
    title=message("Deals Rummy for chips, {deals} deals", deals=2),
    deals=2,
    decisive_lead=None,
    chips_a_deal=FULL_COUNT,
)

_STANDARD_DEALS_6: Final = replace(
    _STANDARD_DEALS_2,
    key="standard-deals-6",
    title=message("Deals Rummy for chips, {deals} deals", deals=6),
    max_seats=6,
    first_drop=20,
    middle_drop=40,
    absence_points=None,
    auto_plays_points=40,
    leaving=Leaving.OUT_OF_MATCH,
    deals=6,
)

_CLASSIC_POINTS: Final = replace(
    _STANDARD_POINTS,
    key="classic-points",
    title=message("Classic Points Rummy"),
    absent_connected=Absence.MISS,
    absent_offline_first=Absence.MISS,
    absent_offline_later=Absence.MISS,
    misses_allowed=3,
    leave_later=80,
    open_show=OpenShow.FULL,
)

_LIVES_POINTS: Final = replace(
    _CLASSIC_POINTS,
    key="lives-points",
    title=message("Lives Rummy"),
    packs=((6, 3),),
    first_drop=10,
    middle_drop=30,
    auto_plays_points=30,
    open_show=OpenShow.HALF,
    no_submission=NoSubmission.FULL_COUNT,
    without_lives=WithoutLives.FULL_COUNT,
    jokers_per_meld=1,
    four_card_life=True,
    tunnela=True,
    jokers_apart=True,
    no_submission_no_turn=40,
)

_LIVES_DROP_POINTS: Final = replace(
    _LIVES_POINTS,
    key="lives-drop-points",
    title=message("Lives Rummy with drop show"),
    open_show=OpenShow.DROP_SHOW,
    no_submission_no_turn=None,
    show_before_draw=True,
)

_FLAT20_POINTS: Final = replace(
    _CLASSIC_POINTS,
    key="flat20-points",
    title=message("Flat Twenty Rummy"),
    open_show=OpenShow.FLAT,
    overlooked_show_is_least=True,
)

_CLUB_POINTS: Final = replace(
    _STANDARD_POINTS,
    key="club-points",
    title=message("Club Points Rummy"),
    packs=((4, 2), (6, 3)),
    toss=Toss.BY_RANK,
    absent_offline_later=Absence.DROP,
    leave_later=80,
    open_show=OpenShow.FULL,
    late_discard_drops=True,
)

_CLUB_POOL_201: Final = replace(
    _CLUB_POINTS,
    key="club-pool-201",
    title=message("Club Pool Rummy 201"),
    family=Family.POOL,
    toss_each_deal=False,
    first_drop=25,
    middle_drop=50,
    auto_plays_points=50,
    leaving=Leaving.OUT_OF_MATCH,
    pool_limit=201,
)


# Every version ever played since 1.0.0 stays here, the newest of a key last: old deals are judged by their own version.
_EVERY_VERSION: Final = (
    _STANDARD_POINTS,
    _STANDARD_BLIND,
    _STANDARD_POOL_61,
    _STANDARD_POOL_101,
    _STANDARD_POOL_201,
    _STANDARD_DEALS_2,
    _STANDARD_DEALS_3,
    _STANDARD_DEALS_6,
    _CLASSIC_POINTS,
    _LIVES_POINTS,
    _LIVES_DROP_POINTS,
    _FLAT20_POINTS,
    _CLUB_POINTS,
    _CLUB_POOL_201,
)

BOOKS: Final[Mapping[str, RuleBook]] = MappingProxyType({book.key: book for book in _EVERY_VERSION})
_VERSIONS: Final = {(book.key, book.version): book for book in _EVERY_VERSION}


def book(key: str, version: int | None = None) -> RuleBook:
    """Return the book of that key, in its newest version unless one is named. Raises UnknownBook."""
    rules = BOOKS.get(key) if version is None else _VERSIONS.get((key, version))
    if rules is None:
        raise UnknownBook(key if version is None else f"{key} version {version}")
    return rules


def with_deals(rules: RuleBook, deals: int | None) -> RuleBook:
    """Return the book with `deals` deals in a match; unchanged where `deals` is None or the book counts no deals."""
    if rules.deals is None or deals in (None, rules.deals):
        return rules
    if rules.chips_a_deal is not None:
        one, more = (
            message("Deals Rummy for chips, 1 deal"),
            message("Deals Rummy for chips, {deals} deals", deals=deals),
        )
    else:
        one, more = message("Deals Rummy, 1 deal"), message("Deals Rummy, {deals} deals", deals=deals)
    return replace(rules, deals=deals, title=one if deals == 1 else more)
