"""The requests and answers of the account's API."""

from typing import Annotated, Any, TypedDict

from rest_framework import serializers


class SignInRequest(serializers.Serializer[Any]):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=128, trim_whitespace=False, write_only=True)
    code = serializers.CharField(
        max_length=40, required=False, allow_blank=True, write_only=True,
        help_text="Staff where codes are asked for: of the authenticator app, or for recovery.",
    )  # fmt: skip


class TokenAnswer(TypedDict):
    token: str


class OwnBalance(TypedDict):
    currency: str
    free: int
    in_play: int


class OwnSeat(TypedDict):
    table: int
    title: str
    seat: int
    practice: Annotated[bool, "Played against computer players; it waits for you."]
    your_turn: bool
    waits: Annotated[bool, "The result is paid as soon as our staff have checked the books."]


class Me(TypedDict):
    id: int
    username: str
    name: Annotated[str, "What others see."]
    guest: Annotated[bool, "Has chosen no name and no password yet."]
    balances: list[OwnBalance]
    seat: Annotated[OwnSeat | None, "The first of `seats`."]
    seats: Annotated[list[OwnSeat], "Three at most; where it is their turn first, those of practice last."]


class NewAccount(Me):
    recovery_codes: Annotated[list[str], "Shown this once: each sets a new password for who has forgotten theirs."]
