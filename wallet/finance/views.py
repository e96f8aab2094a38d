"""The finance pages: what the ledger comes to, the entries behind every figure, and its exports."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from wallet.audit import nightly
from wallet.audit_log.services import of_request
from wallet.base.api import StatementPages
from wallet.base.errors import WalletError
from wallet.base.money import CURRENCIES, currency
from wallet.finance.charts import HEIGHT, WIDTH, columns
from wallet.finance.days import by_day, figure_of
from wallet.finance.downloads import download, progress
from wallet.finance.entries import accounts_of, come_to, find_entries
from wallet.finance.exports import FORMATS
from wallet.finance.fees import fees_by_player
from wallet.finance.figures import TITLES
from wallet.finance.permissions import LIFT, allowed, finance_only
from wallet.finance.places import GROUPS, by_place
from wallet.finance.queries import LedgerQuery, PageExportQuery, PeriodQuery, PlacesQuery, Ticket
from wallet.models import AuditRun, ExportRecord, Freeze, Transfer

#: The columns of the table of days; the last two stand, the others moved.
SHOWN = ("entries", "won", "prizes", "refunds", "fees", "bought_in", "cashed_out", "adjusted_up", "adjusted_down")
#: The way in and out of play money, and of real money.
ENDS = {False: ("granted",), True: ("deposited", "paid_out")}
#: The columns of the totals of places.
AT_PLACES = ("fees", "entries", "won", "prizes", "refunds", "bought_in", "cashed_out")
#: Where one of these is asked for, the entries come to a figure; nobody needs that of the whole ledger.
BOUNDS = ("what", "place", "player", "since", "until", "as_of")
CHARTS = ("fees", "entries", "won")


@require_safe
@finance_only
def overview(request: HttpRequest) -> HttpResponse:
    """Totals of the days asked for, with charts, and whether the books are in order."""
    query, asked = _asked(PeriodQuery, request)
    shown = (*SHOWN, *ENDS[currency(asked["currency"]).real])
    days = by_day(asked["period"], asked["currency"])
    whole = {name: sum(getattr(totals, name) for totals in days.values()) for name in shown}
    oldest_first = sorted(days.items())
    latest = oldest_first[-1][1]
    context = {
        "totals": [(TITLES[name], name, whole[name]) for name in shown],
        "in_play": latest.in_play,
        "liabilities": latest.liabilities,
        "titles": [TITLES[name] for name in shown],
        "days": [
            (day, totals, [(name, getattr(totals, name)) for name in shown])
            for day, totals in days.items()
            if totals.transfers
        ],
        "charts": [
            (TITLES[name], name, columns([(day, getattr(totals, name)) for day, totals in oldest_first]))
            for name in CHARTS
            if whole[name]
        ],
        "width": WIDTH,
        "height": HEIGHT,
        "audit": AuditRun.objects.order_by("-pk").first(),
        "freezes": Freeze.objects.filter(lifted_at=None),
        "may_lift": allowed(request.user, LIFT),
    }
    return _page(request, "overview", query, asked, context)


@require_safe
@finance_only
def fees(request: HttpRequest) -> HttpResponse:
    """Fees and turnover by table, and the fees that each player's winnings paid."""
    query, asked = _asked(PlacesQuery, request)
    tables = by_place(asked["period"], asked["currency"], asked["group"])
    players = fees_by_player(asked["period"], asked["currency"])
    lines = [(line, [(name, getattr(line.totals, name)) for name in AT_PLACES]) for line in tables[:500]]
    context = {
        "lines": lines,
        "titles": [TITLES[name] for name in AT_PLACES],
        "groups": GROUPS,
        "players": players[:500],
        # Some thousand links begin so.
        "there": f"{reverse('finance:entries')}?{_of_period(asked)}",
    }
    return _page(request, "fees", query, asked, context)


