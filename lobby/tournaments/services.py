"""The way of the lobby's people into a tournament."""

from lobby.accounts import guests
from lobby.accounts.models import Player
from tables.models import Entrant
from tables.tournaments import services as tournaments


def enter_player(*, tournament_id: int, user: Player) -> Entrant:
    """Enter the player, a guest with the chips that they get with their first need of any. Refusals as of `enter`."""
    guests.ensure_wallet(user)
    return tournaments.enter(tournament_id=tournament_id, user=user)
