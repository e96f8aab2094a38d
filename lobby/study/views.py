"""The page of everything to study."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the cards; each is a template of its own beside that of the page, and shown alike to everybody."""
    return render(request, "lobby/study/page.html")
