"""Whether a player may play now, and put an amount into play: checked with the posting, under the player's lock."""

from collections.abc import Iterable
from datetime import datetime
from operator import itemgetter

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.utils import timezone

from wallet.base.errors import WalletError
from wallet.base.money import display
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _
from wallet.models import Posting
from wallet.responsible_gaming import limits
from wallet.responsible_gaming.limits import Rule, bounds
from wallet.responsible_gaming.models import LimitKind, LimitPeriod, PlayerSettings


class CareRefusal(WalletError):
    """`limit_reached`, `time_limit_reached` or `self_excluded`; `until` is when one can play again, None for never."""

    def __init__(self, code: str, message: str, until: datetime | None) -> None:
        super().__init__(code, message)
        self.until = until


def lock_player_row(user_id: int) -> PlayerSettings:
    """Lock the user's row until the outermost transaction ends, so that their entries and settings run one by one.

    On SQLite the transaction itself, begun IMMEDIATE, is the lock. It is taken before those of accounts.
    """
    rows = PlayerSettings.objects.select_for_update()
    row = rows.filter(pk=user_id).first()
    if row is None:
        PlayerSettings.objects.get_or_create(pk=user_id)
        row = rows.get(pk=user_id)
    return row


def check_account_open(user: AbstractBaseUser) -> None:
    """Raise WalletError `locked` unless the account is open. Call it under the lock of the user's row.

    The request may come from a session that was open when the account was closed or locked.
    """
    if not get_user_model()._default_manager.filter(pk=user.pk, is_active=True).exists():
        raise WalletError("locked", _("This account is closed or locked."))


def _lock_known_player_row(user_id: int) -> None:
    """Lock as `lock_player_row` does, in plain SQL, since it runs whenever money enters play."""
    if not connection.features.has_select_for_update:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT user_id FROM responsible_gaming_playersettings WHERE user_id = %s FOR UPDATE", [user_id])
        if cursor.fetchone() is None:
            lock_player_row(user_id)


def admit(*, user: AbstractBaseUser | None, currency: str, amount: int, key: str) -> None:
    """Check that the user may put `amount` into play now, and lock out other entries until this transaction ends.

    Raises CareRefusal, but not for a `key` that was posted already, since nothing more is taken. Computer players
    (None) have no limits.
    """
    if user is None:
        return
    _lock_known_player_row(user.pk)
    if limits.is_unlimited(user.pk, currency):
        return
    refusal = why_not(user.pk, currency, amount, timezone.now())
    if refusal is not None and not Posting.objects.filter(key=key).exists():
        raise refusal


def check_play(user_id: int) -> None:
    """Raise CareRefusal where the user may not begin another deal now, even with money already put in."""
    now = timezone.now()
    refusal = _excluded(user_id, now) or _out_of_time(user_id, limits.rules(user_id, now), now)
    if refusal is not None:
        raise refusal


def excluded(user_ids: Iterable[int]) -> set[int]:
    """Return those of the users who may not begin another deal now, by a few queries however many they are."""
    ids, now = list(user_ids), timezone.now()
    by_exclusion = {exclusion.user_id for exclusion in limits.exclusions(ids, now)}
    return by_exclusion | limits.out_of_time([user_id for user_id in ids if user_id not in by_exclusion], now)


def barred(user_ids: Iterable[int]) -> dict[int, CareRefusal]:
    """Return the users whom `excluded` returns, each with the reason."""
    refusals = {}
    for user_id in excluded(user_ids):
        try:
            check_play(user_id)
        except CareRefusal as refusal:
            refusals[user_id] = refusal
    return refusals


def remaining(user_id: int, currency: str) -> int | None:
    """Return how much the user may still put into play now, in smallest units; None where they have no limit."""
    now = timezone.now()
    left = [
        max(0, rule.amount - limits.used(user_id, rule, now))
        for rule in limits.rules(user_id, now)
        if rule.kind is LimitKind.ENTRIES and rule.currency == currency and rule.amount is not None
    ]
    return min(left, default=None)


def why_not(user_id: int, currency: str, amount: int, now: datetime) -> CareRefusal | None:
    """Return the first reason to refuse the amount: an exclusion, then the time played, then a limit on entries."""
    refusal = _excluded(user_id, now)
    if refusal is not None:
        return refusal
    rules = [rule for rule in limits.rules(user_id, now) if rule.amount is not None]
    return _out_of_time(user_id, rules, now) or _beyond(user_id, rules, currency, amount, now)


def _excluded(user_id: int, now: datetime) -> CareRefusal | None:
    exclusions = limits.exclusions([user_id], now)
    if not exclusions:
        return None
    last = limits.last_to_end(exclusions)
    until = limits.end(last)
    who = _("Our staff have excluded you") if last.by_staff else _("You have excluded yourself")
    when = _("until {until}", until=format_moment(until)) if until else _("for good")
    return CareRefusal("self_excluded", _("{who} from play {when}. Your balance is kept.", who=who, when=when), until)


def _out_of_time(user_id: int, rules: list[Rule], now: datetime) -> CareRefusal | None:
    reached = [
        rule
        for rule in rules
        if rule.kind is LimitKind.TIME
        and rule.amount is not None
        and limits.used(user_id, rule, now) >= rule.amount * 60
    ]
    if not reached:
        return None
    until, rule = max(((bounds(rule.period, now)[1], rule) for rule in reached), key=itemgetter(0))
    text = "{amount} minute {span}" if rule.amount == 1 else "{amount} minutes {span}"
    allowed = _(text, amount=rule.amount, span=LimitPeriod(rule.period).label)
    message = _(
        "Your time to play is over: your limit is {allowed}. You can take a seat again from {until}.",
        allowed=allowed,
        until=format_moment(until),
    )
    return CareRefusal("time_limit_reached", message, until)


def _beyond(user_id: int, rules: list[Rule], currency: str, amount: int, now: datetime) -> CareRefusal | None:
    broken = []
    for rule in rules:
        if rule.kind is LimitKind.ENTRIES and rule.currency == currency and rule.amount is not None:
            remaining = rule.amount - limits.used(user_id, rule, now)
            if amount > remaining:
                broken.append((bounds(rule.period, now)[1], max(0, remaining), rule.amount, rule))
    if not broken:
        return None
    until, _remaining, allowed, rule = max(broken, key=itemgetter(0))
    remaining = min(left for _until, left, *_more in broken)
    limit = f"{display(allowed, currency)} {rule.period.label}"
    message = _(
        "Your limit is {limit}; {left} can still be put into play until {until}.",
        limit=limit,
        left=display(remaining, currency),
        until=format_moment(until),
    )
    return CareRefusal("limit_reached", message, until)
