"""The page of fairness, and its file of figures."""

from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from rules.books import BOOKS
from tables.fairness.api import FairnessFileQuery
from tables.fairness.deals import PART, part_of_deals
from tables.fairness.published import COLUMNS, exact_laws, published
from tables.fairness.rows import FLEET_MOST, FOUND_AFTER, holders_shown, laws_shown
from tables.fairness.sums import summed_until
from tables.history.kept import as_response
from wallet.base.api import filled_in
from wallet.finance.own_data import takeout
from wallet.language import gettext as _

#: A larger number is no part of anything.
_MOST_PARTS: Final = 10**6


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the figures of the book that the query names, or of all books together."""
    answer = published()
    book = request.GET.get("book", "")
    book = book if book in answer["deals"] else ""
    until = answer["until"]
    context: dict[str, Any] = {
        "answer": answer,
        "until": None if until is None else parse_datetime(until),
        "book": book,
        "books": [(key, BOOKS[key].title) for key in answer["deals"]],
        "deals": sum(count for key, count in answer["deals"].items() if book in ("", key)),
        "all_deals": sum(answer["deals"].values()),
        "by_chance": round(answer["tested"] / 20),
        "groups": holders_shown([each for each in answer["figures"] if each["book"] == (book or None)]),
        "parts": range(1, -(-answer["shared"] // PART) + 1),
        "found_after": FOUND_AFTER,
        "most": FLEET_MOST,
        "laws": laws_shown(exact_laws()),
    }
    return render(request, "tables/fairness.html", context)


@require_safe
def figures_file(request: HttpRequest) -> HttpResponseBase:
    """Return all figures as a file; with a wrong query redirect to the page."""
    query = FairnessFileQuery(data=filled_in(request.GET))
    if not query.is_valid():
        messages.error(request, _("Such a format cannot be downloaded."))
        return redirect("tables:fairness")
    rows = [[_cell(figure[name]) for name in COLUMNS] for figure in published()["figures"]]
    return takeout(name="fairness", format=query.validated_data["format"], columns=COLUMNS, rows=rows)


@require_safe
def deals_file(request: HttpRequest, part: int) -> HttpResponse:
    """Return a part of the deals that may be shared, in notation, one behind the other."""
    until = summed_until()
    answer = part_of_deals(part, until) if until is not None and 0 < part <= _MOST_PARTS else None
    if answer is None:
        raise Http404
    response = as_response(request, answer, "text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="deals-{part}.rdn"'
    return response


def _cell(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
