"""Closed months over HTTP: their list, and the closing of the next one."""

from datetime import date, datetime
from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from wallet.audit_log.services import of_request
from wallet.base.api import responses, sent_body
from wallet.finance.months import services
from wallet.finance.months.models import ClosedMonth
from wallet.finance.months.views import CLOSE
from wallet.finance.permissions import Finance, allowed


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
