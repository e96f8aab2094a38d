"""Pages for opening and closing balances of each kind of account, and for closed months."""

from datetime import date

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from wallet.audit import nightly
from wallet.audit_log.services import of_request
from wallet.base.errors import WalletError
from wallet.finance.months import services
from wallet.finance.months.kinds import by_kind, lines_of, total_line
from wallet.finance.months.models import ClosedMonth
from wallet.finance.periods import month_of
from wallet.finance.permissions import allowed, finance_only
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
