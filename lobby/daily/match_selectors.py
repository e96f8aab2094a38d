"""What is told of a duplicate match: everybody's results side by side, and the proofs once it has ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from lobby.accounts.models import Player
from lobby.daily.selectors import begun_status
from rules.books import book
from tables import daily
from tables.history.proofs import ShoeProof, proof_of_shoe
from tables.models import Attempt, DealSeat, Series, Shoe


@dataclass(frozen=True, slots=True)
class MatchCell:
    """A player's result at one shoe of a duplicate match; `chips` is None before they have finished, or hidden.

    Where it is `stopped` nobody has missed it (`tables.daily.stopped_tries`).
    """

    number: int
    chips: int | None
    outcome: str
    hidden: bool
    stopped: bool


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A player's line in a duplicate match; `chips` is the sum of what the reader may see, and, once the match has
    ended, of a full hand for each deal that they missed; they have missed none whose table staff have stopped.
    """

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
    may still play. Places come once all who play, the reader among them, have finished everything, or with the end of
    the match; what was missed then counts as a full hand, as a missed day of the week does.
    """
    shoes = list(series.shoes.order_by("number"))
    parts = daily.counted_parts().filter(deal__match__table__shoe__series=series)
    done = {(part.user_id, part.deal.match.table.shoe_id): part for part in parts.select_related("deal__match__table")}
    players = Player.objects.filter(attempts__shoe__series=series, is_active=True).distinct().order_by("pk")
    everyone = list(players)
    complete = all((player.pk, shoe.pk) in done for player in everyone for shoe in shoes)
    has_ended = now >= series.ends_at
    is_told = has_ended or (complete and reader in everyone)
    seen = {shoe.pk for shoe in shoes if has_ended or (reader is not None and (reader.pk, shoe.pk) in done)}
    missed = book(series.book, series.book_version).full_count if has_ended else 0
    stopped = daily.stopped_tries([series])
    rows = [_match_row(player, reader, shoes, done, seen, stopped, missed) for player in everyone]
    rows.sort(key=lambda row: (-row[1], row[0].pk))
    lines = daily.in_places((player, chips, "", played) for player, chips, played, _ in rows)
    return [
        MatchRow(line.user, line.user == reader, line.place if is_told else None, line.chips, line.played, cells)
        for line, (_, _, _, cells) in zip(lines, rows, strict=True)
    ]


class DuplicateMatch(TypedDict):
    code: Annotated[str, "Whoever has it may play."]
    made_by: str
    status: Literal["open", "over"]
    begins_at: datetime
    ends_at: datetime


def match_values(series: Series, now: datetime) -> DuplicateMatch:
    """Return a duplicate match as the API lists it."""
    return {
        "code": series.code or "",
        "made_by": series.made_by.shown_name if series.made_by is not None else "",
        "status": begun_status(series, now),
        "begins_at": series.begins_at,
        "ends_at": series.ends_at,
    }


class DuplicateCell(TypedDict):
    number: Annotated[int, "The number of the deal in the match."]
    played: bool
    chips: Annotated[int | None, "Null before it was played, and until you have played it or the match is over."]
    outcome: Annotated[str | None, "won, lost, dropped, wrong or left; null as long as chips."]
    stopped: Annotated[bool, "Whether our staff have stopped the player's table: the deal is not missed."]


class MatchLine(TypedDict):
    place: Annotated[int | None, "Null until all have played everything, you too, or the match is over."]
    name: str
    me: bool
    chips: Annotated[int, "The sum of those that you see; once over, a missed deal counts as a full hand lost."]
    deals: list[DuplicateCell]


class OneDuplicateMatch(DuplicateMatch):
    book: str
    players: Annotated[int, "You and the computer players."]
    strength: str
    next_deal: Annotated[
        int | None, "The number of your next deal; null: none is left that is not stopped, or the match is over."
    ]
    results: list[MatchLine]
    proofs: Annotated[list[ShoeProof], "Empty until the match is over."]


def one_match_values(series: Series, reader: Player | None, now: datetime) -> OneDuplicateMatch:
    """Return all that the API tells of a duplicate match to whoever has its code."""
    values = match_values(series, now)
    following = next_shoe(series, reader) if values["status"] == "open" else None
    return {
        **values,
        "book": series.book,
        "players": series.seats,
        "strength": series.strength,
        "next_deal": None if following is None else following.number,
        "results": [_match_line(row) for row in match_rows(series, reader, now)],
        "proofs": proofs_of(series, now),
    }


def _match_line(row: MatchRow) -> MatchLine:
    deals: list[DuplicateCell] = [
        {
            "number": cell.number,
            "played": cell.hidden or cell.chips is not None,
            "chips": cell.chips,
            "outcome": cell.outcome or None,
            "stopped": cell.stopped,
        }
        for cell in row.cells
    ]
    return {"place": row.place, "name": row.player.shown_name, "me": row.own, "chips": row.chips, "deals": deals}


def proofs_of(series: Series, now: datetime) -> list[ShoeProof]:
    """Return the proofs of all shoes of a duplicate match; none before it has ended."""
    shoes = series.shoes.select_related("series").order_by("number")
    return [proof for shoe in shoes if (proof := proof_of_shoe(shoe, now)) is not None]


def _match_row(
    player: Player,
    reader: Player | None,
    shoes: list[Shoe],
    done: dict[Any, DealSeat],
    seen: set[int],
    stopped: set[tuple[int, int]],
    missed: int,
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
                (player.pk, shoe.pk) in stopped,
            )
        )
    played = sum((player.pk, shoe.pk) in done for shoe in shoes)
    due = len(shoes) - sum(cell.stopped for cell in cells)
    shown = sum(cell.chips for cell in cells if cell.chips is not None) - missed * (due - played)
    return player, shown, played, tuple(cells)


def next_shoe(series: Series, player: Player | None) -> Shoe | None:
    """Return the first shoe of the match that the player (None: a visitor) may play, None where there is none.

    One where their table is stopped waits for our staff, and holds up no other (`waits_for_staff`).
    """
    standings = _standings(series, player)
    return next((shoe for shoe, standing in standings if standing not in ("played", "frozen")), None)


def waits_for_staff(series: Series, player: Player | None) -> bool:
    """Return whether the player's table of a shoe of the match is stopped until our staff have looked at it."""
    return any(standing == "frozen" for _, standing in _standings(series, player))


def _standings(series: Series, player: Player | None) -> Iterator[tuple[Shoe, daily.AttemptStanding]]:
    for shoe in series.shoes.select_related("series").order_by("number"):
        yield shoe, daily.standing_of(None if player is None else daily.attempt_of(shoe, player.pk))
