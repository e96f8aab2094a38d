"""What watchers are shown of a table at one moment: the deal before the running one, and how the table stands now.

Each deal is shown at its own speed. Of the running deal only what is named here is told: no card, and no number of
cards. PROTOCOL.md says to programs which tables are watched.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal, TypedDict

import orjson

from rules.game import Phase, View, view_for
from tables.errors import TableError, no_such_table
from tables.language import translate_content
from tables.log.reading import PlayedDeal, played_lately
from tables.models import DealSeat, Seating, Table, Tournament, TournamentKind
from tables.play import store
from tables.play.frames.names import names_of
from tables.watching.scripts import Script
from wallet.language import gettext as _

#: So many deals decide which one is shown.
_DEALS: Final = 4
#: For so long, in ms, a closed table still shows its last deal once that has ended.
LINGERS: Final = 60_000


def check_watching(table: Table, deal_id: int | None) -> None:
    """Raise TableError `watching_forbidden` where nobody may see that finished deal, nor any if it is None.

    Watched are public tables, arenas and the finals of knock-outs. Anybody who sits there, or was dealt a hand in that
    deal, may forbid it, except in a final.
    """
    if table.private_code or table.practice_for_id is not None:
        raise _forbidden(_("Private tables and practice are not shown to watchers."))
    tournament = Tournament.objects.filter(pk=table.tournament_id or 0).first()
    if tournament is not None and not round_is_watched(tournament, table.round):
        raise _forbidden(_("Of a knock-out only the final is shown to watchers."))
    is_final = tournament is not None and tournament.kind == TournamentKind.KNOCKOUT
    if not is_final and _somebody_forbids(table, deal_id):
        raise _forbidden(_("Somebody at this table hides their hands from watchers."))


def round_is_watched(tournament: Tournament, number: int | None) -> bool:
    """Return whether the tables of that round are watched: those of an arena, which has none, and of a final."""
    return tournament.kind == TournamentKind.ARENA or number == tournament.rounds


def _somebody_forbids(table: Table, deal_id: int | None) -> bool:
    seated = Seating.objects.filter(table=table, left_at=None, freed_at=None, user__forbids_watching=True)
    dealt = DealSeat.objects.filter(deal=deal_id, user__forbids_watching=True)
    return seated.exists() or (deal_id is not None and dealt.exists())


def _forbidden(message: str) -> TableError:
    return TableError("watching_forbidden", message, status=403)


@dataclass(frozen=True, slots=True)
class OnShow:
    """The deal that is shown, and when its first card was or will be: in ms since 1970 UTC."""

    deal_id: int
    since_ms: int


def showing(played: Iterable[PlayedDeal], now: int) -> OnShow | None:
    """Return what is shown at `now` of the deals last played at a table, oldest first; None before the first has ended.

    A deal is shown once it has ended and the one before has been shown to its end, but from the beginning of the next
    deal on at the latest: what is then left of the one before is skipped.
    """
    deals, length = list(played), 0
    shown: OnShow | None = None
    deal: PlayedDeal
    after: PlayedDeal | None
    for deal, after in zip_longest(deals, deals[1:]):
        if deal.ended_ms is None:
            continue
        since = max(deal.ended_ms, deal.began_ms + length)
        if after is not None:
            since = max(deal.ended_ms, min(since, after.began_ms))
        if since <= now:
            shown = OnShow(deal.deal_id, since)
        length = deal.ended_ms - deal.began_ms
    return shown


class LiveSeat(TypedDict):
    """A seat as it is now, without a card or a number of cards."""

    seat: int
    name: str | None
    bot: bool
    status: str
    stack: int
    total: int | None
    place: Annotated[int | None, "In the tournament."]


class Live(TypedDict):
    phase: str
    stopped: bool
    deal: Annotated[int | None, "The number of the deal that runs, or whose end is told; null while one is awaited."]
    clock: Annotated[dict[str, Any] | None, "`kind`, `seat`, `deadline`, `length_ms`."]
    seats: list[LiveSeat]


class ShownDeal(TypedDict):
    id: int
    number: int
    since: Annotated[int, "When its first card was shown, in ms since 1970 UTC."]
    seats: Annotated[list[dict[str, Any]], "`seat`, `name`, `bot`."]
    steps: Annotated[
        list[dict[str, Any]],
        "Those shown so far; each has what has changed since the one before, of `hands` seat by seat.",
    ]
    result: Annotated[list[dict[str, Any]] | None, "Once it is shown."]


class WatchFrame(TypedDict):
    type: Literal["watch"]
    now: Annotated[int, "In ms since 1970 UTC."]
    table: Annotated[dict[str, Any], "As in the view of the table's socket."]
    live: Live
    deal: Annotated[ShownDeal | None, "None before the first deal has ended."]


@dataclass(frozen=True, slots=True)
class Sight:
    """What one look at a table has found; `now` is the clock of the database, in ms since 1970 UTC."""

    now: int
    row: Table
    played: Sequence[PlayedDeal]
    shown: OnShow | None
    table: dict[str, Any]
    live: Live


def see(table_id: int, before: Sight | None = None) -> Sight:
    """Look at the table; what cannot have changed since `before`, the last look at it, is not read again.

    TableError `not_found` for a table that is not there, or was closed after its last deal was shown;
    `watching_forbidden`; `frozen` where it cannot be read.
    """
    row, now = Table.objects.filter(pk=table_id).first(), store.now_ms()
    if row is None or row.void_at is not None:
        raise no_such_table()
    same_deal = before is not None and (row.deal_id, row.phase) == (before.row.deal_id, before.row.phase)
    played = before.played if before is not None and same_deal else played_lately(table_id, _DEALS)
    shown = showing(played, now)
    if row.status == Table.Status.CLOSED and not _lingers(played, shown, now):
        raise TableError("not_found", _("This table is closed."), status=404)
    check_watching(row, shown.deal_id if shown is not None else None)
    # Who sat at a closed table may close their account, and has another name from then on.
    is_same = before is not None and before.row.version == row.version and before.row.status == row.status
    if before is not None and is_same and row.status != Table.Status.CLOSED:
        return Sight(now, row, played, shown, before.table, before.live)
    locked = store.read_table(table_id)
    names = names_of(locked)
    view = view_for(locked.state, None, now, names)
    places = names.part_of.place_by_seat if names.part_of is not None else {}
    return Sight(now, row, played, shown, dict(view["table"]), _live(view, places))


def _lingers(played: Sequence[PlayedDeal], shown: OnShow | None, now: int) -> bool:
    last = next((deal for deal in reversed(played) if deal.ended_ms is not None), None)
    if last is None or last.ended_ms is None or shown is None:
        return False
    return now < max(shown.since_ms, last.ended_ms) + (last.ended_ms - last.began_ms) + LINGERS


def _live(view: View, places: Any) -> Live:
    clock = view["clock"]
    # Before its first card the deal to come is on the table, and after the last one that which is over.
    deal = None if view["phase"] in (Phase.WAITING, Phase.STARTING) else view["deal"]
    return {
        "phase": view["phase"],
        "stopped": view["table"]["stopped"],
        "deal": deal["number"] if deal is not None else None,
        "clock": clock and {key: clock[key] for key in ("kind", "seat", "deadline", "length_ms")},
        "seats": [
            {
                "seat": seat["seat"],
                "name": seat["name"],
                "bot": seat["bot"],
                "status": seat["status"],
                "stack": seat["stack"],
                "total": seat["total"],
                "place": places.get(seat["seat"]),
            }
            for seat in view["seats"]
        ],
    }


def picture(sight: Sight, script: Script | None, now: int) -> bytes:
    """Return the frame with all that is to be seen at `now`, in the language of the reader."""
    shown = _shown(sight, script, now)
    frame: WatchFrame = {"type": "watch", "now": now, "table": sight.table, "live": sight.live, "deal": shown}
    return _encoded(frame)


def live_frame(sight: Sight, now: int, *, is_new: bool) -> list[bytes]:
    """Return the frame with how the table stands, where that is new."""
    return [_encoded({"type": "live", "now": now, "live": sight.live})] if is_new else []


def step_frames(sight: Sight, script: Script | None, since: int, now: int) -> list[bytes]:
    """Return the frames for what is due after `since` and until `now`: a step each, and the result."""
    if script is None or sight.shown is None:
        return []
    begun, deal = sight.shown.since_ms, script.deal["id"]
    steps = [step for step in script.steps if since < begun + step["at_ms"] <= now]
    frames = [{"type": "step", "deal": deal, "step": step} for step in steps]
    if since < begun + script.result_ms <= now:
        frames.append({"type": "result", "deal": deal, "rows": script.result})
    return list(map(_encoded, frames))


def _shown(sight: Sight, script: Script | None, now: int) -> ShownDeal | None:
    if script is None or sight.shown is None:
        return None
    begun = sight.shown.since_ms
    return {
        "id": script.deal["id"],
        "number": script.deal["number"],
        "seats": script.deal["seats"],
        "since": begun,
        "steps": [step for step in script.steps if begun + step["at_ms"] <= now],
        "result": script.result if begun + script.result_ms <= now else None,
    }


def _encoded(frame: Mapping[str, Any]) -> bytes:
    return orjson.dumps(translate_content(frame))
