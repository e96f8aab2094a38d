"""Pages rendered by the server; each works without JavaScript."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def lobby(request: HttpRequest) -> HttpResponse:
    """The stakes on offer."""
    return render(request, "lobby/lobby.html")
