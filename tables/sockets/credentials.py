"""The credentials of sockets, each a session or a token of an open account, and whether they are still valid."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.authtoken.models import Token

from tables.sockets import looks
from wallet.base.queries import in_list
from wallet.keys import api_tokens
from wallet.keys.session_store import SessionStore, row_keys

#: Returns whether this user, one of the staff, may be let in with that session or that token.
Requirement = Callable[[Any, Mapping[str, Any] | None, str], bool]
_requirements: list[Requirement] = []


@dataclass(frozen=True, slots=True)
class Credential:
    """A user, and the key of the row of the session or the token that admitted them."""

    user_id: int
    session: str = ""
    token: str = ""


def keys_of(credentials: Collection[Credential]) -> looks.Keys:
    """Return what a look at the rows of these credentials asks for."""
    return looks.Keys(
        users=looks.as_list(each.user_id for each in credentials),
        tokens=looks.as_list(each.token for each in credentials if each.token),
        sessions=looks.as_list(each.session for each in credentials if each.session),
    )


def of_scope(scope: dict[str, Any]) -> Credential | None:
    """Return the credential of the socket with this scope; None for a visitor."""
    user = scope.get("user")
    if user is None or not user.is_authenticated:
        return None
    token = scope.get("token", "")
    return Credential(user.pk, token=token) if token else Credential(user.pk, session=scope.get("session_key", ""))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the database holds for a credential: the password hash, whether the account is staff, the session's data."""

    password: str
    is_staff: bool
    session_data: str = ""


@dataclass(frozen=True, slots=True)
class HandshakeKey:
    """The key that a handshake brings: a token, or else the key of a session."""

    token: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Bearer:
    """The user whom a key admits, None if it admits nobody; with the data of their session, if it is one.

    `session_key` or `token` is the key of the row: from here on, nothing holds the key itself.
    """

    user: Any = None
    session: Mapping[str, Any] | None = None
    session_key: str = ""
    token: str = ""


def bearers(keys: Sequence[HandshakeKey]) -> list[Bearer]:
    """Return the bearer of each of these keys, in at most three queries for any number of them."""
    tokens = {row.key: row for row in _tokens({api_tokens.number(key.token) for key in keys if key.token})}
    candidates = {key.session: row_keys(key.session) for key in keys if _is_plain(key.session) and not key.token}
    store, stored = SessionStore(), dict(_sessions({row for rows in candidates.values() for row in rows}))
    sessions = {row_key: store.read(row_key, data) for row_key, data in stored.items()}
    users = _users(tokens.values(), sessions.values())
    result = []
    for key in keys:
        if key.token:
            token = api_tokens.matching(key.token, tokens.get(api_tokens.number(key.token)))
            user = users.get(str(token.user_id)) if token is not None else None
            result.append(Bearer(user, token=token.key) if token is not None and user is not None else Bearer())
            continue
        row_key = next((row for row in candidates.get(key.session, ()) if row in sessions), "")
        session = sessions.get(row_key, {})
        user = users.get(str(session.get(SESSION_KEY)))
        belongs = user is not None and belongs_to(session, user)
        result.append(Bearer(user, session, session_key=row_key) if belongs else Bearer())
    return result


