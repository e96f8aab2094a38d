"""The requests and answers of the account's API."""

from typing import Any

from rest_framework import serializers

from wallet.base.api import RefusalBody as RefusalBody


class SignInRequest(serializers.Serializer[Any]):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=128, trim_whitespace=False, write_only=True)
    code = serializers.CharField(
        max_length=40, required=False, allow_blank=True, write_only=True,
        help_text="Staff where codes are asked for: of the authenticator app, or for recovery.",
    )  # fmt: skip


class TokenAnswer(serializers.Serializer[Any]):
    token = serializers.CharField()


class OwnBalance(serializers.Serializer[Any]):
    currency = serializers.CharField()
    free = serializers.IntegerField()
    in_play = serializers.IntegerField()


class OwnSeat(serializers.Serializer[Any]):
    table = serializers.IntegerField()
    title = serializers.CharField()
    seat = serializers.IntegerField()
    practice = serializers.BooleanField(help_text="Played against computer players; it waits for you.")
    your_turn = serializers.BooleanField()
    waits = serializers.BooleanField(help_text="The result is paid as soon as our staff have checked the books.")


class Me(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField(help_text="What others see.")
    guest = serializers.BooleanField(help_text="Has chosen no name and no password yet.")
    balances = OwnBalance(many=True)
    seat = OwnSeat(allow_null=True, help_text="The first of `seats`.")
    seats = OwnSeat(many=True, help_text="Three at most; where it is their turn first, those of practice last.")


class NewAccount(Me):
    recovery_codes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Shown this once: each sets a new password for who has forgotten theirs.",
    )
