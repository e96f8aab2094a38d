"""The answers of the API of profiles."""

from datetime import datetime
from typing import Annotated, Any, TypedDict

from rest_framework import serializers

from lobby.profiles.selectors import LEAST_LETTERS
from lobby.ratings.schemas import FamilyRating


class SearchQuery(serializers.Serializer[Any]):
    name = serializers.CharField(min_length=LEAST_LETTERS, max_length=20, help_text="How the name begins.")


class PlayerFound(TypedDict):
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    has_page: Annotated[bool, "Whether they have a profile."]


class PlayersFound(TypedDict):
    results: list[PlayerFound]


class FamilyMatches(TypedDict):
    family: str
    matches: Annotated[int, "Rated ones."]
    shows: Annotated[int, "Valid ones, in rated matches."]


class TournamentPlace(TypedDict):
    tournament: int
    title: str
    place: int
    entered: int


class SharedLink(TypedDict):
    title: str
    ended_at: datetime
    address: str


class ProfileAnswer(TypedDict):
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    ratings: Annotated[list[FamilyRating] | None, "Null, as each part below: hidden from you."]
    matches: list[FamilyMatches] | None
    places: Annotated[list[TournamentPlace] | None, "The best, in tournaments that are over."]
    friends: Annotated[list[str] | None, "Friends in common; null for your own profile."]
    deals: Annotated[list[SharedLink] | None, "The last ones of open tables that they share."]
    hidden: Annotated[list[str], "Of your own profile: the parts that others do not see."]
