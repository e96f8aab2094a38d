"""Closed months over HTTP: their list, and the closing of the next one."""

from typing import Any

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


class ClosedMonthSerializer(serializers.ModelSerializer[ClosedMonth]):
    """A closed month; `sums` are by currency, in smallest units."""

    closed_by = serializers.CharField(source="closed_by.username")
    differences = serializers.IntegerField(source="audit.differences", help_text="Of the audit before the closing.")
    signature = serializers.SerializerMethodField(help_text="The hash of the act in the audit trail that closed it.")

    def get_signature(self, closed: ClosedMonth) -> str:
        act = services.closing_act(closed)
        return act.hash if act else ""

    class Meta:
        model = ClosedMonth
        fields = [
            "month", "zone", "ends_at", "last_transfer", "sums", "differences", "closed_at", "closed_by", "note",
            "digest", "signature",
        ]  # fmt: skip


class NextMonthSerializer(serializers.Serializer[Any]):
    month = serializers.DateField(source="period.first")
    why_not = serializers.CharField(help_text="Why it cannot be closed yet; empty where it can.")


class MonthsSerializer(serializers.Serializer[Any]):
    months = ClosedMonthSerializer(many=True)
    next = NextMonthSerializer(allow_null=True)


class MonthClosing(serializers.Serializer[Any]):
    month = serializers.DateField(help_text="The first day of the month to close: nothing opens it again.")
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)


class MonthsView(APIView):
    """The closed months, and the one to close next."""

    permission_classes = [Finance]

    @extend_schema(operation_id="finance_months", responses=MonthsSerializer)
    def get(self, request: Request) -> Response:
        """Return the closed months, the latest first, and the month to close next."""
        closed = ClosedMonth.objects.select_related("closed_by", "audit").order_by("-month")
        return Response(MonthsSerializer({"months": closed, "next": services.next_month()}).data)

    @extend_schema(
        operation_id="close_month", request=MonthClosing, responses=responses(ClosedMonthSerializer, 409, status=201)
    )
    def post(self, request: Request) -> Response:
        """Close the month that is named, for good, if it is the next one and its books are in order."""
        if not allowed(request.user, CLOSE):
            raise PermissionDenied
        closed = services.close_month(actor=of_request(request._request), **sent_body(MonthClosing, request))
        return Response(ClosedMonthSerializer(closed).data, status=201)
