"""Guests: players who have not chosen a name yet. When they do, their chips and their history stay theirs.

Practice needs no wallet: guests get theirs, with its sign-up chips, when they first need one.
"""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from lobby.accounts import services
from lobby.accounts.models import Player
from lobby.two_factor.codes import random_code
from tables.models import Seating
from wallet.base.errors import Refusal
from wallet.base.retry import retried
from wallet.language import gettext as _
from wallet.play_money import services as play_money

#: The beginning of guests' names, which is reserved.
PREFIX = "Guest-"
_LENGTH = 6
#: The most guests that are forgotten in one run.
_BATCH = 500


class AlreadyNamed(Refusal):
    """The guest has a name already; `code` is `already_named`."""

    def __init__(self) -> None:
        super().__init__("already_named", _("You have a name already. Sign in with it."), status=409)


@retried
@transaction.atomic
def create_guest() -> Player:
    """Create a guest. They have no password: only their session opens the account."""
    username = PREFIX + random_code(_LENGTH).upper()
    return Player.objects.create(username=username, password=make_password(None), is_guest=True)


def name_guest(*, guest: Player, username: str, password: str) -> Player:
    """Give the guest's account a name and a password, which the caller has checked; chips, seats and history stay.

    AlreadyNamed where they are no longer a guest, as when the form is sent twice at once.
    """
    return _name_guest(guest, username, services.new_hash(password))


@retried
@transaction.atomic
def _name_guest(guest: Player, username: str, password_hash: str) -> Player:
    player = Player.objects.select_for_update().filter(pk=guest.pk, is_guest=True).first()
    if player is None:
        raise AlreadyNamed
    player.username, player.is_guest = Player.normalize_username(username), False
    player.password = password_hash
    player.save(update_fields=["username", "password", "is_guest"])
    play_money.open_wallet(player)
    return player


def ensure_wallet(player: Player) -> None:
    """Open the wallet of a guest who has none yet; other players have had theirs since they signed up."""
    if player.is_guest:
        play_money.open_wallet(player)


def forget_guests() -> int:
    """Lock guests who came over GUESTS_KEPT_DAYS ago, finished no deal and have no seat and no wallet; return how many.

    At most _BATCH in one call. Their rows stay, like those of every player, since tables and the trail refer to them.
    """
    before = timezone.now() - timedelta(days=settings.GUESTS_KEPT_DAYS)
    idle = Player.objects.filter(is_guest=True, is_active=True, date_joined__lt=before)
    seated = Seating.objects.filter(left_at=None, user__isnull=False)
    idle = idle.exclude(deals__outcome__gt="").exclude(pk__in=seated.values("user"))
    idle = idle.exclude(accounts__isnull=False)
    player_ids = list(idle.order_by("pk").values_list("pk", flat=True)[:_BATCH])
    return sum(_forget(player_id) for player_id in player_ids)


@retried
@transaction.atomic
def _forget(player_id: int) -> bool:
    player = Player.objects.select_for_update().filter(pk=player_id, is_guest=True, is_active=True).first()
    if player is None or Seating.objects.filter(user=player, left_at=None).exists():
        return False
    player.is_active = False
    player.save(update_fields=["is_active"])
    services.sign_out_everywhere(player)
    return True
