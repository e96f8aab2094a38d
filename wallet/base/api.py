"""Helpers of every API of the platform: the user, validated input, refusals, pages of statements, and files."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import is_dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import cache
from io import SEEK_END
from types import NoneType
from typing import IO, Annotated, Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from django.contrib.auth.models import AbstractBaseUser
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.utils.dateparse import parse_date, parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from wallet.base.errors import RefusalBody
from wallet.base.money import CURRENCIES
from wallet.base.report_zone import in_utc, midnight
from wallet.language import gettext as _


def player_of(request: Request | HttpRequest) -> AbstractBaseUser:
    """Return the user of the request; for views that only signed-in users reach."""
    assert isinstance(request.user, AbstractBaseUser)
    return request.user


def sent_body(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the validated body. Raises ValidationError."""
    return _valid(serializer(data=request.data))


def sent_query(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the validated query parameters; empty ones are left out. Raises ValidationError."""
    return _valid(serializer(data=filled_in(request.query_params)))


def filled_in(sent: QueryDict) -> dict[str, str]:
    """Return the texts of a query or a form by name; empty ones are left out."""
    return {name: str(text) for name, text in sent.items() if text}


def check_form(form: BaseForm) -> None:
    """Raise ValidationError with the messages of each field where the form is invalid."""
    if not form.is_valid():
        raise serializers.ValidationError({name: [str(word) for word in words] for name, words in form.errors.items()})


def _valid(sent: serializers.Serializer[Any]) -> dict[str, Any]:
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


_FIELDS: Mapping[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    int: serializers.IntegerField, str: serializers.CharField, bool: serializers.BooleanField,
    float: serializers.FloatField, datetime: serializers.DateTimeField, date: serializers.DateField,
    Any: serializers.JSONField,
}  # fmt: skip


@cache
def serializer_of(shape: type) -> type[serializers.Serializer[Any]]:
    """Return the serializer of an answer, whose TypedDict or dataclass is its only declaration; the page of the
    protocol shows it.

    In an `Annotated`, a text is the help of its field, and anything else names the values that it may have. KeyError
    for a type that no answer has yet.
    """
    fields = {name: _field_of(kind) for name, kind in get_type_hints(shape, include_extras=True).items()}
    return type(shape.__name__, (serializers.Serializer,), {"__doc__": shape.__doc__, **fields})


def _field_of(kind: Any, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        for note in parts[1:]:
            options |= {"help_text": note} if isinstance(note, str) else {"choices": [str(value) for value in note]}
        return _field_of(parts[0], **options)
    if NoneType in parts:
        [given] = set(parts) - {NoneType}
        return _field_of(given, allow_null=True, **options)
    if origin is Literal or "choices" in options:
        return serializers.ChoiceField(**{"choices": parts, **options})
    if origin is list and not _has_fields(parts[0]):
        return serializers.ListField(child=_field_of(parts[0]), **options)
    if origin is list:
        return serializer_of(parts[0])(many=True, **options)
    if origin is dict:
        return serializers.DictField(child=_field_of(parts[1]), **options)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return serializers.ChoiceField([str(value) for value in kind], **options)
    return serializer_of(kind)(**options) if _has_fields(kind) else _FIELDS[kind](**options)


def _has_fields(kind: Any) -> bool:
    return is_typeddict(kind) or is_dataclass(kind)


def responses(shape: Any, *refused: int, status: int = 200) -> dict[Any, Any]:
    """Return the responses of an endpoint for its description: the answer, and the statuses of refusals.

    `shape` is a TypedDict or a dataclass, a list of them, a described response, or None where there is no content.
    """
    described = _field_of(shape) if _has_fields(shape) or get_origin(shape) is list else shape
    refusal = OpenApiResponse(serializer_of(RefusalBody), description="Refused; nothing was changed.")
    return {status: described, **{(code, "application/json"): refusal for code in refused}}


#: The largest number that a column of numbers of rows holds.
LARGEST_ID = 2**63 - 1
_IS_ID = re.compile(r"[0-9]{1,18}\Z")


def is_id(text: str) -> bool:
    """Return whether the text is a number that a row may have."""
    return bool(_IS_ID.match(text))


class NewestFirst(CursorPagination):
    """Pages of 50 rows, newest first; `cursor` in the query selects the page."""

    page_size = 50
    ordering: str | tuple[str, ...] = "-id"

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the cursor. Raises NotFound where the position in it can be no row's: the base class trusts it."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not self.is_position(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def is_position(self, text: str) -> bool:
        """Return whether it is a value of what the rows are ordered by first."""
        return is_id(text)


class AnswersInPages(ListAPIView[Any]):
    """Rows of the database in pages, newest first; `answer` makes of each what its serializer describes."""

    pagination_class = NewestFirst
    answer: Callable[[Any], Any]

    def paginate_queryset(self, queryset: Any) -> list[Any] | None:
        return [self.answer(row) for row in super().paginate_queryset(queryset) or []]


class FileNegotiation(BaseContentNegotiation):
    """Content negotiation where `format` names the format of a file, not of the response; errors are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


#: Bytes of a file that are sent at a time.
_PIECE = 256 * 1024


def attachment(name: str, content: bytes | IO[bytes], content_type: str, digest: str = "") -> HttpResponseBase:
    """Return the content as a file of that name, which no cache keeps; `digest` is its SHA-256, if it is to be told.

    An open file is sent from its beginning in pieces, and then closed; a temporary one is gone with that.
    """
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store, private"}
    if digest:
        headers["X-Content-SHA256"] = digest
    if isinstance(content, bytes):
        return HttpResponse(content, content_type=content_type, headers=headers)
    headers["Content-Length"] = str(content.seek(0, SEEK_END))
    content.seek(0)
    return StreamingHttpResponse(_pieces(content), content_type=content_type, headers=headers)


async def _pieces(content: IO[bytes]) -> AsyncIterator[bytes]:
    with content:
        while piece := await asyncio.to_thread(content.read, _PIECE):
            yield piece


@extend_schema_field(OpenApiTypes.DATE)
class DayOrTime(serializers.Field[datetime, str, str, Any]):
    """A time, or a day of the report zone: its beginning, or its end where it is the `last` of a period.

    A time without a zone is in UTC, or in the `zone` of the serializer's context: pages take times as they show them.
    """

    def __init__(self, *, last: bool = False, **options: Any) -> None:
        super().__init__(required=False, default=None, **options)
        self.last = last

    def to_internal_value(self, data: str) -> datetime:
        try:
            moment = self._day(data) or parse_datetime(data)
        except (ValueError, OverflowError):
            moment = None
        if moment is not None and moment.tzinfo is None:
            moment = moment.replace(tzinfo=self.context.get("zone", UTC))
        if moment is None or (stored := in_utc(moment)) is None:
            raise serializers.ValidationError(_("A day as 2026-11-21, or a time as 2026-11-21T14:05:00Z."))
        return stored

    def _day(self, data: str) -> datetime | None:
        day = parse_date(data)
        return midnight(day + timedelta(days=self.last)) if day else None

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class InPeriod(serializers.Serializer[Any]):
    """A query with a period `from` its first day or moment `to` its last, both optional."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # `from` is a keyword of Python, so it cannot be a class attribute.
        period = {"from": DayOrTime(source="since"), "to": DayOrTime(source="until", last=True)}
        return {**super().get_fields(), **period}


class CurrencyField(serializers.ChoiceField):
    """The code of a currency; which ones there are, each request looks up."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, choices=list(CURRENCIES))


class StatementQuery(InPeriod):
    """The query of a statement: `currency`, and a period."""

    currency = CurrencyField(default="FUN")
