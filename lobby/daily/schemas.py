"""The answers of the API of the deal of the day, and of duplicate matches."""

from typing import Any

from rest_framework import serializers


class DayLine(serializers.Serializer[Any]):
    place = serializers.IntegerField(help_text="Equal results share it.")
    name = serializers.CharField(allow_null=True, help_text="Null for who hides it.")
    chips = serializers.IntegerField(
        allow_null=True, help_text="Won or lost; null until you have played the deal yourself or its day is over."
    )
    outcome = serializers.CharField(
        allow_null=True, help_text="won, lost, dropped, wrong or left; null as long as chips."
    )


class OwnDay(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=["none", "playing", "played", "frozen", "void"], help_text="void: cancelled by us, you may play again."
    )
    table = serializers.IntegerField(allow_null=True)
    deal = serializers.IntegerField(allow_null=True)
    outcome = serializers.CharField(allow_null=True)
    points = serializers.IntegerField(allow_null=True)
    chips = serializers.IntegerField(allow_null=True)
    counts = serializers.BooleanField(help_text="The deal was over before the day was.")
    turns = serializers.IntegerField(allow_null=True)
    place = serializers.IntegerField(allow_null=True)
    of = serializers.IntegerField()
    friends_place = serializers.IntegerField(allow_null=True, help_text="Among yourself and your friends.")
    friends = serializers.IntegerField()
    streak = serializers.IntegerField(help_text="Days in a row.")


class ShoeProof(serializers.Serializer[Any]):
    deal_id = serializers.CharField()
    commitment = serializers.CharField()
    seed = serializers.CharField(help_text="64 bytes as hex, that were fixed on the day before.")
    packs = serializers.IntegerField()
    honest = serializers.BooleanField()
    shoe = serializers.ListField(child=serializers.CharField())
    toss = serializers.ListField(child=serializers.CharField())


class DayAnswer(serializers.Serializer[Any]):
    date = serializers.DateField(help_text="Its day, in the zone of the reports.")
    status = serializers.ChoiceField(choices=["announced", "open", "over"])
    book = serializers.CharField()
    players = serializers.IntegerField(help_text="You and the computer players.")
    strength = serializers.CharField()
    deal_id = serializers.CharField(help_text="Stands for the id of the deal in the construction of the shoe.")
    commitment = serializers.CharField(help_text="SHA-256, published on the day before.")
    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    played = serializers.IntegerField(help_text="Results that count, so far.")
    results = DayLine(many=True, help_text="The best fifty.")
    me = OwnDay(allow_null=True)
    proof = ShoeProof(allow_null=True, help_text="Null until the day is over.")


class NextDay(serializers.Serializer[Any]):
    date = serializers.DateField()
    deal_id = serializers.CharField()
    commitment = serializers.CharField()
    begins_at = serializers.DateTimeField()


class TodayAnswer(DayAnswer):
    next = NextDay()


class DuplicateMatch(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Whoever has it may play.")
    made_by = serializers.CharField()
    status = serializers.ChoiceField(choices=["open", "over"])
    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()


class DuplicateCell(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The number of the deal in the match.")
    played = serializers.BooleanField()
    chips = serializers.IntegerField(
        allow_null=True, help_text="Null before it was played, and until you have played it or the match is over."
    )
    outcome = serializers.CharField(
        allow_null=True, help_text="won, lost, dropped, wrong or left; null as long as chips."
    )


class MatchLine(serializers.Serializer[Any]):
    place = serializers.IntegerField(
        allow_null=True, help_text="Null until all have played everything, you too, or the match is over."
    )
    name = serializers.CharField()
    me = serializers.BooleanField()
    chips = serializers.IntegerField(help_text="The sum of those that you see.")
    deals = DuplicateCell(many=True)


class OneDuplicateMatch(DuplicateMatch):
    book = serializers.CharField()
    players = serializers.IntegerField(help_text="You and the computer players.")
    strength = serializers.CharField()
    next_deal = serializers.IntegerField(allow_null=True, help_text="The number of your next deal; null: none is left.")
    results = MatchLine(many=True)
    proofs = ShoeProof(many=True, help_text="Empty until the match is over.")
