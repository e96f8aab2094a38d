"""Reports as files; each download enters the trail."""

import hashlib
import io
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST
from rest_framework import serializers

from wallet.audit_log.services import Actor, of_request, record
from wallet.base.api import filled_in
from wallet.base.attachments import attachment
from wallet.base.errors import WalletError
from wallet.finance.exports import FORMATS, Period
from wallet.finance.permissions import finance_only
from wallet.finance.queries import PeriodQuery
from wallet.finance.reports.sheets import REPORTS
from wallet.finance.spreadsheets import Sheet, Workbook
from wallet.finance.views import faults_of

#: The formats of a report: those of an export that are tables.
TYPES = ("xlsx", "excel", "csv")


@dataclass(frozen=True, slots=True)
class ReportFile:
    name: str
    type: str
    content: bytes
    digest: str


def report_file(*, report: str, period: Period, currency: str, format: str, actor: Actor) -> ReportFile:
    """Return the whole report as a file, and record in the trail who downloaded it.

    The same report of the same books makes the same bytes. WalletError `unknown_report`, `unknown_format`.
    """
    if report not in REPORTS:
        raise WalletError("unknown_report", f"A report is one of {', '.join(REPORTS)}.")
    if format not in TYPES:
        raise WalletError("unknown_format", f"A report is one of {', '.join(TYPES)}.")
    title, make_table = REPORTS[report]
    table, out = make_table(period, currency), io.BytesIO()
    form = FORMATS[format]
    is_workbook = form.make is Workbook
    sheet: Sheet = Workbook(out, table.columns, title) if is_workbook else form.make(out, table.columns)
    for row in table.rows:
        sheet.row(row)
    sheet.close(table.totals(period, currency))
    content = out.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    assert isinstance(actor.user, AbstractBaseUser)
    after = {
        "report": report,
        "first_day": period.first,
        "last_day": period.last,
        "currency": currency,
        "format": format,
    }
    record(actor, "report.export", actor.user, after={**after, "rows": len(table.rows), "digest": digest})
    return ReportFile(f"{report}_{period.first}_{period.last}_{currency}.{form.ending}", form.type, content, digest)


class ReportQuery(PeriodQuery):
    """The query of a report as a file."""

    report = serializers.ChoiceField(choices=list(REPORTS))
    format = serializers.ChoiceField(choices=list(TYPES))


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
    return attachment(report.name, report.content, report.type, report.digest)
