"""Friends, and the company at a table, over HTTP."""

from typing import Annotated, Any, TypedDict

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.sign_in import signed_in_player
from lobby.friends import friends, invitations, selectors
from lobby.friends.selectors import known_player
from lobby.friends.views import ACTS
from lobby.stakes.selectors import SeatAnswer, seat_answer
from tables.models import Table
from tables.play.protocol import EMOTES, PICTURES
from wallet.base.api import responses, sent_body
from wallet.language import gettext as _

LARGEST = 2**53


class FriendRequest(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=LARGEST, required=False)
    name = serializers.CharField(min_length=1, max_length=20, required=False)


class FriendAnswer(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=LARGEST)
    act = serializers.ChoiceField(["accept", "refuse", "remove", "block", "unblock"])


class MuteRequest(serializers.Serializer[Any]):
    player = serializers.IntegerField(min_value=1, max_value=LARGEST)
    muted = serializers.BooleanField()


class FriendshipAsked(TypedDict):
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


class EmoteShown(TypedDict):
    key: str
    text: str
    picture: Annotated[bool, "Whether it is shown by a picture rather than by its words."]


class CompanyAnswer(TypedDict):
    emotes: list[EmoteShown]
    seats: list[selectors.SeatCompany]
    rematch: Annotated[int | None, "The match that you may play again."]


class Friends(APIView):
    @extend_schema(operation_id="friends", responses=responses(FriendsAnswer))
    def get(self, request: Request) -> Response:
        """Return your friends and where they are, and the requests and invitations that wait for your answer."""
        player = signed_in_player(request)
        news = selectors.news_for(player)
        answer: FriendsAnswer = {
            "friends": [_friend(friend) for friend in selectors.friend_list(player)],
            "requests": [{"player": asker.pk, "name": asker.shown_name} for asker in friends.requests_to(player)],
            "invitations": [
                {
                    "id": invitation.pk,
                    "by": invitation.by.shown_name,
                    "title": invitation.table.title,
                    "code": invitation.table.private_code,
                    "is_rematch": invitation.is_rematch,
                }
                for invitation in news.invitations
            ],
        }
        return Response(answer)

    @extend_schema(operation_id="ask_friend", request=FriendRequest, responses=responses(FriendshipAsked, 404))
    def post(self, request: Request) -> Response:
        """Ask the player with that number, whom you have met, or name to be friends; accept if they have asked you."""
        body = sent_body(FriendRequest, request)
        player = signed_in_player(request)
        number, name = body.get("player"), body.get("name", "")
        other = friends.find_player(name) if number is None else known_player(player, number)
        return Response(FriendshipAsked(friends=friends.ask_friend(player=player, other=other)))


class AnswerFriend(APIView):
    @extend_schema(operation_id="answer_friend", request=FriendAnswer, responses=responses(None, 404, status=204))
    def post(self, request: Request) -> Response:
        """Accept or refuse a request, remove a friend, block or unblock a player. Only an acceptance notifies them."""
        body = sent_body(FriendAnswer, request)
        service, _message = ACTS[body["act"]]
        player = signed_in_player(request)
        service(player=player, other=known_player(player, body["player"]))
        return Response(status=204)


class Mutes(APIView):
    @extend_schema(operation_id="mute", request=MuteRequest, responses=responses(None, 404, status=204))
    def post(self, request: Request) -> Response:
        """Hide the emotes of that player, whom you have met, at every table, or show them again."""
        body = sent_body(MuteRequest, request)
        player = signed_in_player(request)
        friends.mute_player(player=player, other=known_player(player, body["player"]), muted=body["muted"])
        return Response(status=204)


class RematchSeat(APIView):
    @extend_schema(operation_id="rematch", request=None, responses=responses(SeatAnswer, 409))
    def post(self, request: Request, match_id: int) -> Response:
        """Take a seat at the table of the rematch of this match; the first call opens it."""
        seating = invitations.sit_for_rematch(player=signed_in_player(request), match_id=match_id)
        return Response(seat_answer(seating))


class TableCompany(APIView):
    @extend_schema(operation_id="table_company", responses=responses(CompanyAnswer, 404))
    def get(self, request: Request, table_id: int) -> Response:
        """Return the seated players with picture, friendship and mute, the emotes, and the match to play again."""
        player, table = signed_in_player(request), get_object_or_404(Table, pk=table_id)
        seats = selectors.company_at(table, player)
        match = invitations.rematch_of(table, player.pk)
        answer: CompanyAnswer = {
            "emotes": [{"key": key, "text": _(text), "picture": key in PICTURES} for key, text in EMOTES.items()],
            "seats": seats,
            "rematch": match.pk if match is not None else None,
        }
        return Response(answer)


def _friend(friend: selectors.FriendStatus) -> FriendShown:
    table = friend.table if friend.can_join or friend.can_watch else None
    return {
        "player": friend.player.pk,
        "name": friend.player.shown_name,
        "avatar": friend.player.avatar_url,
        "online": friend.online,
        "table": table.pk if table is not None else None,
        "stake": table.stake_id if table is not None else None,
        "can_join": friend.can_join,
    }
