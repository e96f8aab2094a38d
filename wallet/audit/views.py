"""Public views of the heads of days: a page for people, and a file for programs."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from wallet.audit import heads
from wallet.models import DayHead

#: Days on a page.
DAYS_A_PAGE = 31


@require_safe
def transparency(request: HttpRequest) -> HttpResponse:
    """Show the heads, the latest first, and explain what they are for."""
    pages = Paginator(DayHead.objects.order_by("-day"), DAYS_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "heads": heads.published_heads(page.object_list),
        "newer": f"?page={page.previous_page_number()}" if page.has_previous() else "",
        "older": f"?page={page.next_page_number()}" if page.has_next() else "",
    }
    return render(request, "wallet/transparency.html", context)


@require_safe
def heads_file(request: HttpRequest) -> HttpResponse:
    """Return all heads, a line each, as `audit_ledger --heads` reads them."""
    return HttpResponse("".join(f"{line}\n" for line in heads.head_lines()), content_type="text/plain; charset=utf-8")
