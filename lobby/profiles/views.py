"""The page of a player, and the search for players by name: pages and API."""

from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.friends import friends
from lobby.friends.views import act_on
from lobby.profiles import selectors
from lobby.profiles.selectors import LEAST_LETTERS, MOST_FOUND
from lobby.ratings.boards import FamilyRating
from lobby.stakes.presenters import FAMILY_TITLES
from rules.books import Family
from tables.errors import TableError
from tables.history import plots
from tables.language import translated_title
from wallet.base.api import responses, sent_query
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


# --- the API ----------------------------------------------------------------------------------------------------------


class SearchQuery(serializers.Serializer[Any]):
    name = serializers.CharField(min_length=LEAST_LETTERS, max_length=20, help_text="How the name begins.")


class PlayerFound(TypedDict):
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    has_page: Annotated[bool, "Whether they have a profile."]


class PlayersFound(TypedDict):
    results: list[PlayerFound]


class TournamentPlace(TypedDict):
    tournament: int
    title: str
    place: int
    entered: int


class SharedLink(TypedDict):
    title: str
    ended_at: datetime
    address: str


class ProfileAnswer(TypedDict):
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    ratings: Annotated[list[FamilyRating] | None, "Null, as each part below: hidden from you."]
    matches: list[selectors.FamilyMatches] | None
    places: Annotated[list[TournamentPlace] | None, "The best, in tournaments that are over."]
    friends: Annotated[list[str] | None, "Friends in common; null for your own profile."]
    deals: Annotated[list[SharedLink] | None, "The last ones of open tables that they share."]
    hidden: Annotated[list[str], "Of your own profile: the parts that others do not see."]


class Players(APIView):
    @extend_schema(operation_id="find_players", parameters=[SearchQuery], responses=responses(PlayersFound, 400, 429))
    def get(self, request: Request) -> Response:
        """Return the players who wish to be found and whose name begins so."""
        asked = sent_query(SearchQuery, request)
        found = selectors.find_players(asked["name"], signed_in_player(request))
        answer: PlayersFound = {
            "results": [
                {"name": player.shown_name, "avatar": player.avatar_url, "has_page": player.has_page}
                for player in found
            ]
        }
        return Response(answer)


class OneProfile(APIView):
    @extend_schema(operation_id="player", responses=responses(ProfileAnswer, 404))
    def get(self, request: Request, name: str) -> Response:
        """Return what the player lets you see of their profile. 404 for who has none, as for a name of nobody."""
        profile = selectors.profile_of(name, signed_in_player(request))
        places, links = profile.places, profile.deals
        answer: ProfileAnswer = {
            "name": profile.player.shown_name,
            "avatar": profile.player.avatar_url,
            "ratings": profile.ratings,
            "matches": profile.matches,
            "places": None
            if places is None
            else [
                {
                    "tournament": each.tournament_id,
                    "title": translated_title(each.tournament.title),
                    "place": each.place,
                    "entered": each.tournament.entered,
                }
                for each in places
                if each.place is not None
            ],
            "friends": None if profile.friends is None else [friend.shown_name for friend in profile.friends],
            "deals": None
            if links is None
            else [
                {
                    "title": translated_title(link.deal.match.table.title),
                    "ended_at": link.deal.ended_at,
                    "address": reverse("tables:shared", args=[link.token]),
                }
                for link in links
                if link.deal.ended_at is not None
            ],
            "hidden": sorted(profile.hidden) if profile.is_own else [],
        }
        return Response(answer)
