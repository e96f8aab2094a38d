"""Where players' money goes to, at rest: nobody reads account numbers in the database, a dump or a backup."""

import json
from collections.abc import Mapping

from wallet.keys.columns import SealedColumn
from wallet.keys.encryption import Cipher
from wallet.payments.models import Withdrawal

_DESTINATIONS = SealedColumn(
    "gateways.Withdrawal", "destination", Cipher("bank accounts", before="rummy bank accounts"), "player_id", "request"
)


def encrypt(row: Withdrawal, content: Mapping[str, str]) -> bytes:
    """Seal `content` for this withdrawal of its player."""
    return _DESTINATIONS.seal(row, json.dumps(dict(content)).encode())


def unseal(row: Withdrawal) -> dict[str, str]:
    """Read where the withdrawal goes; InvalidToken when it was tampered with, or is another's."""
    return dict(json.loads(_DESTINATIONS.unseal(row)))
