"""The template context of a finished deal's page: for its players, for staff, and for anybody with a link to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from rules.books import book
from rules.cards import face, wild_rank
from rules.game import changes_of, deal_steps
from tables.errors import TableError
from tables.history.kept import kept
from tables.history.replay import cut_joker, dealt_seats, finished_key, rows_explained
from tables.language import translated, translated_name
from tables.log import reading
from tables.models import Deal
from wallet.language import gettext as _


@dataclass(frozen=True, slots=True)
class Onlooker:
    """The viewer of a deal: the player in `seat`, or somebody else (None), from whom names may be hidden.

    `audience` is as the page names it: player, staff or link; what must be made anew is counted to the `account`.
    """

    audience: str
    seat: int | None = None
    names_hidden: bool = False
    account: int | None = None


def deal_context(deal: Deal, onlooker: Onlooker) -> dict[str, Any]:
    """Return the template context of a finished deal's page; `told` is what happened, which is made only once.

    If its events are no longer kept, `gone` says so and only the result is there. Raises TooBusy, TooMany.
    """
    names = {
        each.seat: _("Player {place}", place=place) if onlooker.names_hidden else translated_name(each.seating.name)
        for place, each in enumerate(dealt_seats(deal), start=1)
    }
    key = ("told", *finished_key(deal), onlooker.audience, onlooker.seat, tuple(names.items()))
    told = kept(key, lambda: _told(deal, onlooker, names).encode(), account=onlooker.account)
    return {
        "deal": deal,
        "book": book(deal.book, deal.book_version),
        "gone": _why_gone(deal),
        "audience": onlooker.audience,
        "told": told.content().decode(),
    }


def _told(deal: Deal, onlooker: Onlooker, names: Mapping[int, str]) -> str:
    """Return the HTML of the deal's steps and its result."""
    happened = [] if _why_gone(deal) else [entry.event() for entry in reading.of_deal(deal)]
    steps = deal_steps(book(deal.book, deal.book_version), happened, names)
    cut = cut_joker(happened)
    context = {
        "deal": deal,
        "audience": onlooker.audience,
        "currency": deal.match.table.currency,
        "chips": book(deal.book, deal.book_version).chips_a_deal is not None,
        "cut": face(cut) if cut else None,
        "wild": wild_rank(face(cut)) if cut else 0,
        "gone": _why_gone(deal),
        "own_seat_in_deal": onlooker.seat,
        "log": [step["text"] for step in steps],
        "rows": _rows(rows_explained(deal, happened) or [], names),
        "replay": {
            "deal": deal.pk,
            "seat": onlooker.seat,
            "players": [
                {"seat": each.seat, "name": names[each.seat], "bot": each.seating.is_computer}
                for each in dealt_seats(deal)
            ],
            "steps": changes_of([{**step, "text": translated(step["text"])} for step in steps]),
        },
    }
    return render_to_string("tables/deal_told.html", context)


def _why_gone(deal: Deal) -> str:
    """Return why the events of the deal are no longer available; empty where they are."""
    try:
        reading.check_kept(deal.match.table)
    except TableError as refusal:
        return refusal.message
    return ""


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
