"""Friendships, blocks and mutes. Only friends see who is online and where; a blocked player does not learn of it."""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from lobby.accounts.models import Player, shown_as
from lobby.accounts.names import typed
from lobby.accounts.services import no_such_player
from lobby.friends.models import Block, Friendship, Invitation, Mute
from tables.errors import TableError
from tables.play import broadcast
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _
from wallet.responsible_gaming import admission

#: Requests that a player may send in a day, accepted or not.
REQUESTS = RateLimit("friend-requests", 30, 86_400)
#: The most friends and unaccepted requests of one player together.
MOST_FRIENDS = 200
#: The most requests that wait for one player's answer, and the most players that one blocks, and mutes.
MOST_WAITING, MOST_BLOCKED, MOST_MUTED = 50, 500, 500
#: How often one player's open pages are made to reload their news; what comes beyond is there when they next look.
NEWS = RateLimit("news", 60, 60)
#: How long a new request to the same player has no effect after a refusal.
REFUSED_FOR = timedelta(days=30)

_STATUS = Friendship.Status


def find_player(name: str) -> Player:
    """Return the player whom others see by this name. TableError `not_found`."""
    wanted = typed(name)
    players = Player.objects.filter(shown_as("iexact", wanted), is_active=True, is_guest=False)
    player = players.first() if wanted else None
    if player is None:
        raise no_such_player()
    return player


def ask_friend(*, player: Player, other: Player) -> bool:
    """Ask the other to be friends, or accept if they have asked; return whether the two are friends now.

    A request that is repeated, or that meets a block or a recent refusal, looks sent and reaches nobody. Asking
    lifts the player's own block of the other; after a refusal it stays. TableError `bad_friend`, `guests_only_play`,
    `too_many_friends`, `rate_limited`.
    """
    if player == other:
        raise TableError("bad_friend", _("You are your own best friend already."), status=400)
    if player.is_guest or other.is_guest:
        message = (
            _("Friends need a name: sign up first.")
            if player.is_guest
            else _("Guests have no friends before they sign up.")
        )
        raise TableError("guests_only_play", message, status=403)
    friendship = Friendship.objects.filter(_pair(player, other)).first()
    if friendship is not None and (friendship.asker_id == player.pk or friendship.status == _STATUS.ACCEPTED):
        return _repeat_request(friendship)
    if not rate_limits.count_tries([(REQUESTS, REQUESTS.key(player.pk))]):
        raise TableError(
            "rate_limited", _("You have asked many players today. Please wait until tomorrow."), status=429
        )
    return _ask(player, other, friendship)


@transaction.atomic
def _ask(player: Player, other: Player, friendship: Friendship | None) -> bool:
    _lock_lists(player, other)
    _check_room(player)
    Block.objects.filter(player=player, blocked=other).delete()
    if friendship is not None and friendship.status != _STATUS.WITHDRAWN:
        return accept_friend(player=player, other=other)
    if other.refuses_requests:
        raise TableError("bad_friend", _("{name} takes no requests.", name=other.shown_name), status=403)
    if Friendship.objects.filter(asked=other, status=_STATUS.ASKED).count() >= MOST_WAITING:
        raise TableError("too_many_friends", _("Many others wait for their answer. Ask another day."))
    try:
        with transaction.atomic():
            Friendship.objects.filter(asker=other, asked=player, status=_STATUS.WITHDRAWN).delete()
            Friendship.objects.create(asker=player, asked=other)
    except IntegrityError:
        # The other has asked at the same moment.
        return accept_friend(player=player, other=other)
    push_news(other, unless_blocked=player)
    return False


def _repeat_request(friendship: Friendship) -> bool:
    if friendship.status in (_STATUS.REFUSED, _STATUS.WITHDRAWN):
        is_long_ago = friendship.changed_at < timezone.now() - REFUSED_FOR
        is_heard = is_long_ago and not friendship.asked.refuses_requests
        friendship.status = _STATUS.ASKED if is_heard else _STATUS.REFUSED
        # Not save(), which would overwrite the moment of the refusal.
        Friendship.objects.filter(pk=friendship.pk).update(status=friendship.status)
    return friendship.status == _STATUS.ACCEPTED


@transaction.atomic
def accept_friend(*, player: Player, other: Player) -> bool:
    """Make the two friends if the other has asked, and has not withdrawn it; return whether they are now.

    It lifts the player's own block of the other. TableError `too_many_friends`.
    """
    _lock_lists(player, other)
    _check_room(player)
    requests = Friendship.objects.filter(asker=other, asked=player).exclude(status=_STATUS.WITHDRAWN)
    if requests.update(status=_STATUS.ACCEPTED, changed_at=timezone.now()):
        unblock_player(player=player, other=other)
        push_news(other)
    return are_friends(player, other)


def refuse_friend(*, player: Player, other: Player) -> None:
    """Refuse the other's request without notifying them; new ones have no effect for REFUSED_FOR."""
    requests = Friendship.objects.filter(asker=other, asked=player, status=_STATUS.ASKED)
    requests.update(status=_STATUS.REFUSED, changed_at=timezone.now())


def remove_friend(*, player: Player, other: Player) -> None:
    """End a friendship, or withdraw the player's own request. A refusal stays in force."""
    rows = Friendship.objects.filter(_pair(player, other))
    rows.filter(status__in=[_STATUS.ASKED, _STATUS.ACCEPTED]).delete()
    rows.filter(asker=player, status=_STATUS.REFUSED).update(status=_STATUS.WITHDRAWN)


