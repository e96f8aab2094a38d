"""Tokens of the API, kept so that their rows sign nobody in.

The row holds a number; the token that a program sends is the number and its HMAC by the installation's key, over the
user and the moment of issue as well. Who reads the table learns no token; who writes it can make none, nor give one to
somebody else, nor let it last longer. A row that was made before this was so opens nothing.
"""

import hmac
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.utils import timezone
from rest_framework.authtoken.models import Token

from wallet.keys.deriving import derive
from wallet.keys.encryption import secrets

#: How long a token lasts.
LIFETIME = timedelta(days=180)
#: Hex digits of the number and of the HMAC behind it, 160 bits each.
DIGITS = 40


def token_text(row: Token) -> str:
    """Return the token itself, as a program sends it."""
    return f"{row.key[:DIGITS]}{next(_macs(row))}"


def row_of(token: str) -> Token | None:
    """Return the row of the token; None if there is none, or if it is too old."""
    return matching(token, Token.objects.select_related("user").filter(key=number(token), created__gt=oldest()).first())


def matching(token: str, row: Token | None) -> Token | None:
    """Return the row if the token is its own; a key of the installation that still opens may have made it."""
    sent = token[DIGITS:].encode()
    fits = row is not None and any(hmac.compare_digest(sent, mac.encode()) for mac in _macs(row))
    return row if fits else None


def number(token: str) -> str:
    """Return the number of the row; an empty one, which no row has, for what cannot be a token."""
    return token[:DIGITS] if len(token) == 2 * DIGITS and token.isascii() and token.isalnum() else ""


def oldest() -> datetime:
    """Return the moment since when a token must have been issued to be valid now."""
    return timezone.now() - LIFETIME


def _macs(row: Token) -> Iterator[str]:
    content = f"{row.key[:DIGITS]} {row.user_id} {row.created.astimezone(UTC).isoformat()}".encode()
    for secret in secrets():
        yield hmac.new(derive(secret, "rummy tokens of the API"), content, "sha256").hexdigest()[:DIGITS]
