"""Admin lists of any length: counted only up to a bound, and searched only in the ways that they offer.

They and the pages of their rows show moments in the report zone, and UTC under the pointer.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import FieldDoesNotExist
from django.core.paginator import Paginator
from django.db.models import DateTimeField, Model
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property

from wallet.base.report_zone import format_moment_with_utc


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """A paginator that counts to 10,000 and no further: older rows are found by search or filter."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        if isinstance(rows, list | tuple):
            return len(rows)
        return int(rows.order_by()[: self.MOST].count())


#: The lookups that the filters beside a list append to a field's name in the address of a page.
_BY_A_FILTER = {"", "exact", "in", "isnull", "isempty", "gt", "gte", "lt", "lte", "id__exact", "pk__exact"}
#: Values that a database would not accept: with a zero byte, or with more digits than its numbers have.
_BEYOND = re.compile(r"\0|\d{19}")


@cache
def _stamped(model: Any, name: Any) -> Any:
    """Return a column that also shows UTC if the field is a moment; any other column unchanged."""
    try:
        field = model._meta.get_field(name) if isinstance(name, str) else None
    except FieldDoesNotExist:
        return name
    if not isinstance(field, DateTimeField):
        return name

    @admin.display(description=str(field.verbose_name), ordering=name)
    def shown(row: Model) -> str:
        moment = getattr(row, name)
        return "—" if moment is None else format_moment_with_utc(moment)

    shown.__name__ = name
    return shown


def _stamp(part: Any, model: type[Model]) -> None:
    """Show UTC with each read-only moment in a part of a page, the row's own or that of its lines."""
    read = set(part.readonly_fields)
    if not getattr(part, "has_change_permission", True):
        read.update(flatten_fieldsets(part.fieldsets))

    def stamped(fields: Any) -> list[Any]:
        return [
            stamped(each) if isinstance(each, list | tuple) else _stamped(model, each) if each in read else each
            for each in fields
        ]

    part.fieldsets = [(title, {**options, "fields": stamped(options["fields"])}) for title, options in part.fieldsets]
    part.readonly_fields = stamped(part.readonly_fields)


class UsualFilter(admin.SimpleListFilter):
    """A filter that is always set: by the first of `offered` where nothing else is chosen."""

    #: By value, the words for it, and what it leaves of the rows.
    offered: Mapping[str, tuple[str, Callable[[Any], Any]]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, words) for value, (words, _) in self.offered.items()][1:]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        _words, narrow = self.offered.get(self.value() or "", next(iter(self.offered.values())))
        return narrow(queryset)

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": next(iter(self.offered.values()))[0]}
        yield from others


class LongList(admin.ModelAdmin):  # type: ignore[type-arg]  # generic for the type checker only
    """An admin list of any length, which allows only the lookups of its own filters.

    Django lets anybody who sees a list request any lookup of any field by the address: even lookups that the database
    cannot answer, or that reveal, bit by bit, content that no page shows, such as sealed columns.
    """

    show_full_result_count = False
    paginator = BoundedPaginator
    list_per_page = 50
    show_facets = admin.ShowFacets.NEVER

    def get_list_display(self, request: HttpRequest) -> Any:
        """Show moments in the report zone, with UTC under the pointer."""
        return [_stamped(cast(Any, self.model), each) for each in super().get_list_display(request)]

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> Any:
        """Return the columns that link to a row's page, with those of moments replaced as in `get_list_display`."""
        links = super().get_list_display_links(request, list_display)
        return [_stamped(cast(Any, self.model), each) for each in links] if links else links

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show moments on the page of a row as in the list; its read-only fields are known only here."""
        _stamp(context["adminform"], self.model)
        for lines in context["inline_admin_formsets"]:
            _stamp(lines, lines.opts.model)
        return super().render_change_form(request, context, *args, **kwargs)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row, or None: an empty name of a field in the address is none, where Django would break off."""
        return super().get_object(request, object_id, from_field or None)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Return whether a filter beside the list uses this lookup; every other lookup is answered with 400."""
        name = next((each for each in self._offered(request) if f"{lookup}__".startswith(f"{each}__")), None)
        return name is not None and lookup[len(name) + 2 :] in _BY_A_FILTER and not _BEYOND.search(str(value))

    def _offered(self, request: HttpRequest) -> Iterator[str]:
        filters: Any = self.get_list_filter(request)
        for each in filters:
            if isinstance(each, type) and issubclass(each, admin.SimpleListFilter):
                yield str(each.parameter_name)
            else:
                yield each if isinstance(each, str) else str(each[0])
