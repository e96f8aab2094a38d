"""Downloads of a player's own data: a file of rows, as CSV, CSV for Excel or JSON Lines, sent in pieces."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from rest_framework import serializers

from wallet.base import report_zone
from wallet.base.api import InPeriod, StatementQuery, attachment, filled_in, player_of
from wallet.finance.exports import FORMATS
from wallet.finance.spreadsheets import Cell, Column
from wallet.language import gettext as _
from wallet.ledger.snapshots import snapshot
from wallet.ledger.statements import STATEMENT_COLUMNS, statement_rows

FILE_FORMATS = ("csv", "excel", "jsonl")


class DownloadQuery(InPeriod):
    """The query of a download: its `format`, and a period."""

    format = serializers.ChoiceField(choices=FILE_FORMATS, default="csv")


def takeout(*, name: str, format: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponseBase:
    """Return the rows as a file `name`, written from one snapshot before the first byte is sent.

    Memory does not grow with the rows; texts are never formulas; times are ISO 8601 in UTC. The last line counts the
    rows.
    """
    form = FORMATS[format]
    with ExitStack() as open_files:
        out = open_files.enter_context(tempfile.TemporaryFile())
        sheet, count = form.make(out, [Column(name) for name in columns]), 0
        with snapshot():
            for count, row in enumerate(rows, start=1):  # noqa: B007  how many there were
                sheet.row([_cell(value) for value in row])
        sheet.close([("rows", count)])
        open_files.pop_all()
    return attachment(f"{name}.{form.ending}", out, form.type)


def file_or_page(
    request: HttpRequest,
    query_of: type[serializers.Serializer[Any]],
    file_of: Callable[..., HttpResponseBase],
    page: str,
) -> HttpResponseBase:
    """Return the file that `file_of` makes for the user by their query; redirect to the page where it is invalid."""
    query = query_of(data=filled_in(request.GET), context={"zone": report_zone.zone()})
    if not query.is_valid():
        messages.error(request, _("Such a period or format cannot be downloaded."))
        return redirect(page)
    return file_of(player_of(request), **query.validated_data)


class StatementFileQuery(DownloadQuery, StatementQuery):
    """The query of a statement, with the format of the file."""


def statement_takeout(
    user: AbstractBaseUser, *, currency: str, format: str, since: datetime | None, until: datetime | None
) -> HttpResponseBase:
    """Return the user's own statement of a period as a file, oldest entry first; amounts are in smallest units."""
    rows = statement_rows(user, currency, since, until)
    return takeout(name=f"statement_{currency}", format=format, columns=STATEMENT_COLUMNS, rows=rows)


def _cell(value: Any) -> Cell:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return value if isinstance(value, int | date) or value is None else str(value)
