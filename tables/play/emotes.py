"""Sending an emote at a table: it reaches the players and watchers there, and is stored nowhere."""

from tables.errors import TableError
from tables.models import Seating
from tables.play import broadcast
from tables.play.seating import not_seated
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import worded

#: How many emotes a player may send, and within how many seconds, at all tables together.
PACE = RateLimit("emotes", 4, 12)


def send_emote(*, table_id: int, user_id: int, emote: str) -> None:
    """Show the emote at the player's seat to everybody at the table. TableError `not_seated`, `rate_limited`."""
    own = Seating.objects.filter(table_id=table_id, user_id=user_id, left_at=None, user__is_active=True)
    seat = own.values_list("seat", flat=True).first()
    if seat is None:
        raise not_seated()
    if not rate_limits.count_tries([(PACE, PACE.key(user_id))]):
        raise TableError("rate_limited", worded("Wait a moment before you say more."), status=429)
    broadcast.send(broadcast.table_group(table_id), {"type": "table.emote", "seat": seat, "emote": emote})
