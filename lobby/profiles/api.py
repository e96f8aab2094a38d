"""Profiles and the search for players over HTTP."""

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.profiles import schemas, selectors
from tables.language import translated_title
from wallet.base.api import responses, sent_query


class Players(APIView):
    @extend_schema(
        operation_id="find_players",
        parameters=[schemas.SearchQuery],
        responses=responses(schemas.PlayersFound, 400, 429),
    )
    def get(self, request: Request) -> Response:
        """Return the players who wish to be found and whose name begins so."""
        asked = sent_query(schemas.SearchQuery, request)
        found = selectors.find_players(asked["name"], signed_in_player(request))
        return Response(
            {
                "results": [
                    {"name": player.shown_name, "avatar": player.avatar_url, "has_page": player.has_page}
                    for player in found
                ]
            }
        )


class OneProfile(APIView):
    @extend_schema(operation_id="player", responses=responses(schemas.ProfileAnswer, 404))
    def get(self, request: Request, name: str) -> Response:
        """Return what the player lets you see of their profile. 404 for who has none, as for a name of nobody."""
        profile = selectors.profile_of(name, signed_in_player(request))
        places, links = profile.places, profile.deals
        return Response(
            {
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
                ],
                "hidden": sorted(profile.hidden) if profile.is_own else [],
            }
        )
