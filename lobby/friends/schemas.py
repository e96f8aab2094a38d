"""The requests and answers of the API of friends and of a table's company."""

from typing import Annotated, Any, Literal, TypedDict

from rest_framework import serializers

LARGEST = 2**53


class FriendRequest(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False)
    name = serializers.CharField(max_length=20, required=False)


class FriendAnswer(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=LARGEST)
    act = serializers.ChoiceField(["accept", "refuse", "remove", "block", "unblock"])


class MuteRequest(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=LARGEST)
    muted = serializers.BooleanField()


class Asked(TypedDict):
    friends: Annotated[bool, "Whether the two are friends now; else the other has been asked."]


class FriendShown(TypedDict):
    player: int
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    online: Annotated[bool, "Never for who hides it."]
    table: Annotated[int | None, "A public table where they sit."]
    stake: int | None
    can_join: bool


class PlayerShown(TypedDict):
    player: int
    name: str


class InvitationShown(TypedDict):
    id: int
    by: str
    title: str
    code: Annotated[str, "Of the private table."]
    is_rematch: bool


class FriendsAnswer(TypedDict):
    friends: list[FriendShown]
    requests: list[PlayerShown]
    invitations: list[InvitationShown]


class SeatCompany(TypedDict):
    seat: int
    player: Annotated[int | None, "Null for a computer player."]
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    muted: Annotated[bool, "By you: leave out what they say."]
    friendship: Annotated[Literal["", "asked", "asks", "friends"], "`asks`: they wait for you."]


class EmoteShown(TypedDict):
    key: str
    text: str
    picture: Annotated[bool, "Whether it is shown by a picture rather than by its words."]


class CompanyAnswer(TypedDict):
    emotes: list[EmoteShown]
    seats: list[SeatCompany]
    rematch: Annotated[int | None, "The match that you may play again."]