@require_safe
@finance_only
def entries(request: HttpRequest) -> HttpResponse:
    """Show the entries that a figure is made of, or the statement of an account."""
    query, asked = _asked(LedgerQuery, request)
    pages, found = StatementPages(), find_entries(**asked)
    try:
        shown = pages.paginate_queryset(found, Request(request))
    except NotFound as error:
        raise Http404 from error
    accounts = accounts_of(asked["reference"]) if asked["reference"] else []
    given = {name for name in BOUNDS if asked[name] not in ("", None)}
    context = {
        "entries": shown,
        "come_to": _come_to(found, asked, given) if asked["currency"] and given else None,
        "player": get_user_model()._default_manager.filter(pk=asked["player"]).first(),
        "accounts": accounts,
        "figures": {**TITLES, "in_play": "In play", "liabilities": "Owed to players"},
        "newer": pages.get_previous_link(),
        "older": pages.get_next_link(),
    }
    return _page(request, "entries", query, asked, context)


def _come_to(found: QuerySet[Transfer], asked: dict[str, Any], given: set[str]) -> tuple[int, int]:
    """Return how many entries these are and what they come to: of whole days, as the totals of the days say."""
    if asked["reference"] or given & {"place", "player", "as_of"}:
        return come_to(found, asked["what"])
    return figure_of(asked["currency"], asked["what"], asked["since"], asked["until"])


@require_safe
@finance_only
def exports(request: HttpRequest) -> HttpResponse:
    """Show the form for an export, and who has taken what so far."""
    query, asked = _asked(PeriodQuery, request)
    taken = ExportRecord.objects.select_related("by").order_by("-pk")[:50]
    return _page(request, "exports", query, asked, {"formats": FORMATS, "taken": taken})


@require_safe
@finance_only
def export_file(request: HttpRequest) -> HttpResponseBase:
    """Answer the file itself; lead back to the form where it was asked for wrongly."""
    assert isinstance(request.user, AbstractBaseUser)
    query = PageExportQuery(data=_given(request))
    if not query.is_valid():
        messages.error(request, " ".join(_wrong(query)))
        return redirect("finance:exports")
    try:
        return download(**query.validated_data, by=request.user, via="page")
    except WalletError as error:
        messages.error(request, error.message)
        return redirect("finance:exports")


@require_safe
@finance_only
def export_progress(request: HttpRequest) -> JsonResponse:
    """Answer how far the export of a ticket is, for the page that asked for it; `{}` before its first row."""
    assert isinstance(request.user, AbstractBaseUser)
    query = Ticket(data=_given(request))
    known = progress(request.user, query.validated_data["ticket"]) if query.is_valid() else None
    return JsonResponse(known or {})


def _lift(request: HttpRequest) -> HttpResponseBase:
    """Settlement goes on, by the hand of who says why."""
    assert isinstance(request.user, AbstractBaseUser)
    try:
        nightly.lift_freeze(request.user, request.POST.get("note", ""), of_request(request))
        messages.success(request, "Settlement goes on.")
    except WalletError as error:
        messages.error(request, error.message)
    return redirect("finance:overview")


lift = require_POST(finance_only(_lift, LIFT))


def _page(
    request: HttpRequest, name: str, query: serializers.Serializer[Any], asked: dict[str, Any], context: dict[str, Any]
) -> HttpResponse:
    code = asked.get("currency") or ""
    common = {
        "page": name,
        "asked": asked,
        "code": code,
        "period": asked.get("period"),
        "currencies": CURRENCIES.values(),
        "wrong": _wrong(query),
    }
    return render(request, f"finance/{name}.html", {**common, **context})


def _of_period(asked: dict[str, Any]) -> str:
    period = asked["period"]
    return urlencode({"currency": asked["currency"], "from": period.first, "to": period.last})


def _asked(kind: type[serializers.Serializer[Any]], request: HttpRequest) -> tuple[Any, dict[str, Any]]:
    """Return what was asked for; where asked wrongly, what is usual, and the query says what was wrong."""
    query = kind(data=_given(request))
    if query.is_valid():
        return query, dict(query.validated_data)
    usual = kind(data={})
    usual.is_valid(raise_exception=True)
    return query, dict(usual.validated_data)


def _given(request: HttpRequest) -> dict[str, str]:
    return {name: str(text) for name, text in request.GET.items() if text}


def _wrong(query: serializers.Serializer[Any]) -> list[str]:
    if query.is_valid():
        return []
    return [
        str(error) if name == "non_field_errors" else f"{name.capitalize()}: {error}"
        for name, errors in query.errors.items()
        for error in errors
    ]
