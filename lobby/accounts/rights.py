"""What a person may do, in acts of the trail: rights that came about by no such act are named by the audit.

By signals, since pages, commands and programs hand out rights in their own ways. An entry here is the platform's own;
what somebody of the staff did for which reason stands beside it.
"""

import hashlib
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Model, Q
from django.db.models.signals import m2m_changed, post_save
from rest_framework.authtoken.models import Token

from lobby.accounts.models import Player
from wallet.audit_log import state
from wallet.audit_log.services import PLATFORM, changes, record

#: How the acts are called by which rights, and tokens of the API, come into the trail.
CHANGED, TOKEN_GIVEN = "player.rights", "player.token"
#: What somebody without any has.
NONE: dict[str, Any] = {"is_staff": False, "is_superuser": False, "groups": [], "user_permissions": [], "token": ""}
_COLUMNS = {"is_staff", "is_superuser"}


def follow_rights() -> None:
    """Connect what follows to Django's signals; called once, when the application is ready."""
    post_save.connect(_player_saved, sender=Player, dispatch_uid="lobby.rights_saved")
    post_save.connect(_token_saved, sender=Token, dispatch_uid="lobby.token_saved")
    for many in (Player.groups, Player.user_permissions):
        m2m_changed.connect(_given_or_taken, sender=many.through, dispatch_uid=f"lobby.rights_{many.field.name}")
    state.let_be_known(Player._meta.label_lower, rights)


def rights(players: Any = Player, tokens: Any = Token) -> state.Told:
    """Return the rights of all who have any, by their ids. An upgrade gives its own models."""
    digests = {pk: token_digest(key) for pk, key in tokens.objects.values_list("user_id", "key")}
    some = Q(is_staff=True) | Q(is_superuser=True) | Q(groups__isnull=False) | Q(user_permissions__isnull=False)
    found = players.objects.filter(some).distinct().order_by("pk")
    told = {str(pk): {**NONE, "token": digest} for pk, digest in digests.items()}
    for player in found.prefetch_related("groups", "user_permissions__content_type"):
        told[str(player.pk)] = {**_of(player), "token": digests.get(player.pk, "")}
    return told


def told_rights() -> state.Told:
    """Return what the trail tells of everybody's rights."""
    return state.told(Player._meta.label_lower, [CHANGED, TOKEN_GIVEN])


def token_digest(key: str) -> str:
    """Return what names a token and does not tell it."""
    return hashlib.sha256(f"token {key}".encode()).hexdigest()


def _of(player: Any) -> dict[str, Any]:
    permissions = player.user_permissions.all()
    return {
        "is_staff": player.is_staff,
        "is_superuser": player.is_superuser,
        "groups": sorted(group.name for group in player.groups.all()),
        "user_permissions": sorted(f"{each.content_type.app_label}.{each.codename}" for each in permissions),
    }


def _write_changes(player: Player) -> None:
    told = state.told(Player._meta.label_lower, [CHANGED], [player.pk]).get(str(player.pk), {})
    before, after = changes({name: told.get(name, NONE[name]) for name in NONE if name != "token"}, _of(player))
    if after:
        record(PLATFORM, CHANGED, player, before=before, after=after)


def _player_saved(instance: Player, created: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    if update_fields is not None and not _COLUMNS & update_fields:
        return
    if not created or instance.is_staff or instance.is_superuser:
        _write_changes(instance)


def _token_saved(instance: Token, created: bool, **_: Any) -> None:
    if created:
        record(PLATFORM, TOKEN_GIVEN, instance.user, after={"token": token_digest(instance.key)})


def _given_or_taken(instance: Model, action: str, pk_set: set[int] | None, **_: Any) -> None:
    """Write down what an act on a person, or on a group for several people, has changed."""
    if not action.startswith("post_"):
        return
    if isinstance(instance, Player):
        _write_changes(instance)
    elif isinstance(instance, Group):
        members = [int(pk) for pk in told_rights()] if pk_set is None else pk_set
        for player in Player.objects.filter(pk__in=members):
            _write_changes(player)
