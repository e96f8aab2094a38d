"""Tournaments over HTTP: the list, one of them, its places, and one's own part."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.tournaments import selectors, services
from lobby.tournaments.selectors import tournament_of
from tables.models import Entrant, Tournament, TournamentKind
from tables.tournaments import services as tournaments
from wallet.base.api import NewestFirst, responses, sent_query


class TournamentsQuery(serializers.Serializer[Any]):
    status = serializers.ChoiceField(required=False, choices=Tournament.Status.values)
    kind = serializers.ChoiceField(required=False, choices=TournamentKind.values)


class StandingsQuery(serializers.Serializer[Any]):
    cursor = serializers.IntegerField(required=False, default=0, min_value=0, max_value=1_000_000)


class PrizeShare(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    share_percent = serializers.IntegerField(help_text="Of what was entered, after the fee; whole units.")


class TournamentAnswer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(TournamentKind.values)
    book = serializers.CharField()
    seats = serializers.IntegerField(help_text="The most at a table.")
    status = serializers.ChoiceField(Tournament.Status.values)
    paused = serializers.BooleanField(help_text="By staff: nothing begins until they let it go on.")
    entry = serializers.IntegerField(help_text="0: free.")
    fee = serializers.IntegerField(help_text="What the house takes of all entries, as many as there are now.")
    fee_percent = serializers.IntegerField()
    currency = serializers.CharField()
    least = serializers.IntegerField(help_text="With fewer it is cancelled, and all entries go back.")
    most = serializers.IntegerField()
    entered = serializers.IntegerField()
    opens_at = serializers.DateTimeField()
    starts_at = serializers.DateTimeField(allow_null=True, help_text="Null: when it is full.")
    ends_at = serializers.DateTimeField(allow_null=True, help_text="Of an arena: from here on no deal begins.")
    deals = serializers.IntegerField(allow_null=True, help_text="Of a round; null in an arena.")
    least_deals = serializers.IntegerField(allow_null=True, help_text="Of an arena: so many for a place.")
    go_on = serializers.IntegerField(allow_null=True, help_text="Of a knock-out: so many of each table at least.")
    prizes = PrizeShare(many=True)


class TournamentsPage(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = TournamentAnswer(many=True)


class DrawProof(serializers.Serializer[Any]):
    tournament = serializers.IntegerField()
    round = serializers.IntegerField()
    commitment = serializers.CharField()
    seed = serializers.CharField(help_text="64 bytes as hex, that were fixed before anybody could enter.")
    entrants = serializers.ListField(
        child=serializers.IntegerField(), help_text="Their numbers in the order of entry: what is shuffled."
    )
    names = serializers.DictField(child=serializers.CharField(), help_text="The name of each entrant, by number.")
    seats = serializers.IntegerField(help_text="The most at a table.")
    tables = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Who sat at each table, in the order of its seats, the larger tables first.",
    )
    honest = serializers.BooleanField(help_text="Whether the platform itself finds that seed and seats agree.")


class RoundAnswer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    begins_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    tables = serializers.IntegerField()
    commitment = serializers.CharField()
    proof = DrawProof(allow_null=True, help_text="Null until its seats are drawn.")


class OwnPart(serializers.Serializer[Any]):
    entered = serializers.BooleanField()
    status = serializers.ChoiceField(["in", "out", "left"])
    chips = serializers.IntegerField()
    place = serializers.IntegerField(allow_null=True)
    table = serializers.IntegerField(allow_null=True, help_text="Where you play now.")
    automatic = serializers.BooleanField(help_text="You were away, and are dropped at each deal until you are back.")
    away = serializers.BooleanField(help_text="In an arena: you are not paired until you are back.")
    prize = serializers.IntegerField()


class TournamentDetail(TournamentAnswer):
    rounds = RoundAnswer(many=True)
    me = OwnPart(allow_null=True)


class PlaceAnswer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="The number that the draws name them by.")
    place = serializers.IntegerField(
        allow_null=True,
        help_text="Equals share one. Null before the start, and in an arena before the least number of deals.",
    )
    name = serializers.CharField()
    bot = serializers.BooleanField()
    chips = serializers.IntegerField()
    deals_won = serializers.IntegerField()
    points_lost = serializers.IntegerField()
    status = serializers.ChoiceField(["in", "out", "left"])
    prize = serializers.IntegerField()
    refilled = serializers.BooleanField(help_text="In an arena: they have had their chips once more.")


class PlacesAnswer(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = PlaceAnswer(many=True)


class Tournaments(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="tournaments", parameters=[TournamentsQuery], responses=responses(TournamentsPage, 400))
    def get(self, request: Request) -> Response:
        """Return the tournaments of that status and kind, newest first, in pages."""
        pages = NewestFirst()
        query = sent_query(TournamentsQuery, request)
        found = pages.paginate_queryset(selectors.listed(**query), request) or []
        return pages.get_paginated_response([selectors.tournament_values(each) for each in found])


class OneTournament(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="tournament", responses=responses(TournamentDetail, 404))
    def get(self, request: Request, tournament_id: int) -> Response:
        """Return a tournament with its rounds, the draw of each with its proof, and your own part in it."""
        tournament = tournament_of(tournament_id)
        entrant = selectors.own_entrant(tournament, request.user)
        return Response({
            **selectors.tournament_values(tournament),
            "rounds": selectors.rounds_with_draws(tournament),
            "me": None if entrant is None else selectors.own_values(tournament, entrant),
        })  # fmt: skip


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
        return Response({"next": after, "previous": before, "results": page.rows})


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
