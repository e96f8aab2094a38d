"""Analyses over HTTP, asked for and read as far as they are, and the board, where any position is analysed."""

from typing import Annotated, Any, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rules.analysis import Summary
from rules.game import view_for
from tables.analysis import board, services, story
from tables.errors import TableError
from tables.history import selectors as history
from tables.language import translate_content
from tables.models import Analysis
from wallet.base.api import player_of, responses, sent_body
from wallet.language import gettext as _


class AnalysisWish(serializers.Serializer[Any]):
    samples = serializers.IntegerField(
        default=services.SAMPLES,
        min_value=services.LEAST_SAMPLES,
        max_value=services.MOST_SAMPLES,
        help_text="Deals that are tried for each decision at the most.",
    )


class AnalysisAnswer(TypedDict):
    """An analysis as far as it is. Points are what the player wins from the others, below zero what they pay."""

    deal: int
    status: story.AnalysisState
    samples: int | None
    judged: Annotated[int, "Decisions that are judged, of `decisions`."]
    decisions: int | None
    left_today: Annotated[int, "Analyses that may still be asked for now."]
    reviews: Annotated[
        list[dict[str, Any] | None],
        "By decision: `event` `turn` `hand` `drawn` `played` `advice` `options` `samples` `lost` `grade` `drop`; null "
        "where it could not be judged. Each of `options`, the best first, has `move`, and `points`, `win` and `lead` "
        "over the move played as mean, low and high end of a 95 % interval.",
    ]
    summary: Annotated[
        Summary | None, "`lost`: mean points lost by a decision; `grades`; `dearest`: event of a discard."
    ]


class DealAnalysis(APIView):
    """The analysis of the player's own part in a finished deal."""

    @extend_schema(operation_id="deal_analysis", responses=responses(AnalysisAnswer, 403, 404))
    def get(self, request: Request, deal_id: int) -> Response:
        """Return the analysis as far as it is; its status is none before it was asked for."""
        deal = history.own_deal(player_of(request), deal_id)
        return self._answer(request, deal_id, services.analysis_of(player_of(request), deal))

    @extend_schema(
        operation_id="deal_analysis_ask",
        request=AnalysisWish,
        responses={**responses(AnalysisAnswer, status=202), **responses(AnalysisAnswer, 400, 403, 404, 409, 429)},
    )
    def post(self, request: Request, deal_id: int) -> Response:
        """Ask for the analysis; the same call again answers the same.

        `not_open_yet`, `bad_samples`, `not_scored`, `nothing_to_analyse`, `no_longer_kept`, `too_many_analyses`.
        """
        wish = sent_body(AnalysisWish, request)
        return self._answer(request, deal_id, services.ask(player_of(request), deal_id, wish["samples"]))

    def _answer(self, request: Request, deal_id: int, found: Analysis | None) -> Response:
        content: AnalysisAnswer = {
            "deal": deal_id,
            "status": story.state_of(found),
            "samples": found.samples if found else None,
            "judged": found.judged if found else 0,
            "decisions": found.decisions if found else None,
            "left_today": services.left_today(player_of(request)),
            "reviews": found.reviews if found else [],
            "summary": story.summary_of(found) if found else None,
        }
        working = request.method == "POST" and found is not None and found.done_at is None
        return Response(content, status=status.HTTP_202_ACCEPTED if working else status.HTTP_200_OK)


class BoardMove(serializers.Serializer[Any]):
    text = serializers.CharField(
        min_length=1, max_length=board.MOST_BYTES, trim_whitespace=False, help_text="The deal in Rummy Deal Notation."
    )
    seat = serializers.IntegerField(min_value=0, max_value=5, default=0)
    at = serializers.IntegerField(
        min_value=0, allow_null=True, default=None, help_text="After so many moves; null: after all."
    )
    move = serializers.CharField(
        max_length=16,
        allow_blank=True,
        default="",
        help_text="`draw closed`, `draw open`, `discard 7H1`, `finish 7H1`, `finish`, `drop`; `wait`: the others move "
        "until it is the turn of the seat; empty: nothing is done.",
    )


class BoardPlayed(TypedDict):
    text: Annotated[str, "The deal after the move and the answers of the computer players."]
    at: Annotated[int, "Moves made."]
    acts: Annotated[int | None, "The seat whose move is awaited."]
    view: Annotated[dict[str, Any], "As in a frame of the table socket, for the seat."]


class PlayOnBoard(APIView):
    """Any deal in notation, played on against computer players."""

    @extend_schema(operation_id="board", request=BoardMove, responses=responses(BoardPlayed, 400, 429))
    def post(self, request: Request) -> Response:
        """Make a move in the deal of this text, and return the text after the answers to it.

        `bad_notation` names the line, `bad_move`, `too_large`; `code` of the rules for a move that is not legal.
        """
        sent = sent_body(BoardMove, request)
        board.count_request(player_of(request).pk)
        text, at, seat = sent["text"], sent["at"], sent["seat"]
        if sent["move"]:
            text, at = board.answered(text, at, seat, sent["move"]), None
        found = board.position(text, at)
        if seat not in found.notation.dealt:
            raise TableError("bad_seat", _("Nobody sits there."), status=400)
        view = translate_content(view_for(found.state, seat, 0))
        return Response(BoardPlayed(text=text, at=found.at, acts=found.acts, view=dict(view)))
