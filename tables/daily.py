"""Shoes that are fixed beforehand, those of days and of duplicate matches: making them, and the results at them.

Each day's is made a day ahead. A result is the chips that a deal has won or lost; it counts if the deal ended before
the series did. Equal results share their place. Only players with an open account have one. How somebody played is told
only to those who have finished the deal themselves, or once its series has ended: it tells cards.
"""

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from itertools import zip_longest
from typing import Any, Final, Literal

from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Sum, When
from django.utils import timezone

from rules.books import BOOKS, book
from rules.bots import Strength
from rules.game import events as e, redact
from rules.game.events import Event
from rules.game.views.sentences import sentence
from rules.shuffling import commitment
from rules.text import Message, message
from tables.log import reading
from tables.log.sealing import SHOES
from tables.models import Attempt, Deal, DealSeat, Match, Series, Shoe, Table
from tables.play import store
from tables.play.records import SEED_BYTES
from wallet.base import report_zone

#: What is played: the simplest book against three computer players, for one chip a point.
BOOK, SEATS, STRENGTH = "standard-points", 4, Strength.SHARP
#: The shoes of a duplicate match, and for how long it may be played.
MATCH_SHOES: Final = 8
MATCH_LASTS: Final = timedelta(days=7)


def ensure_days(now: datetime | None = None) -> None:
    """Make the shoes of today and of tomorrow, where nobody has; so each is promised on the day before."""
    day = report_zone.local_day(now or timezone.now())
    days = (day, day + timedelta(days=1))
    made = set(Series.objects.filter(day__in=days).values_list("day", flat=True))
    for each in days:
        if each not in made:
            make_day(each)


def make_day(day: date) -> None:
    """Make the shoe of the day; whoever else has just done so was faster, and theirs stays."""
    begins, ends = report_zone.midnight(day), report_zone.midnight(day + timedelta(days=1))
    try:
        with transaction.atomic():
            series = _series(day=day, begins_at=begins, ends_at=ends)
            _add_shoe(series, 1, f"daily-{day.isoformat()}")
    except IntegrityError:
        if not Series.objects.filter(day=day).exists():
            raise


@transaction.atomic
def make_match(*, user: Any, code: str, now: datetime) -> Series:
    """Make a duplicate match of the user's that may be played from now on by whoever has its code."""
    series = _series(code=code, made_by=user, begins_at=now, ends_at=now + MATCH_LASTS)
    for number in range(1, MATCH_SHOES + 1):
        _add_shoe(series, number, label_in_match(code, number))
    return series


def label_in_match(code: str, number: int) -> str:
    """Return the label of a shoe of the match with that code, which does not tell the code: it stands in each deal."""
    return f"duplicate-{sha256(code.encode()).hexdigest()[:16]}-{number}"


def _series(**columns: Any) -> Series:
    rules = BOOKS[BOOK]
    return Series.objects.create(
        book=rules.key, book_version=rules.version, seats=SEATS, strength=STRENGTH.value, **columns
    )


def _add_shoe(series: Series, number: int, label: str) -> None:
    seed = secrets.token_bytes(SEED_BYTES)
    shoe = Shoe(series=series, number=number, label=label, commitment=commitment(label, seed))
    shoe.sealed_seed = SHOES.seal(shoe, seed)
    shoe.save()


def shoe_of(day: date) -> Shoe | None:
    """Return the shoe of the day with its series; None for a day that has none."""
    return Shoe.objects.select_related("series").filter(series__day=day).first()


def following_shoe(shoe: Shoe) -> Shoe:
    """Return the shoe of the day after that of this one; it is made with it."""
    assert shoe.series.day is not None
    day = shoe.series.day + timedelta(days=1)
    if (following := shoe_of(day)) is None:
        make_day(day)
        following = shoe_of(day)
    assert following is not None
    return following


#: The most rows of a list of places.
ROWS: Final = 50
_MOVES = (e.CardDrawn, e.CardDiscarded, e.PlayerDropped, e.FinishPlaced, e.PlayerLeft)


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """A player's result at a shoe, or their sum over several; `place` counts from 1."""

    user: Any
    place: int
    chips: int
    outcome: str = ""
    played: int = 1


def counted_parts() -> QuerySet[DealSeat]:
    """Return the parts of players in deals of fixed shoes that count, in no order."""
    ended = Q(deal__status=Deal.Status.OVER, deal__ended_at__lt=F("deal__match__table__shoe__series__ends_at"))
    return DealSeat.objects.filter(ended, user__is_active=True).exclude(outcome="")


