"""The page of one's friends, and the buttons on requests, invitations and a rematch."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from lobby.accounts.models import Player
from lobby.accounts.sign_in import SignInRefused, signed_in_player
from lobby.friends import friends, invitations
from lobby.friends.selectors import known_player
from lobby.stakes import services as stakes
from lobby.two_factor import sessions
from rules.errors import RulesError
from tables.errors import TableError
from tables.play import presence
from wallet.base.api import is_id
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
