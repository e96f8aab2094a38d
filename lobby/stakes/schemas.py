"""The requests and answers of the lobby's API."""

from typing import Any

from rest_framework import serializers

from rules.bots import Strength
from wallet.base.amounts import WholeAmount
from wallet.base.api import CurrencyField, RefusalBody as RefusalBody

LARGEST = 2**53


class SitDown(serializers.Serializer[Any]):
    buy_in = WholeAmount(
        required=False,
        allow_null=True,
        help_text="Smallest units of the stake's currency; the least buy-in when left out. An entry is taken as it is.",
    )
    seat = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=6)


class PracticeRequest(serializers.Serializer[Any]):
    book = serializers.CharField(max_length=40)
    players = serializers.IntegerField(
        min_value=2, max_value=6, help_text="Everybody at the table, you included; all others are computer players."
    )
    strength = serializers.ChoiceField(choices=list(Strength), default=Strength.SOUND)
    unhurried = serializers.BooleanField(default=False, help_text="No turn ends by itself.")


class PrivateRequest(serializers.Serializer[Any]):
    """Either a `stake`, or a `book` with one's own terms within their limits; those left out take usual values."""

    stake = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
    book = serializers.CharField(required=False, max_length=40)
    seats = serializers.IntegerField(required=False)
    deals = serializers.IntegerField(required=False, help_text="1 to 10, where the book counts the deals of a match.")
    point_value = WholeAmount(required=False, help_text="Fun chips, 1 to 1,000: points and blind books.")
    entry = WholeAmount(required=False, help_text="Fun chips, 1 to 100,000: pool and deals books.")
    turn_seconds = serializers.IntegerField(required=False, help_text="10 to 120.")
    extra_seconds = serializers.IntegerField(required=False, help_text="5 to 120.")
    meld_seconds = serializers.IntegerField(required=False, help_text="20 to 180.")
    result_seconds = serializers.IntegerField(required=False, help_text="5 to 60.")


class LobbyQuery(serializers.Serializer[Any]):
    family = serializers.ChoiceField(required=False, choices=["points", "blind", "pool", "deals"])
    seats = serializers.IntegerField(required=False, min_value=2, max_value=6)
    currency = CurrencyField(required=False)
    min = serializers.IntegerField(required=False, min_value=0, help_text="Least amount to sit down with.")
    max = serializers.IntegerField(required=False, min_value=0, help_text="Largest least amount to sit down with.")


class SeatAnswer(serializers.Serializer[Any]):
    table = serializers.IntegerField()
    seat = serializers.IntegerField()


class Code(serializers.Serializer[Any]):
    code = serializers.CharField()


class TableAnswer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    name = serializers.CharField(allow_null=True)
    bot = serializers.BooleanField()


class OpenTable(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    seats = TableAnswer(many=True)
    seated = serializers.IntegerField()
    waiting = serializers.IntegerField()
    playing = serializers.IntegerField()
    phase = serializers.CharField()
    joinable = serializers.BooleanField()
    watchable = serializers.BooleanField(help_text="One deal behind: `GET /api/tables/{id}/watch/`.")


class OpenTablePage(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = OpenTable(many=True)


class StakeAnswer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    active = serializers.BooleanField(help_text="False in a push: no longer offered.")
    title = serializers.CharField()
    book = serializers.CharField()
    family = serializers.CharField()
    seats = serializers.IntegerField()
    currency = serializers.CharField()
    point_value = serializers.IntegerField(allow_null=True)
    entry = serializers.IntegerField(allow_null=True)
    fee_percent = serializers.IntegerField()
    minimum = serializers.IntegerField(help_text="Least amount to sit down with.")
    maximum = serializers.IntegerField(allow_null=True, help_text="Largest amount; null: the balance.")
    seated = serializers.IntegerField()
    waiting = serializers.IntegerField()
    playing = serializers.IntegerField()
    tables_open = serializers.IntegerField(help_text="How many tables are open; `/api/stakes/{id}/tables/` has all.")
    tables = OpenTable(many=True, help_text="The few that a newcomer would look at first.")


class LobbyAnswer(serializers.Serializer[Any]):
    stakes = StakeAnswer(many=True)
