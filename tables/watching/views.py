"""The page on which a table is watched one deal behind."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from tables.errors import TableError
from tables.models import Table
from tables.watching.pictures import see


@login_required
@require_GET
def watch(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show the page, whose content arrives over its socket; where nobody may watch, say why."""
    refusal = ""
    try:
        see(table_id)
    except TableError as error:
        if error.code == "not_found":
            raise Http404 from error
        refusal = error.message
    context = {"table": Table.objects.get(pk=table_id), "refusal": refusal}
    return render(request, "tables/watch.html", context, status=403 if refusal else 200)
