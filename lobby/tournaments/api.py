"""Tournaments over HTTP: the list, one of them, its places, and one's own part."""

from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.tournaments import selectors, services
from lobby.tournaments.selectors import OwnPart, PlaceAnswer, RoundAnswer, TournamentAnswer, tournament_of
from tables.models import Entrant, Tournament, TournamentKind
from tables.tournaments import services as tournaments
from wallet.base.api import AnswersInPages, responses, sent_query, serializer_of


class TournamentsQuery(serializers.Serializer[Any]):
    status = serializers.ChoiceField(required=False, choices=Tournament.Status.values)
    kind = serializers.ChoiceField(required=False, choices=TournamentKind.values)


class StandingsQuery(serializers.Serializer[Any]):
    cursor = serializers.IntegerField(required=False, default=0, min_value=0, max_value=1_000_000)


class TournamentDetail(TournamentAnswer):
    rounds: list[RoundAnswer]
    me: OwnPart | None
    taken_out: Annotated[str, "Why the platform took you out before it began; empty if it did not."]


class PlacesAnswer(TypedDict):
    next: str | None
    previous: str | None
    results: list[PlaceAnswer]


@extend_schema_view(
    get=extend_schema(
        operation_id="tournaments", parameters=[TournamentsQuery], responses=responses(list[TournamentAnswer], 400)
    )
)
class Tournaments(AnswersInPages):
    """Return the tournaments of that status and kind, newest first, in pages."""

    permission_classes = [AllowAny]
    serializer_class = serializer_of(TournamentAnswer)
    answer = staticmethod(selectors.tournament_values)

    def get_queryset(self) -> Any:
        return selectors.listed(**sent_query(TournamentsQuery, self.request))


class OneTournament(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="tournament", responses=responses(TournamentDetail, 404))
    def get(self, request: Request, tournament_id: int) -> Response:
        """Return a tournament with its rounds, the draw of each with its proof, and your own part in it."""
        tournament = tournament_of(tournament_id)
        entrant = selectors.own_entrant(tournament, request.user)
        answer: TournamentDetail = {
            **selectors.tournament_values(tournament),
            "rounds": selectors.rounds_with_draws(tournament),
            "me": None if entrant is None else selectors.own_values(tournament, entrant),
            "taken_out": "" if entrant is not None else selectors.why_taken_out(tournament, request.user),
        }
        return Response(answer)


class TournamentStandings(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="tournament_standings", parameters=[StandingsQuery], responses=responses(PlacesAnswer, 404)
    )
    def get(self, request: Request, tournament_id: int) -> Response:
        """Return the places, best first, in pages: live while it runs, final once it is over."""
        first = sent_query(StandingsQuery, request).get("cursor", 0)
        page = selectors.places_page(tournament_of(tournament_id), first)
        address = request.build_absolute_uri(request.path)
        before, after = (
            None if number is None else f"{address}?cursor={number}" for number in (page.before, page.after)
        )
        return Response(PlacesAnswer(next=after, previous=before, results=page.rows))


class EntryOfTournament(APIView):
    @extend_schema(operation_id="enter_tournament", request=None, responses=responses(OwnPart, 404, 409, 429))
    def post(self, request: Request, tournament_id: int) -> Response:
        """Enter: the entry goes from your chips into the pot. Repeating the call changes nothing."""
        return _own(services.enter_player(tournament_id=tournament_id, user=signed_in_player(request)))

    @extend_schema(operation_id="withdraw_from_tournament", responses=responses(None, 404, 409, status=204))
    def delete(self, request: Request, tournament_id: int) -> Response:
        """Withdraw before it begins: the whole entry comes back. Repeating the call changes nothing."""
        tournaments.withdraw_entry(tournament_id=tournament_id, user=signed_in_player(request))
        return Response(status=204)


class BackToTournament(APIView):
    @extend_schema(operation_id="back_to_tournament", request=None, responses=responses(OwnPart, 404, 409))
    def post(self, request: Request, tournament_id: int) -> Response:
        """Be paired again in an arena; in a knock-out end that you are dropped at each deal."""
        return _own(tournaments.come_back(tournament_id=tournament_id, user=signed_in_player(request)))

    @extend_schema(operation_id="step_away_from_tournament", responses=responses(OwnPart, 404, 409))
    def delete(self, request: Request, tournament_id: int) -> Response:
        """Be paired no more in an arena until you come back."""
        return _own(tournaments.step_away(tournament_id=tournament_id, user=signed_in_player(request)))


def _own(entrant: Entrant) -> Response:
    return Response(selectors.own_values(tournament_of(entrant.tournament_id), entrant))
