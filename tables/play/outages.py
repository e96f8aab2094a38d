"""Whether the platform is there: the pulse of its web processes, the outages in which none served, what they cost.

Only a web process notes the pulse: without one no player can act, however well workers do. While nobody serves no clock
runs out. Whoever serves again first writes the outage down, and each running clock gets back what fell into it.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import F

from rules.game import Clock
from tables.models import Outage, Pulse, Seating
from tables.play import store
from tables.play.store import LockedTable
from wallet.base import clocks
from wallet.base.only import only

#: A web process notes the pulse twice a second. None has for so long, in ms: nobody served.
AWAY_AFTER_MS = 3_000
#: A process that has just started did not serve before: for it so much will do, in ms.
STARTING_AFTER_MS = 1_500
#: The pulse is not noted anew within so many ms.
BEAT_MS = 100
#: A moment noted by the clock of the database lies at most so far ahead of it, in ms, unless the clock was set back.
AHEAD_MS = 1_000
#: Whoever is awaited after an outage has at least so long, in ms.
GRACE_MS = 10_000


def beat(*, starting: bool = False) -> None:
    """Note that a web process serves.

    If none has for long, or the clock was set back, an outage has ended at this moment.
    """
    pulse = only(Pulse.objects.all())
    now = store.now_ms()
    if pulse is None:
        Pulse.objects.get_or_create(pk=1, defaults={"at_ms": now})
        return
    silent = now - pulse.at_ms
    if -AHEAD_MS <= silent < BEAT_MS:
        return
    current = Pulse.objects.filter(pk=pulse.pk, at_ms=pulse.at_ms)
    if -AHEAD_MS <= silent < (STARTING_AFTER_MS if starting else AWAY_AFTER_MS):
        current.update(at_ms=now)
        return
    with transaction.atomic():
        if current.update(at_ms=now, resumed_ms=now):
            Outage.objects.create(began_ms=pulse.at_ms, ended_ms=now)


def nobody_serves(now: int) -> bool:
    """Return whether no web process has noted the pulse of late.

    A pulse in the future was noted by a clock that was wrong.

    Where none ever has, as in a simulation, nobody is waited for.
    """
    pulse = only(Pulse.objects.all())
    return pulse is not None and not _is_fresh(pulse, now)


def was_served(moment: int, now: int, *, asked: bool) -> bool:
    """Return whether somebody served at that moment, which has passed.

    `asked`: somebody serves now, since a player asks.
    """
    pulse = only(Pulse.objects.all())
    return pulse is None or (_is_fresh(pulse, now) and (asked or pulse.at_ms >= moment))


def served_since(since: int, now: int) -> bool:
    """Return whether nobody missed the platform from then to now."""
    return not nobody_serves(now) and not Outage.objects.filter(ended_ms__gt=since, ended_ms__lte=now).exists()


def _is_fresh(pulse: Pulse, now: int) -> bool:
    return -AHEAD_MS <= now - pulse.at_ms < AWAY_AFTER_MS


def latest_outage() -> int:
    """Return the id of the last outage; 0 where there was none."""
    return Outage.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def owed(table: LockedTable) -> int:
    """Return the ms from now that the running clock must have at least for the outages since it was last asked.

    0 for no more than it has. Afterwards the row, unsaved, says that they are seen to.

    A clock with more to go than its whole length was set while the clock of the database was ahead: it starts anew.
    """
    missed = list(Outage.objects.filter(pk__gt=table.row.outages_seen).order_by("pk"))
    if not missed:
        return 0
    table.row.outages_seen = missed[-1].pk
    clock = table.state.clock
    if clock is None:
        return 0
    if clock.deadline - table.now > clock.length:
        return clock.length
    cut = [each for each in missed if _cut_into(each, clock, table.now)]
    if not cut:
        return 0
    lost = sum(each.ended_ms - max(each.began_ms, _began(clock)) for each in cut)
    deadline = max(clock.deadline + lost, cut[-1].ended_ms + GRACE_MS)
    return max(0, deadline - table.now) if deadline > clock.deadline else 0


def ended_since(moment: int) -> list[Outage]:
    """Return the outages that have ended after that moment, in ms, the last one last."""
    return sorted(Outage.objects.filter(ended_ms__gt=moment), key=lambda outage: outage.pk)


def missed_by(table: LockedTable, seating: Seating, ended: Iterable[Outage]) -> Outage | None:
    """Return the last of these outages since the last sign of life of the player's socket, if it cut into the running
    clock.
    """
    missed = [each for each in ended if seating.seen_ms < each.ended_ms <= table.now]
    clock = table.state.clock
    return missed[-1] if missed and clock is not None and _cut_into(missed[-1], clock, table.now) else None


@clocks.register
def set_backs() -> Iterator[clocks.SetBack]:
    """Return when the clock of the database was set back, as the audit may know."""
    for each in Outage.objects.filter(ended_ms__lt=F("began_ms")):
        yield clocks.SetBack(ahead=moment(each.began_ms), back=moment(each.ended_ms))


def moment(ms: int) -> datetime:
    """Return the ms since 1970 UTC as a time."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def is_for(clock: Clock, seat: int) -> bool:
    """Return whether the clock runs for the holder of the seat, alone or among others."""
    return clock.seat in (None, seat)


def _began(clock: Clock) -> int:
    return clock.deadline - clock.length


def _cut_into(outage: Outage, clock: Clock, now: int) -> bool:
    return max(outage.began_ms, _began(clock)) < outage.ended_ms <= now
