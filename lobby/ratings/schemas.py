"""The requests and answers of the API of ratings."""

from typing import Any

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


class ArenaPlaces(serializers.Serializer[Any]):
    first = serializers.IntegerField()
    second = serializers.IntegerField()
    third = serializers.IntegerField()


class BoardLine(serializers.Serializer[Any]):
    place = serializers.IntegerField(allow_null=True, help_text="Null before thirty rated matches.")
    name = serializers.CharField(allow_null=True, help_text="Null for who hides it.")
    rating = serializers.IntegerField(help_text="1000 + 40 x (mu - 3 x sigma).")
    uncertainty = serializers.IntegerField(help_text="40 x sigma.")
    matches = serializers.IntegerField(help_text="Rated ones, in this family.")
    value = serializers.IntegerField(allow_null=True, help_text="What the board is by; null where that is `arenas`.")
    arenas = ArenaPlaces(allow_null=True)


class BoardAnswer(serializers.Serializer[Any]):
    family = serializers.CharField()
    period = serializers.CharField()
    by = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    least_matches = serializers.IntegerField(help_text="Nobody has a place before so many.")
    results = BoardLine(many=True)
    next = serializers.CharField(allow_null=True)
    me = BoardLine(allow_null=True, help_text="Your own line, whichever page it is on.")


class RatedContest(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    rating = serializers.IntegerField()
    place = serializers.IntegerField()


class FamilyRating(serializers.Serializer[Any]):
    family = serializers.CharField()
    mu = serializers.FloatField()
    sigma = serializers.FloatField()
    rating = serializers.IntegerField()
    uncertainty = serializers.IntegerField()
    matches = serializers.IntegerField()
    place = serializers.IntegerField(allow_null=True)
    curve = RatedContest(many=True)


class PlayerRatings(serializers.Serializer[Any]):
    name = serializers.CharField()
    families = FamilyRating(many=True)
