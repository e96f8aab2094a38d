"""Puzzles over HTTP: the next one, an answer, and runs against the clock."""

from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.puzzles import presenters, runs, selectors, services
from lobby.puzzles.models import PuzzleKind
from lobby.puzzles.presenters import PuzzleAsked, PuzzleTold, RunNow
from tables.errors import TableError
from tables.play import store
from wallet.base.api import responses, sent_body, sent_query
from wallet.language import gettext as _


class PuzzleQuery(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=PuzzleKind.values, required=False, help_text="Only of this kind.")


class PuzzleAnswer(serializers.Serializer[Any]):
    answer = serializers.CharField(min_length=1, max_length=10)
    run = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1, help_text="In a run, its number.")


class PuzzleJudged(TypedDict):
    told: Annotated[PuzzleTold | None, "Null in a run whose time was over."]
    run: RunNow | None


class NextPuzzle(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="next_puzzle", parameters=[PuzzleQuery], responses=responses(PuzzleAsked, 404))
    def get(self, request: Request) -> Response:
        """Return a puzzle near your rating that you have not tried. Its solution comes with the answer only."""
        kind = sent_query(PuzzleQuery, request).get("kind", "")
        puzzle = selectors.next_puzzle(player_or_visitor(request), kind)
        if puzzle is None:
            raise TableError("no_puzzles", _("There are no puzzles yet."), status=404)
        return Response(presenters.asked(puzzle))


class AnswerPuzzle(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="answer_puzzle", request=PuzzleAnswer, responses=responses(PuzzleJudged, 400, 404, 409))
    def post(self, request: Request, puzzle_id: int) -> Response:
        """Judge your answer. The first of a player with a name is rated; a later one, or one in a run, never."""
        body = sent_body(PuzzleAnswer, request)
        player = player_or_visitor(request)
        if "run" not in body:
            judged = services.answer_puzzle(puzzle_id=puzzle_id, answer=body["answer"], player=player)
            return Response(PuzzleJudged(told=presenters.told(judged), run=None))
        if player is None:
            raise TableError("not_found", _("There is no such run."), status=404)
        came = runs.answer_in_run(player=player, run_id=body["run"], puzzle_id=puzzle_id, answer=body["answer"])
        told = None if came.judged is None else presenters.told(came.judged)
        return Response(PuzzleJudged(told=told, run=presenters.run_values(came.run, store.now_ms())))


class PuzzleRuns(APIView):
    @extend_schema(operation_id="start_puzzle_run", request=None, responses=responses(RunNow, 404))
    def post(self, request: Request) -> Response:
        """Begin a run of 60 seconds; answers to its puzzles name it. It ends with the third wrong answer."""
        run = runs.start_run(signed_in_player(request))
        return Response(presenters.run_values(run, store.now_ms()))
