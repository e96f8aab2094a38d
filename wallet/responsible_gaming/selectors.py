"""Reading a player's limits, exclusions, time and results, for their own page, the table and staff.

Changes are stored in English, as `services` writes them, and read in the reader's language.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, TypedDict

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

from wallet.base import money
from wallet.base.report_zone import zone
from wallet.language import gettext as _
from wallet.ledger.accounts import find_accounts
from wallet.models import AccountKind as AccountKind, Reason, Transfer
from wallet.responsible_gaming import limits, playtime
from wallet.responsible_gaming.limits import Rule, bounds
from wallet.responsible_gaming.models import LimitKind, LimitPeriod, PlayerSettings, SettingsChange
from wallet.responsible_gaming.services import default_reminder

#: The reasons by which a player wins or loses: deals on stacks, and payments into and out of pots.
RESULTS = (
    Reason.DEAL, Reason.ENTRY, Reason.REJOIN, Reason.PRIZE, Reason.REFUND,
    Reason.TOURNAMENT_ENTRY, Reason.TOURNAMENT_PRIZE, Reason.TOURNAMENT_REFUND,
)  # fmt: skip
#: Time played longer ago does not count toward reminders.
REMEMBERED = timedelta(hours=24)
#: The sentences whose parts are translated separately. Each is marked for translation in `services` or `money`.
_SENTENCES = (
    "Kept: {after}",
    "{holds}; {rule} from {pending_at}",
    "Excluded from play {until}",
    "Exclusion by our staff ends by {until}",
    "until {moment}",
    "{amount} minutes",
    "{amount} chips",
    "{amount} chip",
)
#: Patterns of parts that are not sentences, by their names.
_VALUES = {"amount": r"[\d,.]+"}
_LIMIT = re.compile(rf"(Time played|Put into play) ({'|'.join(f'a {period}' for period in LimitPeriod.values)}): (.+)")
_MOMENT = re.compile(r"(\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d) (\S+)")


class PendingView(TypedDict):
    amount: int | None
    at: Annotated[datetime, "From when on it holds: 72 hours after it was asked for."]


class LimitView(TypedDict):
    """A limit with amounts in smallest units of the currency, for time in whole minutes; None for no limit."""

    kind: str
    currency: str
    period: str
    amount: Annotated[int | None, "What holds now; null: no limit."]
    used: int
    left: int | None
    resets_at: datetime
    pending: PendingView | None


class ExclusionView(TypedDict):
    until: datetime | None
    for_good: bool
    by_staff: bool


class ResultView(TypedDict):
    currency: str
    amount: Annotated[int, "Won or lost today; entries in pots that still run count as paid."]
    text: Annotated[str, "The amount as it is written: `+400 chips`."]


class TodayView(TypedDict):
    """Today's play. `net` is won or lost, in smallest units; entries in running pots count as paid."""

    played_seconds: int
    net: list[ResultView]


class ReminderView(TypedDict):
    every_minutes: int
    due: Annotated[bool, "To be shown, and acknowledged by `POST /api/me/care/seen/`."]


class CareView(TypedDict):
    zone: Annotated[str, "The zone whose days, weeks and months count."]
    limits: list[LimitView]
    exclusion: ExclusionView | None
    reminder: ReminderView
    today: TodayView


def overview(user: AbstractBaseUser, currencies: Iterable[str]) -> CareView:
    """Return all settings of the user, how much of their limits is used, and today's time and results.

    Limits of every period are listed.
    """
    now = timezone.now()
    by_name = {rule.name: rule for rule in limits.rules(user.pk, now)}
    names = [(LimitKind.ENTRIES, code) for code in currencies] + [(LimitKind.TIME, "")]
    rules = [
        by_name.get((kind, code, period)) or Rule(kind=kind, currency=code, period=period, amount=None)
        for kind, code in names
        for period in LimitPeriod
    ]
    return {
        "zone": zone().key,
        "limits": [_limit(user.pk, rule, now) for rule in rules],
        "exclusion": exclusion(user),
        "reminder": reminder(user),
        "today": today(user),
    }


