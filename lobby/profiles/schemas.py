"""The answers of the API of profiles."""

from typing import Any

from rest_framework import serializers

from lobby.profiles.selectors import LEAST_LETTERS
from lobby.ratings.schemas import FamilyRating


class SearchQuery(serializers.Serializer[Any]):
    name = serializers.CharField(min_length=LEAST_LETTERS, max_length=20, help_text="How the name begins.")


class PlayerFound(serializers.Serializer[Any]):
    name = serializers.CharField()
    avatar = serializers.CharField(help_text="The address of a picture; empty for none.")
    has_page = serializers.BooleanField(help_text="Whether they have a profile.")


class PlayersFound(serializers.Serializer[Any]):
    results = PlayerFound(many=True)


class FamilyMatches(serializers.Serializer[Any]):
    family = serializers.CharField()
    matches = serializers.IntegerField(help_text="Rated ones.")
    shows = serializers.IntegerField(help_text="Valid ones, in rated matches.")


class TournamentPlace(serializers.Serializer[Any]):
    tournament = serializers.IntegerField()
    title = serializers.CharField()
    place = serializers.IntegerField()
    entered = serializers.IntegerField()


class SharedLink(serializers.Serializer[Any]):
    title = serializers.CharField()
    ended_at = serializers.DateTimeField()
    address = serializers.CharField()


class ProfileAnswer(serializers.Serializer[Any]):
    name = serializers.CharField()
    avatar = serializers.CharField(help_text="The address of a picture; empty for none.")
    ratings = FamilyRating(many=True, allow_null=True, help_text="Null, as each part below: hidden from you.")
    matches = FamilyMatches(many=True, allow_null=True)
    places = TournamentPlace(many=True, allow_null=True, help_text="The best, in tournaments that are over.")
    friends = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Friends in common; null for your own profile."
    )
    deals = SharedLink(many=True, allow_null=True, help_text="The last ones of open tables that they share.")
    hidden = serializers.ListField(
        child=serializers.CharField(), help_text="Of your own profile: the parts that others do not see."
    )
