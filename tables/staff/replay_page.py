"""A finished deal for staff: one step at a time, with every hand as it was then."""

from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from rules.cards import face, suit
from rules.game import events, moves
from rules.game.codec import dump_event
from rules.game.views.sentences import PASSING, sentence
from tables.errors import TableError
from tables.log import reading
from tables.models import Deal

_SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


@dataclass(slots=True)
class Cards:
    """Who holds what, what lies open and what is in the finish slot, followed event by event."""

    hands: dict[int, list[str]] = field(default_factory=dict)
    pile: list[str] = field(default_factory=list)
    cut: str | None = None
    slot: dict[int, str] = field(default_factory=dict)

    def follow(self, event: events.Event) -> None:
        match event:
            case events.CardsDealt():
                self.hands = {seat: list(hand) for seat, hand in zip(event.order, event.hands, strict=True)}
            case events.UpcardTurned():
                self.pile.append(event.card)
            case events.CutJokerTurned():
                self.cut = event.card
            case events.CardDrawn():
                if event.pile is moves.Pile.OPEN:
                    self.pile.remove(event.card)
                self.hands[event.seat].append(event.card)
            case events.CardDiscarded():
                self.hands[event.seat].remove(event.card)
                self.pile.append(event.card)
            case events.FinishPlaced(card=str() as card):
                self.hands[event.seat].remove(card)
                self.slot[event.seat] = card
            case events.ShowRefused() | events.PlayerLeft():
                if event.seat in self.slot:
                    self.pile.append(self.slot.pop(event.seat))
            case events.ClosedDeckReshuffled():
                self.pile = [card for card in self.pile if card not in set(event.cards)]
            case _:
                pass


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
    cards = Cards()
    for event in told[: steps[step - 1][0] + 1 if steps else 0]:
        cards.follow(event)
    context = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "title": f"Deal {deal.pk}, step {step} of {len(steps)}",
        "deal": deal,
        "step": step,
        "last": len(steps),
        "steps": [(place, line, place == step) for place, (_, line) in enumerate(steps, start=1)],
        "hands": [(seat, names.get(seat, f"seat {seat}"), _shown(hand)) for seat, hand in sorted(cards.hands.items())],
        "open_top": _shown(cards.pile[-1:]),
        "slots": [(names.get(seat), _shown([card])) for seat, card in cards.slot.items()],
        "cut": _shown([cards.cut]) if cards.cut else [],
        "rows": deal.result or [],
    }
    return TemplateResponse(request, "staff/replay.html", context)


def _line(event: events.Event, names: dict[int, str]) -> str | None:
    return None if event.name in PASSING else sentence(dump_event(event), names)


def _shown(cards: list[str]) -> list[dict[str, Any]]:
    """Cards as rank and suit, sorted by suit and rank, with whether they are red."""
    order = sorted(cards, key=lambda card: (suit(card), "A23456789TJQK".find(face(card)[0].replace("1", "T"))))
    return [
        {"rank": "JR" if face(card) == "JR" else face(card)[:-1], "suit": _SUITS.get(suit(card), ""),
         "red": suit(card) in ("D", "H")}
        for card in order
    ]  # fmt: skip
