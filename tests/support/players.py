"""Players with chips."""

from itertools import count
from typing import Any

from lobby.accounts.services import sign_up
from lobby.models import Player

PASSWORD = "thirteen quiet cards"
_numbers = count(1)


def signed_up(name: str = "", *, password: str = PASSWORD, **fields: Any) -> Player:
    """Sign up a player, with a wallet and its chips, then set these fields; return the player."""
    player = sign_up(username=name or f"player{next(_numbers)}", password=password)
    if fields:
        for field, value in fields.items():
            setattr(player, field, value)
        player.save()
    return player
