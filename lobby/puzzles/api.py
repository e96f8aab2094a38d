"""Puzzles over HTTP: the next one, an answer, and runs against the clock."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.puzzles import presenters, runs, selectors, services
from lobby.puzzles.models import PuzzleKind
from tables.errors import TableError
from tables.play import store
from wallet.base.api import responses, sent_body, sent_query
from wallet.language import gettext as _

KINDS = [kind.value for kind in PuzzleKind]


class PuzzleQuery(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=KINDS, required=False, help_text="Only of this kind.")


class SeenDiscard(serializers.Serializer[Any]):
    seat = serializers.IntegerField(allow_null=True, help_text="Who let it go; null: the upcard.")
    card = serializers.CharField()
    picked_by = serializers.IntegerField(allow_null=True)


class SeenPlayer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    cards = serializers.IntegerField()
    standing = serializers.CharField()
    points = serializers.IntegerField(allow_null=True)
    draws = serializers.IntegerField()
    known = serializers.ListField(child=serializers.CharField(), help_text="Picked up by them, and not let go.")


class PuzzlePosition(serializers.Serializer[Any]):
    hand = serializers.ListField(child=serializers.CharField())
    drawn = serializers.CharField(allow_null=True)
    seat = serializers.IntegerField(help_text="Yours.")
    turn = serializers.IntegerField(help_text="Of the deal, from 1.")
    closed_count = serializers.IntegerField()
    discards = SeenDiscard(many=True, help_text="In their order, the last one on top.")
    seats = SeenPlayer(many=True, help_text="In the order of turns, the first player first.")
    first_drop = serializers.IntegerField(
        allow_null=True, help_text="What a drop costs now; null after the first draw."
    )


class PuzzleAsked(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=KINDS)
    book = serializers.CharField()
    rating = serializers.IntegerField()
    cut = serializers.CharField()
    wild_rank = serializers.IntegerField()
    answers = serializers.ListField(child=serializers.CharField(), help_text="Those that may be given.")
    groups = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        allow_null=True,
        help_text="Of the kind `show`: answer `yes`, `lives` where a sequence is missing, or the number of the group.",
    )
    position = PuzzlePosition(allow_null=True, help_text="Of the other kinds.")


class PuzzleAnswer(serializers.Serializer[Any]):
    answer = serializers.CharField(max_length=10)
    run = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1, help_text="In a run, its number.")


class PuzzleTold(serializers.Serializer[Any]):
    puzzle = serializers.IntegerField()
    answer = serializers.CharField()
    solved = serializers.BooleanField()
    solution = serializers.CharField()
    reason = serializers.ListField(child=serializers.CharField())
    points = serializers.DictField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="What each answer is expected to win, in points: mean, and the ends of its 95 % interval.",
    )
    samples = serializers.IntegerField(allow_null=True)
    rated = serializers.BooleanField(help_text="Only the first answer of a player with a name, and none in a run.")
    rating = serializers.IntegerField(allow_null=True, help_text="Yours afterwards.")
    change = serializers.IntegerField()
    puzzle_rating = serializers.IntegerField()


class RunNow(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    remaining_ms = serializers.IntegerField(help_text="0 once it is over.")
    solved = serializers.IntegerField()
    wrong = serializers.IntegerField()
    last_ms = serializers.IntegerField(help_text="From the start to the last one solved.")
    puzzle = PuzzleAsked(allow_null=True)


class PuzzleJudged(serializers.Serializer[Any]):
    told = PuzzleTold(allow_null=True, help_text="Null in a run whose time was over.")
    run = RunNow(allow_null=True)


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
            return Response({"told": presenters.told(judged), "run": None})
        if player is None:
            raise TableError("not_found", _("There is no such run."), status=404)
        came = runs.answer_in_run(player=player, run_id=body["run"], puzzle_id=puzzle_id, answer=body["answer"])
        told = None if came.judged is None else presenters.told(came.judged)
        return Response({"told": told, "run": presenters.run_values(came.run, store.now_ms())})


class PuzzleRuns(APIView):
    @extend_schema(operation_id="start_puzzle_run", request=None, responses=responses(RunNow, 404))
    def post(self, request: Request) -> Response:
        """Begin a run of 60 seconds; answers to its puzzles name it. It ends with the third wrong answer."""
        run = runs.start_run(signed_in_player(request))
        return Response(presenters.run_values(run, store.now_ms()))
