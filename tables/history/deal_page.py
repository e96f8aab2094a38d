"""The template context of a finished deal's page: for its players, for staff, and for anybody with a link to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.books import book
from rules.cards import face, wild_rank
from rules.game import changes_of, deal_steps, events
from tables.errors import TableError
from tables.history.replay import rows_explained
from tables.language import translated, translated_name
from tables.log import reading
from tables.models import Deal
from wallet.language import worded


@dataclass(frozen=True, slots=True)
class Onlooker:
    """The viewer of a deal: the player in `seat`, or somebody else (None), from whom names may be hidden."""

    seat: int | None = None
    names_hidden: bool = False


def deal_context(deal: Deal, onlooker: Onlooker) -> dict[str, Any]:
    """Return the steps and the result of a finished deal for its page.

    If its events are no longer kept, `gone` says so and only the result is there.
    """
    seats = list(deal.seats.select_related("seating").order_by("seat"))
    names = {
        each.seat: worded("Player {place}", place=place)
        if onlooker.names_hidden
        else translated_name(each.seating.name)
        for place, each in enumerate(seats, start=1)
    }
    happened, gone = _happened(deal)
    steps = deal_steps(book(deal.book, deal.book_version), happened, names)
    cut = next((event.card for event in happened if isinstance(event, events.CutJokerTurned)), None)
    wild = wild_rank(face(cut)) if cut else 0
    return {
        "deal": deal,
        "book": book(deal.book, deal.book_version),
        "currency": deal.match.table.currency,
        "cut": face(cut) if cut else None,
        "wild": wild,
        "gone": gone,
        "own_seat_in_deal": onlooker.seat,
        "log": [step["text"] for step in steps],
        "rows": _rows(rows_explained(deal, happened) or [], names),
        "replay": {
            "deal": deal.pk,
            "seat": onlooker.seat,
            "players": [
                {"seat": each.seat, "name": names[each.seat], "bot": each.seating.is_computer} for each in seats
            ],
            "steps": changes_of([{**step, "text": translated(step["text"])} for step in steps]),
        },
    }


def _happened(deal: Deal) -> tuple[list[events.Event], str]:
    """Return the events of the deal, or why they are no longer available."""
    try:
        return [entry.event() for entry in reading.of_deal(deal)], ""
    except TableError as refusal:
        return [], refusal.message


def _rows(rows: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return the result's rows, the winner first, each with its cards by group and the points of each card."""
    lines = []
    for row in rows:
        kinds = [*row["kinds"], *(["loose"] if row["loose"] else [])]
        laid = [*row["groups"], *([row["loose"]] if row["loose"] else [])]
        groups = [
            {"kind": kind, "cards": [{"face": face(card), "cost": row["counted"].get(card, 0)} for card in group]}
            for kind, group in zip(kinds, laid, strict=True)
        ]
        lines.append({**row, "name": names[row["seat"]], "groups": groups})
    return sorted(lines, key=lambda row: (row["outcome"] != "won", row["points"]))
