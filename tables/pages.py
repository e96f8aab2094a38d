"""The page of a table. All that happens on it comes over the socket."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from tables.models import Table


@login_required
def table(request: HttpRequest, table_id: int) -> HttpResponse:
    """The table, for who sits there and who watches."""
    row = get_object_or_404(Table, pk=table_id)
    return render(request, "tables/table.html", {"table": row, "table_id": row.pk})
