"""What a statement may be asked for, the same on the page and in the API."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_date, parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from wallet.base.money import CURRENCIES


class RefusalBody(serializers.Serializer[Any]):
    """What every refusal answers."""

    code = serializers.CharField()
    message = serializers.CharField()


class Pages(CursorPagination):
    """Newest first, 50 to a page; `cursor` in the query asks for the next."""

    page_size = 50
    ordering = "-id"


class AsAsked(BaseContentNegotiation):
    """`format` names the file here, not the dress of the answer; errors are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


@extend_schema_field(OpenApiTypes.DATE)
class Moment(serializers.Field[datetime, str, str, Any]):
    """A time, or a whole day: its beginning, or its end where it is the `last` of a period.

    In UTC, or in the `zone` of the serializer's context: pages show, and ask in, the zone that players read times in.
    """

    def __init__(self, *, last: bool = False, **options: Any) -> None:
        super().__init__(required=False, default=None, **options)
        self.last = last

    def to_internal_value(self, data: str) -> datetime:
        try:
            moment = self._day(data) or parse_datetime(data)
        except (ValueError, OverflowError):
            moment = None
        if moment is None:
            raise serializers.ValidationError("A day as 2026-11-21, or a time as 2026-11-21T14:05:00Z.")
        return moment if moment.tzinfo else moment.replace(tzinfo=self.context.get("zone", UTC))

    def _day(self, data: str) -> datetime | None:
        day = parse_date(data)
        return datetime(day.year, day.month, day.day) + timedelta(days=self.last) if day else None

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class StatementQuery(serializers.Serializer[Any]):
    """`currency`, and a period `from` (its first day or moment) `to` (its last)."""

    currency = serializers.ChoiceField(choices=list(CURRENCIES), default="FUN")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # `from` is no name for a class attribute.
        period = {"from": Moment(source="since"), "to": Moment(source="until", last=True)}
        return {**super().get_fields(), **period}
