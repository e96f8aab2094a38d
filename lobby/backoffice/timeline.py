"""The timeline of a player: money, seats, deals, reports, sign-ins, limits, notes and acts in one list."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from lobby.accounts import access
from lobby.accounts.models import Player
from lobby.backoffice.services import acts_on
from tables.language import outcome_name
from tables.models import DealSeat, Seating
from wallet.audit_log.models import AuditEntry
from wallet.base import money
from wallet.base.report_zone import in_utc, midnight
from wallet.ledger.statements import StatementSum, statement, statement_sums
from wallet.responsible_gaming import selectors as wallet_responsible_gaming

#: Lines of one page; lines of the same moment as the last of them are added.
MOST = 200
#: The most rows of each kind that are read for a page.
_READ = MOST + 50


#: Days whose beginning and end exist in every zone: the calendar of Python ends with the years 1 and 9999.
_IN_REACH = (MinValueValidator(date(1900, 1, 1)), MaxValueValidator(date(2999, 12, 31)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """A line of the timeline; `amount` in smallest units, with `currency`, where money moved."""

    at: datetime
    sort: str
    text: str
    href: str = ""
    amount: int | None = None
    balance: int | None = None
    currency: str = ""


class TimelineForm(forms.Form):
    """The filter of the timeline; days are those of the report zone."""

    sort = forms.ChoiceField(required=False)
    currency = forms.ChoiceField(
        choices=lambda: [("", "All"), *((code, each.title) for code, each in money.CURRENCIES.items())], required=False
    )
    amount = forms.IntegerField(
        min_value=1, max_value=money.LARGEST_AMOUNT, required=False, help_text="Smallest units, whoever paid."
    )
    since = forms.DateField(
        label="From", required=False, validators=_IN_REACH, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, validators=_IN_REACH, widget=forms.DateInput(attrs={"type": "date"})
    )


def timeline_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show what happened to the player, the latest first, of the kinds that the user has the right to see."""
    if not request.user.has_perm("lobby.view_player"):
        raise PermissionDenied
    player = get_object_or_404(Player, pk=player_id)
    titles = {name: title for name, (title, right, _) in _KINDS.items() if request.user.has_perm(right)}
    form = TimelineForm(request.GET or None)
    form.fields["sort"].choices = [("", "Everything"), *titles.items()]  # type: ignore[attr-defined]
    filters = form.cleaned_data if form.is_valid() else {}
    kinds = [filters["sort"]] if filters.get("sort") else list(titles)
    entries, older = timeline_entries(player, {**filters, "before": _moment(request.GET.get("before", ""))}, kinds)
    context = {
        **admin.site.each_context(request),
        "title": f"What happened to {player.username}",
        "player": player,
        "form": form,
        "found": [(entry, _KINDS[entry.sort][0]) for entry in entries],
        "sums": sums_of_money(player, filters) if "money" in kinds and not filters.get("amount") else [],
        "latest": _address(request) if request.GET.get("before") else "",
        "older": _address(request, before=entries[-1].at.isoformat()) if older else "",
    }
    return TemplateResponse(request, "staff/timeline.html", context, status=400 if form.errors else 200)


def timeline_entries(player: Player, filters: Mapping[str, Any], kinds: list[str]) -> tuple[list[TimelineEntry], bool]:
    """Return the latest timeline_entries of those sorts, and whether there are older ones.

    With `amount`, only those that moved exactly that amount; with `before`, only those before that moment.
    """
    sources = (islice(_KINDS[name][2](player, filters), _READ) for name in kinds)
    entries = sorted((entry for rows in sources for entry in rows), key=lambda entry: entry.at, reverse=True)
    page = [entry for entry in entries if entry.at >= entries[:MOST][-1].at]
    return page, len(page) < len(entries)


def sums_of_money(player: Player, filters: Mapping[str, Any]) -> list[tuple[str, StatementSum]]:
    """Return the sums of the player's entries in the selected days, by currency and reason."""
    since, until = _days(filters)
    return [(code, row) for code in _codes(filters) for row in statement_sums(player, code, since, until)]


def _address(request: HttpRequest, **parameters: str) -> str:
    query = {name: text for name, text in request.GET.items() if name != "before" and text}
    return f"{request.path}?{urlencode({**query, **parameters})}"


