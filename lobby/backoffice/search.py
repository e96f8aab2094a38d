"""One field for staff: a player's name, the number of a table, match or deal, or the key of a posting."""

from collections.abc import Iterator

from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from lobby.accounts.models import Player
from tables.models import Deal, Match, Table
from wallet.ledger.selectors import posting_id

#: Most players that one beginning of a name lists.
MOST = 20
_NUMBERED = (("table", Table, "tables"), ("match", Match, "tables"), ("deal", Deal, "tables"))


def find_page(request: HttpRequest) -> HttpResponse:
    """Show what the words may stand for, as links, to those who may open them."""
    words = " ".join(request.GET.get("q", "").split())[:100]
    found = list(_found(request, words)) if words else []
    context = {**admin.site.each_context(request), "title": "Find", "words": words, "found": found}
    return TemplateResponse(request, "staff/find.html", context)


def _found(request: HttpRequest, words: str) -> Iterator[tuple[str, str]]:
    user = request.user
    assert not isinstance(user, AnonymousUser)
    kind, _, rest = words.lower().partition(" ")
    number = rest if rest.isdecimal() else kind if kind.isdecimal() else ""
    for name, model, app in _NUMBERED:
        if number and len(number) < 19 and kind in (name, number) and user.has_perm(f"{app}.view_{name}"):
            row = model.objects.filter(pk=int(number)).first()
            if row is not None:
                yield f"{name.capitalize()} {row.pk}: {row}", reverse(f"admin:{app}_{name}_change", args=[row.pk])
    if user.has_perm("lobby.view_player"):
        for player in Player.objects.filter(username__istartswith=words).order_by("username")[:MOST]:
            yield f"Player {player.username}", reverse("admin:lobby_player_change", args=[player.pk])
    if user.has_perm("wallet.view_posting") and (posting := posting_id(words)) is not None:
        yield f"Posting {words}", reverse("admin:wallet_posting_change", args=[posting])
