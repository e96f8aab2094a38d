"""What is told of a series of fixed shoes: its shoes, everybody's places, and one's own game.

Nothing here shows a card but `path_beside_best`: call it only for those who have finished the deal.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal, TypedDict

from lobby.accounts.models import Player
from lobby.friends import friends
from tables import daily
from tables.daily import AttemptStanding, PlaceLine
from tables.errors import TableError
from tables.history.proofs import ShoeProof, proof_of_shoe
from tables.models import DealSeat, Series, Shoe
from wallet.base.report_zone import local_day, monday_of

#: The most days in the list of those that are over.
PAST_DAYS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnGame:
    """The player's game of a shoe; `part` is their finished deal, which counts if it was over in time."""

    standing: AttemptStanding
    table: int | None
    part: DealSeat | None
    counts: bool
    place: int | None
    of: int
    friends_place: int | None
    friends: int
    turns: int | None


def own_game(shoe: Shoe, player: Player) -> OwnGame:
    """Return how the player's game of the shoe stands."""
    attempt = daily.attempt_of(shoe, player.pk)
    part = daily.own_result(shoe, player.pk)
    counts = part is not None and part.deal.ended_at is not None and part.deal.ended_at < shoe.series.ends_at
    place: int | None = None
    friends_place: int | None = None
    of = friends_of = 0
    if part is not None and counts:
        place, of = daily.place_at(shoe, part.amount)
        friends_place, friends_of = daily.place_at(shoe, part.amount, among=circle(player))
    return OwnGame(
        standing=daily.standing_of(attempt),
        table=None if attempt is None else attempt.table_id,
        part=part,
        counts=counts,
        place=place,
        of=of,
        friends_place=friends_place,
        friends=friends_of,
        turns=_turns(part),
    )


def _turns(part: DealSeat | None) -> int | None:
    try:
        return None if part is None else daily.turns_of(part)
    except TableError:
        return None  # Its events are no longer kept.


def circle(player: Player) -> Collection[int]:
    """Return the numbers of the player and of their friends."""
    return {player.pk, *friends.friends_of(player).order_by().values_list("pk", flat=True)}


def best_beside(shoe: Shoe, part: DealSeat) -> DealSeat | None:
    """Return the best finished game of the shoe by somebody else, None where there is none or it was no better."""
    others = daily.at_shoe(shoe).exclude(user_id=part.user_id).filter(amount__gt=part.amount)
    return others.select_related("deal__match__table", "user").order_by("-amount", "deal__ended_at", "pk").first()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The best game beside one's own; `parting` is None where both made the same moves."""

    name: str | None
    chips: int
    outcome: str
    turns: int
    parting: daily.Parting | None


def path_beside_best(shoe: Shoe, part: DealSeat) -> Comparison | None:
    """Return where the best game parted from that of `part`, whose player has finished the deal.

    None where no game is better, or the events of either are no longer kept.
    """
    best = best_beside(shoe, part)
    if best is None:
        return None
    name = None if best.user is None or best.user.hides_rating else best.user.shown_name
    try:
        parted = daily.parting(part, best, name or "")
        return Comparison(name, best.amount, best.outcome, daily.turns_of(best), parted)
    except TableError:
        return None


def tells_results(shoe: Shoe, reader: Player | None, now: datetime) -> bool:
    """Return whether the reader may see for how many chips others have played the shoe, and how it ended for them.

    Who is in which place is told to everybody. What can be had from these cards is no secret once one has played them,
    or once the day is over; before that it would tell how to play them.
    """
    if now >= shoe.series.ends_at:
        return True
    return reader is not None and daily.own_result(shoe, reader.pk) is not None


class RowShown(TypedDict):
    """A line of places; `chips` and `outcome` are None where its result is not told."""

    place: int
    name: str | None
    has_page: bool
    chips: int | None
    outcome: str | None
    played: int
    own: bool


def row_values(line: PlaceLine, reader: Player | None, *, told: bool = True) -> RowShown:
    """Return a line of places as pages and the API show it; with its result only where that is `told`."""
    own = reader is not None and line.user.pk == reader.pk
    hidden = line.user.hides_rating and not own
    return {
        "place": line.place,
        "name": None if hidden else line.user.shown_name,
        "has_page": line.user.has_page and not hidden,
        "chips": line.chips if told else None,
        "outcome": (line.outcome or None) if told else None,
        "played": line.played,
        "own": own,
    }


def place_rows(shoe: Shoe, reader: Player | None, now: datetime) -> list[RowShown]:
    """Return the lines of the best at a shoe that may be played or is over."""
    told = tells_results(shoe, reader, now)
    return [row_values(line, reader, told=told) for line in daily.shoe_places(shoe)]


