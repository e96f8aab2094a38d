"""Finance, for its staff: totals of the ledger, the entries behind every figure, and exports; pages, and the API."""

from collections.abc import Iterable
from typing import Any, TypedDict
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.audit import nightly
from wallet.audit_log.services import of_request
from wallet.base.api import (
    AnswersInPages,
    FileNegotiation,
    NewestFirst,
    filled_in,
    player_of,
    responses,
    sent_query,
    serializer_of,
)
from wallet.base.errors import WalletError
from wallet.base.money import CURRENCIES
from wallet.base.report_zone import today, zone
from wallet.finance.charts import HEIGHT, WIDTH, chart
from wallet.finance.entries import LedgerEntry, accounts_of, count_and_sum, find_entries, ledger_entry
from wallet.finance.exports import download, file_responses, progress
from wallet.finance.periods import Period, period_before, presets
from wallet.finance.permissions import LIFT, Finance, NotFromElsewhere, allowed, finance_only
from wallet.finance.queries import (
    ExportQuery,
    ExportTicket,
    LedgerQuery,
    PageExportQuery,
    PeriodQuery,
    PlacesQuery,
    ReportQuery,
)
from wallet.finance.reports import REPORTS, download_report, line_name, names_for, place_in_words
from wallet.finance.totals import (
    FEE_RULE,
    GROUPS,
    NOTES,
    TITLES,
    DayTotals,
    PlaceTotalsAnswer,
    PlayerFees,
    Totals,
    by_day,
    by_place,
    fees_by_player,
    figure_of,
)
from wallet.models import AccountKind, AuditRun, ExportRecord, Freeze, Reason, Transfer

#: The figures in the overview and its table of days.
OVERVIEW = (
    *("entries", "won", "prizes", "refunds", "fees", "bought_in", "cashed_out", "adjusted_up", "adjusted_down"),
    *("granted", "forfeited"),
)
#: The columns of the totals of places.
PLACE_FIGURES = ("fees", "entries", "won", "prizes", "refunds", "bought_in", "cashed_out")
#: Filters that make the page of entries show a sum; the sum of the whole ledger is not needed.
SUM_FILTERS = ("what", "kind", "reason", "place", "player", "since", "until", "as_of")
#: The most lines of a table on a page; its file has all of them.
MOST_LINES = 500
CHARTS = ("fees", "entries", "won")


@require_safe
@finance_only
def overview(request: HttpRequest) -> HttpResponse:
    """Show the totals of a period beside those of the period before, with charts, and the state of the books."""
    query, params = read_query(PeriodQuery, request)
    former = period_before(params["period"])
    all_days = by_day(Period(first=former.first, last=params["period"].last), params["currency"])
    days = {day: totals for day, totals in all_days.items() if day >= params["period"].first}
    sums = _sums(days.values(), OVERVIEW)
    before = _sums((totals for day, totals in all_days.items() if day <= former.last), OVERVIEW)
    oldest_first = sorted(days.items())
    latest = oldest_first[-1][1]
    context = {
        "totals": [(TITLES[name], name, sums[name], before[name]) for name in OVERVIEW],
        "whole": [(name, sums[name]) for name in OVERVIEW],
        "notes": [(TITLES[name], NOTES[name]) for name in OVERVIEW],
        "former": former,
        "stood": all_days[former.last],
        "in_play": latest.in_play,
        "liabilities": latest.liabilities,
        "titles": [TITLES[name] for name in OVERVIEW],
        "days": [
            (day, totals, [(name, getattr(totals, name)) for name in OVERVIEW])
            for day, totals in days.items()
            if totals.transfers
        ],
        "charts": [
            (TITLES[name], name, chart([(day, getattr(totals, name)) for day, totals in oldest_first]))
            for name in CHARTS
            if sums[name]
        ],
        "width": WIDTH,
        "height": HEIGHT,
        "half": HEIGHT // 2,
        "audit": AuditRun.objects.order_by("-pk").first(),
        "freezes": Freeze.objects.filter(lifted_at=None).select_related("asked_by"),
        "may_lift": allowed(request.user, LIFT),
    }
    return finance_page(request, "overview", query, params, context)


def _sums(days: Iterable[Totals], names: Iterable[str]) -> dict[str, int]:
    rows = list(days)
    return {name: sum(getattr(totals, name) for totals in rows) for name in names}


