"""Views for reports as files, and for the page of rupees for the tax office."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from rest_framework import serializers

from wallet.audit_log.services import of_request
from wallet.base.api import filled_in
from wallet.base.errors import WalletError
from wallet.base.report_zone import zone
from wallet.finance.periods import financial_year, financial_year_of
from wallet.finance.permissions import finance_only
from wallet.finance.queries import PeriodQuery
from wallet.finance.reports.files import TYPES, report_file
from wallet.finance.reports.sheets import REPORTS
from wallet.finance.reports.taxes import RUPEES, fees_with_gst, players_with_tds
from wallet.finance.views import faults_of, finance_page, read_query

#: The most rows that a page shows of a table; the file has all of them.
MOST_ROWS = 500


class ReportQuery(PeriodQuery):
    """The query of a report as a file."""

    report = serializers.ChoiceField(choices=list(REPORTS))
    format = serializers.ChoiceField(choices=list(TYPES))


class YearQuery(serializers.Serializer[Any]):
    """The financial year that begins in April of `year`; the current one by default."""

    year = serializers.IntegerField(min_value=1971, max_value=9000, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        today = timezone.now().astimezone(zone()).date()
        begins = attrs.get("year")
        period = financial_year_of(today) if begins is None else financial_year(begins)
        return {"currency": RUPEES, "period": period, "today": today}


@require_POST
@finance_only
def file(request: HttpRequest) -> HttpResponseBase:
    """Return the report as a file; redirect to the page of exports where the query is invalid."""
    query = ReportQuery(data=filled_in(request.POST))
    if not query.is_valid():
        messages.error(request, " ".join(faults_of(query)))
        return redirect("finance:exports")
    try:
        report = report_file(**query.validated_data, actor=of_request(request))
    except WalletError as error:
        messages.error(request, error.message)
        return redirect("finance:exports")
    headers = {
        "Content-Disposition": f'attachment; filename="{report.name}"',
        "Cache-Control": "no-store, private",
        "X-Content-SHA256": report.digest,
    }
    return HttpResponse(report.content, content_type=report.type, headers=headers)


@require_safe
@finance_only
def rupees(request: HttpRequest) -> HttpResponse:
    """Show the fees of a financial year with GST, and each player's winnings with TDS."""
    query, params = read_query(YearQuery, request)
    months, players = fees_with_gst(params["period"]), players_with_tds(params["period"])
    this_year = financial_year_of(params["today"]).first.year
    context = {
        "months": months,
        "months_whole": {name: sum(getattr(line, name) for line in months) for name in ("fees", "net", "gst")},
        "players": players[:MOST_ROWS],
        "of": len(players),
        "players_whole": {
            name: sum(getattr(line, name) for line in players)
            for name in ("opening", "paid_in", "paid_out", "closing", "fees", "gst", "winnings", "tds")
        },
        "years": [financial_year(this_year - n) for n in range(3)],
        "is_over": params["period"].last < params["today"],
    }
    return finance_page(request, "rupees", query, params, context)
