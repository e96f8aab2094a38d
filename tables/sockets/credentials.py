"""What a socket was let in with, and whether that still holds: a session or a token of an account that is open."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.authtoken.models import Token

from wallet.base.among import among

#: Answers whether this user, one of the staff, may be let in with that session, or with that token.
Requirement = Callable[[Any, Mapping[str, Any] | None, str], bool]
_requirements: list[Requirement] = []


@dataclass(frozen=True, slots=True)
class Credential:
    """The user, and the session or the token that speaks for them."""

    user_id: int
    session: str = ""
    token: str = ""


def of_scope(scope: dict[str, Any]) -> Credential | None:
    """Return what the socket of this scope was let in with; None for a visitor."""
    user = scope.get("user")
    if user is None or not user.is_authenticated:
        return None
    token = scope.get("token", "")
    return Credential(user.pk, token=token) if token else Credential(user.pk, session=scope.get("session_key", ""))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the database holds for a pass: the account's password as it is kept, its rank, and the session's data."""

    password: str
    is_staff: bool
    session_data: str = ""


@dataclass(frozen=True, slots=True)
class HandshakeKey:
    """What a handshake brings to be known by: the token, or else the key of a session."""

    token: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whose key it is, if it opens anything, and the data of their session, if it is one."""

    user: Any = None
    session: Mapping[str, Any] | None = None


def bearers(keys: Sequence[HandshakeKey]) -> list[Bearer]:
    """Return who brings each of these keys: two or three queries for any number of them."""
    owners = dict(_owners_of_tokens({key.token for key in keys if _is_plain(key.token)}))
    store = _session_store()
    kept = dict(_sessions({key.session for key in keys if _is_plain(key.session) and not key.token}))
    sessions = {key: store.decode(data) for key, data in kept.items()}
    named = {str(session.get(SESSION_KEY, "")) for session in sessions.values()}
    ids = {*owners.values(), *(int(each) for each in named if each.isascii() and each.isdigit())}
    users = {user.pk: user for user in get_user_model().objects.filter(among("pk", ids), is_active=True)}
    by_name = {str(pk): user for pk, user in users.items()}
    found = []
    for key in keys:
        session = None if key.token else sessions.get(key.session)
        user = users.get(owners.get(key.token, 0)) if session is None else by_name.get(str(session.get(SESSION_KEY)))
        if session is not None and (user is None or not _speaks_for(session, user)):
            user = None
        found.append(Bearer(user, session if user is not None else None))
    return found


def require_of_staff(check: Requirement) -> None:
    """Let nobody of the staff in, or stay, from now on whom `check` does not admit."""
    if check not in _requirements:
        _requirements.append(check)


def is_admitted(scope: dict[str, Any]) -> bool:
    """Return whether every demand is met by whoever has opened this socket; a visitor has none to meet."""
    user = scope.get("user")
    if not is_staff(user):
        return True
    return _meets(user, scope.get("session"), scope.get("token", ""))


def is_staff(user: Any) -> bool:
    """Return whether more than their key is demanded of this user; None is a visitor."""
    return user is not None and bool(user.is_staff or user.is_superuser)


def _meets(user: Any, session: Mapping[str, Any] | None, token: str) -> bool:
    if not is_staff(user):
        return True
    return all(check(user, session, token) for check in _requirements)


def still_valid(passes: Collection[Credential]) -> set[Credential]:
    """Return those of the passes that would let a socket in now: three queries for any number of them.

    Void are: an account that is locked or gone, a token that was taken back, a session that was ended, has expired,
    belongs to somebody else by now, or was opened under another password, and whatever does not meet every demand.
    """
    return set(StandingPasses().good_among(frozenset(passes)))


class StandingPasses:
    """The passes that are asked for again and again: what is as it was is not looked at again, but for the staff."""

    def __init__(self) -> None:
        self._passes: frozenset[Credential] = frozenset()
        self._rows: _Rows | None = None
        self._good: Mapping[Credential, Evidence] = {}

    def good_among(self, passes: frozenset[Credential]) -> Mapping[Credential, Evidence]:
        """Return what speaks for each of the passes that are valid, as `still_valid` has it.

        It is the very same object as the last time where nothing has changed.
        """
        rows = _rows_for(passes)
        if rows == self._rows and passes == self._passes:
            held = self._good
            doubted = [each for each, one in held.items() if one.is_staff]
        else:
            held = _evidence(passes, rows)
            doubted = [each for each, one in held.items() if one.is_staff or self._good.get(each) != one]
        users = get_user_model().objects.in_bulk([each.user_id for each in doubted])
        void = {each for each in doubted if not _is_good(each, users.get(each.user_id), held[each].session_data)}
        if void:
            held = {each: one for each, one in held.items() if each not in void}
        self._passes, self._rows, self._good = passes, rows, held
        return held


@dataclass(frozen=True, slots=True)
class _Rows:
    """What the database holds for some passes: of open accounts, of tokens and of running sessions."""

    accounts: list[tuple[int, str, bool, bool]]
    tokens: list[tuple[str, int]]
    sessions: list[tuple[str, str]]


def _rows_for(passes: Collection[Credential]) -> _Rows:
    accounts = get_user_model().objects.filter(among("pk", {each.user_id for each in passes}), is_active=True)
    return _Rows(
        list(accounts.values_list("pk", "password", "is_staff", "is_superuser")),
        _owners_of_tokens({each.token for each in passes if each.token}),
        _sessions({each.session for each in passes if each.session}),
    )


def _evidence(passes: Collection[Credential], rows: _Rows) -> dict[Credential, Evidence]:
    accounts = {pk: (password, staff or superuser) for pk, password, staff, superuser in rows.accounts}
    tokens, sessions = dict(rows.tokens), dict(rows.sessions)
    held: dict[Credential, Evidence] = {}
    for each in passes:
        account = accounts.get(each.user_id)
        speaks = tokens.get(each.token) == each.user_id if each.token else each.session in sessions
        if account is not None and speaks:
            held[each] = Evidence(*account, sessions.get(each.session, ""))
    return held


def _is_good(credential: Credential, user: Any, session_data: str) -> bool:
    if user is None or not user.is_active:
        return False
    if credential.token:
        return _meets(user, None, credential.token)
    session = _session_store().decode(session_data)
    return _speaks_for(session, user) and _meets(user, session, "")


def _is_plain(key: str) -> bool:
    """Return whether it may be a key at all; not everything that a client makes up can be asked of a database."""
    return key.isascii() and key.isalnum()


def _owners_of_tokens(keys: Collection[str]) -> list[tuple[str, int]]:
    return list(Token.objects.filter(among("key", keys)).values_list("key", "user_id")) if keys else []


def _sessions(keys: Collection[str]) -> list[tuple[str, str]]:
    running = _session_store().model.objects.filter(expire_date__gt=timezone.now())
    return list(running.filter(among("session_key", keys)).values_list("session_key", "session_data")) if keys else []


def _session_store() -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore()


def _speaks_for(session: dict[str, Any], user: Any) -> bool:
    if session.get(SESSION_KEY) != str(user.pk) or BACKEND_SESSION_KEY not in session:
        return False
    given = session.get(HASH_SESSION_KEY, "")
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(given, each) for each in hashes)
