"""Lists of any length: nothing is counted beyond what somebody would page through."""

from typing import Any

from django.core.paginator import Paginator
from django.utils.functional import cached_property


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts to 10,000 and no further: what is older is found by search or filter."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        if isinstance(rows, list | tuple):
            return len(rows)
        return int(rows.order_by()[: self.MOST].count())
