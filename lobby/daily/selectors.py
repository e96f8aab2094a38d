"""What is told of a series of fixed shoes: its shoes, everybody's places, and one's own game.

Nothing here shows a card but `path_beside_best`: call it only for those who have finished the deal.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from lobby.accounts.models import Player
from lobby.friends import friends
from tables.daily import making, results
from tables.daily.results import PlaceLine
from tables.errors import TableError
from tables.history.proofs import proof_of_shoe
from tables.models import Attempt, DealSeat, Series, Shoe

#: The most days in the list of those that are over.
PAST_DAYS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnGame:
    """The player's game of a shoe; `part` is their finished deal, which counts if it was over in time."""

    standing: str
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
    attempt = results.attempt_of(shoe, player.pk)
    part = results.own_result(shoe, player.pk)
    counts = part is not None and part.deal.ended_at is not None and part.deal.ended_at < shoe.series.ends_at
    place: int | None = None
    friends_place: int | None = None
    of = friends_of = 0
    if part is not None and counts:
        place, of = results.place_at(shoe, part.amount)
        friends_place, friends_of = results.place_at(shoe, part.amount, among=circle(player))
    return OwnGame(
        standing=results.standing_of(attempt),
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
        return None if part is None else results.turns_of(part)
    except TableError:
        return None  # Its events are no longer kept.


def circle(player: Player) -> Collection[int]:
    """Return the numbers of the player and of their friends."""
    return {player.pk, *friends.friends_of(player).order_by().values_list("pk", flat=True)}


def best_beside(shoe: Shoe, part: DealSeat) -> DealSeat | None:
    """Return the best finished game of the shoe by somebody else, None where there is none or it was no better."""
    others = results.at_shoe(shoe).exclude(user_id=part.user_id).filter(amount__gt=part.amount)
    return others.select_related("deal__match__table", "user").order_by("-amount", "deal__ended_at", "pk").first()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The best game beside one's own; `parting` is None where both made the same moves."""

    name: str | None
    chips: int
    outcome: str
    turns: int
    parting: results.Parting | None


def path_beside_best(shoe: Shoe, part: DealSeat) -> Comparison | None:
    """Return what the best did differently from the player of that part, who has finished the deal."""
    best = best_beside(shoe, part)
    if best is None:
        return None
    name = None if best.user is None or best.user.hides_rating else best.user.shown_name
    try:
        parted = results.parting(part, best, name or "")
        return Comparison(name, best.amount, best.outcome, results.turns_of(best), parted)
    except TableError:
        return None


def tells_results(shoe: Shoe, reader: Player | None, now: datetime) -> bool:
    """Return whether the reader may see for how many chips others have played the shoe, and how it ended for them.

    Who is in which place is told to everybody. What can be had from these cards is no secret once one has played them,
    or once the day is over; before that it would tell how to play them.
    """
    if now >= shoe.series.ends_at:
        return True
    return reader is not None and results.own_result(shoe, reader.pk) is not None


def row_values(line: PlaceLine, reader: Player | None, *, told: bool = True) -> dict[str, Any]:
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


def place_rows(shoe: Shoe, reader: Player | None, now: datetime) -> list[dict[str, Any]]:
    """Return the lines of the best at a shoe that may be played or is over."""
    told = tells_results(shoe, reader, now)
    return [row_values(line, reader, told=told) for line in results.shoe_places(shoe)]


def day_values(shoe: Shoe, reader: Player | None, now: datetime) -> dict[str, Any]:
    """Return what the API tells of a day: before it only the promise, while it runs the places, then the proof too."""
    series = shoe.series
    begun = series.begins_at <= now
    own = own_game(shoe, reader) if reader is not None and begun else None
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
        "played": results.at_shoe(shoe).count() if begun else 0,
        "results": [_api_row(row) for row in place_rows(shoe, reader, now)] if begun else [],
        "me": None if own is None or reader is None else _own_values(own, reader, now),
        "proof": proof_of_shoe(shoe, now),
    }


def status(series: Series, now: datetime) -> str:
    """Return `announced`, `open` or `over`."""
    if now < series.begins_at:
        return "announced"
    return "open" if now < series.ends_at else "over"


def _api_row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("place", "name", "chips", "outcome")}


def _own_values(own: OwnGame, reader: Player, now: datetime) -> dict[str, Any]:
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
        "streak": results.streak(results.days_played(reader.pk), making.today(now)),
    }


def past_days(now: datetime) -> list[Series]:
    """Return the last days that are over, the newest first."""
    return list(Series.objects.filter(day__isnull=False, ends_at__lte=now).order_by("-day")[:PAST_DAYS])


def week_values(monday: date, reader: Player | None, now: datetime) -> list[dict[str, Any]]:
    """Return the places of the week, the best first; the reader's own line is the last where it is not among them."""
    lines = results.week(monday, now)
    if reader is not None and all(line.user.pk != reader.pk for line in lines):
        own = results.own_week(monday, now, reader)
        lines += [] if own is None else [own]
    return [row_values(line, reader) for line in lines]


def weeks_with_days(now: datetime) -> list[date]:
    """Return the Mondays of the weeks that have had a day, the newest first, as many as the days in the list."""
    days = [series.day for series in past_days(now) if series.day is not None]
    return sorted({results.monday_of(day) for day in [*days, making.today(now)]}, reverse=True)


