"""Watching over HTTP: what is to be seen at a table at this moment."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from tables.watching.pictures import picture, see
from tables.watching.scripts import script_of
from wallet.base.api import player_of, responses


class LiveSeat(serializers.Serializer[Any]):
    """A seat as it is now, without a card or a number of cards."""

    seat = serializers.IntegerField()
    name = serializers.CharField(allow_null=True)
    bot = serializers.BooleanField()
    status = serializers.CharField()
    stack = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)
    place = serializers.IntegerField(allow_null=True, help_text="In the tournament.")


class Live(serializers.Serializer[Any]):
    phase = serializers.CharField()
    stopped = serializers.BooleanField()
    deal = serializers.IntegerField(allow_null=True, help_text="The number of the running deal.")
    clock = serializers.DictField(allow_null=True, help_text="`kind`, `seat`, `deadline`, `length_ms`.")
    seats = LiveSeat(many=True)


class ShownDeal(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    since = serializers.IntegerField(help_text="When its first card was shown, in ms since 1970 UTC.")
    seats = serializers.ListField(child=serializers.DictField(), help_text="`seat`, `name`, `bot`.")
    steps = serializers.ListField(
        child=serializers.DictField(),
        help_text="Those shown so far; each has what has changed since the one before, of `hands` seat by seat.",
    )
    result = serializers.ListField(child=serializers.DictField(), allow_null=True, help_text="Once it is shown.")


class WatchShape(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="`watch`")
    now = serializers.IntegerField(help_text="In ms since 1970 UTC.")
    table = serializers.DictField(help_text="As in the view of the table's socket.")
    live = Live()
    deal = ShownDeal(allow_null=True, help_text="None before the first deal has ended.")


class Watch(APIView):
    """A table, watched one deal behind with all hands open."""

    @extend_schema(operation_id="table_watch", responses=responses(WatchShape, 403, 404))
    def get(self, request: Request, table_id: int) -> HttpResponse:
        """Return what is to be seen now: of the deal before the running one the steps that are due, and how the table
        stands. `watching_forbidden` at private and practice tables, and where somebody hides their hands.
        """
        found = see(table_id)
        shown, account = found.shown, player_of(request).pk
        script = None if shown is None else script_of(shown.deal_id, account=account)
        return HttpResponse(picture(found, script, found.now), content_type="application/json")
