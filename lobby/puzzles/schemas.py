"""The requests and answers of the API of puzzles."""

from typing import Any

from rest_framework import serializers

from lobby.puzzles.models import PuzzleKind

KINDS = [kind.value for kind in PuzzleKind]


class PuzzleQuery(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=KINDS, required=False, help_text="Only of this kind.")


class SeenDiscard(serializers.Serializer[Any]):
    seat = serializers.IntegerField(allow_null=True, help_text="Who let it go; null: the upcard.")
    card = serializers.CharField()
    picked_by = serializers.IntegerField(allow_null=True)


class SeenPlayer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    cards = serializers.IntegerField()
    standing = serializers.CharField()
    points = serializers.IntegerField(allow_null=True)
    draws = serializers.IntegerField()
    known = serializers.ListField(child=serializers.CharField(), help_text="Picked up by them, and not let go.")


class PuzzlePosition(serializers.Serializer[Any]):
    hand = serializers.ListField(child=serializers.CharField())
    drawn = serializers.CharField(allow_null=True)
    seat = serializers.IntegerField(help_text="Yours.")
    turn = serializers.IntegerField(help_text="Of the deal, from 1.")
    closed_count = serializers.IntegerField()
    discards = SeenDiscard(many=True, help_text="In their order, the last one on top.")
    seats = SeenPlayer(many=True, help_text="In the order of turns, the first player first.")
    first_drop = serializers.IntegerField(
        allow_null=True, help_text="What a drop costs now; null after the first draw."
    )


class PuzzleAsked(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=KINDS)
    book = serializers.CharField()
    rating = serializers.IntegerField()
    cut = serializers.CharField()
    wild_rank = serializers.IntegerField()
    answers = serializers.ListField(child=serializers.CharField(), help_text="Those that may be given.")
    groups = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        allow_null=True,
        help_text="Of the kind `show`: answer `yes`, `lives` where a sequence is missing, or the number of the group.",
    )
    position = PuzzlePosition(allow_null=True, help_text="Of the other kinds.")


class PuzzleAnswer(serializers.Serializer[Any]):
    answer = serializers.CharField(max_length=10)
    run = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1, help_text="In a run, its number.")


class PuzzleTold(serializers.Serializer[Any]):
    puzzle = serializers.IntegerField()
    answer = serializers.CharField()
    solved = serializers.BooleanField()
    solution = serializers.CharField()
    reason = serializers.ListField(child=serializers.CharField())
    points = serializers.DictField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="What each answer is expected to win, in points: mean, and the ends of its 95 % interval.",
    )
    samples = serializers.IntegerField(allow_null=True)
    rated = serializers.BooleanField(help_text="Only the first answer of a player with a name, and none in a run.")
    rating = serializers.IntegerField(allow_null=True, help_text="Yours afterwards.")
    change = serializers.IntegerField()
    puzzle_rating = serializers.IntegerField()


class RunNow(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    remaining_ms = serializers.IntegerField(help_text="0 once it is over.")
    solved = serializers.IntegerField()
    wrong = serializers.IntegerField()
    last_ms = serializers.IntegerField(help_text="From the start to the last one solved.")
    puzzle = PuzzleAsked(allow_null=True)


class PuzzleJudged(serializers.Serializer[Any]):
    told = PuzzleTold(allow_null=True, help_text="Null in a run whose time was over.")
    run = RunNow(allow_null=True)
