"""The timeline of a player: money, seats, deals, reports, sign-ins, limits, notes and acts in one list."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from lobby.accounts.acts import access
from lobby.accounts.models import Player
from tables.models import DealSeat, Seating
from wallet.audit_log.models import AuditEntry
from wallet.base import money
from wallet.base.report_zone import midnight
from wallet.ledger import selectors as ledger
from wallet.ledger.selectors import StatementSum
from wallet.responsible_gaming import selectors as wallet_responsible_gaming

#: Lines of one page; lines of the same moment as the last of them are added.
MOST = 200
#: The most rows of each sort that are read for a page.
_READ = MOST + 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
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
        choices=[("", "All"), *((code, each.title) for code, each in money.CURRENCIES.items())], required=False
    )
    amount = forms.IntegerField(
        min_value=1, max_value=money.LARGEST_AMOUNT, required=False, help_text="Smallest units, whoever paid."
    )
    since = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))


def timeline_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show what happened to the player, the latest first, in the sorts that the user has the right to see."""
    if not request.user.has_perm("lobby.view_player"):
        raise PermissionDenied
    player = get_object_or_404(Player, pk=player_id)
    sorts = {name: title for name, (title, right, _) in _SORTS.items() if request.user.has_perm(right)}
    form = TimelineForm(request.GET or None)
    form.fields["sort"].choices = [("", "Everything"), *sorts.items()]  # type: ignore[attr-defined]
    asked = form.cleaned_data if form.is_valid() else {}
    wanted = [asked["sort"]] if asked.get("sort") else list(sorts)
    found, older = happenings(player, {**asked, "before": _moment(request.GET.get("before", ""))}, wanted)
    context = {
        **admin.site.each_context(request),
        "title": f"What happened to {player.username}",
        "player": player,
        "form": form,
        "found": [(each, _SORTS[each.sort][0]) for each in found],
        "sums": sums_of_money(player, asked) if "money" in wanted and not asked.get("amount") else [],
        "latest": _address(request) if request.GET.get("before") else "",
        "older": _address(request, before=found[-1].at.isoformat()) if older else "",
    }
    return TemplateResponse(request, "staff/timeline.html", context)


def happenings(player: Player, asked: Mapping[str, Any], sorts: list[str]) -> tuple[list[Happening], bool]:
    """Return the latest happenings of those sorts, and whether there are older ones.

    With `amount`, only those that moved exactly that amount; with `before`, only those before that moment.
    """
    each_sort = (islice(_SORTS[name][2](player, asked), _READ) for name in sorts)
    found = sorted((each for rows in each_sort for each in rows), key=lambda each: each.at, reverse=True)
    shown = [each for each in found if each.at >= found[:MOST][-1].at]
    return shown, len(shown) < len(found)


def sums_of_money(player: Player, asked: Mapping[str, Any]) -> list[tuple[str, StatementSum]]:
    """Return the sums of the player's entries in the selected days, by currency and reason."""
    since, until = _days(asked)
    return [(code, each) for code in _codes(asked) for each in ledger.statement_sums(player, code, since, until)]


def _address(request: HttpRequest, **more: str) -> str:
    kept = {name: text for name, text in request.GET.items() if name != "before" and text}
    return f"{request.path}?{urlencode({**kept, **more})}"


