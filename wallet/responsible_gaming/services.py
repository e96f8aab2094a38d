"""Setting limits and exclusions, by players or by staff for them: stricter at once, looser after 72 hours."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import override

from wallet.audit_log.services import Actor, record, row_columns
from wallet.base import money
from wallet.base.errors import WalletError
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _
from wallet.responsible_gaming import limits
from wallet.responsible_gaming.admission import lock_player_row
from wallet.responsible_gaming.models import Exclusion, Limit, LimitKind, LimitPeriod, SettingsChange

LOOSENING = timedelta(hours=72)
#: The names in the trail of the acts that set limits and exclusions.
SET_LIMIT, EXCLUDED = "limit.set", "exclusion.set"
#: The periods of exclusions in days, None for good.
EXCLUSIONS: dict[str, int | None] = {"day": 1, "week": 7, "month": 30, "half_year": 182, "year": 365, "ever": None}
#: The minutes of play between reminders that a player can choose.
REMINDERS = (15, 30, 60, 120)
#: More minutes than any month has.
MOST_MINUTES = 31 * 24 * 60


@transaction.atomic
def set_limit(
    *,
    user: AbstractBaseUser,
    kind: str,
    period: str,
    amount: int | None,
    currency: str = "",
    by: AbstractBaseUser | None = None,
) -> limits.Rule:
    """Set the limit: it applies at once unless it is looser than the present one, else after 72 hours.

    `amount` is in smallest units of `currency`, for time in minutes; None for no limit. A new setting replaces a
    pending one. `by` is who sets it, by default the user. WalletError `bad_limit`.
    """
    _check(kind, period, amount, currency)
    lock_player_row(user.pk)
    now = timezone.now()
    row = Limit.objects.filter(user_id=user.pk, kind=kind, currency=currency, period=period).first()
    if row is None:
        default = limits.default(kind, currency, period)
        row = Limit(user_id=user.pk, kind=kind, currency=currency, period=period, amount=default)
    stored = row_columns(row) if row.pk else None
    before = limits.rule_in_force(row, now)
    if not _is_looser(amount, before.amount):
        row.amount, row.pending_amount, row.pending_at = amount, None, None
    elif before.pending_at is None or before.pending != amount:
        row.amount, row.pending_amount, row.pending_at = before.amount, amount, _whole_minute(now + LOOSENING)
    row.save()
    _write_act(SET_LIMIT, row, stored, user, by)
    after = limits.rule_in_force(row, now)
    if before != after:
        _note(user, by, lambda: _rule_text(after))
    return after


@transaction.atomic
def withdraw(
    *, user: AbstractBaseUser, kind: str, period: str, currency: str = "", by: AbstractBaseUser | None = None
) -> limits.Rule:
    """Withdraw the pending change of the limit. WalletError `nothing_pending`, `bad_limit`."""
    _check(kind, period, None, currency)
    lock_player_row(user.pk)
    now = timezone.now()
    row = Limit.objects.filter(user_id=user.pk, kind=kind, currency=currency, period=period).first()
    if row is None or limits.rule_in_force(row, now).pending_at is None:
        raise WalletError("nothing_pending", _("No change of this limit is waiting."))
    stored = row_columns(row)
    row.pending_amount, row.pending_at = None, None
    row.save()
    _write_act(SET_LIMIT, row, stored, user, by)
    after = limits.rule_in_force(row, now)
    _note(user, by, lambda: _("Kept: {after}", after=_rule_text(after)))
    return after


@transaction.atomic
def exclude(*, user: AbstractBaseUser, period: str, by: AbstractBaseUser | None = None) -> Exclusion:
    """Exclude the user from taking seats for one of EXCLUSIONS from now on. With `by`, staff have set it.

    An exclusion is never shortened: WalletError `cannot_shorten` where a present one ends no earlier, `bad_period` for
    an unknown period.
    """
    if period not in EXCLUSIONS:
        raise WalletError("bad_period", _("An exclusion is one of {exclusions}.", exclusions=", ".join(EXCLUSIONS)))
    lock_player_row(user.pk)
    now, days = timezone.now(), EXCLUSIONS[period]
    until = None if days is None else _whole_minute(now + timedelta(days=days))
    for present in limits.exclusions([user.pk], now):
        present_end = limits.end(present)
        if present_end is None or (until is not None and until <= present_end):
            message = _("An exclusion holds already {held}.", held=_until_text(present_end))
            raise WalletError("cannot_shorten", message)
    exclusion = Exclusion.objects.create(user_id=user.pk, since=now, until=until, by_staff=by is not None)
    _write_act(EXCLUDED, exclusion, None, user, by)
    _note(user, by, lambda: _("Excluded from play {until}", until=_until_text(until)))
    return exclusion


@transaction.atomic
def lift(*, user: AbstractBaseUser, by: AbstractBaseUser | None) -> datetime:
    """End the exclusions of the user by staff in 72 hours, and return when; the user's own exclusions stay.

    WalletError `not_excluded` where there is none by staff.
    """
    lock_player_row(user.pk)
    now = timezone.now()
    by_staff = [exclusion for exclusion in limits.exclusions([user.pk], now) if exclusion.by_staff]
    if not by_staff:
        message = _("Staff have not excluded this player; a player's own exclusion is never shortened.")
        raise WalletError("not_excluded", message)
    until = _whole_minute(now + LOOSENING)
    for exclusion in by_staff:
        end = limits.end(exclusion)
        if end is None or until < end:
            stored = row_columns(exclusion)
            exclusion.lifted_at = until
            exclusion.save(update_fields=["lifted_at"])
            _write_act(EXCLUDED, exclusion, stored, user, by)
    _note(user, by, lambda: _("Exclusion by our staff ends by {until}", until=format_moment(until)))
    return until


@transaction.atomic
def remind_every(*, user: AbstractBaseUser, minutes: int) -> None:
    """Set the minutes of play after which the table reminds the user, one of REMINDERS. WalletError `bad_reminder`."""
    if minutes not in REMINDERS:
        raise WalletError(
            "bad_reminder", _("A reminder comes after {str} minutes.", str=", ".join(map(str, REMINDERS)))
        )
    row = lock_player_row(user.pk)
    row.reminder_minutes = minutes
    row.save(update_fields=["reminder_minutes"])


@transaction.atomic
def acknowledge(*, user: AbstractBaseUser) -> None:
    """Record that the user has seen a reminder; the next one counts from now."""
    row = lock_player_row(user.pk)
    row.reminded_at = timezone.now()
    row.save(update_fields=["reminded_at"])


def _whole_minute(moment: datetime) -> datetime:
    """Return the moment, or the next whole minute: what is shown without seconds is then over when it is said to be."""
    return moment + (datetime.min - moment.replace(tzinfo=None)) % timedelta(minutes=1)


def _is_looser(amount: int | None, limit: int | None) -> bool:
    if limit is None:
        return False
    return amount is None or amount > limit


def _check(kind: str, period: str, amount: int | None, currency: str) -> None:
    if kind not in LimitKind.values or period not in LimitPeriod.values or (kind == LimitKind.TIME) != (currency == ""):
        raise WalletError("bad_limit", _("There is no such limit."))
    if kind == LimitKind.ENTRIES:
        money.currency(currency)
    most = money.LARGEST_AMOUNT if kind == LimitKind.ENTRIES else MOST_MINUTES
    if amount is not None and (type(amount) is not int or not 0 <= amount <= most):
        raise WalletError("bad_limit", _("A limit is a whole number from 0 to {most}, or none.", most=most))


def _note(user: AbstractBaseUser, by: AbstractBaseUser | None, sentence: Callable[[], str]) -> None:
    """Store the text of the change, in English, since staff read it too."""
    with override(settings.LANGUAGE_CODE):
        text = sentence()
    SettingsChange.objects.create(user_id=user.pk, by_id=(by or user).pk, at=timezone.now(), text=text[:200])


def _write_act(
    act: str, row: Limit | Exclusion, before: dict[str, Any] | None, user: AbstractBaseUser, by: AbstractBaseUser | None
) -> None:
    """Record the present content of the row in the trail, with which the audit compares the row."""
    after = row_columns(row)
    if after != before:
        author = by or user
        record(Actor(author.get_username(), author), act, row, before=before, after=after)


def _rule_text(rule: limits.Rule) -> str:
    kind = _("Time played") if rule.kind is LimitKind.TIME else _("Put into play")
    text = f"{kind} {rule.period.label}: {_amount_text(rule, rule.amount)}"
    return (
        _(
            "{holds}; {rule} from {pending_at}",
            holds=text,
            rule=_amount_text(rule, rule.pending),
            pending_at=format_moment(rule.pending_at),
        )
        if rule.pending_at
        else text
    )


def _amount_text(rule: limits.Rule, amount: int | None) -> str:
    if amount is None:
        return _("no limit")
    return _("{amount} minutes", amount=amount) if rule.kind is LimitKind.TIME else money.display(amount, rule.currency)


def _until_text(moment: datetime | None) -> str:
    return _("until {moment}", moment=format_moment(moment)) if moment else _("for good")


def default_reminder() -> int:
    """Return the minutes of play between reminders for users who have chosen none."""
    return int(settings.REMINDER_MINUTES)
