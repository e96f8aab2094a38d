"""What two players share besides how they play: whether they meet more than by chance, sign in from one place, and
sit down together. Addresses are only compared: nothing here returns one.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from typing import Any, Final

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from lobby.accounts.models import SignIn
from lobby.friends.models import Friendship
from tables.models import DealSeat, Entrant, Seating
from wallet.base import report_zone

#: Days that are looked back.
DAYS: Final = 180
#: An address from which more accounts sign in says nothing: a household shares one, and so does a whole mobile network.
FEW: Final = 5
#: Who sit down within so many seconds of each other come together.
TOGETHER: Final = timedelta(seconds=30)
#: So often they must have come together, and this part of the times that they sat at one table.
_LEAST_TOGETHER, _PART_TOGETHER = 5, 0.5
#: The deviate from which two meet more than by chance.
_OFTEN: Final = 4.0


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A sentence for staff, and whether it adds to the evidence of play."""

    text: str
    counts: bool


def circumstances(one: int, other: int) -> list[Circumstance]:
    """Return what the two share. Some queries, each over their own rows of the last DAYS days."""
    since = timezone.now() - timedelta(days=DAYS)
    return [
        *_meetings(one, other, since),
        *_sign_ins(one, other, since),
        *_arrivals(one, other, since),
        *_friends(one, other),
    ]


def _meetings(one: int, other: int, since: datetime) -> Iterator[Circumstance]:
    met, expected = meetings(one, other, since)
    if not met:
        return
    often = (met - expected) / sqrt(expected + 0.25 * expected * expected + 1)
    text = f"{met} common deals; {expected:.1f} by chance, given when and at which stakes each of them played."
    yield Circumstance(text, counts=often >= _OFTEN)


def meetings(one: int, other: int, since: datetime) -> tuple[int, float]:
    """Return the common deals of the two, and how many there would be if the seats of each day and stake were drawn.

    A deal at a stake has `parts / deals` seats on average that day. One is the player's own; each of the rest is by
    chance one of the `parts - a` that are not theirs, of which `b` are the other's.
    """
    played = DealSeat.objects.filter(deal__ended_at__gte=since).exclude(outcome="")
    with_other = played.filter(user=other).values("deal")
    met = played.filter(user=one, deal__in=with_other).count()
    own, others = _by_cell(played.filter(user=one)), _by_cell(played.filter(user=other))
    shared = own.keys() & others.keys()
    expected = 0.0
    for stake, day in sorted(shared, key=str):
        here = played.filter(seating__table__stake_id=stake, deal__ended_at__date__gte=day - timedelta(days=1))
        cell = here.annotate(day=_day()).filter(day=day)
        parts, deals = cell.count(), cell.aggregate(deals=Count("deal", distinct=True))["deals"]
        a, b = own[stake, day], others[stake, day]
        if deals and parts > a:
            expected += a * b * min((parts / deals - 1) / (parts - a), 1 / max(a, b))
    return met, expected


def _by_cell(played: Any) -> Counter[tuple[int | None, Any]]:
    rows = played.annotate(day=_day()).values_list("seating__table__stake_id", "day").annotate(Count("pk")).order_by()
    return Counter({(stake, day): count for stake, day, count in rows})


def _day() -> TruncDate:
    return TruncDate("deal__ended_at", tzinfo=report_zone.zone())


def _sign_ins(one: int, other: int, since: datetime) -> Iterator[Circumstance]:
    """Compare the addresses from which they signed in, and the browsers; leave out addresses of many accounts."""
    rows = SignIn.objects.filter(succeeded=True, at__gte=since, address__isnull=False)
    both = set(rows.filter(player=one).values_list("address", flat=True)) & set(
        rows.filter(player=other).values_list("address", flat=True)
    )
    people = rows.filter(address__in=both).values_list("address").annotate(Count("player", distinct=True)).order_by()
    few = {address for address, count in people if count <= FEW}
    if not few:
        return
    clients = [
        set(rows.filter(player=player, address__in=few).exclude(client="").values_list("address", "client"))
        for player in (one, other)
    ]
    same = bool(clients[0] & clients[1])
    count = f"{len(few)} {'address' if len(few) == 1 else 'addresses'}"
    with_browser = ", with browsers that call themselves the same" if same else ""
    yield Circumstance(f"Both have signed in from {count} that at most {FEW} accounts use{with_browser}.", counts=True)


def _arrivals(one: int, other: int, since: datetime) -> Iterator[Circumstance]:
    taken = [
        dict(Seating.objects.filter(user=player, taken_at__gte=since).values_list("table", "taken_at"))
        for player in (one, other)
    ]
    tables = taken[0].keys() & taken[1].keys()
    together = sum(abs(taken[0][table] - taken[1][table]) <= TOGETHER for table in tables)
    if tables:
        within = f"within {TOGETHER.seconds} seconds of each other {together} times"
        text = f"At {len(tables)} common tables they sat down {within}."
        yield Circumstance(text, counts=together >= _LEAST_TOGETHER and together >= _PART_TOGETHER * len(tables))
    entered = [
        dict(Entrant.objects.filter(user=player, entered_at__gte=since).values_list("tournament", "entered_at"))
        for player in (one, other)
    ]
    tournaments = entered[0].keys() & entered[1].keys()
    if tournaments:
        together = sum(abs(entered[0][each] - entered[1][each]) <= TOGETHER for each in tournaments)
        text = (
            f"In {len(tournaments)} common tournaments they entered within {TOGETHER.seconds} seconds {together} times."
        )
        yield Circumstance(text, counts=False)


def _friends(one: int, other: int) -> Iterator[Circumstance]:
    status = Friendship.Status.ACCEPTED
    friends = Friendship.objects.filter(asker__in=(one, other), asked__in=(one, other), status=status)
    if friends.exists():
        yield Circumstance("They are friends on the platform, which is no fault.", counts=False)
