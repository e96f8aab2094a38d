"""What each viewer sees: the view of the rules with the names of this table put in."""

import json
from typing import Any

from rules.books import book
from rules.game.events import Event
from rules.game.views import redact, view_for
from tables.models import Deal, Seating
from tables.play import practice
from tables.play.store import LockedTable

#: Events that change what the lobby shows of a table.
SEEN_IN_THE_LOBBY = frozenset({"seat_taken", "seat_left", "player_left", "match_started", "match_ended", "deal_ended"})
#: A socket not heard of for so long is taken for dead, in ms.
OFFLINE_AFTER_MS = 35_000
#: The key under which those who only watch find their frame.
WATCHERS = "watch"


def is_connected(seating: Seating, now: int) -> bool:
    """True for a computer player, and for a player whose socket gave a sign of life in the last 35 s."""
    return seating.is_computer or (bool(seating.connection) and abs(now - seating.seen_ms) <= OFFLINE_AFTER_MS)


def frames(held: LockedTable) -> dict[str, str]:
    """The `state` frame of everybody concerned, by user id, and one for all who watch."""
    viewers: dict[str, int | None] = {WATCHERS: None}
    viewers.update({str(s.user_id): seat for seat, s in held.seatings.items() if s.user_id is not None})
    return {viewer: state_frame(held, seat) for viewer, seat in viewers.items()}


def state_frame(held: LockedTable, seat: int | None, *, away_ms: int = 0) -> str:
    """The `state` frame as JSON text for the player of that seat, or for a watcher; `away_ms` tells who comes back
    after an outage how long it took."""
    events = [shown for event in held.events if (shown := event_for(event, seat)) is not None]
    frame = {
        "type": "state",
        "version": held.state.version,
        "now": held.now,
        "events": events,
        "view": view(held, seat),
        **({"away_ms": away_ms} if away_ms else {}),
    }
    return json.dumps(frame, separators=(",", ":"))


def event_for(event: Event, seat: int | None) -> dict[str, Any] | None:
    """The event as the player of that seat, or a watcher, may see it; ids are numbers as everywhere outside."""
    shown = redact(event, seat)
    if shown is not None and "deal_id" in shown:
        shown["deal_id"] = int(shown["deal_id"])
    return shown


def view(held: LockedTable, seat: int | None) -> dict[str, Any]:
    """The whole view of the player of that seat, or of a watcher (`contracts.md` section 3)."""
    shown = view_for(held.state, seat, held.now)
    row = held.row
    shown["table"] |= {
        "id": row.pk,
        "title": row.title,
        "book_title": book(row.book, row.book_version).title,
        "currency": row.currency,
        "practice": row.practice_for_id is not None,
        "stopped": row.status == row.Status.FROZEN,
        "private_code": row.private_code if seat is not None and row.private_code else None,
    }
    for part, key in (("deal", "id"), ("next_deal", "id"), ("result", "deal")):
        if shown[part] is not None:
            shown[part][key] = int(shown[part][key])
    if practice.is_patient(held.state.clock):
        shown["clock"] = None
    if shown["result"] is not None:
        if shown["clock"] is None:
            shown["result"]["next_in"] = None
        names = _names_in_result(held, shown["result"]["deal"])
        for line in shown["result"]["rows"]:
            line["name"] = names.get(line["seat"])
    for place in shown["seats"]:
        seating = held.seatings.get(place["seat"])
        place["name"] = seating.name if seating else None
        place["bot"] = seating.is_computer if seating else False
        place["connected"] = is_connected(seating, held.now) if seating else False
    return shown


def _names_in_result(held: LockedTable, deal_id: int) -> dict[int, str]:
    if not held.names:
        rows = Deal.objects.filter(pk=deal_id).values_list("result", flat=True).first() or []
        held.names = {line["seat"]: line["name"] for line in rows}
    return held.names
