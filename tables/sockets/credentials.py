"""What a socket was let in with, and whether that still holds: a session or a token of an account that is open."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.authtoken.models import Token

#: At most so many keys stand in one query.
BATCH = 500

#: Answers whether this user may be let in with that session, or with that token.
Requirement = Callable[[Any, Mapping[str, Any] | None, str], bool]
_requirements: list[Requirement] = []


@dataclass(frozen=True, slots=True)
class Credential:
    """The user, and the session or the token that speaks for them."""

    user_id: int
    session: str = ""
    token: str = ""


def of_scope(scope: dict[str, Any]) -> Credential | None:
    """What the socket of this scope was let in with; None for a visitor."""
    user, session = scope.get("user"), scope.get("session")
    if user is None or not user.is_authenticated:
        return None
    token = scope.get("token", "")
    return (
        Credential(user.pk, token=token)
        if token
        else Credential(user.pk, session=(session and session.session_key) or "")
    )


def require(check: Requirement) -> None:
    """From now on nobody is let in, or stays, whom `check` does not admit."""
    if check not in _requirements:
        _requirements.append(check)


def is_admitted(scope: dict[str, Any]) -> bool:
    """Whether every demand is met by whoever has opened this socket; a visitor has none to meet."""
    user = scope.get("user")
    if user is None or not user.is_authenticated:
        return True
    return _meets(user, scope.get("session"), scope.get("token", ""))


def _meets(user: Any, session: Mapping[str, Any] | None, token: str) -> bool:
    return all(check(user, session, token) for check in _requirements)


def still_valid(passes: Collection[Credential]) -> set[Credential]:
    """Those of the passes that would let a socket in now: three queries for any number of them.

    Void are: an account that is locked or gone, a token that was taken back, a session that was ended, has expired,
    belongs to somebody else by now, or was opened under another password, and whatever does not meet every demand.
    """
    users = _open_accounts({each.user_id for each in passes})
    tokens = _owners_of_tokens({each.token for each in passes if each.token})
    sessions = _sessions({each.session for each in passes if each.session})
    return {
        each
        for each in passes
        if each.user_id in users
        and (
            tokens.get(each.token) == each.user_id
            if each.token
            else _speaks_for(sessions.get(each.session), users[each.user_id])
        )
        and _meets(users[each.user_id], sessions.get(each.session), each.token)
    }


def _open_accounts(ids: Iterable[int]) -> dict[int, Any]:
    accounts = get_user_model().objects.filter(is_active=True).only("password", "is_staff", "is_superuser")
    return {user.pk: user for batch in _batches(ids) for user in accounts.filter(pk__in=batch)}


def _owners_of_tokens(keys: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for batch in _batches(keys):
        found.update(Token.objects.filter(key__in=batch).values_list("key", "user_id"))
    return found


def _sessions(keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    running = store.model.objects.filter(expire_date__gt=timezone.now())
    return {
        key: store.decode(data)
        for batch in _batches(keys)
        for key, data in running.filter(session_key__in=batch).values_list("session_key", "session_data")
    }


def _speaks_for(session: dict[str, Any] | None, user: Any) -> bool:
    if session is None or session.get(SESSION_KEY) != str(user.pk) or BACKEND_SESSION_KEY not in session:
        return False
    given = session.get(HASH_SESSION_KEY, "")
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(given, each) for each in hashes)


def _batches(keys: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(keys)
    while batch := list(islice(left, BATCH)):
        yield batch