def at_shoe(shoe: Shoe) -> QuerySet[DealSeat]:
    """Return the parts that count at this shoe."""
    return counted_parts().filter(deal__match__table__shoe=shoe)


def own_result(shoe: Shoe, user_id: int) -> DealSeat | None:
    """Return the user's part in their finished deal of this shoe, whether it counts or came too late; else None."""
    played = DealSeat.objects.filter(deal__match__table__shoe=shoe, user_id=user_id, deal__status=Deal.Status.OVER)
    return played.exclude(outcome="").select_related("deal__match__table", "user").first()


def shoe_places(shoe: Shoe, *, among: Collection[int] | None = None) -> list[PlaceLine]:
    """Return the best at this shoe, at most ROWS; `among` are the only ones who count, where given."""
    found = at_shoe(shoe) if among is None else at_shoe(shoe).filter(user_id__in=among)
    rows = found.select_related("user").order_by("-amount", "deal__ended_at", "pk")[:ROWS]
    return in_places((row.user, row.amount, row.outcome, 1) for row in rows)


def in_places(rows: Iterable[tuple[Any, int, str, int]]) -> list[PlaceLine]:
    """Return the lines of rows from the first place on, the most chips first: user, chips, outcome, deals played."""
    lines: list[PlaceLine] = []
    for number, (user, chips, outcome, played) in enumerate(rows, start=1):
        place = lines[-1].place if lines and lines[-1].chips == chips else number
        lines.append(PlaceLine(user, place, chips, outcome, played))
    return lines


def place_at(shoe: Shoe, chips: int, *, among: Collection[int] | None = None) -> tuple[int, int]:
    """Return the place of that result, and of how many."""
    found = at_shoe(shoe) if among is None else at_shoe(shoe).filter(user_id__in=among)
    numbers = found.aggregate(every=Count("pk"), better=Count("pk", filter=Q(amount__gt=chips)))
    return numbers["better"] + 1, numbers["every"]


def week(monday: date, now: datetime) -> list[PlaceLine]:
    """Return the best of the week, at most ROWS: the sum over its days that are over; a missed one is a full hand.

    One whose table staff have stopped is not missed.
    """
    sums, missed_all = _week_sums(monday, now)
    rows = list(sums.order_by("-value", "user")[:ROWS])
    users = get_user_model()._default_manager.in_bulk([row["user"] for row in rows])
    return in_places((users[row["user"]], row["value"] - missed_all, "", row["played"]) for row in rows)


def own_week(monday: date, now: datetime, user: Any) -> PlaceLine | None:
    """Return the user's line in that week, None where they have finished none of its deals of days that are over."""
    sums, missed_all = _week_sums(monday, now)
    row = sums.filter(user=user.pk).order_by("user").first()
    if row is None:
        return None
    better = sums.filter(value__gt=row["value"]).count()
    return PlaceLine(user, better + 1, row["value"] - missed_all, "", row["played"])


def _week_sums(monday: date, now: datetime) -> tuple[Any, int]:
    """Return by user the chips of the week, with what the days that were not missed would have cost; and what missing
    all costs: the difference is what counts.
    """
    over = list(Series.objects.filter(day__gte=monday, day__lt=monday + timedelta(days=7), ends_at__lte=now))
    cost = max((book(each.book, each.book_version).full_count for each in over), default=0)
    found = counted_parts().filter(deal__match__table__shoe__series__in=over)
    stopped = Counter(user for user, _ in stopped_tries(over))
    excused = Case(*(When(user=user, then=number) for user, number in stopped.items()), default=0)
    value = Sum("amount") + cost * (Count("pk") + excused)
    return found.order_by().values("user").annotate(value=value, played=Count("pk")), cost * len(over)


def streak(days: Collection[date], today: date) -> int:
    """Return how many days in a row were played up to today; today itself may still be to come.

    >>> streak({date(2026, 11, 24), date(2026, 11, 25), date(2026, 11, 26)}, date(2026, 11, 27))
    3
    """
    day, length = today if today in days else today - timedelta(days=1), 0
    while day in days:
        day, length = day - timedelta(days=1), length + 1
    return length


def days_played(user_id: int) -> set[date]:
    """Return the days whose deal the user has finished in time."""
    day = "deal__match__table__shoe__series__day"
    return set(counted_parts().filter(user_id=user_id, **{f"{day}__isnull": False}).values_list(day, flat=True))


