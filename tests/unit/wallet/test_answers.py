"""Answers of the API: the shape that is built is their only declaration, of types and of the described fields alike."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, TypedDict

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from wallet.base.api import serializer_of


class Part(TypedDict):
    at: datetime | None


class Suit(StrEnum):
    HEARTS = "hearts"
    SPADES = "spades"


@dataclass
class Counted:
    on: date
    by_name: dict[str, int]


class Whole(TypedDict):
    """What is asked for."""

    part: Annotated[Part | None, "Null: none."]
    parts: list[Part]
    names: list[str]
    state: Literal["open", "over"]
    share: float
    suit: Annotated[str | None, Suit, "Null: a joker."]
    counted: Counted
    rest: dict[str, Any]


class Strange(TypedDict):
    blob: bytes


def test_a_field_follows_from_its_type_and_its_text() -> None:
    fields = serializer_of(Whole)().fields
    assert {name: type(field).__name__ for name, field in fields.items()} == {
        "part": "Part", "parts": "ListSerializer", "names": "ListField", "state": "ChoiceField", "share": "FloatField",
        "suit": "ChoiceField", "counted": "Counted", "rest": "DictField",
    }  # fmt: skip
    assert (fields["part"].allow_null, fields["part"].help_text) == (True, "Null: none.")
    assert isinstance(fields["state"], serializers.ChoiceField) and list(fields["state"].choices) == ["open", "over"]
    suit = fields["suit"]
    assert isinstance(suit, serializers.ChoiceField) and list(suit.choices) == ["hearts", "spades"]
    assert (suit.allow_null, suit.help_text) == (True, "Null: a joker.")
    assert serializer_of(Whole) is serializer_of(Whole), "one name, one component of the description"


def test_a_dataclass_is_answered_field_by_field() -> None:
    counted = Counted(on=date(2026, 11, 28), by_name={"asha": 2})
    assert serializer_of(Counted)(counted).data == {"on": "2026-11-28", "by_name": {"asha": 2}}


def test_a_type_without_a_field_is_refused() -> None:
    with pytest.raises(KeyError):
        serializer_of(Strange)


def test_answers_are_described_under_their_own_names() -> None:
    described = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    assert {"StakeAnswer", "ProfileAnswer", "CareView", "Me", "BoardLine"} <= described.keys()
    stake = described["StakeAnswer"]
    assert set(stake["required"]) == set(stake["properties"]), "every answer has every field"
    assert stake["properties"]["entry"] == {"type": "integer", "nullable": True}
