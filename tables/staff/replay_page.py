"""A finished deal for staff: one step at a time, with every hand as it was then."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from rules.books import book
from rules.cards import face, suit
from rules.game import DealState, events, follow_deal
from rules.game.codec import dump_event
from rules.game.views.sentences import PASSING, sentence
from tables.errors import TableError
from tables.log import reading
from tables.models import Deal

_SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def replay_page(model_admin: Any, request: HttpRequest, deal_id: int) -> HttpResponse:
    """The deal at `step` of the query, the last one by default. 404 before it has ended."""
    if not model_admin.has_view_permission(request):
        raise PermissionDenied
    deal = Deal.objects.select_related("match__table").filter(pk=deal_id, ended_at__isnull=False).first()
    if deal is None:
        raise Http404("There is no finished deal of that number.")
    names = {each.seat: each.seating.name for each in deal.seats.select_related("seating")}
    try:
        told = [entry.event() for entry in reading.of_deal(deal)]
    except TableError as refusal:
        raise Http404(refusal.message) from refusal
    steps = [(number, line) for number, event in enumerate(told) if (line := _line(event, names)) is not None]
    asked = request.GET.get("step", "")
    step = min(int(asked), len(steps)) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else len(steps)
    step = max(step, min(1, len(steps)))
    states = [state for _, state in follow_deal(book(deal.book, deal.book_version), told)]
    state = states[steps[step - 1][0]] if steps else None
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "title": f"Deal {deal.pk}, step {step} of {len(steps)}",
        "deal": deal,
        "step": step,
        "last": len(steps),
        "steps": [(place, line, place == step) for place, (_, line) in enumerate(steps, start=1)],
        **_lying(state, names),
        "rows": deal.result or [],
    }
    return TemplateResponse(request, "staff/replay.html", context)


def _lying(state: DealState | None, names: dict[int, str]) -> dict[str, Any]:
    """Who holds what, what lies open and what is in the finish slot."""
    if state is None:
        return {"hands": [], "open_top": [], "slots": [], "cut": []}
    slot = state.finished
    return {
        "hands": [
            (seat, names.get(seat, f"seat {seat}"), _shown(hand.cards))
            for seat, hand in enumerate(state.hands)
            if hand is not None
        ],
        "open_top": _shown([entry.card for entry in state.open_pile[-1:]]),
        "slots": [(names.get(slot.seat), _shown([slot.card]))] if slot is not None and slot.card is not None else [],
        "cut": _shown([state.cut]) if state.cut else [],
    }


def _line(event: events.Event, names: dict[int, str]) -> str | None:
    return None if event.name in PASSING else sentence(dump_event(event), names)


def _shown(cards: Sequence[str]) -> list[dict[str, Any]]:
    """Cards as rank and suit, sorted by suit and rank, with whether they are red."""
    order = sorted(cards, key=lambda card: (suit(card), "A23456789TJQK".find(face(card)[0].replace("1", "T"))))
    return [
        {"rank": "JR" if face(card) == "JR" else face(card)[:-1], "suit": _SUITS.get(suit(card), ""),
         "red": suit(card) in ("D", "H")}
        for card in order
    ]  # fmt: skip
