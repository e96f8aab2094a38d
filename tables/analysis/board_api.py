"""The board over HTTP: a text and a move in, the text after it and the view of the seat out. Nothing is kept."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rules.game import view_for
from tables.analysis import board
from tables.errors import TableError
from tables.language import translate_content
from wallet.base.api import REFUSED, player_of, sent_body
from wallet.language import gettext as _


class BoardMove(serializers.Serializer[Any]):
    text = serializers.CharField(
        max_length=board.MOST_BYTES, trim_whitespace=False, help_text="The deal in Rummy Deal Notation."
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


class BoardShape(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="The deal after the move and the answers of the computer players.")
    at = serializers.IntegerField(help_text="Moves made.")
    acts = serializers.IntegerField(allow_null=True, help_text="The seat whose move is awaited.")
    view = serializers.DictField(help_text="As in a frame of the table socket, for the seat.")


class PlayOnBoard(APIView):
    """Any deal in notation, played on against computer players."""

    @extend_schema(operation_id="board", request=BoardMove, responses={200: BoardShape, 400: REFUSED, 429: REFUSED})
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
        return Response({"text": text, "at": found.at, "acts": found.acts, "view": view})
