"""The page of a player, and the search for players by name."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from lobby.accounts.sign_in import signed_in_player
from lobby.friends import friends
from lobby.friends.views import act_on
from lobby.profiles import selectors
from lobby.profiles.selectors import LEAST_LETTERS, MOST_FOUND
from lobby.stakes.presenters import FAMILY_TITLES
from rules.books import Family
from tables.errors import TableError
from tables.history import plots
from wallet.language import gettext as _


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show what the player lets others see; on POST act on them, as on the page of friends."""
    reader = signed_in_player(request)
    profile = selectors.profile_of(name, reader)
    if request.method == "POST":
        act_on(request, profile.player)
        return redirect("lobby:profile", name)
    context = {
        "profile": profile,
        "families": _by_family(profile),
        "is_friend": friends.are_friends(reader, profile.player),
        "is_blocked": friends.is_blocked(profile.player, by=reader),
        "width": plots.WIDTH,
        "height": plots.HEIGHT,
    }
    return render(request, "lobby/profiles/page.html", context)


@login_required
@never_cache
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show who wishes to be found and has a name that begins with `name` of the query."""
    asked, status = request.GET.get("name", "")[:20], 200
    found: list[Any] = []
    if asked:
        try:
            found = selectors.find_players(asked, signed_in_player(request))
        except TableError as refusal:
            messages.error(request, refusal.message)
            status = refusal.status
    context = {"asked": asked, "found": found, "least": LEAST_LETTERS, "most": MOST_FOUND}
    return render(request, "lobby/profiles/search.html", context, status=status)


def _by_family(profile: selectors.Profile) -> list[dict[str, Any]]:
    """Return what the profile shows of each family, its curve as a line."""
    ratings = {row["family"]: row for row in profile.ratings or ()}
    matches = {row["family"]: row for row in profile.matches or ()}
    return [
        {
            "key": family.value,
            "title": _(FAMILY_TITLES[family]),
            "rating": ratings.get(family),
            "matches": matches.get(family),
            "line": plots.line_of([each["rating"] for each in ratings[family]["curve"]]) if family in ratings else None,
        }
        for family in Family
        if family in ratings or family in matches
    ]