def exclusion(user: AbstractBaseUser) -> ExclusionView | None:
    """Return the user's exclusion that holds now and ends last, if any."""
    exclusions = limits.exclusions([user.pk], timezone.now())
    if not exclusions:
        return None
    last = limits.last_to_end(exclusions)
    until = limits.end(last)
    return {"until": until, "for_good": until is None, "by_staff": last.by_staff}


def was_excluded(user_id: int, at: datetime) -> bool:
    """Return whether an exclusion of the user held at that moment."""
    return bool(limits.exclusions([user_id], at))


def reminder(user: AbstractBaseUser) -> ReminderView:
    """Return how often the user is reminded, and whether they have played so long that a reminder is due."""
    row = PlayerSettings.objects.filter(pk=user.pk).first()
    every = (row.reminder_minutes if row else None) or default_reminder()
    now = timezone.now()
    since = now - REMEMBERED
    if row is not None and row.reminded_at is not None:
        since = max(since, row.reminded_at)
    return {"every_minutes": every, "due": playtime.seconds(user.pk, since, now) >= every * 60}


def today(user: AbstractBaseUser) -> TodayView:
    """Return time played and net results since midnight in the report zone."""
    now = timezone.now()
    since, _ = bounds(LimitPeriod.DAY, now)
    return {"played_seconds": playtime.seconds(user.pk, since, now), "net": _net(user.pk, since)}


def changes(user: AbstractBaseUser) -> QuerySet[SettingsChange]:
    """Return the changes of the user's settings, with who made them, latest first."""
    return SettingsChange.objects.filter(user_id=user.pk).select_related("by").order_by("-id")


def _limit(user_id: int, rule: Rule, now: datetime) -> LimitView:
    used = limits.used(user_id, rule, now) // (60 if rule.kind is LimitKind.TIME else 1)
    return {
        "kind": str(rule.kind),
        "currency": rule.currency,
        "period": str(rule.period),
        "amount": rule.amount,
        "used": used,
        "left": None if rule.amount is None else max(0, rule.amount - used),
        "resets_at": bounds(rule.period, now)[1],
        "pending": None if rule.pending_at is None else {"amount": rule.pending, "at": rule.pending_at},
    }


def _net(user_id: int, since: datetime) -> list[ResultView]:
    accounts = [*find_accounts(AccountKind.PLAYER, [f"user:{user_id}"])]
    stacks = [f"seating:{seating}" for seating in playtime.seatings(user_id, since)]
    accounts += find_accounts(AccountKind.STACK, stacks)
    ids = [account.pk for account in accounts if account.owner_id == user_id]
    transfers = Transfer.objects.filter(posting__created_at__gte=since, posting__reason__in=RESULTS).order_by()
    sums: dict[str, int] = {}
    for sign, rows in ((-1, transfers.filter(debit_id__in=ids)), (1, transfers.filter(credit_id__in=ids))):
        for code, amount in rows.values_list("debit__currency").annotate(Sum("amount")):
            sums[code] = sums.get(code, 0) + sign * amount
    return [
        {"currency": code, "amount": amount, "text": money.display_change(amount, code)}
        for code, amount in sorted(sums.items())
    ]


def _pattern(sentence: str) -> re.Pattern[str]:
    """Return the pattern of a sentence with any values in its named places."""
    named = re.compile(r"\\{(\w+)\\}")
    return re.compile(named.sub(lambda name: f"(?P<{name[1]}>{_VALUES.get(name[1], '.+')})", re.escape(sentence)))


_PATTERNS = {text: _pattern(text) for text in _SENTENCES}


def translated_change(text: str) -> str:
    """Return the text of a change in the reader's language; an unknown text unchanged."""
    if match := _MOMENT.fullmatch(text):
        return f"{date_format(datetime.strptime(match[1], '%d %b %Y, %H:%M'), 'j M Y, H:i')} {match[2]}"
    for sentence, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(text):
            return _(sentence, **{name: translated_change(value) for name, value in match.groupdict().items()})
    if match := _LIMIT.fullmatch(text):
        kind, period, amount = map(translated_change, match.groups())
        return f"{kind} {period}: {amount}"
    return gettext(text)