# --- duplicate matches ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchCell:
    """A player's result at one shoe of a duplicate match; `chips` is None before they have finished, or hidden."""

    number: int
    chips: int | None
    outcome: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A player's line in a duplicate match; `chips` is the sum of what the reader may see."""

    player: Player
    own: bool
    place: int | None
    chips: int
    played: int
    cells: tuple[MatchCell, ...]


def match_of(code: str) -> Series | None:
    """Return the duplicate match with that code, which nobody can guess; None where there is none."""
    tidy = "".join(filter(str.isalnum, code)).lower()[:40]
    return Series.objects.filter(code=tidy).select_related("made_by").first() if tidy else None


def matches_of(player: Player) -> list[Series]:
    """Return the last duplicate matches that the player has made or played in, the newest first."""
    played = Attempt.objects.filter(user=player, shoe__series__code__isnull=False).values("shoe__series")
    found = Series.objects.filter(made_by=player, code__isnull=False) | Series.objects.filter(pk__in=played)
    return list(found.distinct().order_by("-pk")[:20])


def match_rows(series: Series, reader: Player | None, now: datetime) -> list[MatchRow]:
    """Return everybody's results side by side, the best first.

    Of a shoe that the reader has not finished they see nobody's result until the match has ended: whoever has the link
    may still play. Places come once all who play, the reader among them, have finished everything.
    """
    shoes = list(series.shoes.order_by("number"))
    parts = results.counted_parts().filter(deal__match__table__shoe__series=series)
    done = {(part.user_id, part.deal.match.table.shoe_id): part for part in parts.select_related("deal__match__table")}
    players = Player.objects.filter(attempts__shoe__series=series, is_active=True).distinct().order_by("pk")
    everyone = list(players)
    complete = all((player.pk, shoe.pk) in done for player in everyone for shoe in shoes)
    has_ended = now >= series.ends_at
    is_told = has_ended or (complete and reader in everyone)
    seen = {shoe.pk for shoe in shoes if has_ended or (reader is not None and (reader.pk, shoe.pk) in done)}
    rows = [_match_row(player, reader, shoes, done, seen) for player in everyone]
    rows.sort(key=lambda row: (-row[1], row[0].pk))
    lines = results.in_places((player, chips, "", played) for player, chips, played, _ in rows)
    return [
        MatchRow(line.user, line.user == reader, line.place if is_told else None, line.chips, line.played, cells)
        for line, (_, _, _, cells) in zip(lines, rows, strict=True)
    ]


def match_values(series: Series, now: datetime) -> dict[str, Any]:
    """Return a duplicate match as the API lists it."""
    return {
        "code": series.code,
        "made_by": series.made_by.shown_name if series.made_by is not None else "",
        "status": status(series, now),
        "begins_at": series.begins_at,
        "ends_at": series.ends_at,
    }


def one_match_values(series: Series, reader: Player | None, now: datetime) -> dict[str, Any]:
    """Return all that the API tells of a duplicate match to whoever has its code."""
    following = next_shoe(series, reader)
    return {
        **match_values(series, now),
        "book": series.book,
        "players": series.seats,
        "strength": series.strength,
        "next_deal": None if following is None else following.number,
        "results": [_match_line(row) for row in match_rows(series, reader, now)],
        "proofs": proofs_of(series, now),
    }


def _match_line(row: MatchRow) -> dict[str, Any]:
    deals = [
        {
            "number": cell.number,
            "played": cell.hidden or cell.chips is not None,
            "chips": cell.chips,
            "outcome": cell.outcome or None,
        }
        for cell in row.cells
    ]
    return {"place": row.place, "name": row.player.shown_name, "me": row.own, "chips": row.chips, "deals": deals}


def proofs_of(series: Series, now: datetime) -> list[dict[str, Any]]:
    """Return the proofs of all shoes of a duplicate match; none before it has ended."""
    shoes = series.shoes.select_related("series").order_by("number")
    return [proof for shoe in shoes if (proof := proof_of_shoe(shoe, now)) is not None]


def _match_row(
    player: Player, reader: Player | None, shoes: list[Shoe], done: dict[Any, DealSeat], seen: set[int]
) -> tuple[Player, int, int, tuple[MatchCell, ...]]:
    cells = []
    for shoe in shoes:
        part = done.get((player.pk, shoe.pk))
        visible = part is not None and (shoe.pk in seen or player == reader)
        cells.append(
            MatchCell(
                shoe.number,
                part.amount if visible and part is not None else None,
                part.outcome if visible and part is not None else "",
                part is not None and not visible,
            )
        )
    shown = sum(cell.chips for cell in cells if cell.chips is not None)
    return player, shown, sum((player.pk, shoe.pk) in done for shoe in shoes), tuple(cells)


def next_shoe(series: Series, player: Player | None) -> Shoe | None:
    """Return the first shoe of the match that the player (None: a visitor) has not finished, None where all are."""
    for shoe in series.shoes.select_related("series").order_by("number"):
        if player is None or results.standing_of(results.attempt_of(shoe, player.pk)) != "played":
            return shoe
    return None
