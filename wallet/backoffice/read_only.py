"""Read-only pages of the admin, and what they show in their fields: tables, links, and conditions good or bad."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from wallet.base.paging import LongList
from wallet.base.report_zone import format_moment_with_utc


class ReadOnly:
    """A mixin for admins in which nobody can add, change or delete anything, whatever their permissions."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyList(ReadOnly, LongList):
    """A read-only list of any length, newest first by id; subclasses search only indexed columns."""

    ordering = ("-id",)
    actions = None


class BookAdmin(ReadOnlyList):
    """A list as long as the books, always in the order in which they were written."""

    sortable_by = ()


def staff_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> SafeString:
    """Return a small table with these heads; cells are empty for None, and moments have their UTC on hover."""
    lines = format_html_join("", "<tr>{}</tr>", ((_cells("<td>{}</td>", row),) for row in rows))
    if not lines:
        return format_html("<p>{}</p>", "None.")
    table = '<table class="staff-table"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    return format_html(f'<div class="staff-scroll" tabindex="0">{table}</div>', _cells("<th>{}</th>", heads), lines)


def _cells(form: str, cells: Iterable[Any]) -> SafeString:
    return format_html_join("", form, ((_text(cell),) for cell in cells))


def _text(cell: Any) -> Any:
    if cell is None:
        return ""
    return format_moment_with_utc(cell) if hasattr(cell, "strftime") else cell


def staff_link(page: str, pk: int, text: object) -> SafeString:
    """Return a link to the page of the admin of that name about the row."""
    return format_html('<a href="{}">{}</a>', reverse(f"admin:{page}", args=[pk]), text)


def good(text: str) -> SafeString:
    return format_html('<span class="staff-good">{}</span>', text)


def bad(text: str) -> SafeString:
    return format_html('<strong class="staff-bad">{}</strong>', text)
