"""Players with chips."""

from itertools import count
from typing import Any

from lobby.accounts.services import sign_up
from lobby.models import Player

PASSWORD = "thirteen quiet cards"
_numbers = count(1)


def signed_up(name: str = "", *, password: str = PASSWORD, **fields: Any) -> Player:
    """Return a player as signing up makes one, with a wallet and its chips; then these fields are set."""
    player = sign_up(username=name or f"player{next(_numbers)}", password=password)
    if fields:
        for field, value in fields.items():
            setattr(player, field, value)
        player.save()
    return player
