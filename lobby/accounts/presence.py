"""Who is online: seats record it for players at tables, a mark that expires for everybody else."""

from collections.abc import Collection

from django.core.cache import cache

from tables.models import Seating
from tables.play import store
from tables.play.seating import is_connected

#: Seconds for which a sign of life outside a table counts: three pings of the lobby's socket.
ONLINE_SECONDS = 60


def note_alive(user_id: int) -> None:
    """Count the player as online for the next ONLINE_SECONDS."""
    cache.set(_key(user_id), 1, ONLINE_SECONDS)


def online(user_ids: Collection[int], seatings: Collection[Seating]) -> set[int]:
    """Return the players who are online; `seatings` are the seats that they hold."""
    now = store.now_ms()
    at_tables = {seating.user_id for seating in seatings if seating.user_id is not None and is_connected(seating, now)}
    return at_tables | {user_id for user_id in user_ids if user_id not in at_tables and cache.get(_key(user_id))}


def _key(user_id: int) -> str:
    return f"online:{user_id}"