def _users(tokens: Iterable[Token], sessions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return, by id as text, the users with an open account to whom these belong."""
    names = {str(session.get(SESSION_KEY, "")) for session in sessions}
    ids = {*(token.user_id for token in tokens), *(int(name) for name in names if name.isascii() and name.isdigit())}
    return {str(user.pk): user for user in get_user_model().objects.filter(in_list("pk", ids), is_active=True)}


def require_of_staff(check: Requirement) -> None:
    """From now on, admit staff, and let them stay, only if `check` returns True for them."""
    if check not in _requirements:
        _requirements.append(check)


def is_admitted(scope: dict[str, Any]) -> bool:
    """Return whether the user of this socket meets every requirement; only staff have any to meet."""
    user = scope.get("user")
    if not is_staff(user):
        return True
    return _meets(user, scope.get("session"), scope.get("token", ""))


def is_staff(user: Any) -> bool:
    """Return whether the user is staff, so that their key alone is not enough; None is a visitor."""
    return user is not None and bool(user.is_staff or user.is_superuser)


def _meets(user: Any, session: Mapping[str, Any] | None, token: str) -> bool:
    if not is_staff(user):
        return True
    return all(check(user, session, token) for check in _requirements)


def still_valid(candidates: Collection[Credential]) -> set[Credential]:
    """Return those of the credentials that would admit a socket now, in a few queries for any number of them.

    Not valid are an account that is locked or deleted; a token that was revoked; a session that was ended, has expired,
    belongs to somebody else by now or was opened under another password; staff who do not meet every requirement.
    """
    return set(CredentialCache().valid_among(frozenset(candidates)))


class CredentialCache:
    """Credentials that are checked again and again; only those that have changed, and staff's, are verified again."""

    def __init__(self) -> None:
        self._credentials: frozenset[Credential] = frozenset()
        self._digest = ""
        self._valid: Mapping[Credential, Evidence] = {}
        self._of_staff: Mapping[Credential, Evidence] = {}

    def valid_among(self, candidates: frozenset[Credential], digest: str = "") -> Mapping[Credential, Evidence]:
        """Return the evidence for each of the credentials that are valid, as `still_valid` says.

        `digest` is that of their rows, as just read. If it and the candidates are those of the last call, and nobody of
        the staff has lost a requirement, the answer is the very same object.
        """
        # The digest is older than the rows read here, so that a change in between is found by the next look.
        if digest and digest == self._digest and candidates == self._credentials:
            evidence, to_verify = self._valid, self._of_staff
        else:
            evidence = _evidence(candidates, _rows_for(candidates))
            to_verify = {
                key: proof for key, proof in evidence.items() if proof.is_staff or self._valid.get(key) != proof
            }
        users = get_user_model().objects.in_bulk([key.user_id for key in to_verify]) if to_verify else {}
        invalid = {key for key, proof in to_verify.items() if not _is_valid(key, users.get(key.user_id), proof)}
        if invalid:
            evidence = {key: proof for key, proof in evidence.items() if key not in invalid}
        if evidence is not self._valid:
            self._of_staff = {key: proof for key, proof in evidence.items() if proof.is_staff}
        self._credentials, self._digest, self._valid = candidates, digest, evidence
        return evidence


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows in the database for some credentials: open accounts, tokens and running sessions."""

    accounts: list[tuple[int, str, bool, bool]]
    tokens: list[tuple[str, int]]
    sessions: list[tuple[str, str]]


def _rows_for(candidates: Collection[Credential]) -> _Rows:
    user_ids = {candidate.user_id for candidate in candidates}
    accounts = get_user_model().objects.filter(in_list("pk", user_ids), is_active=True)
    return _Rows(
        list(accounts.values_list("pk", "password", "is_staff", "is_superuser")),
        list(_tokens({each.token for each in candidates if each.token}).values_list("key", "user_id")),
        _sessions({candidate.session for candidate in candidates if candidate.session}),
    )


def _evidence(candidates: Collection[Credential], rows: _Rows) -> dict[Credential, Evidence]:
    accounts = {pk: (password, staff or superuser) for pk, password, staff, superuser in rows.accounts}
    tokens, sessions = dict(rows.tokens), dict(rows.sessions)
    evidence: dict[Credential, Evidence] = {}
    for candidate in candidates:
        account, token, session = accounts.get(candidate.user_id), candidate.token, candidate.session
        is_known = tokens.get(token) == candidate.user_id if token else session in sessions
        if account is not None and is_known:
            evidence[candidate] = Evidence(*account, sessions.get(session, ""))
    return evidence


def _is_valid(credential: Credential, user: Any, evidence: Evidence) -> bool:
    if user is None or not user.is_active:
        return False
    if credential.token:
        return _meets(user, None, credential.token)
    session = SessionStore().read(credential.session, evidence.session_data)
    return belongs_to(session, user) and _meets(user, session, "")


def _is_plain(key: str) -> bool:
    """Return whether it may be a key at all; a database cannot be queried for every text that a client may send."""
    return key.isascii() and key.isalnum()


def _tokens(numbers: Collection[str]) -> QuerySet[Token]:
    if not numbers:
        return Token.objects.none()
    return Token.objects.filter(in_list("key", numbers), created__gt=api_tokens.oldest())


def _sessions(row_keys: Collection[str]) -> list[tuple[str, str]]:
    if not row_keys:
        return []
    running = SessionStore.get_model_class().objects.filter(expire_date__gt=timezone.now())
    return list(running.filter(in_list("session_key", row_keys)).values_list("session_key", "session_data"))


def belongs_to(session: Mapping[str, Any], user: Any) -> bool:
    """Return whether the session was opened for this user, under the password that they have now."""
    if session.get(SESSION_KEY) != str(user.pk) or BACKEND_SESSION_KEY not in session:
        return False
    claimed = session.get(HASH_SESSION_KEY, "")
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(claimed, valid) for valid in hashes)
