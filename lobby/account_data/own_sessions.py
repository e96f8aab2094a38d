"""What lets somebody into an account now: sessions of browsers and the token of programs; listed, and ended."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authtoken.models import Token

from lobby.accounts.models import Player, SignIn
from lobby.two_factor.sessions import LAST_USED_AT, SIGN_IN, STARTED_AT
from tables.play import broadcast
from tables.sockets.credentials import belongs_to
from wallet.keys.api_tokens import LIFETIME, oldest
from wallet.keys.models import StoredSession
from wallet.keys.session_store import SessionStore

#: What browsers and systems call themselves, the telling names first: Edge says Chrome too, Chrome says Safari.
_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
             ("Chrom", "Chrome"), ("Safari", "Safari"))  # fmt: skip
_SYSTEMS = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
            ("Mac OS", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session as its owner sees it; `key` is that of its row, with which nobody can sign in."""

    key: str
    is_this_one: bool
    began_at: datetime
    used_at: datetime | None
    device: str
    address: str


def own_sessions(player: Player, request: HttpRequest) -> list[OwnSession]:
    """Return the player's sessions that still run, that of the request first, then the latest first."""
    store, current = SessionStore(), getattr(request.session, "row_key", "")
    rows = StoredSession.objects.filter(user_id=player.pk, expire_date__gt=timezone.now())
    stored = {row.session_key: store.read(row.session_key, row.session_data) for row in rows}
    valid = {key: data for key, data in stored.items() if belongs_to(data, player)}
    sign_ins = SignIn.objects.filter(player=player).in_bulk(
        [data[SIGN_IN] for data in valid.values() if SIGN_IN in data]
    )
    sessions = [_shown(key, data, sign_ins.get(data.get(SIGN_IN)), current) for key, data in valid.items()]
    return sorted(sessions, key=lambda session: (not session.is_this_one, -session.began_at.timestamp()))


def own_token(player: Player) -> dict[str, Any] | None:
    """Return when the player's token was issued and when it ends; None where there is none that is valid."""
    token = Token.objects.filter(user=player, created__gt=oldest()).first()
    return {"created": token.created, "ends_at": token.created + LIFETIME} if token is not None else None


@transaction.atomic
def end_sessions(player: Player, *, key: str = "", keep: str = "") -> None:
    """End the session with that key, or each but the one to `keep`; their sockets close."""
    rows = StoredSession.objects.filter(user_id=player.pk).exclude(session_key=keep)
    keys = list((rows.filter(session_key=key) if key else rows).values_list("session_key", flat=True))
    StoredSession.objects.filter(session_key__in=keys).delete()
    for each in keys:
        transaction.on_commit(partial(broadcast.signed_out, player.pk, each))


@transaction.atomic
def end_token(player: Player) -> None:
    """Make the player's token void; sockets that it has opened close."""
    Token.objects.filter(user=player).delete()
    transaction.on_commit(lambda: broadcast.signed_out(player.pk, ""))


def device_of(client: str) -> str:
    """Return browser and system by what the client calls itself: `Firefox, Android`; else its own first word."""
    browser = next((name for word, name in _BROWSERS if word in client), "")
    system = next((name for word, name in _SYSTEMS if word in client), "")
    return ", ".join(filter(None, (browser, system))) or re.sub(r"[^\w./-].*", "", client)[:40]


def _shown(key: str, data: dict[str, Any], sign_in: SignIn | None, current: str) -> OwnSession:
    began, used = data.get(STARTED_AT), data.get(LAST_USED_AT)
    return OwnSession(
        key=key,
        is_this_one=key == current,
        began_at=datetime.fromtimestamp(began or 0, UTC),
        used_at=datetime.fromtimestamp(used, UTC) if used and used != began else None,
        device=device_of(sign_in.client) if sign_in is not None else "",
        address=(sign_in.address or "") if sign_in is not None else "",
    )