@require_safe
@finance_only
def fees(request: HttpRequest) -> HttpResponse:
    """Show fees and turnover by table, stake or book, and the fees that each player bears."""
    query, params = read_query(PlacesQuery, request)
    tables = by_place(params["period"], params["currency"], params["group"])
    players = fees_by_player(params["period"], params["currency"])
    lines, names = tables[:MOST_LINES], names_for(tables[:MOST_LINES])
    totals = _sums((line.totals for line in tables), (*PLACE_FIGURES, "transfers"))
    context = {
        "lines": [
            (
                line,
                line_name(line, names, params["group"]),
                (names.stake(line.place.stake_id), names.book(line.place.book)) if line.place else ("—", "—"),
                [(name, getattr(line.totals, name)) for name in PLACE_FIGURES],
            )
            for line in lines
        ],
        "lines_of": len(tables),
        "whole": [(name, totals[name]) for name in PLACE_FIGURES],
        "whole_transfers": totals["transfers"],
        "titles": [TITLES[name] for name in PLACE_FIGURES],
        "groups": GROUPS,
        "players": players[:MOST_LINES],
        "players_of": len(players),
        "players_fees": sum(player.fees for player in players),
        "rule": FEE_RULE,
        # The common beginning of some thousand links.
        "there": f"{reverse('finance:entries')}?{_period_query(params)}",
    }
    return finance_page(request, "fees", query, params, context)


@require_safe
@finance_only
def entries(request: HttpRequest) -> HttpResponse:
    """Show the entries behind a figure, or the statement of an account."""
    query, params = read_query(LedgerQuery, request)
    pages, transfers = NewestFirst(), find_entries(**params)
    page = pages.paginate_queryset(transfers, Request(request))
    accounts = accounts_of(params["reference"]) if params["reference"] else []
    filters = {name for name in SUM_FILTERS if params[name] not in ("", None)}
    context = {
        "entries": page,
        "come_to": _entries_total(transfers, params, filters) if params["currency"] and filters else None,
        "player": get_user_model()._default_manager.filter(pk=params["player"]).first(),
        "accounts": accounts,
        "place_name": place_in_words(params["place"]) if params["place"] else "",
        "kinds": AccountKind,
        "reasons": Reason,
        "figures": {**TITLES, "in_play": "In play", "liabilities": "Owed to players"},
        "newer": pages.get_previous_link(),
        "older": pages.get_next_link(),
    }
    return finance_page(request, "entries", query, params, context)


def _entries_total(transfers: QuerySet[Transfer], params: dict[str, Any], filters: set[str]) -> tuple[int, int]:
    """Return the number and sum of the entries, from the stored day sums where the filters allow it."""
    if params["reference"] or filters & {"place", "player", "as_of", "kind", "reason"}:
        return count_and_sum(transfers, params["what"], params["player"])
    return figure_of(params["currency"], params["what"], params["since"], params["until"])


@require_safe
@finance_only
def exports(request: HttpRequest) -> HttpResponse:
    """Show the form for an export, and the latest exports."""
    query, params = read_query(PeriodQuery, request)
    latest = ExportRecord.objects.select_related("by").order_by("-pk")[:50]
    return finance_page(
        request,
        "exports",
        query,
        params,
        {"taken": latest, "reports": [(name, title) for name, (title, _) in REPORTS.items()]},
    )


@require_POST
@finance_only
def export_file(request: HttpRequest) -> HttpResponseBase:
    """Return the export as a file, and record it; redirect to the form where the query is invalid."""
    query = PageExportQuery(data=filled_in(request.POST))
    if not query.is_valid():
        messages.error(request, " ".join(faults_of(query)))
        return redirect("finance:exports")
    try:
        return download(**query.validated_data, by=player_of(request), via="page")
    except WalletError as error:
        messages.error(request, error.message)
        return redirect("finance:exports")


@require_POST
@finance_only
def report_file(request: HttpRequest) -> HttpResponseBase:
    """Return the report as a file; redirect to the page of exports where the query is invalid."""
    query = ReportQuery(data=filled_in(request.POST))
    if not query.is_valid():
        messages.error(request, " ".join(faults_of(query)))
        return redirect("finance:exports")
    return download_report(**query.validated_data, actor=of_request(request))


@require_safe
@finance_only
def export_progress(request: HttpRequest) -> JsonResponse:
    """Return how far the export of a ticket is, for the page that started it; `{}` before its first row."""
    query = ExportTicket(data=filled_in(request.GET))
    rows = progress(player_of(request), query.validated_data["ticket"]) if query.is_valid() else None
    return JsonResponse(rows or {})