AttemptStanding = Literal["none", "playing", "played", "frozen", "void"]


def standing_of(attempt: Attempt | None) -> AttemptStanding:
    """Return how the attempt stands: `none`, `playing`, `played`, `frozen`, or `void`: the player may try again."""
    if attempt is None:
        return "none"
    if own_result(attempt.shoe, attempt.user_id) is not None:
        return "played"
    status = Table.Status(attempt.table.status)
    if status == Table.Status.FROZEN:
        return "void" if gives_back(attempt) else "frozen"
    return "playing" if status == Table.Status.OPEN else "void"


def gives_back(attempt: Attempt) -> bool:
    """Return whether the platform itself gives the try back for a frozen table: the first time that a fault of ours
    has stopped the player at this shoe.

    A table that staff have stopped waits for them: they look at what happened there. So does the second one at the same
    shoe: who knew how to make our program fail could otherwise look at its cards as often as they like.
    """
    table = attempt.table
    if table.status != Table.Status.FROZEN or table.fault.startswith(store.STOPPED_BY):
        return False
    cancelled = Deal.objects.filter(match__table__shoe=attempt.shoe, status=Deal.Status.CANCELLED)
    return not cancelled.filter(seats__user=attempt.user_id).exists()


def stopped_tries(series: Iterable[Series]) -> set[tuple[int, int]]:
    """Return by user and shoe the tries whose table staff have stopped, or cancelled too late for another one.

    Nobody has missed these deals.
    """
    too_late = Q(status=Match.Status.CANCELLED, ended_at__gte=OuterRef("shoe__series__ends_at"))
    cancelled = Exists(Match.objects.filter(too_late, table=OuterRef("table")))
    tries = Attempt.objects.filter(Q(cancelled) | Q(table__status=Table.Status.FROZEN), shoe__series__in=list(series))
    waits: dict[str, AttemptStanding] = {Table.Status.FROZEN: "frozen", Table.Status.CLOSED: "void"}
    return {
        (one.user_id, one.shoe_id)
        for one in tries.select_related("table", "shoe")
        if standing_of(one) == waits.get(one.table.status)
    }


def attempt_of(shoe: Shoe, user_id: int) -> Attempt | None:
    """Return the user's attempt at the shoe, None before it."""
    return Attempt.objects.select_related("table", "shoe").filter(shoe=shoe, user_id=user_id).first()


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move of the player, in which of their turns, as everybody at the table saw it.

    `key` is what it is compared by; a card that was drawn unseen is not told.
    """

    turn: int
    key: tuple[str, ...]
    text: Message


@dataclass(frozen=True, slots=True)
class Parting:
    """How many moves were the same, and the first that was not, of each: None where that game was over."""

    alike: int
    own: PlayedMove | None
    other: PlayedMove | None


def parting(own: DealSeat, other: DealSeat, name: str) -> Parting | None:
    """Return where the two games part, None where they never do. The other player's move is told under `name`.

    TableError `no_longer_kept`.
    """
    pairs = zip_longest(_moves(own, None), _moves(other, name))
    for alike, (mine, theirs) in enumerate(pairs):
        if (mine and mine.key) != (theirs and theirs.key):
            return Parting(alike, mine, theirs)
    return None


def turns_of(seat: DealSeat) -> int:
    """Return in how many turns the player's part in the deal was over. TableError `no_longer_kept`."""
    return max((move.turn for move in _moves(seat, None)), default=0)


def _moves(seat: DealSeat, name: str | None) -> Iterator[PlayedMove]:
    return moves_in((entry.event() for entry in reading.of_deal(seat.deal)), seat.seat, name)


def moves_in(happened: Iterable[Event], seat: int, name: str | None) -> Iterator[PlayedMove]:
    """Yield the moves of that seat in the deal, in their order; of oneself where no name is given."""
    turn, wild, names = 0, 0, {} if name is None else {seat: name}
    for event in happened:
        if isinstance(event, e.CutJokerTurned):
            wild = event.wild_rank
        elif isinstance(event, e.TurnBegan) and event.seat == seat:
            turn += 1
        elif isinstance(event, _MOVES) and event.seat == seat:
            shown = redact(event, None) or {}
            text = sentence(shown, names, wild=wild, reader=seat if name is None else None)
            key = (event.name, f"{shown.get('pile', '')}", f"{shown.get('card', '')}")
            yield PlayedMove(turn, key, text or message(""))
