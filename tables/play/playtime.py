"""How long a player has played, for the limits and reminders of `wallet.responsible_gaming`."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q

from tables.log import reading
from tables.models import DealSeat, Seating, Table
from tables.play.store import moment
from wallet.base.queries import in_list
from wallet.responsible_gaming.playtime import MEASURES, SEATINGS


def seconds_played(user_ids: Collection[int], since: datetime, until: datetime) -> dict[int, int]:
    """Return by id the seconds between the two moments in which each of these held a seat in a match that was played.

    A match counts from the first to the end of the last deal in that time in which they were dealt a hand, pauses
    included, or until they left. In points and blind every deal is a match. At a frozen table, time stops at the last
    event. A minute at three tables at once is one minute. Who has not played is not in it.
    """
    spans: defaultdict[int, list[tuple[datetime, datetime]]] = defaultdict(list)
    for stay in _stays(user_ids, since, until):
        spans[stay["user_id"]].append((max(stay["began"], since), min(_end(stay, until), until)))
    return {user_id: _covered(sorted(each), since) for user_id, each in spans.items()}


def _covered(spans: list[tuple[datetime, datetime]], since: datetime) -> int:
    """Return the seconds from that moment on that lie in any of the spans, sorted by when they begin."""
    seconds, counted_to = 0.0, since
    for began, end in spans:
        seconds += max(0.0, (end - max(began, counted_to)).total_seconds())
        counted_to = max(counted_to, end)
    return int(seconds)


def recent_seatings(user_id: int, since: datetime) -> list[int]:
    """Return the user's seatings that lasted until a day before that moment or longer; earlier ones are settled."""
    recent = Seating.objects.filter(Q(left_at=None) | Q(left_at__gte=since - timedelta(days=1)), user_id=user_id)
    return list(recent.values_list("pk", flat=True))


def _stays(user_ids: Collection[int], since: datetime, until: datetime) -> Any:
    in_time = Q(deal__started_at__lt=until) & (Q(deal__ended_at__gt=since) | Q(deal__ended_at=None))
    return (
        DealSeat.objects.filter(in_time, in_list("user_id", user_ids))
        .order_by()
        .values("user_id", "deal__match_id", "seating__left_at", "seating__table_id", "seating__table__status")
        .annotate(
            began=Min("deal__started_at"),
            ended=Max("deal__ended_at"),
            running=Count("pk", filter=Q(deal__ended_at=None)),
        )
    )


def _end(stay: dict[str, Any], until: datetime) -> datetime:
    end = until if stay["running"] else stay["ended"]
    if stay["running"] and stay["seating__table__status"] == Table.Status.FROZEN:
        [last] = reading.latest(stay["seating__table_id"], 1)
        end = moment(last.at_ms)
    left: datetime | None = stay["seating__left_at"]
    return end if left is None else min(end, left)


MEASURES.append(seconds_played)
SEATINGS.append(recent_seatings)
