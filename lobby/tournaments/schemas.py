"""The requests and answers of the API of tournaments."""

from typing import Any

from rest_framework import serializers

from tables.models import Tournament, TournamentKind
from wallet.base.api import RefusalBody as RefusalBody


class TournamentsQuery(serializers.Serializer[Any]):
    status = serializers.ChoiceField(required=False, choices=Tournament.Status.values)
    kind = serializers.ChoiceField(required=False, choices=TournamentKind.values)


class StandingsQuery(serializers.Serializer[Any]):
    cursor = serializers.IntegerField(required=False, default=0, min_value=0, max_value=1_000_000)


class PrizeShare(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    share_percent = serializers.IntegerField(help_text="Of what was entered, after the fee; whole units.")


class TournamentAnswer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(TournamentKind.values)
    book = serializers.CharField()
    seats = serializers.IntegerField(help_text="The most at a table.")
    status = serializers.ChoiceField(Tournament.Status.values)
    paused = serializers.BooleanField(help_text="By staff: nothing begins until they let it go on.")
    entry = serializers.IntegerField(help_text="0: free.")
    fee = serializers.IntegerField(help_text="What the house takes of all entries, as many as there are now.")
    fee_percent = serializers.IntegerField()
    currency = serializers.CharField()
    least = serializers.IntegerField(help_text="With fewer it is cancelled, and all entries go back.")
    most = serializers.IntegerField()
    entered = serializers.IntegerField()
    opens_at = serializers.DateTimeField()
    starts_at = serializers.DateTimeField(allow_null=True, help_text="Null: when it is full.")
    ends_at = serializers.DateTimeField(allow_null=True, help_text="Of an arena: from here on no deal begins.")
    deals = serializers.IntegerField(allow_null=True, help_text="Of a round; null in an arena.")
    least_deals = serializers.IntegerField(allow_null=True, help_text="Of an arena: so many for a place.")
    go_on = serializers.IntegerField(allow_null=True, help_text="Of a knock-out: so many of each table at least.")
    prizes = PrizeShare(many=True)


class TournamentsPage(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = TournamentAnswer(many=True)


class DrawProof(serializers.Serializer[Any]):
    tournament = serializers.IntegerField()
    round = serializers.IntegerField()
    commitment = serializers.CharField()
    seed = serializers.CharField(help_text="64 bytes as hex, that were fixed before anybody could enter.")
    entrants = serializers.ListField(
        child=serializers.IntegerField(), help_text="Their numbers in the order of entry: what is shuffled."
    )
    names = serializers.DictField(child=serializers.CharField(), help_text="The name of each entrant, by number.")
    seats = serializers.IntegerField(help_text="The most at a table.")
    tables = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Who sat at each table, in the order of its seats, the larger tables first.",
    )
    honest = serializers.BooleanField(help_text="Whether the platform itself finds that seed and seats agree.")


class RoundAnswer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    begins_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    tables = serializers.IntegerField()
    commitment = serializers.CharField()
    proof = DrawProof(allow_null=True, help_text="Null until its seats are drawn.")


class OwnPart(serializers.Serializer[Any]):
    entered = serializers.BooleanField()
    status = serializers.ChoiceField(["in", "out", "left"])
    chips = serializers.IntegerField()
    place = serializers.IntegerField(allow_null=True)
    table = serializers.IntegerField(allow_null=True, help_text="Where you play now.")
    automatic = serializers.BooleanField(help_text="You were away, and are dropped at each deal until you are back.")
    away = serializers.BooleanField(help_text="In an arena: you are not paired until you are back.")
    prize = serializers.IntegerField()


class TournamentDetail(TournamentAnswer):
    rounds = RoundAnswer(many=True)
    me = OwnPart(allow_null=True)


class PlaceAnswer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="The number that the draws name them by.")
    place = serializers.IntegerField(
        allow_null=True,
        help_text="Equals share one. Null before the start, and in an arena before the least number of deals.",
    )
    name = serializers.CharField()
    bot = serializers.BooleanField()
    chips = serializers.IntegerField()
    deals_won = serializers.IntegerField()
    points_lost = serializers.IntegerField()
    status = serializers.ChoiceField(["in", "out", "left"])
    prize = serializers.IntegerField()
    refilled = serializers.BooleanField(help_text="In an arena: they have had their chips once more.")


class PlacesAnswer(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = PlaceAnswer(many=True)
