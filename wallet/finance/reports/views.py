"""The view of reports as files."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST
from rest_framework import serializers

from wallet.audit_log.services import of_request
from wallet.base.api import filled_in
from wallet.base.attachments import attachment
from wallet.base.errors import WalletError
from wallet.finance.permissions import finance_only
from wallet.finance.queries import PeriodQuery
from wallet.finance.reports.files import TYPES, report_file
from wallet.finance.reports.sheets import REPORTS
from wallet.finance.views import faults_of


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
