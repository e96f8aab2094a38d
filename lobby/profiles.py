"""Profiles: the page of a player who wishes one, and who is found by name; the same over HTTP.

Names are those that others see; nobody is found by the name they sign in with where they show another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, QuerySet, Sum
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

from lobby.accounts.models import Player, shown_as
from lobby.accounts.names import typed
from lobby.accounts.services import no_such_player
from lobby.accounts.sign_in import signed_in_player
from lobby.friends import friends
from lobby.friends.views import act_on
from lobby.ratings import boards
from lobby.ratings.models import RatedResult
from lobby.stakes.presenters import FAMILY_TITLES
from rules.books import Family
from tables.errors import TableError
from tables.history import plots, selectors as history
from tables.language import translated_title
from tables.models import Entrant, SharedDeal, Tournament
from wallet.base import rate_limits
from wallet.base.api import responses, sent_query
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _

#: Searches of one player, and the most names that one of them finds, by so many letters at least.
SEARCHES = RateLimit("player-search", 30, 60)
MOST_FOUND, LEAST_LETTERS = 20, 2
#: The most places in tournaments, friends in common, and deals on a page.
MOST_PLACES, MOST_FRIENDS, MOST_DEALS = 5, 24, 5


class FamilyMatches(TypedDict):
    family: str
    matches: Annotated[int, "Rated ones."]
    shows: Annotated[int, "Valid ones, in rated matches."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A profile as one reader sees it; None stands for what is hidden from them. `hidden` is what only they see."""

    player: Player
    is_own: bool
    ratings: list[boards.FamilyRating] | None
    matches: list[FamilyMatches] | None
    places: list[Entrant] | None
    friends: list[Player] | None
    deals: list[SharedDeal] | None
    hidden: frozenset[str]


def profile_of(name: str, reader: Player) -> Profile:
    """Return the profile of the player of that name. TableError `not_found`, as where nobody has the name."""
    player = _named(name)
    if player is None or not (player == reader or player.has_page):
        raise no_such_player()
    is_own = player == reader
    hidden = frozenset(part for part, column in _HIDING.items() if getattr(player, column))

    def shown(part: str, read: Callable[..., Any], *of: Player) -> Any:
        return read(*of) if is_own or part not in hidden else None

    return Profile(
        player=player,
        is_own=is_own,
        ratings=shown("ratings", boards.family_ratings, player, reader),
        matches=shown("matches", _matches, player),
        places=shown("places", _best_places, player),
        friends=None if is_own else shown("friends", _friends_in_common, player, reader),
        deals=shown("deals", _last_deals, player),
        hidden=hidden,
    )


def find_players(beginning: str, reader: Player) -> list[Player]:
    """Return at most MOST_FOUND players who wish to be found and whose shown name begins so, by name.

    Nobody for fewer letters than LEAST_LETTERS. TableError `rate_limited`.
    """
    if not rate_limits.count_tries([(SEARCHES, SEARCHES.key(reader.pk))]):
        raise TableError("rate_limited", _("You have searched very often. Please wait a minute."), status=429)
    wanted = typed(beginning)
    if len(wanted) < LEAST_LETTERS:
        return []
    found = players_beginning(wanted).exclude(pk=reader.pk).order_by("username")
    return sorted(found[:MOST_FOUND], key=lambda each: each.shown_name)


def players_beginning(wanted: str) -> QuerySet[Player]:
    """Return who wishes to be found and whose shown name begins so, in any case."""
    findable = Player.objects.filter(is_findable=True, is_active=True, is_guest=False)
    return findable.filter(shown_as("istartswith", wanted))


#: The parts of a profile that can be hidden, each with the column that says so.
_HIDING = {
    "ratings": "hides_rating",
    "matches": "hides_matches",
    "places": "hides_places",
    "friends": "hides_friends",
    "deals": "hides_deals",
}


def _named(name: str) -> Player | None:
    wanted = typed(name)
    return Player.objects.filter(shown_as("iexact", wanted), is_guest=False).first() if wanted else None


def _matches(player: Player) -> list[FamilyMatches]:
    """Return by family how many rated matches the player has played, and with how many valid shows."""
    rows = RatedResult.objects.filter(player=player).order_by("family").values("family")
    counted = rows.annotate(matches=Count("pk"), shows=Sum("shows"))
    return [{"family": row["family"], "matches": row["matches"], "shows": row["shows"]} for row in counted]


def _best_places(player: Player) -> list[Entrant]:
    placed = Entrant.objects.filter(user=player, place__isnull=False, tournament__status=Tournament.Status.OVER)
    placed = placed.exclude(status__in=(Entrant.Status.WITHDRAWN, Entrant.Status.REMOVED))
    return list(placed.select_related("tournament").order_by("place", "-tournament__entered", "-pk")[:MOST_PLACES])


def _friends_in_common(player: Player, reader: Player) -> list[Player]:
    """Return who is a friend of both, without those who hide whose friends they are."""
    common: QuerySet[Player] = friends.friends_of(player).filter(hides_friends=False)
    return list(common.filter(pk__in=friends.friends_of(reader).order_by().values("pk"))[:MOST_FRIENDS])


def _last_deals(player: Player) -> list[SharedDeal]:
    """Return the last deals of open tables that the player shares with everybody's name, the newest first."""
    links = SharedDeal.objects.filter(user=player, revoked_at=None, names_hidden=False)
    links = links.filter(deal__in=history.open_deals())
    links = links.filter(deal__match__table__private_code="", deal__match__table__practice_for=None)
    return list(links.select_related("deal__match__table").order_by("-deal__ended_at", "-pk")[:MOST_DEALS])


# --- pages ------------------------------------------------------------------------------------------------------------


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show what the player lets others see; on POST act on them, as on the page of friends."""
    reader = signed_in_player(request)
    profile = profile_of(name, reader)
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
            found = find_players(asked, signed_in_player(request))
        except TableError as refusal:
            messages.error(request, refusal.message)
            status = refusal.status
    context = {"asked": asked, "found": found, "least": LEAST_LETTERS, "most": MOST_FOUND}
    return render(request, "lobby/profiles/search.html", context, status=status)


def _by_family(profile: Profile) -> list[dict[str, Any]]:
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
    ratings: Annotated[list[boards.FamilyRating] | None, "Null, as each part below: hidden from you."]
    matches: list[FamilyMatches] | None
    places: Annotated[list[TournamentPlace] | None, "The best, in tournaments that are over."]
    friends: Annotated[list[str] | None, "Friends in common; null for your own profile."]
    deals: Annotated[list[SharedLink] | None, "The last ones of open tables that they share."]
    hidden: Annotated[list[str], "Of your own profile: the parts that others do not see."]


class Players(APIView):
    @extend_schema(operation_id="find_players", parameters=[SearchQuery], responses=responses(PlayersFound, 400, 429))
    def get(self, request: Request) -> Response:
        """Return the players who wish to be found and whose name begins so."""
        asked = sent_query(SearchQuery, request)
        found = find_players(asked["name"], signed_in_player(request))
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
        profile = profile_of(name, signed_in_player(request))
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
