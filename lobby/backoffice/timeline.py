"""Everything that happened to one player in one list: money, seats, deals, reports, sign-ins, limits, notes, acts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse

from lobby.accounts.models import Player
from tables.models import DealSeat, Seating
from wallet.audit_log.models import AuditEntry
from wallet.base import money
from wallet.base.report_zone import midnight
from wallet.ledger import selectors as ledger
from wallet.responsible_gaming import selectors as wallet_responsible_gaming

#: Lines of one page: so many at most of each sort are read, too.
MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happened; `amount` in smallest units, with `currency`, where money moved."""

    at: datetime
    sort: str
    text: str
    href: str = ""
    amount: int | None = None
    balance: int | None = None
    currency: str = ""


class TimelineForm(forms.Form):
    """Which happenings are asked for; days are those of the report zone."""

    sort = forms.ChoiceField(required=False)
    currency = forms.ChoiceField(
        choices=[(code, each.title) for code, each in money.CURRENCIES.items()], required=False
    )
    amount = forms.IntegerField(
        min_value=1, max_value=money.LARGEST_AMOUNT, required=False, help_text="Smallest units, whoever paid."
    )
    since = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))


def timeline_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show what happened to the player, the latest first, as far as whoever looks may know it."""
    if not request.user.has_perm("lobby.view_player"):
        raise PermissionDenied
    player = get_object_or_404(Player, pk=player_id)
    sorts = {name: title for name, (title, right, _) in _SORTS.items() if request.user.has_perm(right)}
    form = TimelineForm(request.GET or None)
    form.fields["sort"].choices = [("", "Everything"), *sorts.items()]  # type: ignore[attr-defined]
    asked = form.cleaned_data if form.is_valid() else {}
    found = happenings(player, asked, [asked["sort"]] if asked.get("sort") else list(sorts))
    context = {
        **admin.site.each_context(request),
        "title": f"What happened to {player.username}",
        "player": player,
        "form": form,
        "found": [(each, _SORTS[each.sort][0]) for each in found],
        "is_cut": len(found) == MOST,
    }
    return TemplateResponse(request, "staff/timeline.html", context)


def happenings(player: Player, asked: Mapping[str, Any], sorts: list[str]) -> list[Happening]:
    """Return the latest happenings of those sorts; with an amount, only those in which just that moved."""
    found = [each for name in sorts for each in islice(_SORTS[name][2](player, asked), MOST)]
    return sorted(found, key=lambda each: each.at, reverse=True)[:MOST]


def _within(rows: QuerySet[Any], asked: Mapping[str, Any], field: str) -> QuerySet[Any]:
    """Leave the rows of the days that are asked for; none where money is asked for and the rows have none."""
    if since := asked.get("since"):
        rows = rows.filter(**{f"{field}__gte": midnight(since)})
    if until := asked.get("until"):
        rows = rows.filter(**{f"{field}__lt": midnight(until + timedelta(days=1))})
    return rows.order_by("-pk")


def _without_money(rows: QuerySet[Any], asked: Mapping[str, Any], field: str = "at") -> QuerySet[Any]:
    return rows.none() if asked.get("amount") else _within(rows, asked, field)


def _money(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    codes = [asked["currency"]] if asked.get("currency") else list(money.CURRENCIES)
    for code in codes:
        rows = ledger.statement(player, code)
        if rows.query.is_empty():
            continue
        rows = _within(rows, asked, "posting__created_at")
        if amount := asked.get("amount"):
            rows = rows.filter(Q(signed=amount) | Q(signed=-amount))
        for entry in rows[:MOST]:
            posting: Any = entry.posting
            # Annotated by `statement`.
            change, balance = entry.signed, entry.balance  # type: ignore[attr-defined]
            at = f" at {posting.at_title} (table {posting.at_table})" if posting.at_table else ""
            href = reverse("admin:tables_table_change", args=[posting.at_table]) if posting.at_table else ""
            yield Happening(
                at=posting.created_at, sort="money", text=f"{posting.get_reason_display()}{at}", href=href,
                amount=change, balance=balance, currency=code,
            )  # fmt: skip


def _deals(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = DealSeat.objects.filter(user=player).exclude(outcome="").select_related("deal__match__table")
    if amount := asked.get("amount"):
        rows = rows.filter(amount__in=(amount, -amount))
    if code := asked.get("currency"):
        rows = rows.filter(deal__match__table__currency=code)
    for each in _within(rows, asked, "deal__ended_at")[:MOST]:
        table = each.deal.match.table
        if each.deal.ended_at is not None:
            yield Happening(
                at=each.deal.ended_at, sort="deals", amount=each.amount, currency=table.currency,
                text=f"Deal {each.deal_id} at {table.title}: {each.outcome}, {each.points} points",
                href=reverse("admin:tables_deal_replay", args=[each.deal_id]),
            )  # fmt: skip


def _seats(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = Seating.objects.filter(user=player).select_related("table")
    for each in _without_money(rows, asked, "taken_at")[:MOST]:
        href = reverse("admin:tables_table_change", args=[each.table_id])
        where = f"seat {each.seat} at {each.table.title} (table {each.table_id})"
        yield Happening(at=each.taken_at, sort="seats", text=f"Took {where}", href=href)
        if each.left_at is not None:
            yield Happening(at=each.left_at, sort="seats", text=f"Left {where}", href=href)


def _reports(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(player.reports.all(), asked)[:MOST]:
        text = f"Reported deal {each.deal_id}: {each.get_about_display()}; {each.get_state_display()}"
        yield Happening(
            at=each.at, sort="reports", text=text, href=reverse("admin:lobby_report_change", args=[each.pk])
        )


def _sign_ins(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(player.sign_ins.all(), asked)[:MOST]:
        did = "Signed in" if each.succeeded else "Tried to sign in"
        yield Happening(at=each.at, sort="sign_ins", text=f"{did} {each.get_how_display()} from {each.address or '—'}")


def _limits(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(wallet_responsible_gaming.changes(player), asked)[:MOST]:
        yield Happening(at=each.at, sort="limits", text=each.what)


def _notes(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(player.notes.select_related("author"), asked)[:MOST]:
        yield Happening(at=each.at, sort="notes", text=f"{each.author or '—'}: {each.text}")


def _acts(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = AuditEntry.objects.filter(kind="lobby.player", object_id=str(player.pk))
    for each in _without_money(rows, asked)[:MOST]:
        yield Happening(at=each.at, sort="acts", text=f"{each.name}: {each.what}. {each.reason}")


_Source = Callable[[Player, Mapping[str, Any]], Iterator[Happening]]
#: Sorts of happenings: the title, the right without which they are left out, and where they come from.
_SORTS: Mapping[str, tuple[str, str, _Source]] = {
    "money": ("Money", "lobby.view_player", _money),
    "deals": ("Deal", "tables.view_deal", _deals),
    "seats": ("Seat", "tables.view_table", _seats),
    "reports": ("Report", "lobby.view_report", _reports),
    "sign_ins": ("Sign-in", "lobby.view_signin", _sign_ins),
    "limits": ("Limit", "lobby.view_note", _limits),
    "notes": ("Note", "lobby.view_note", _notes),
    "acts": ("Act of staff", "lobby.view_note", _acts),
}
