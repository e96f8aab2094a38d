"""Profiles and the search for players over HTTP."""

from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.profiles import selectors
from lobby.profiles.selectors import LEAST_LETTERS
from lobby.ratings.boards import FamilyRating
from tables.language import translated_title
from wallet.base.api import responses, sent_query


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
