"""Friends, invitations, the company at a table and the rematch: the page with its buttons, and the API."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypedDict

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lobby.accounts.models import Player
from lobby.accounts.sign_in import SignInRefused, signed_in_player
from lobby.friends import friends, invitations, selectors
from lobby.friends.selectors import known_player
from lobby.stakes import services as stakes
from lobby.stakes.selectors import SeatAnswer, seat_answer
from lobby.two_factor import sessions
from rules.errors import RulesError
from tables.errors import TableError
from tables.models import Table
from tables.play import presence
from tables.play.protocol import EMOTES, PICTURES
from wallet.base.api import is_id, responses, sent_body
from wallet.base.errors import Refusal
from wallet.language import gettext as _, translatable


def _accept(*, player: Player, other: Player) -> None:
    """Accept the other's request. TableError `not_found` where they have withdrawn it meanwhile."""
    if not friends.accept_friend(player=player, other=other):
        message = _("There is no request of {name} any more.", name=other.shown_name)
        raise TableError("not_found", message, status=404)


#: What a player may do about another, by the name of the button: the service, and the message afterwards.
ACTS: dict[str, tuple[Callable[..., Any], str]] = {
    "accept": (_accept, translatable("{name} is your friend now.")),
    "refuse": (friends.refuse_friend, translatable("The request of {name} is declined. They are not told.")),
    "remove": (friends.remove_friend, translatable("{name} is not on your list any more.")),
    "block": (
        friends.block_player,
        translatable("{name} is blocked. They are not told, and you hear no more of them."),
    ),
    "unblock": (friends.unblock_player, translatable("{name} is not blocked any more.")),
    "unmute": (partial(friends.mute_player, muted=False), translatable("What {name} says is shown again.")),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def friends_page(request: HttpRequest) -> HttpResponseBase:
    """Show one's friends and where they are; on POST ask somebody by name."""
    player = signed_in_player(request)
    presence.note_alive(player.pk)
    if request.method == "POST":
        try:
            other = friends.find_player(request.POST.get("name", ""))
            if friends.ask_friend(player=player, other=other):
                messages.success(request, _("{name} is your friend now.", name=other.shown_name))
            else:
                messages.success(
                    request,
                    _("{shown_name} is asked. You see them here once they accept.", shown_name=other.shown_name),
                )
        except Refusal as refusal:
            messages.error(request, refusal.message)
        return _back(request)
    context = {
        "requests": friends.requests_to(player),
        "waiting": friends.requests_from(player),
        "blocked": Player.objects.filter(pk__in=friends.blocked_by(player)).order_by("username"),
        "muted": Player.objects.filter(pk__in=friends.muted_by(player)).order_by("username"),
    }
    return render(request, "lobby/friends/friends.html", context)


@login_required
@require_GET
@never_cache
def friends_now(request: HttpRequest) -> HttpResponse:
    """Show the present list of friends alone, for open pages that reload it."""
    presence.note_alive(signed_in_player(request).pk)
    return render(request, "lobby/friends/list.html")


@login_required
@require_POST
def answer(request: HttpRequest) -> HttpResponse:
    """Accept, refuse, remove, block, unblock or unmute the player of that number."""
    act_on(request, _posted_player(request))
    return _back(request)


def act_on(request: HttpRequest, other: Player) -> None:
    """Do about the other what the button says that was pressed, one of ACTS, and leave a message about it."""
    if (act := request.POST.get("act", "")) in ACTS:
        service, message = ACTS[act]
        try:
            service(player=signed_in_player(request), other=other)
            messages.success(request, _(message, name=other.shown_name))
        except Refusal as refusal:
            messages.error(request, refusal.message)


@login_required
@require_POST
def hide(request: HttpRequest) -> HttpResponse:
    """Set whether friends see when one is online, and where; or whether anybody may ask one to be friends."""
    players = Player.objects.filter(pk=signed_in_player(request).pk)
    if "refuse" in request.POST:
        refused = request.POST["refuse"] == "1"
        players.update(refuses_requests=refused)
        text = _("Nobody can ask you now.") if refused else _("Everybody can ask you to be friends.")
    else:
        hidden = request.POST.get("hide") == "1"
        players.update(hides_presence=hidden)
        text = _("Friends do not see you now.") if hidden else _("Friends see when you are online.")
    messages.success(request, text)
    return redirect("lobby:friends")


@login_required
@require_GET
@never_cache
def news(request: HttpRequest) -> HttpResponse:
    """Show the player's news alone, for open pages that reload it."""
    return render(request, "lobby/friends/news.html")


@login_required
@require_POST
def invite(request: HttpRequest, code: str) -> HttpResponse:
    """Invite a friend to the private table of that code."""
    friend = _posted_player(request)
    try:
        stakes.find_private_table(request, code)
        invitations.invite(player=signed_in_player(request), friend=friend, code=code)
        messages.success(request, _("{shown_name} is invited.", shown_name=friend.shown_name))
    except SignInRefused as refusal:
        return render(request, "429.html", status=refusal.status)
    except TableError as refusal:
        messages.error(request, refusal.message)
        if refusal.code == "not_found":
            return redirect("lobby:lobby")
    return redirect("lobby:private", code=code)


@login_required
@require_POST
def decline(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Decline the invitation without notifying its sender."""
    invitations.decline(player=signed_in_player(request), invitation_id=invitation_id)
    return _back(request)


@login_required
@require_POST
def rematch(request: HttpRequest, match_id: int) -> HttpResponse:
    """Seat the player at the table of the rematch."""
    try:
        seating = invitations.sit_for_rematch(player=signed_in_player(request), match_id=match_id)
    except (Refusal, RulesError) as refusal:
        messages.error(request, getattr(refusal, "message", _("That did not work.")))
        return redirect("lobby:lobby")
    return redirect("tables:table", seating.table_id)


def _posted_player(request: HttpRequest) -> Player:
    number = request.POST.get("player", "")
    return known_player(signed_in_player(request), int(number) if is_id(number) else 0)


def _back(request: HttpRequest) -> HttpResponse:
    return redirect(sessions.next_address(request, reverse("lobby:friends")))


# --- the API ----------------------------------------------------------------------------------------------------------

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
