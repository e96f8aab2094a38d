"""The requests and answers of the API of ratings."""

from datetime import datetime
from typing import Annotated, Any, TypedDict

from rest_framework import serializers

from lobby.ratings.boards import BoardOrder, BoardPeriod
from rules.books import Family


class BoardQuery(serializers.Serializer[Any]):
    family = serializers.ChoiceField(choices=[family.value for family in Family], default=Family.POINTS.value)
    period = serializers.ChoiceField(choices=[period.value for period in BoardPeriod], default=BoardPeriod.ALL.value)
    by = serializers.ChoiceField(
        choices=[by.value for by in BoardOrder],
        required=False,
        help_text="The rating where the period is `all`, else what of it was won in the period, unless this is given.",
    )
    cursor = serializers.IntegerField(
        min_value=0, max_value=10**6, default=0, help_text="`next` of the page before, to go on with it."
    )


class ArenaPlaces(TypedDict):
    first: int
    second: int
    third: int


class BoardLine(TypedDict):
    place: Annotated[int | None, "Null before thirty rated matches."]
    name: Annotated[str | None, "Null for who hides it."]
    rating: Annotated[int, "1000 + 40 x (mu - 3 x sigma)."]
    uncertainty: Annotated[int, "40 x sigma."]
    matches: Annotated[int, "Rated ones, in this family."]
    value: Annotated[int | None, "What the board is by; null where that is `arenas`."]
    arenas: ArenaPlaces | None


class BoardAnswer(TypedDict):
    family: str
    period: str
    by: str
    since: datetime | None
    least_matches: Annotated[int, "Nobody has a place before so many."]
    results: list[BoardLine]
    next: str | None
    me: Annotated[BoardLine | None, "Your own line, whichever page it is on."]


class RatedContest(TypedDict):
    at: datetime
    rating: int
    place: int


class FamilyRating(TypedDict):
    family: str
    mu: float
    sigma: float
    rating: int
    uncertainty: int
    matches: int
    place: int | None
    curve: list[RatedContest]


class PlayerRatings(TypedDict):
    name: str
    families: list[FamilyRating]