def _lift(request: HttpRequest) -> HttpResponseBase:
    """Ask to lift the freeze of settlement, or lift it for another who asked, with the reason given in the form."""
    try:
        freeze = nightly.lift_freeze(of_request(request), request.POST.get("note", ""))
        asked = "Now a second person has to agree, to all that has been found until now."
        messages.success(request, "Settlement goes on." if freeze.lifted_at else asked)
    except WalletError as error:
        messages.error(request, error.message)
    return redirect("finance:overview")


lift = require_POST(finance_only(_lift, LIFT))


def finance_page(
    request: HttpRequest, name: str, query: serializers.Serializer[Any], params: dict[str, Any], context: dict[str, Any]
) -> HttpResponse:
    """Show the page of that name, with the context that all finance pages share."""
    common = {
        "page": name,
        "asked": params,
        "code": params.get("currency") or "",
        "period": params.get("period"),
        "presets": presets(today()),
        "currencies": list(CURRENCIES.values()),
        "wrong": faults_of(query),
    }
    return render(request, f"finance/{name}.html", {**common, **context})


def _period_query(params: dict[str, Any]) -> str:
    period = params["period"]
    return urlencode({"currency": params["currency"], "from": period.first, "to": period.last})


def read_query(kind: type[serializers.Serializer[Any]], request: HttpRequest) -> tuple[Any, dict[str, Any]]:
    """Return the query and its data; for an invalid query the default data, and its errors say what is wrong."""
    query = kind(data=filled_in(request.GET))
    if query.is_valid():
        return query, dict(query.validated_data)
    default = kind(data={})
    default.is_valid(raise_exception=True)
    return query, dict(default.validated_data)


def faults_of(query: serializers.Serializer[Any]) -> list[str]:
    """Return a sentence for each error of the query."""
    if query.is_valid():
        return []
    return [
        str(error) if name == "non_field_errors" else f"{name.capitalize()}: {error}"
        for name, errors in query.errors.items()
        for error in errors
    ]


class DaysReport(TypedDict):
    currency: str
    zone: str
    days: list[DayTotals]


class PlacesReport(TypedDict):
    currency: str
    places: list[PlaceTotalsAnswer]


class FeesReport(TypedDict):
    currency: str
    players: list[PlayerFees]


@extend_schema_view(get=extend_schema(operation_id="finance_ledger", parameters=[LedgerQuery]))
class LedgerView(AnswersInPages):
    """Return the transfers that match the filters, newest first."""

    serializer_class = serializer_of(LedgerEntry)
    answer = staticmethod(ledger_entry)
    permission_classes = [Finance]

    def get_queryset(self) -> Any:
        return find_entries(**sent_query(LedgerQuery, self.request))


class DaysView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_days", parameters=[PeriodQuery], responses=responses(DaysReport))
    def get(self, request: Request) -> Response:
        """Return the totals of every day of a period in one currency, newest first."""
        query = sent_query(PeriodQuery, request)
        days = by_day(query["period"], query["currency"])
        answer = DaysReport(currency=query["currency"], zone=zone().key, days=list(days.values()))
        return Response(serializer_of(DaysReport)(answer).data)


class PlacesView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_places", parameters=[PlacesQuery], responses=responses(PlacesReport))
    def get(self, request: Request) -> Response:
        """Return the totals of every table, stake or book of a period in one currency, most fees first."""
        query = sent_query(PlacesQuery, request)
        lines = [line.answer() for line in by_place(query["period"], query["currency"], query["group"])]
        answer = PlacesReport(currency=query["currency"], places=lines)
        return Response(serializer_of(PlacesReport)(answer).data)


class FeesView(APIView):
    permission_classes = [Finance]

    @extend_schema(operation_id="finance_fees", parameters=[PeriodQuery], responses=responses(FeesReport))
    def get(self, request: Request) -> Response:
        """Return the fees that each player bears in a period in one currency, most first."""
        query = sent_query(PeriodQuery, request)
        lines = fees_by_player(query["period"], query["currency"])
        return Response(serializer_of(FeesReport)(FeesReport(currency=query["currency"], players=lines)).data)


class ExportView(APIView):
    permission_classes = [Finance, NotFromElsewhere]
    content_negotiation_class = FileNegotiation

    @extend_schema(operation_id="finance_export", parameters=[ExportQuery], responses=file_responses())
    def get(self, request: Request) -> HttpResponseBase:
        """Return the ledger of a period as a file, with control totals; the download is recorded with the user."""
        return download(**sent_query(ExportQuery, request), by=player_of(request), via="API")