def _moment(text: str) -> datetime | None:
    """Return the moment in a link of this page; None for any other text."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return in_utc(moment) if moment is not None and is_aware(moment) else None


def _codes(filters: Mapping[str, Any]) -> list[str]:
    return [filters["currency"]] if filters.get("currency") else list(money.CURRENCIES)


def _days(filters: Mapping[str, Any]) -> tuple[datetime | None, datetime | None]:
    """Return the start and the end of the selected days, in the report zone; None where there is no bound."""
    since, until = filters.get("since"), filters.get("until")
    return midnight(since) if since else None, midnight(until + timedelta(days=1)) if until else None


def _within(rows: QuerySet[Any], filters: Mapping[str, Any], field: str) -> QuerySet[Any]:
    """Return the latest rows in the selected days, before the moment at which this page begins."""
    since, until = _days(filters)
    bounds = {f"{field}__gte": since, f"{field}__lt": until}
    rows = rows.filter(**{name: moment for name, moment in bounds.items() if moment})
    rows = rows.filter(**{f"{field}__lt": filters["before"]}) if filters.get("before") else rows
    return rows.order_by(f"-{field}", "-pk")[:_READ]


def _without_money(rows: QuerySet[Any], filters: Mapping[str, Any], field: str = "at") -> QuerySet[Any]:
    return rows.none() if filters.get("amount") else _within(rows, filters, field)


def _money(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    for code in _codes(filters):
        rows = statement(player, code)
        if rows.query.is_empty():
            continue
        if amount := filters.get("amount"):
            rows = rows.filter(Q(signed=amount) | Q(signed=-amount))
        for entry in _within(rows, filters, "posting__created_at"):
            posting: Any = entry.posting
            at = f" at {posting.at_title} (table {posting.at_table})" if posting.at_table else ""
            href = reverse("admin:tables_table_change", args=[posting.at_table]) if posting.at_table else ""
            yield TimelineEntry(
                at=posting.created_at, sort="money", text=f"{posting.get_reason_display()}{at}", href=href,
                amount=entry.signed, balance=entry.balance, currency=code,
            )  # fmt: skip


def _deals(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    rows = DealSeat.objects.filter(user=player, deal__ended_at__isnull=False).exclude(outcome="")
    rows = rows.select_related("deal__match__table")
    if amount := filters.get("amount"):
        rows = rows.filter(amount__in=(amount, -amount))
    if code := filters.get("currency"):
        rows = rows.filter(deal__match__table__currency=code)
    for deal_seat in _within(rows, filters, "deal__ended_at"):
        table, ended = deal_seat.deal.match.table, outcome_name(deal_seat.outcome).lower()
        yield TimelineEntry(
            at=deal_seat.deal.ended_at, sort="deals", amount=deal_seat.amount, currency=table.currency,
            text=f"Deal {deal_seat.deal_id} at {table.title}: {ended}, {deal_seat.points} points",
            href=reverse("admin:tables_deal_replay", args=[deal_seat.deal_id]),
        )  # fmt: skip


def _seats(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    rows = Seating.objects.filter(user=player).select_related("table")
    for verb, field in (("Took", "taken_at"), ("Left", "left_at")):
        for seating in islice(_without_money(rows.exclude(**{field: None}), filters, field), _READ):
            text = f"{verb} seat {seating.seat + 1} at {seating.table.title} (table {seating.table_id})"
            href = reverse("admin:tables_table_change", args=[seating.table_id])
            yield TimelineEntry(at=getattr(seating, field), sort="seats", text=text, href=href)


def _reports(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    for report in _without_money(player.reports.all(), filters):
        what = f"Reported deal {report.deal_id}" if report.deal_id else f"Complaint no. {report.pk}"
        text = f"{what}: {report.get_about_display()}; {report.get_state_display()}"
        yield TimelineEntry(
            at=report.at, sort="reports", text=text, href=reverse("admin:lobby_report_change", args=[report.pk])
        )


def _sign_ins(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    for attempt in _without_money(player.sign_ins.all(), filters):
        verb = "Signed in" if attempt.succeeded else "Tried to sign in"
        text = f"{verb} {attempt.get_how_display()} from {attempt.address or '—'}"
        yield TimelineEntry(at=attempt.at, sort="sign_ins", text=text)


def _limits(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    for change in _without_money(wallet_responsible_gaming.changes(player), filters):
        yield TimelineEntry(at=change.at, sort="limits", text=change.text)


def _notes(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    for note in _without_money(player.notes.select_related("author"), filters):
        yield TimelineEntry(at=note.at, sort="notes", text=f"{note.author or '—'}: {note.text}")


def _access(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    rows = AuditEntry.objects.filter(target_type="lobby.player", target_id=str(player.pk), action=access.CHANGED)
    for act in _without_money(rows, filters):
        changed = [_LOCKED[after] if name == "is_active" else _OPENS[name] for name, after in (act.after or {}).items()]
        yield TimelineEntry(at=act.at, sort="access", text=f"Changed: {', '.join(changed)}")


def _acts(player: Player, filters: Mapping[str, Any]) -> Iterator[TimelineEntry]:
    rows = acts_on(player).exclude(action=access.CHANGED)
    for act in _without_money(rows, filters):
        yield TimelineEntry(at=act.at, sort="acts", text=f"{act.actor_name}: {act.action}. {act.reason}")


#: The parts of what opens an account, in words for staff.
_OPENS = {
    "password": "password", "email": "e-mail address", "password_codes": "recovery codes",
    "authenticator": "authenticator", "recovery_codes": "codes instead of the authenticator",
}  # fmt: skip
_LOCKED = {True: "account opened", False: "account locked"}
_Source = Callable[[Player, Mapping[str, Any]], Iterator[TimelineEntry]]
#: Sorts of timeline_entries: the title, the right without which they are left out, and where they come from.
_KINDS: Mapping[str, tuple[str, str, _Source]] = {
    "money": ("Chips", "lobby.view_player", _money),
    "deals": ("Deal", "tables.view_deal", _deals),
    "seats": ("Seat", "tables.view_table", _seats),
    "reports": ("Report", "lobby.view_report", _reports),
    "sign_ins": ("Sign-in", "lobby.view_signin", _sign_ins),
    "access": ("Access", "lobby.view_signin", _access),
    "limits": ("Limit", "lobby.view_note", _limits),
    "notes": ("Note", "lobby.view_note", _notes),
    "acts": ("Act of staff", "lobby.view_note", _acts),
}
