"""The trail of access to accounts: each change to what opens one is an act; the audit reports what no act explains.

An act holds marks under the installation's key, never a hash, a digest of a code or an address itself. The platform
writes these acts; what a person did, with the reason, is another entry.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from cryptography.exceptions import InvalidTag
from django.contrib.auth.hashers import is_password_usable
from django.db.models import Model, QuerySet
from django.db.models.signals import post_save

from lobby.accounts.models import PasswordCode, Player
from lobby.two_factor.models import SECRETS, Authenticator, RecoveryCode
from lobby.two_factor.services import factor_changed
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, RecordedRows, record, recorded_rows
from wallet.keys import signing

#: The name of the act.
CHANGED = "player.access"
#: The access of a player without any entry: a guest.
NONE: Mapping[str, Any] = {
    "is_active": True, "password": "", "email": "", "password_codes": "", "authenticator": "", "recovery_codes": "",
}  # fmt: skip
_COLUMNS = ("is_active", "password", "email")
#: Stands for a secret that no key here opens; it matches no mark.
_UNREADABLE = "unreadable"


def connect_access_signals() -> None:
    """Connect the functions below to Django's signals; called once, when the application is ready."""
    post_save.connect(_access_saved, sender=Player, dispatch_uid="lobby.access_saved")
    factor_changed.connect(_factor_changed, dispatch_uid="lobby.factor_changed")


def codes_changed(player: Player) -> None:
    """Record the change of the player's recovery codes. Call it in the transaction that has locked the account."""
    codes = PasswordCode.objects.filter(player=player, used_at=None).order_by("digest")
    _write(player, {"password_codes": " ".join(map(_code, codes.values()))})


def contents() -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what opens each account, in the order of ids. It is secret: only marks of it are recorded."""
    factors = dict(_factors(Authenticator.objects.all()))
    codes = PasswordCode.objects.filter(used_at=None).order_by("player_id", "digest")
    codes_of = _in_order((code["player_id"], _code(code)) for code in codes.values().iterator(5000))
    players = Player.objects.order_by("pk").values_list("pk", *_COLUMNS)
    for pk, *columns in players.iterator(chunk_size=5000):
        yield pk, {**NONE, **_own(*columns), "password_codes": " ".join(codes_of(pk)), **factors.get(pk, {})}


def recorded_access() -> RecordedRows:
    """Return by id what the trail says of everybody."""
    return recorded_rows(Player._meta.label_lower, [CHANGED])


def was_locked(player_id: int, at: datetime) -> bool:
    """Return whether the account was locked at that moment, by the trail."""
    acts = AuditEntry.objects.filter(target_type=Player._meta.label_lower, target_id=str(player_id), action=CHANGED)
    last = acts.filter(at__lte=at, after__has_key="is_active").first()
    return last is not None and not (last.after or {})["is_active"]


def matches_record(pk: int, name: str, recorded: Any, content: Any) -> bool:
    """Return whether what the trail `recorded` matches the content; a mark may be under a former key."""
    if isinstance(content, bool) or not content or not recorded:
        return bool(recorded == content)
    return content != _UNREADABLE and signing.is_signed(signing.ACCESS, _marking(pk, name, content), recorded)


def _code(code: Mapping[str, Any]) -> str:
    """Return the code's digest and, of a code of support, when it expires."""
    expires_at = code["expires_at"]
    return f"{code['digest']} until {expires_at.isoformat()}" if expires_at else str(code["digest"])


def _own(is_active: bool, password: str, email: str) -> dict[str, Any]:
    usable = password if password and is_password_usable(password) else ""
    return {"is_active": is_active, "password": usable, "email": email}


def _factors(authenticators: "QuerySet[Any]") -> Iterator[tuple[int, dict[str, str]]]:
    """Yield, by player, the authenticators that are set up, and their unused recovery codes."""
    for factor in authenticators.exclude(confirmed_at=None):
        codes = RecoveryCode.objects.filter(authenticator_id=factor.pk, used_at=None).order_by("digest")
        try:
            secret = f"{SECRETS.unseal(factor).hex()} {factor.confirmed_at.isoformat()} {factor.token_digest}"
        except InvalidTag:
            secret = _UNREADABLE
        unused = " ".join(codes.values_list("digest", flat=True))
        yield factor.player_id, {"authenticator": secret, "recovery_codes": unused}


def _in_order(rows: Iterable[tuple[int, str]]) -> Callable[[int], list[str]]:
    """Return a function from an id to its values. Call it in the order of ids: rows are read as they are needed."""
    groups = ((pk, [value for _, value in group]) for pk, group in groupby(rows, key=itemgetter(0)))
    latest: list[tuple[int, list[str]]] = [(0, [])]

    def values_of(pk: int) -> list[str]:
        while latest[0][0] < pk:
            latest[0] = next(groups, (pk + 1, []))
        return latest[0][1] if latest[0][0] == pk else []

    return values_of


def marked(pk: int, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with marks instead of its secrets."""
    return {
        name: signing.sign(signing.ACCESS, _marking(pk, name, value)) if isinstance(value, str) and value else value
        for name, value in content.items()
    }


def _marking(pk: int, name: str, content: str) -> str:
    return f"{pk} {name} {content}"


def _write(player: Model, content: Mapping[str, Any]) -> None:
    if content:
        record(PLATFORM, CHANGED, player, after=marked(player.pk, content))


def _access_saved(instance: Player, created: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    columns = _own(instance.is_active, instance.password, instance.email)
    if created:
        _write(instance, {name: value for name, value in columns.items() if value != NONE[name]})
    else:
        _write(instance, {name: columns[name] for name in _COLUMNS if update_fields is None or name in update_fields})


def _factor_changed(user: Model, **_: Any) -> None:
    factors = dict(_factors(Authenticator.objects.filter(player_id=user.pk)))
    _write(user, factors.get(user.pk, {"authenticator": "", "recovery_codes": ""}))
