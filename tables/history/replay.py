"""A finished deal told again: its events, its result, and the hands that are open now."""

from typing import Any

from rules.game import events
from rules.game.views import redact
from rules.game.views.sentences import in_words
from tables.log import reading
from tables.models import Deal


def replay(deal: Deal, user: Any) -> dict[str, Any]:
    """The deal as the player may see it once it has ended, as JSON."""
    seats = list(deal.seats.select_related("seating").order_by("seat"))
    own = next((each.seat for each in seats if each.user_id == user.pk), None)
    table, names = deal.match.table, {each.seat: each.seating.name for each in seats}
    told = [(entry, entry.event()) for entry in reading.of_deal(deal)]
    return {
        "deal": deal.pk,
        "match": deal.match_id,
        "number": deal.number,
        "table": {"id": table.pk, "title": table.title, "currency": table.currency},
        "book": deal.book,
        "book_version": deal.book_version,
        "status": deal.status,
        "commitment": deal.commitment,
        "started_at": deal.started_at,
        "ended_at": deal.ended_at,
        "seat": own,
        "seats": [{"seat": each.seat, "name": each.seating.name, "bot": each.seating.is_computer} for each in seats],
        "hands": _hands(event for _, event in told),
        "events": [
            {"at": entry.at_ms, "version": entry.version, **in_words(shown, names)}
            for entry, event in told
            if (shown := redact(event, own)) is not None
        ],
        "result": deal.result,
    }


def _hands(told: Any) -> dict[str, list[str]]:
    """The 13 cards that each seat was dealt."""
    for event in told:
        if isinstance(event, events.CardsDealt):
            return {str(seat): list(hand) for seat, hand in zip(event.order, event.hands, strict=True)}
    return {}
