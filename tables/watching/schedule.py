"""When which finished deal is shown: each at its own speed, and always the last one before the running one."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from tables.log.reading import PlayedDeal


@dataclass(frozen=True, slots=True)
class OnShow:
    """The deal that is shown, and when its first card was or will be: in ms since 1970 UTC."""

    deal_id: int
    since_ms: int


def showing(played: Iterable[PlayedDeal], now: int) -> OnShow | None:
    """Return what is shown at `now` of the deals last played at a table, oldest first; None before the first has ended.

    A deal is shown once it has ended and the one before has been shown to its end, but from the beginning of the next
    deal on at the latest: what is then left of the one before is skipped.
    """
    deals, length = list(played), 0
    shown: OnShow | None = None
    deal: PlayedDeal
    after: PlayedDeal | None
    for deal, after in zip_longest(deals, deals[1:]):
        if deal.ended_ms is None:
            continue
        since = max(deal.ended_ms, deal.began_ms + length)
        if after is not None:
            since = max(deal.ended_ms, min(since, after.began_ms))
        if since <= now:
            shown = OnShow(deal.deal_id, since)
        length = deal.ended_ms - deal.began_ms
    return shown
