"""Lists of any length: nothing is counted beyond what somebody would page through, nor sought but as it is offered."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.core.paginator import Paginator
from django.db.models import DateTimeField, Model
from django.http import HttpRequest
from django.utils.functional import cached_property

from wallet.base.report_zone import format_moment_with_utc


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Count to 10,000 and no further: what is older is found by search or filter."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        if isinstance(rows, list | tuple):
            return len(rows)
        return int(rows.order_by()[: self.MOST].count())


#: What the filters beside a list make of a field's name in the address of a page.
_BY_A_FILTER = {"", "exact", "in", "isnull", "isempty", "gt", "gte", "lt", "lte", "id__exact", "pk__exact"}
#: What a database takes for no text, or for no number of its own.
_BEYOND = re.compile(r"\0|\d{19}")


@cache
def _stamped(model: Any, name: Any) -> Any:
    """Return the column of a moment as one that shows UTC as well; every other one as it is."""
    try:
        field = model._meta.get_field(name) if isinstance(name, str) else None
    except FieldDoesNotExist:
        return name
    if not isinstance(field, DateTimeField):
        return name

    @admin.display(description=str(field.verbose_name), ordering=name, empty_value="—")
    def shown(row: Model) -> Any:
        moment = getattr(row, name)
        return None if moment is None else format_moment_with_utc(moment)

    shown.__name__ = name
    return shown


class LongList(admin.ModelAdmin):  # type: ignore[type-arg]  # generic for the type checker only
    """A list of the admin as long as it likes.

    Django lets whoever sees a list ask for any lookup of any field by the address: for those that the database cannot
    answer, and, bit by bit, for what no page shows, such as what is sealed.
    """

    show_full_result_count = False
    paginator = BoundedPaginator
    list_per_page = 50
    show_facets = admin.ShowFacets.NEVER

    def get_list_display(self, request: HttpRequest) -> Any:
        """Show moments in the report zone, with UTC under the pointer."""
        return [_stamped(cast(Any, self.model), each) for each in super().get_list_display(request)]

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> Any:
        """Let the columns that lead to a row's page be those of these names, shown as they may be."""
        found = super().get_list_display_links(request, list_display)
        return [_stamped(cast(Any, self.model), each) for each in found] if found else found

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Return whether a filter beside the list asks so; all else is answered with 400."""
        name = next((each for each in self._offered(request) if f"{lookup}__".startswith(f"{each}__")), None)
        return name is not None and lookup[len(name) + 2 :] in _BY_A_FILTER and not _BEYOND.search(str(value))

    def _offered(self, request: HttpRequest) -> Iterator[str]:
        filters: Any = self.get_list_filter(request)
        for each in filters:
            if isinstance(each, type) and issubclass(each, admin.SimpleListFilter):
                yield str(each.parameter_name)
            else:
                yield each if isinstance(each, str) else str(each[0])
