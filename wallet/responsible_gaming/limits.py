"""Limits in force at a moment, and how much of each is used. Reads only."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from django.conf import settings
from django.db import connection
from django.db.models import Sum

from wallet.base.queries import in_list
from wallet.base.report_zone import local_day, midnight, monday_of
from wallet.models import AccountKind as AccountKind, Reason, Transfer
from wallet.responsible_gaming import playtime
from wallet.responsible_gaming.models import Exclusion, Limit, LimitKind, LimitPeriod

#: The reasons that count as put into play: a seat's buy-in or entry, chips added to it, a rejoin. Money that returns
#: is not deducted, whether won, taken away from the table or refunded.
PUT_IN = (Reason.BUY_IN, Reason.ADD_CHIPS, Reason.REJOIN, Reason.TOURNAMENT_ENTRY)

#: Kind, currency (empty for time) and period.
RuleName: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One limit: `amount` now and `pending` from `pending_at` on; None for no limit."""

    kind: LimitKind
    currency: str
    period: LimitPeriod
    amount: int | None
    pending: int | None = None
    pending_at: datetime | None = None

    @property
    def name(self) -> RuleName:
        return self.kind, self.currency, self.period


def bounds(period: LimitPeriod | str, now: datetime) -> tuple[datetime, datetime]:
    """Return the first moment of the period that `now` lies in, and the first after it, in UTC."""
    day = local_day(now)
    if period == LimitPeriod.DAY:
        first, after = day, day + timedelta(days=1)
    elif period == LimitPeriod.WEEK:
        first = monday_of(day)
        after = first + timedelta(days=7)
    else:
        first = day.replace(day=1)
        after = (first + timedelta(days=31)).replace(day=1)
    return midnight(first), midnight(after)


def default(kind: str, currency: str, period: str) -> int | None:
    """Return the default limit, for players who have set none: in smallest units, for time in minutes."""
    amount: int | None = settings.DEFAULT_LIMITS.get(currency if kind == LimitKind.ENTRIES else "time", {}).get(period)
    return amount


def rules(user_id: int, now: datetime) -> list[Rule]:
    """Return every limit that the user has now or will have, own or default; by kind, currency and period."""
    rows = {(row.kind, row.currency, row.period): row for row in Limit.objects.filter(user_id=user_id)}
    in_force = [rule_in_force(row, now) for row in rows.values()]
    in_force += [rule for rule in _defaults() if rule.name not in rows]
    order = list(LimitPeriod)
    return sorted(in_force, key=lambda rule: (rule.kind, rule.currency, order.index(rule.period)))


def is_unlimited(user_id: int, currency: str) -> bool:
    """Return whether the user has no limit at all: no default, and no limit or exclusion of their own.

    One statement in plain SQL, since this is true of most players who sit down.
    """
    if any(settings.DEFAULT_LIMITS.get(kind) for kind in (currency, "time")):
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM responsible_gaming_limit WHERE user_id = %s)"
            " OR EXISTS (SELECT 1 FROM responsible_gaming_exclusion WHERE user_id = %s)",
            [user_id, user_id],
        )
        return not cursor.fetchone()[0]


def rule_in_force(row: Limit, now: datetime) -> Rule:
    """Return the limit in force at that moment; a pending change applies from its `pending_at` on."""
    rule = Rule(kind=LimitKind(row.kind), currency=row.currency, period=LimitPeriod(row.period), amount=row.amount)
    if row.pending_at is None:
        return rule
    if now >= row.pending_at:
        return replace(rule, amount=row.pending_amount)
    return replace(rule, pending=row.pending_amount, pending_at=row.pending_at)


def _defaults() -> Iterator[Rule]:
    for currency, by_period in settings.DEFAULT_LIMITS.items():
        kind = LimitKind.TIME if currency == "time" else LimitKind.ENTRIES
        for period, amount in by_period.items():
            yield Rule(
                kind=kind,
                currency="" if kind is LimitKind.TIME else currency,
                period=LimitPeriod(period),
                amount=amount,
            )


def total_put_in(user_id: int, currency: str, since: datetime) -> int:
    """Return how much the user has put into play since then, in smallest units, from the ledger itself."""
    transfers = Transfer.objects.filter(
        debit__kind=AccountKind.PLAYER,
        debit__reference=f"user:{user_id}",
        debit__currency=currency,
        posting__reason__in=PUT_IN,
        posting__created_at__gte=since,
    )
    return transfers.aggregate(total=Sum("amount", default=0))["total"] or 0


def used(user_id: int, rule: Rule, now: datetime) -> int:
    """Return how much of the limit is used in the period around `now`: in smallest units, for time in seconds."""
    since, _ = bounds(rule.period, now)
    if rule.kind is LimitKind.TIME:
        return playtime.seconds(user_id, since, now)
    return total_put_in(user_id, rule.currency, since)


def out_of_time(user_ids: Collection[int], now: datetime) -> set[int]:
    """Return those of the users who have played as long as they may in a period around `now`."""
    own = Limit.objects.filter(in_list("user_id", user_ids), kind=LimitKind.TIME)
    rows = {(row.user_id, row.period): row for row in own}
    defaults = {rule.period: rule for rule in _defaults() if rule.kind is LimitKind.TIME}
    out: set[int] = set()
    for period in LimitPeriod:
        in_force = {user_id: rule_in_force(row, now) for (user_id, of), row in rows.items() if of == period}
        if period in defaults:
            in_force = dict.fromkeys(user_ids, defaults[period]) | in_force
        allowed = {user_id: rule.amount * 60 for user_id, rule in in_force.items() if rule.amount is not None}
        if allowed:
            played = playtime.seconds_of_each(allowed.keys(), bounds(period, now)[0], now)
            out.update(user_id for user_id, most in allowed.items() if played[user_id] >= most)
    return out


def exclusions(user_ids: Collection[int], now: datetime) -> list[Exclusion]:
    """Return those of the users' exclusions that hold at that moment."""
    return [
        exclusion
        for exclusion in Exclusion.objects.filter(in_list("user_id", user_ids), since__lte=now)
        if _is_in_force(exclusion, now)
    ]


def end(exclusion: Exclusion) -> datetime | None:
    """Return when the exclusion ends; None for never."""
    ends = [moment for moment in (exclusion.until, exclusion.lifted_at) if moment is not None]
    return min(ends, default=None)


def last_to_end(exclusions: list[Exclusion]) -> Exclusion:
    """Return the exclusion that ends last: one without an end, if there is any."""
    return max(exclusions, key=lambda exclusion: (end(exclusion) is None, end(exclusion) or exclusion.since))


def _is_in_force(exclusion: Exclusion, now: datetime) -> bool:
    until = end(exclusion)
    return until is None or now < until
