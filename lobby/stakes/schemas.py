"""The requests and answers of the lobby's API."""

from typing import Annotated, Any, TypedDict

from rest_framework import serializers

from rules.bots import Strength
from wallet.base.amounts import WholeAmount
from wallet.base.api import CurrencyField

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


class SeatAnswer(TypedDict):
    table: int
    seat: int


class TableCode(TypedDict):
    code: str


class TableAnswer(TypedDict):
    seat: int
    name: str | None
    bot: bool


class OpenTable(TypedDict):
    id: int
    title: str
    seats: list[TableAnswer]
    seated: int
    waiting: int
    playing: int
    phase: str
    joinable: bool
    watchable: Annotated[bool, "One deal behind: `GET /api/tables/{id}/watch/`."]


class OpenTablePage(TypedDict):
    next: str | None
    previous: str | None
    results: list[OpenTable]


class StakeAnswer(TypedDict):
    id: int
    active: Annotated[bool, "False in a push: no longer offered."]
    title: str
    book: str
    family: str
    seats: int
    currency: str
    point_value: int | None
    entry: int | None
    fee_percent: int
    minimum: Annotated[int, "Least amount to sit down with."]
    maximum: Annotated[int | None, "Largest amount; null: the balance."]
    seated: int
    waiting: int
    playing: int
    tables_open: Annotated[int, "How many tables are open; `/api/stakes/{id}/tables/` has all."]
    tables: Annotated[list[OpenTable], "The few that a newcomer would look at first."]


class LobbyAnswer(TypedDict):
    stakes: list[StakeAnswer]