class DayLine(TypedDict):
    place: Annotated[int, "Equal results share it."]
    name: Annotated[str | None, "Null for who hides it."]
    chips: Annotated[int | None, "Won or lost; null until you have played the deal yourself or its day is over."]
    outcome: Annotated[str | None, "won, lost, dropped, wrong or left; null as long as chips."]


class OwnDay(TypedDict):
    status: Annotated[AttemptStanding, "void: cancelled by us, you may play again."]
    table: int | None
    deal: int | None
    outcome: str | None
    points: int | None
    chips: int | None
    counts: Annotated[bool, "The deal was over before the day was."]
    turns: int | None
    place: int | None
    of: int
    friends_place: Annotated[int | None, "Among yourself and your friends."]
    friends: int
    streak: Annotated[int, "Days in a row."]


class DayAnswer(TypedDict):
    date: Annotated[date, "Its day, in the zone of the reports."]
    status: Literal["announced", "open", "over"]
    book: str
    players: Annotated[int, "You and the computer players."]
    strength: str
    deal_id: Annotated[str, "Stands for the id of the deal in the construction of the shoe."]
    commitment: Annotated[str, "SHA-256, published on the day before."]
    begins_at: datetime
    ends_at: datetime
    played: Annotated[int, "Results that count, so far."]
    results: Annotated[list[DayLine], "The best fifty."]
    me: OwnDay | None
    proof: Annotated[ShoeProof | None, "Null until the day is over."]


def day_values(shoe: Shoe, reader: Player | None, now: datetime) -> DayAnswer:
    """Return what the API tells of a day: before it only the promise, while it runs the places, then the proof too."""
    series = shoe.series
    begun = series.begins_at <= now
    own = own_game(shoe, reader) if reader is not None and begun else None
    assert series.day is not None
    return {
        "date": series.day,
        "status": status(series, now),
        "book": series.book,
        "players": series.seats,
        "strength": series.strength,
        "deal_id": shoe.label,
        "commitment": shoe.commitment,
        "begins_at": series.begins_at,
        "ends_at": series.ends_at,
        "played": daily.at_shoe(shoe).count() if begun else 0,
        "results": [_api_row(row) for row in place_rows(shoe, reader, now)] if begun else [],
        "me": None if own is None or reader is None else _own_values(own, reader, now),
        "proof": proof_of_shoe(shoe, now),
    }


def status(series: Series, now: datetime) -> Literal["announced", "open", "over"]:
    """Return how far the series is: `announced` before it begins, `open`, or `over`."""
    return "announced" if now < series.begins_at else begun_status(series, now)


def begun_status(series: Series, now: datetime) -> Literal["open", "over"]:
    """Return whether a series that has begun is `open` or `over`."""
    return "open" if now < series.ends_at else "over"


def _api_row(row: RowShown) -> DayLine:
    return {"place": row["place"], "name": row["name"], "chips": row["chips"], "outcome": row["outcome"]}


def _own_values(own: OwnGame, reader: Player, now: datetime) -> OwnDay:
    part = own.part
    return {
        "status": own.standing,
        "table": own.table,
        "deal": None if part is None else part.deal_id,
        "outcome": None if part is None else part.outcome,
        "points": None if part is None else part.points,
        "chips": None if part is None else part.amount,
        "counts": own.counts,
        "turns": own.turns,
        "place": own.place,
        "of": own.of,
        "friends_place": own.friends_place,
        "friends": own.friends,
        "streak": daily.streak(daily.days_played(reader.pk), local_day(now)),
    }


def past_days(now: datetime) -> list[Series]:
    """Return the last days that are over, the newest first."""
    return list(Series.objects.filter(day__isnull=False, ends_at__lte=now).order_by("-day")[:PAST_DAYS])


def week_values(monday: date, reader: Player | None, now: datetime) -> list[RowShown]:
    """Return the places of the week, the best first; the reader's own line is the last where it is not among them."""
    lines = daily.week(monday, now)
    if reader is not None and all(line.user.pk != reader.pk for line in lines):
        own = daily.own_week(monday, now, reader)
        lines += [] if own is None else [own]
    return [row_values(line, reader) for line in lines]


def weeks_with_days(now: datetime) -> list[date]:
    """Return the Mondays of the weeks that have had a day, the newest first, as many as the days in the list."""
    days = [series.day for series in past_days(now) if series.day is not None]
    return sorted({monday_of(day) for day in [*days, local_day(now)]}, reverse=True)
