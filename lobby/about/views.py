"""The pages that say what this place is: who runs it, its terms, and what keeps players safe."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the page of that name, with the amounts that it tells."""
    given = {"welcome": settings.SIGN_UP_CHIPS, "level": settings.REFILL_LEVEL}
    return render(request, f"lobby/about/{name}.html", given)