@transaction.atomic
def block_player(*, player: Player, other: Player) -> None:
    """Block the other: end any friendship, and hide all requests, invitations and emotes from them.

    A request of theirs stays: taken from their list, it would tell them of the block.
    """
    if player != other:
        _lock_lists(player, other)
        _check_list(Block.objects.filter(player=player).exclude(blocked=other), MOST_BLOCKED)
        Block.objects.get_or_create(player=player, blocked=other)
        # At open tables the two still meet. Whoever is not blocked any more may still be muted, as the page shows.
        Mute.objects.get_or_create(player=player, muted=other)
        ended = Q(asker=player) | Q(status=_STATUS.ACCEPTED)
        Friendship.objects.filter(_pair(player, other) & ended).delete()
        Invitation.objects.filter(player=player, by=other).delete()
        push_news(player)


def unblock_player(*, player: Player, other: Player) -> None:
    """Lift the player's block of the other."""
    Block.objects.filter(player=player, blocked=other).delete()


def mute_player(*, player: Player, other: Player, muted: bool) -> None:
    """Hide the other's emotes from the player from now on, or show them again."""
    if muted and player != other:
        _check_list(Mute.objects.filter(player=player).exclude(muted=other), MOST_MUTED)
        Mute.objects.get_or_create(player=player, muted=other)
    else:
        Mute.objects.filter(player=player, muted=other).delete()
    # The player's other devices show it as well.
    push_news(player)


def muted_by(player: Player) -> QuerySet[Mute, int]:
    """Return the numbers of the players whom the player has muted."""
    return Mute.objects.filter(player=player).values_list("muted_id", flat=True)


def forget_relations(player: Player) -> None:
    """Delete all friendships, requests, blocks, mutes and invitations by or to the player, who closes their account."""
    Friendship.objects.filter(Q(asker=player) | Q(asked=player)).delete()
    Block.objects.filter(Q(player=player) | Q(blocked=player)).delete()
    Mute.objects.filter(Q(player=player) | Q(muted=player)).delete()
    Invitation.objects.filter(Q(player=player) | Q(by=player)).delete()


def are_friends(player: Player, other: Player) -> bool:
    """Return whether the two are friends."""
    return Friendship.objects.filter(_pair(player, other), status=_STATUS.ACCEPTED).exists()


def friends_of(player: Player) -> QuerySet[Player]:
    """Return the player's friends, by name."""
    asked_by_player = Q(friendships_asked__asked=player, friendships_asked__status=_STATUS.ACCEPTED)
    asked_by_friend = Q(friendships_offered__asker=player, friendships_offered__status=_STATUS.ACCEPTED)
    return Player.objects.filter(asked_by_player | asked_by_friend, is_active=True).distinct().order_by("username")


def requests_to(player: Player) -> QuerySet[Player]:
    """Return the players who wait for the player's answer, except blocked ones; the earliest request first."""
    asking = Player.objects.filter(
        friendships_asked__asked=player, friendships_asked__status=_STATUS.ASKED, is_active=True
    )
    return asking.exclude(pk__in=blocked_by(player)).order_by("friendships_asked__changed_at")


def requests_from(player: Player) -> QuerySet[Player]:
    """Return the players who have not accepted the player's request; a refusal looks like no answer."""
    waiting = [_STATUS.ASKED, _STATUS.REFUSED]
    return Player.objects.filter(
        friendships_offered__asker=player, friendships_offered__status__in=waiting, is_active=True
    ).order_by("username")


def blocked_by(player: Player) -> QuerySet[Block, int]:
    """Return the numbers of the players whom the player has blocked."""
    return Block.objects.filter(player=player).values_list("blocked_id", flat=True)


def is_blocked(player: Player, *, by: Player) -> bool:
    """Return whether `by` has blocked the player."""
    return Block.objects.filter(player=by, blocked=player).exists()


def push_news(player: Player, *, unless_blocked: Player | None = None) -> None:
    """Make the player's open pages reload their news after commit, unless the player has blocked `unless_blocked`.

    Beyond NEWS nothing is pushed.
    """
    is_welcome = unless_blocked is None or not is_blocked(unless_blocked, by=player)
    if is_welcome and rate_limits.count_tries([(NEWS, NEWS.key(player.pk))]):
        group = broadcast.user_group(player.pk)
        transaction.on_commit(lambda: broadcast.send(group, {"type": "user.news"}), robust=True)


def _lock_lists(player: Player, other: Player) -> None:
    """Lock both rows: of a block and an acceptance at once, the later one counts, and no list grows too long.

    WalletError `locked`, TableError `not_found`: the player's account, or the other's, has been closed meanwhile.
    """
    for each in sorted((player.pk, other.pk)):
        admission.lock_player_row(each)
    admission.check_account_open(player)
    if not Player.objects.filter(pk=other.pk, closed_at=None).exists():
        raise no_such_player()


def _check_room(player: Player) -> None:
    counted = Q(asker=player) | Q(asked=player, status=_STATUS.ACCEPTED)
    if Friendship.objects.filter(counted).count() >= MOST_FRIENDS:
        raise TableError("too_many_friends", _("Your list of friends is full. Remove somebody first."))


def _check_list(others: QuerySet[Any], most: int) -> None:
    if others.count() >= most:
        raise TableError("list_full", _("This list is full. Take somebody off it first."))


def _pair(player: Player, other: Player) -> Q:
    return Q(asker=player, asked=other) | Q(asker=other, asked=player)
