"""Answers of the API: their TypedDicts are the only declaration, of types and of the described fields alike."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework import serializers

from wallet.base.api import serializer_of


class Part(TypedDict):
    at: datetime | None


class Whole(TypedDict):
    """What is asked for."""

    part: Annotated[Part | None, "Null: none."]
    parts: list[Part]
    names: list[str]
    state: Literal["open", "over"]
    share: float


class Strange(TypedDict):
    blob: bytes


def test_a_field_follows_from_its_type_and_its_text() -> None:
    fields = serializer_of(Whole)().fields
    assert {name: type(field).__name__ for name, field in fields.items()} == {
        "part": "Part", "parts": "ListSerializer", "names": "ListField", "state": "ChoiceField", "share": "FloatField",
    }  # fmt: skip
    assert (fields["part"].allow_null, fields["part"].help_text) == (True, "Null: none.")
    assert isinstance(fields["state"], serializers.ChoiceField) and list(fields["state"].choices) == ["open", "over"]
    assert serializer_of(Whole) is serializer_of(Whole), "one name, one component of the description"


def test_a_type_without_a_field_is_refused() -> None:
    with pytest.raises(KeyError):
        serializer_of(Strange)


def test_answers_are_described_under_their_own_names() -> None:
    described = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    assert {"StakeAnswer", "ProfileAnswer", "CareView", "Me", "BoardLine"} <= described.keys()
    stake = described["StakeAnswer"]
    assert set(stake["required"]) == set(stake["properties"]), "every answer has every field"
    assert stake["properties"]["entry"] == {"type": "integer", "nullable": True}
