"""The trail of rights: each change to a person's rights is an act; the audit reports rights that no act explains.

And what rights forbid among the staff: to act on an account that has as many, on one's own, and to shut out somebody
with whom one plays.

Signals write the acts, since pages, commands and programs hand out rights in different ways. These acts are the
platform's; what one of the staff did, with the reason, is another entry.
"""

import hashlib
from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group
from django.db.models import Model, Q
from django.db.models.signals import m2m_changed, post_save
from rest_framework.authtoken.models import Token

from lobby.accounts.models import Player
from tables.staff import play_together
from wallet.audit_log.services import PLATFORM, Actor, RecordedRows, changes, record, recorded_rows
from wallet.base.errors import Refusal
from wallet.keys.api_tokens import token_text

#: The names of the acts on rights and on tokens of the API.
CHANGED, TOKEN_ISSUED = "player.rights", "player.token"
#: The rights of a person who has none.
NONE: dict[str, Any] = {"is_staff": False, "is_superuser": False, "groups": [], "user_permissions": [], "token": ""}
_COLUMNS = {"is_staff", "is_superuser"}


class StaffRefusal(Refusal):
    """Staff may not do this, or not now."""

    def __init__(self, message: str) -> None:
        super().__init__("not_done", message)


def check_rank(player: Player, actor: Actor) -> None:
    """Raise StaffRefusal for one's own account, and for an account of the staff unless a superuser acts."""
    check_not_own(player, actor)
    if not is_below(player, actor.user):
        raise StaffRefusal("Only a superuser acts on an account of the staff.")


def check_not_own(player: Player, actor: Actor) -> None:
    """Raise StaffRefusal for one's own account."""
    if actor.user is not None and actor.user.pk == player.pk:
        raise StaffRefusal("This is your own account.")


def is_below(player: Player, user: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Return whether the user may act on the account by rank: only a superuser does on one of the staff."""
    return bool(getattr(user, "is_superuser", False)) or not (player.is_staff or player.is_superuser)


def check_plays_apart(player: Player, actor: Actor) -> None:
    """Raise StaffRefusal where the actor plays with the player whom they are shutting out: they would win by it."""
    if actor.user is not None and actor.user.pk != player.pk and play_together(actor.user.pk, player.pk):
        raise StaffRefusal("You play at one table or in one tournament with them: somebody else does it.")


def connect_rights_signals() -> None:
    """Connect the functions below to Django's signals; called once, when the application is ready."""
    post_save.connect(_player_saved, sender=Player, dispatch_uid="lobby.rights_saved")
    post_save.connect(_token_saved, sender=Token, dispatch_uid="lobby.token_saved")
    for relation in (Player.groups, Player.user_permissions):
        uid = f"lobby.rights_{relation.field.name}"
        m2m_changed.connect(_relation_changed, sender=relation.through, dispatch_uid=uid)


def rights() -> RecordedRows:
    """Return by id the rights of everybody who has any."""
    digests = {pk: token_digest(key) for pk, key in Token.objects.values_list("user_id", "key")}
    has_rights = Q(is_staff=True) | Q(is_superuser=True) | Q(groups__isnull=False) | Q(user_permissions__isnull=False)
    players_with_rights = Player.objects.filter(has_rights).distinct().order_by("pk")
    rights_by_id = {str(pk): {**NONE, "token": digest} for pk, digest in digests.items()}
    for player in players_with_rights.prefetch_related("groups", "user_permissions__content_type"):
        rights_by_id[str(player.pk)] = {**_of(player), "token": digests.get(player.pk, "")}
    return rights_by_id


def recorded_rights() -> RecordedRows:
    """Return by id the rights of everybody by the trail."""
    return recorded_rows(Player._meta.label_lower, [CHANGED, TOKEN_ISSUED])


def token_digest(key: str) -> str:
    """Return a digest that identifies the token without revealing it."""
    return hashlib.sha256(f"token {key}".encode()).hexdigest()


def _of(player: Any) -> dict[str, Any]:
    permissions = player.user_permissions.all()
    return {
        "is_staff": player.is_staff,
        "is_superuser": player.is_superuser,
        "groups": sorted(group.name for group in player.groups.all()),
        "user_permissions": sorted(f"{right.content_type.app_label}.{right.codename}" for right in permissions),
    }


def _write_changes(player: Player, names: Collection[str]) -> None:
    """Record changes of the rights in `names` only: others may have been changed outside the platform."""
    recorded = recorded_rows(Player._meta.label_lower, [CHANGED], [player.pk]).get(str(player.pk), {})
    current = {name: value for name, value in _of(player).items() if name in names}
    before, after = changes({name: recorded.get(name, NONE[name]) for name in current}, current)
    if after:
        record(PLATFORM, CHANGED, player, before=before, after=after)


def _player_saved(instance: Player, created: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    names = _COLUMNS if update_fields is None else _COLUMNS & update_fields
    if names and (not created or instance.is_staff or instance.is_superuser):
        _write_changes(instance, names)


def _token_saved(instance: Token, created: bool, **_: Any) -> None:
    """Record that a token was issued, and let the row that was just made carry the token itself, once."""
    if created:
        record(PLATFORM, TOKEN_ISSUED, instance.user, after={"token": token_digest(instance.key)})
        instance.key = token_text(instance)


def _relation_changed(sender: Any, instance: Model, action: str, pk_set: set[int] | None, **_: Any) -> None:
    """Record the changes for one person, or for all the people whom a change of a group concerns."""
    if not action.startswith("post_"):
        return
    name = "groups" if sender is Player.groups.through else "user_permissions"
    if isinstance(instance, Player):
        _write_changes(instance, {name})
    elif isinstance(instance, Group):
        members = [int(pk) for pk in recorded_rights()] if pk_set is None else pk_set
        for player in Player.objects.filter(pk__in=members):
            _write_changes(player, {name})
