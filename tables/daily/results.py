"""Results at fixed shoes: who has played, for how many chips, in which place, and where two games of a shoe part.

A result is the chips that a deal has won or lost; it counts if the deal ended before the series did. Equal results
share their place. Only players with an open account have one. How somebody played is told only to those who have
finished the deal themselves, or once its series has ended: it tells cards.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import zip_longest
from typing import Any, Final, Literal

from django.contrib.auth import get_user_model
from django.db.models import Count, F, Q, QuerySet, Sum

from rules.books import book
from rules.game import events as e, redact
from rules.game.events import Event
from rules.game.views.sentences import sentence
from rules.text import Message, message
from tables.log import reading
from tables.models import Attempt, Deal, DealSeat, Series, Shoe, Table
from tables.play import store

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
    """Return the best of the week, at most ROWS: the sum over its days that are over; a missed one is a full hand."""
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
    sums = found.order_by().values("user").annotate(value=Sum("amount") + cost * Count("pk"), played=Count("pk"))
    return sums, cost * len(over)


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
