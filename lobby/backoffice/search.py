"""The search of staff: by a player's name, the number of a table, match or deal, or the key of a posting."""

from collections.abc import Iterator

from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Q, Value, When
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from lobby.accounts.models import Player
from tables.models import Deal, Match, Table
from wallet.ledger.selectors import posting_id

#: The most players that a search for a part of a name lists.
MOST = 20
#: Letters that have to be typed before names are proposed.
SHORTEST = 2
_NUMBERED = (("table", Table, "tables"), ("match", Match, "tables"), ("deal", Deal, "tables"))


def find_page(request: HttpRequest) -> HttpResponse:
    """Show links to everything that the words may stand for and the user may open."""
    words = _sent_words(request)[:100]
    results = list(_results(request, words)) if words else []
    context = {**admin.site.each_context(request), "title": "Find", "words": words, "found": results}
    return TemplateResponse(request, "staff/find.html", context)


def _sent_words(request: HttpRequest) -> str:
    """Return what was typed, with single spaces, and without zero bytes, which the database does not take."""
    return " ".join(request.GET.get("q", "").replace("\0", "").split())


def _results(request: HttpRequest, words: str) -> Iterator[tuple[str, str]]:
    user = request.user
    assert not isinstance(user, AnonymousUser)
    first, _, rest = words.lower().partition(" ")
    number = rest if rest.isdecimal() else first if first.isdecimal() else ""
    for name, model, app in _NUMBERED:
        if number and len(number) < 19 and first in (name, number) and user.has_perm(f"{app}.view_{name}"):
            row = model.objects.filter(pk=int(number)).first()
            if row is not None:
                yield f"{name.capitalize()} {row.pk}: {row}", reverse(f"admin:{app}_{name}_change", args=[row.pk])
    if user.has_perm("lobby.view_player"):
        for player in search_players(words):
            yield f"Player {_full_name(player)}", reverse("admin:lobby_player_change", args=[player.pk])
    if user.has_perm("wallet.view_posting") and (posting := posting_id(words)) is not None:
        yield f"Posting {words}", reverse("admin:wallet_posting_change", args=[posting])


def suggest_names(request: HttpRequest) -> JsonResponse:
    """Return the players whose names contain what has been typed so far, for a field that proposes them."""
    if not request.user.has_perm("lobby.view_player"):
        raise PermissionDenied
    words = _sent_words(request)[:20]
    players = search_players(words) if len(words) >= SHORTEST else []
    return JsonResponse({
        "players": [
            {
                "name": player.username,
                "shown": _full_name(player),
                "href": reverse("admin:lobby_player_change", args=[player.pk]),
            }
            for player in players
        ]
    })  # fmt: skip


def search_players(words: str) -> list[Player]:
    """Return the players with these words in either name; those whose name begins with them first, then by name."""
    matches = Q(username__icontains=words) | Q(display_name__icontains=words)
    rank = Case(When(username__istartswith=words, then=Value(0)), default=Value(1))
    return list(Player.objects.filter(matches, is_guest=False).order_by(rank, "username")[:MOST])


def _full_name(player: Player) -> str:
    alias = f", shown as {player.display_name}" if player.display_name else ""
    return f"{player.username}{alias} (number {player.pk})"
