"""Puzzles as pages, rendered by the server, each of which works without JavaScript, and as API."""

from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import player_or_visitor, signed_in_player
from lobby.puzzles import presenters, runs, services
from lobby.puzzles.models import Puzzle, PuzzleKind
from lobby.puzzles.presenters import PuzzleAsked, PuzzleTold, RunNow
from lobby.puzzles.rating import UNCERTAIN
from tables.errors import TableError
from tables.play import store
from wallet.base.api import LARGEST_ID, responses, sent_body, sent_query
from wallet.language import gettext as _

#: So many answers are on a page of the history.
_SHOWN = 50


@require_safe
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Show the ways to puzzles, and where the player stands."""
    player = player_or_visitor(request)
    steps = services.path_of(player)
    solver = services.solver_of(player) if player is not None else None
    context = {
        "solver": solver,
        "rating": round(solver.rating) if solver is not None and solver.tries else None,
        "uncertain": solver is not None and solver.deviation > UNCERTAIN,
        "steps": len(steps),
        "done": sum(step.solved for step in steps),
        "best": runs.best_run(player) if player is not None else None,
        "kinds": [(kind.value, presenters.SHORT_TITLES[kind]) for kind in PuzzleKind],
        "count": Puzzle.objects.count(),
    }
    return render(request, "lobby/puzzles/home.html", context)


@require_safe
@never_cache
def next_one(request: HttpRequest) -> HttpResponseBase:
    """Lead to a puzzle near the player's rating, of the `kind` in the query if it names one."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in PuzzleKind.values else ""
    puzzle = services.next_puzzle(player_or_visitor(request), kind)
    if puzzle is None:
        messages.error(request, _("There are no puzzles yet."))
        return redirect("lobby:puzzles")
    response = redirect("lobby:puzzle", puzzle.pk)
    if kind:
        response["Location"] += f"?kind={kind}"
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, puzzle_id: int) -> HttpResponse:
    """Ask a puzzle; on POST judge the `answer`, and tell the solution with its reason."""
    puzzle, player = services.puzzle_of(puzzle_id), player_or_visitor(request)
    kind = request.GET.get("kind", "")
    context: dict[str, Any] = {**presenters.question_page(puzzle), "kind": kind if kind in PuzzleKind.values else ""}
    status = 200
    if request.method == "POST":
        try:
            judged = services.answer_puzzle(puzzle_id=puzzle_id, answer=request.POST.get("answer", ""), player=player)
            context |= {
                "told": presenters.told_page(judged),
                "after": _next_of_path(puzzle) if _in_path(request) else None,
            }
        except TableError as refusal:
            messages.error(request, refusal.message)
            status = refusal.status
    return render(request, "lobby/puzzles/puzzle.html", context | {"in_path": _in_path(request)}, status=status)


@require_safe
@never_cache
def path(request: HttpRequest) -> HttpResponse:
    """Show the path of thirty, and how far the player has come."""
    steps = services.path_of(player_or_visitor(request))
    parts = [
        {"title": presenters.SHORT_TITLES[kind], "steps": [step for step in steps if step.puzzle.kind == kind]}
        for kind in PuzzleKind
    ]
    context = {
        "parts": parts,
        "steps": len(steps),
        "done": sum(step.solved for step in steps),
        "next": next((step for step in steps if not step.solved), None),
    }
    return render(request, "lobby/puzzles/path.html", context)


@login_required
@require_safe
@never_cache
def history(request: HttpRequest) -> HttpResponse:
    """Show what the player has answered, the newest first."""
    pages = Paginator(services.tries_of(signed_in_player(request)), _SHOWN)
    shown = pages.get_page(request.GET.get("page"))
    rows = [
        {
            "try": each,
            "title": presenters.SHORT_TITLES[PuzzleKind(each.puzzle.kind)],
            "answer": presenters.answer_text(each.puzzle, each.answer),
        }
        for each in shown
    ]
    return render(request, "lobby/puzzles/history.html", {"rows": rows, "page": shown})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def run_start(request: HttpRequest) -> HttpResponseBase:
    """Show one's best runs; on POST begin one."""
    player = signed_in_player(request)
    if request.method == "POST":
        try:
            return redirect("lobby:puzzle_run", runs.start_run(player).pk)
        except TableError as refusal:
            messages.error(request, refusal.message)
    return render(
        request,
        "lobby/puzzles/run_start.html",
        {"best": runs.best_runs(player), "seconds": runs.LENGTH_MS // 1000, "wrong": runs.MOST_WRONG},
    )


@login_required
@never_cache
@require_safe
def run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the puzzle that the run asks now, or how it ended."""
    player = signed_in_player(request)
    running, now = runs.run_of(player, run_id), store.now_ms()
    left = runs.remaining_ms(running, now)
    context: dict[str, Any] = {"run": running, "left_ms": left, "left": -(-left // 1000), "wrong": runs.MOST_WRONG}
    if left:
        context |= presenters.question_page(services.puzzle_of(running.puzzles[running.place]))
    else:
        context["best"] = runs.best_run(player)
    return render(request, "lobby/puzzles/run.html", context)


@login_required
@require_POST
def run_answer(request: HttpRequest, run_id: int, puzzle_id: int) -> HttpResponseBase:
    """Judge an answer in a run, and lead to its next puzzle. One sent twice, or too late, changes nothing."""
    player = signed_in_player(request)
    try:
        came = runs.answer_in_run(
            player=player, run_id=run_id, puzzle_id=puzzle_id, answer=request.POST.get("answer", "")
        )
    except TableError as refusal:
        if refusal.status == 404:
            raise
    else:
        if came.judged is not None:
            word = _("Right.") if came.judged.solved else _("Wrong.")
            (messages.success if came.judged.solved else messages.error)(request, word)
    return redirect("lobby:puzzle_run", run_id)


def _in_path(request: HttpRequest) -> bool:
    return "path" in request.GET


def _next_of_path(puzzle: Puzzle) -> Puzzle | None:
    later = Puzzle.objects.filter(path_place__gt=puzzle.path_place or 0)
    return later.order_by("path_place").first()


# --- the API ----------------------------------------------------------------------------------------------------------


class PuzzleQuery(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=PuzzleKind.values, required=False, help_text="Only of this kind.")


class PuzzleAnswer(serializers.Serializer[Any]):
    answer = serializers.CharField(min_length=1, max_length=10)
    run = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST_ID, help_text="In a run, its number.")


class PuzzleJudged(TypedDict):
    told: Annotated[PuzzleTold | None, "Null in a run whose time was over."]
    run: RunNow | None


class NextPuzzle(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="next_puzzle", parameters=[PuzzleQuery], responses=responses(PuzzleAsked, 404))
    def get(self, request: Request) -> Response:
        """Return a puzzle near your rating that you have not tried. Its solution comes with the answer only."""
        kind = sent_query(PuzzleQuery, request).get("kind", "")
        puzzle = services.next_puzzle(player_or_visitor(request), kind)
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
