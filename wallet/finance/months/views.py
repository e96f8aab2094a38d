"""Opening and closing balances of each kind of account, and closed months: their pages, and the API."""

from datetime import date, datetime
from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.audit import nightly
from wallet.audit_log.services import of_request
from wallet.base.api import responses, sent_body
from wallet.base.errors import WalletError
from wallet.finance.months import services
from wallet.finance.months.kinds import by_kind, lines_of, total_line
from wallet.finance.months.models import ClosedMonth
from wallet.finance.periods import month_of
from wallet.finance.permissions import Finance, allowed, finance_only
from wallet.finance.queries import PeriodQuery
from wallet.finance.views import finance_page, read_query
from wallet.models import AuditRun

CLOSE = "months.close_month"


@require_safe
@finance_only
def accounts(request: HttpRequest) -> HttpResponse:
    """Show the opening balance, the amounts in and out by reason, and the closing balance of each kind of account."""
    query, params = read_query(PeriodQuery, request)
    lines = by_kind(params["period"], params["currency"])
    context = {"lines": lines, "whole": total_line(lines)}
    return finance_page(request, "accounts", query, params, context)


@require_safe
@finance_only
def page(request: HttpRequest) -> HttpResponse:
    """Show the closed months with their sums, and the month to close next."""
    query, params = read_query(PeriodQuery, request)
    known = nightly.how_far()
    closed = ClosedMonth.objects.select_related("closed_by", "audit").order_by("-month")
    context = {
        "closed": [(row, month_of(row.month), _closed_lines(row, params["currency"])) for row in closed],
        "next": services.next_month(),
        "may_close": allowed(request.user, CLOSE),
        "audit": AuditRun.objects.order_by("-pk").first(),
        "running": known,
        "running_says": _said(known) if known else "",
    }
    return finance_page(request, "months", query, params, context)


def _closed_lines(closed: ClosedMonth, code: str) -> list[tuple[str, int, int, int, int]]:
    """Return the lines of the month: kind, opening, credits, debits, closing."""
    content = closed.sums.get(code)
    if content is None:
        return []
    lines = {line.kind: line for line in lines_of({}, services.closed_sums(closed, code))}
    return [
        (
            title,
            content["opening"][kind],
            line.credits if line else 0,
            line.debits if line else 0,
            content["closing"][kind],
        )
        for kind, title in services.KIND_TITLES.items()
        if kind in content["closing"]
        for line in [lines.get(kind)]
    ]


def _close(request: HttpRequest) -> HttpResponseBase:
    """Close the month that the form names, where it is typed as well: nothing opens it again."""
    try:
        month = date.fromisoformat(request.POST.get("month", ""))
        if request.POST.get("typed", "").strip() != f"{month:%Y-%m}":
            messages.error(request, f"Type {month:%Y-%m} to close {month:%B %Y}: it is for good.")
            return redirect("finance:months")
        closed = services.close_month(month=month, actor=of_request(request), note=request.POST.get("note", ""))
        messages.success(request, f"{closed} is closed and signed.")
    except ValueError:
        messages.error(request, "Say which month is to be closed.")
    except WalletError as error:
        messages.error(request, error.message)
    return redirect("finance:months")


def _audit_now(request: HttpRequest) -> HttpResponseBase:
    """Have a worker audit the books completely; the page shows how far it is."""
    try:
        nightly.request_audit()
    except WalletError as error:
        messages.error(request, error.message)
    return redirect("finance:months")


@require_safe
@finance_only
def audit_progress(request: HttpRequest) -> JsonResponse:
    """Return how far the running audit is; `{}` where none is running."""
    known = nightly.how_far()
    return JsonResponse({"done": known.done, "of": known.of, "says": _said(known)} if known else {})


def _said(known: nightly.HowFar) -> str:
    return f"{known.done} of {known.of}: {known.check}" if known.of else f"{known.check.capitalize()}."


close = require_POST(finance_only(_close, CLOSE))
audit_now = require_POST(finance_only(_audit_now, CLOSE))


class ClosedMonthAnswer(TypedDict):
    """A closed month; its first day is in the report zone."""

    month: date
    zone: Annotated[str, "Whose month it is."]
    ends_at: Annotated[datetime, "The first moment after it: no posting is dated earlier from now on."]
    last_transfer: Annotated[int, "The id of the last transfer of the ledger at the closing."]
    sums: Annotated[dict[str, Any], "By currency, in smallest units."]
    differences: Annotated[int, "Of the audit before the closing."]
    closed_at: datetime
    closed_by: str
    note: str
    digest: Annotated[str, "SHA-256 of all of it and of the digest of the month before."]
    signature: Annotated[str, "The hash of the act in the audit trail that closed it."]


class NextMonthShown(TypedDict):
    month: date
    why_not: Annotated[str, "Why it cannot be closed yet; empty where it can."]


class MonthsAnswer(TypedDict):
    months: list[ClosedMonthAnswer]
    next: NextMonthShown | None


class MonthClosing(serializers.Serializer[Any]):
    month = serializers.DateField(help_text="The first day of the month to close: nothing opens it again.")
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)


class MonthsView(APIView):
    """The closed months, and the one to close next."""

    permission_classes = [Finance]

    @extend_schema(operation_id="finance_months", responses=responses(MonthsAnswer))
    def get(self, request: Request) -> Response:
        """Return the closed months, the latest first, and the month to close next."""
        closed = ClosedMonth.objects.select_related("closed_by", "audit").order_by("-month")
        following = services.next_month()
        upcoming = (
            None if following is None else NextMonthShown(month=following.period.first, why_not=following.why_not)
        )
        return Response(MonthsAnswer(months=[_closed_month(each) for each in closed], next=upcoming))

    @extend_schema(
        operation_id="close_month", request=MonthClosing, responses=responses(ClosedMonthAnswer, 409, status=201)
    )
    def post(self, request: Request) -> Response:
        """Close the month that is named, for good, if it is the next one and its books are in order."""
        if not allowed(request.user, CLOSE):
            raise PermissionDenied
        closed = services.close_month(actor=of_request(request._request), **sent_body(MonthClosing, request))
        return Response(_closed_month(closed), status=201)


def _closed_month(closed: ClosedMonth) -> ClosedMonthAnswer:
    act = services.closing_act(closed)
    return {
        "month": closed.month,
        "zone": closed.zone,
        "ends_at": closed.ends_at,
        "last_transfer": closed.last_transfer,
        "sums": closed.sums,
        "differences": closed.audit.differences,
        "closed_at": closed.closed_at,
        "closed_by": closed.closed_by.get_username(),
        "note": closed.note,
        "digest": closed.digest,
        "signature": act.hash if act else "",
    }
