"""The requests and answers of the API of friends and of a table's company."""

from typing import Any

from rest_framework import serializers

from wallet.base.api import RefusalBody as RefusalBody

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


class Asked(serializers.Serializer[Any]):
    friends = serializers.BooleanField(help_text="Whether the two are friends now; else the other has been asked.")


class FriendShown(serializers.Serializer[Any]):
    player = serializers.IntegerField()
    name = serializers.CharField()
    avatar = serializers.CharField(help_text="The address of a picture; empty for none.")
    online = serializers.BooleanField(help_text="Never for who hides it.")
    table = serializers.IntegerField(allow_null=True, help_text="A public table where they sit.")
    stake = serializers.IntegerField(allow_null=True)
    can_join = serializers.BooleanField()


class PlayerShown(serializers.Serializer[Any]):
    player = serializers.IntegerField()
    name = serializers.CharField()


class InvitationShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    by = serializers.CharField()
    title = serializers.CharField()
    code = serializers.CharField(help_text="Of the private table.")
    is_rematch = serializers.BooleanField()


class FriendsAnswer(serializers.Serializer[Any]):
    friends = FriendShown(many=True)
    requests = PlayerShown(many=True)
    invitations = InvitationShown(many=True)


class SeatCompany(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    player = serializers.IntegerField(allow_null=True, help_text="Null for a computer player.")
    name = serializers.CharField()
    avatar = serializers.CharField(help_text="The address of a picture; empty for none.")
    muted = serializers.BooleanField(help_text="By you: leave out what they say.")
    friendship = serializers.ChoiceField(["", "asked", "asks", "friends"], help_text="`asks`: they wait for you.")


class EmoteShown(serializers.Serializer[Any]):
    key = serializers.CharField()
    text = serializers.CharField()
    picture = serializers.BooleanField(help_text="Whether it is shown by a picture rather than by its words.")


class CompanyAnswer(serializers.Serializer[Any]):
    emotes = EmoteShown(many=True)
    seats = SeatCompany(many=True)
    rematch = serializers.IntegerField(allow_null=True, help_text="The match that you may play again.")
