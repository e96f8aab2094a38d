"""The staff's page of a finished deal: the page that its players see, for any deal."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from tables.history import selectors as history
from tables.history.deal_page import Onlooker, deal_context


def replay_page(model_admin: Any, request: HttpRequest, deal_id: int) -> HttpResponse:
    """Show the deal step by step, with all hands at each step. 404 before it has ended."""
    if not model_admin.has_view_permission(request):
        raise PermissionDenied
    deal = history.ended_deal(deal_id)
    if deal is None:
        raise Http404("There is no finished deal of that number.")
    context = deal_context(deal, Onlooker("staff", account=request.user.pk))
    return render(request, "tables/deal.html", context, status=410 if context["gone"] else 200)
