"""Puzzles over HTTP: the next one, an answer, and runs against the clock."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.models import Player
from lobby.accounts.sign_in import signed_in_player
from lobby.puzzles import presenters, runs, schemas, selectors, services
from tables.errors import TableError
from tables.play import store
from wallet.base.api import REFUSED, sent_body, sent_query
from wallet.language import gettext as _

_REFUSALS: dict[Any, Any] = {
    (400, "application/json"): REFUSED,
    (404, "application/json"): REFUSED,
    (409, "application/json"): REFUSED,
}


def solver_or_visitor(user: object) -> Player | None:
    """Return the player who asks; None for a visitor, whose answers are judged and not kept."""
    return user if isinstance(user, Player) else None


class NextPuzzle(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="next_puzzle",
        parameters=[schemas.PuzzleQuery],
        responses={200: schemas.PuzzleAsked, (404, "application/json"): REFUSED},
    )
    def get(self, request: Request) -> Response:
        """Return a puzzle near your rating that you have not tried. Its solution comes with the answer only."""
        kind = sent_query(schemas.PuzzleQuery, request).get("kind", "")
        puzzle = selectors.next_puzzle(solver_or_visitor(request.user), kind)
        if puzzle is None:
            raise TableError("no_puzzles", _("There are no puzzles yet."), status=404)
        return Response(presenters.asked(puzzle))


class AnswerPuzzle(APIView):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="answer_puzzle",
        request=schemas.PuzzleAnswer,
        responses={200: schemas.PuzzleJudged, **_REFUSALS},
    )
    def post(self, request: Request, puzzle_id: int) -> Response:
        """Judge your answer. The first of a player with a name is rated; a later one, or one in a run, never."""
        body = sent_body(schemas.PuzzleAnswer, request)
        player = solver_or_visitor(request.user)
        if "run" not in body:
            judged = services.answer_puzzle(puzzle_id=puzzle_id, answer=body["answer"], player=player)
            return Response({"told": presenters.told(judged), "run": None})
        if player is None:
            raise TableError("not_found", _("There is no such run."), status=404)
        came = runs.answer_in_run(player=player, run_id=body["run"], puzzle_id=puzzle_id, answer=body["answer"])
        told = None if came.judged is None else presenters.told(came.judged)
        return Response({"told": told, "run": presenters.run_values(came.run, store.now_ms())})


class PuzzleRuns(APIView):
    @extend_schema(
        operation_id="start_puzzle_run",
        request=None,
        responses={200: schemas.RunNow, (404, "application/json"): REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Begin a run of 60 seconds; answers to its puzzles name it. It ends with the third wrong answer."""
        run = runs.start_run(signed_in_player(request))
        return Response(presenters.run_values(run, store.now_ms()))