def _moment(text: str) -> datetime | None:
    """Return the moment in a link of this page; None for any other text."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment is not None and is_aware(moment) else None


def _codes(asked: Mapping[str, Any]) -> list[str]:
    return [asked["currency"]] if asked.get("currency") else list(money.CURRENCIES)


def _days(asked: Mapping[str, Any]) -> tuple[datetime | None, datetime | None]:
    """Return the start and the end of the selected days, in the report zone; None where there is no bound."""
    since, until = asked.get("since"), asked.get("until")
    return midnight(since) if since else None, midnight(until + timedelta(days=1)) if until else None


def _within(rows: QuerySet[Any], asked: Mapping[str, Any], field: str) -> QuerySet[Any]:
    """Return the latest rows in the selected days, before the moment at which this page begins."""
    since, until = _days(asked)
    bounds = {f"{field}__gte": since, f"{field}__lt": until}
    rows = rows.filter(**{name: moment for name, moment in bounds.items() if moment})
    rows = rows.filter(**{f"{field}__lt": asked["before"]}) if asked.get("before") else rows
    return rows.order_by(f"-{field}", "-pk")[:_READ]


def _without_money(rows: QuerySet[Any], asked: Mapping[str, Any], field: str = "at") -> QuerySet[Any]:
    return rows.none() if asked.get("amount") else _within(rows, asked, field)


def _money(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for code in _codes(asked):
        rows = ledger.statement(player, code)
        if rows.query.is_empty():
            continue
        if amount := asked.get("amount"):
            rows = rows.filter(Q(signed=amount) | Q(signed=-amount))
        for entry in _within(rows, asked, "posting__created_at"):
            posting: Any = entry.posting
            at = f" at {posting.at_title} (table {posting.at_table})" if posting.at_table else ""
            href = reverse("admin:tables_table_change", args=[posting.at_table]) if posting.at_table else ""
            yield Happening(
                at=posting.created_at, sort="money", text=f"{posting.get_reason_display()}{at}", href=href,
                amount=entry.signed, balance=entry.balance, currency=code,
            )  # fmt: skip


def _deals(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = DealSeat.objects.filter(user=player, deal__ended_at__isnull=False).exclude(outcome="")
    rows = rows.select_related("deal__match__table")
    if amount := asked.get("amount"):
        rows = rows.filter(amount__in=(amount, -amount))
    if code := asked.get("currency"):
        rows = rows.filter(deal__match__table__currency=code)
    for each in _within(rows, asked, "deal__ended_at"):
        table = each.deal.match.table
        yield Happening(
            at=each.deal.ended_at, sort="deals", amount=each.amount, currency=table.currency,
            text=f"Deal {each.deal_id} at {table.title}: {each.outcome}, {each.points} points",
            href=reverse("admin:tables_deal_replay", args=[each.deal_id]),
        )  # fmt: skip


def _seats(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = Seating.objects.filter(user=player).select_related("table")
    for did, field in (("Took", "taken_at"), ("Left", "left_at")):
        for each in islice(_without_money(rows.exclude(**{field: None}), asked, field), _READ):
            text = f"{did} seat {each.seat} at {each.table.title} (table {each.table_id})"
            href = reverse("admin:tables_table_change", args=[each.table_id])
            yield Happening(at=getattr(each, field), sort="seats", text=text, href=href)


def _reports(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(player.reports.all(), asked):
        text = f"Reported deal {each.deal_id}: {each.get_about_display()}; {each.get_state_display()}"
        yield Happening(
            at=each.at, sort="reports", text=text, href=reverse("admin:lobby_report_change", args=[each.pk])
        )


def _sign_ins(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(player.sign_ins.all(), asked):
        did = "Signed in" if each.succeeded else "Tried to sign in"
        yield Happening(at=each.at, sort="sign_ins", text=f"{did} {each.get_how_display()} from {each.address or '—'}")


def _limits(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(wallet_responsible_gaming.changes(player), asked):
        yield Happening(at=each.at, sort="limits", text=each.what)


def _notes(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    for each in _without_money(player.notes.select_related("author"), asked):
        yield Happening(at=each.at, sort="notes", text=f"{each.author or '—'}: {each.text}")


def _access(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = AuditEntry.objects.filter(kind="lobby.player", object_id=str(player.pk), what=access.CHANGED)
    for each in _without_money(rows, asked):
        changed = [
            _LOCKED[after] if name == "is_active" else _OPENS[name] for name, after in (each.after or {}).items()
        ]
        yield Happening(at=each.at, sort="access", text=f"Changed: {', '.join(changed)}")


def _acts(player: Player, asked: Mapping[str, Any]) -> Iterator[Happening]:
    rows = AuditEntry.objects.filter(kind="lobby.player", object_id=str(player.pk)).exclude(what=access.CHANGED)
    for each in _without_money(rows, asked):
        yield Happening(at=each.at, sort="acts", text=f"{each.name}: {each.what}. {each.reason}")


#: The parts of what opens an account, in words for staff.
_OPENS = {
    "password": "password", "email": "e-mail address", "password_codes": "recovery codes",
    "authenticator": "authenticator", "recovery_codes": "codes instead of the authenticator",
}  # fmt: skip
_LOCKED = {True: "account opened", False: "account locked"}
_Source = Callable[[Player, Mapping[str, Any]], Iterator[Happening]]
#: Sorts of happenings: the title, the right without which they are left out, and where they come from.
_SORTS: Mapping[str, tuple[str, str, _Source]] = {
    "money": ("Money", "lobby.view_player", _money),
    "deals": ("Deal", "tables.view_deal", _deals),
    "seats": ("Seat", "tables.view_table", _seats),
    "reports": ("Report", "lobby.view_report", _reports),
    "sign_ins": ("Sign-in", "lobby.view_signin", _sign_ins),
    "access": ("Access", "lobby.view_signin", _access),
    "limits": ("Limit", "lobby.view_note", _limits),
    "notes": ("Note", "lobby.view_note", _notes),
    "acts": ("Act of staff", "lobby.view_note", _acts),
}
