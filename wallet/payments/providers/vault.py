"""Encryption of the bank accounts of withdrawals: no database, dump or backup has readable account numbers."""

import json
from collections.abc import Mapping

from wallet.keys.columns import SealedColumn
from wallet.keys.encryption import Cipher
from wallet.payments.models import Withdrawal

_DESTINATIONS = SealedColumn(
    "gateways.Withdrawal", "destination", Cipher("bank accounts", before="rummy bank accounts"), "player_id", "request"
)


def encrypt(row: Withdrawal, content: Mapping[str, str]) -> bytes:
    """Return `content` sealed for this withdrawal of its player."""
    return _DESTINATIONS.seal(row, json.dumps(dict(content)).encode())


def unseal(row: Withdrawal) -> dict[str, str]:
    """Return the destination of the withdrawal; InvalidToken if it was altered or sealed for another one."""
    return dict(json.loads(_DESTINATIONS.unseal(row)))
