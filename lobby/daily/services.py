"""Sitting down at a shoe that was fixed beforehand: one try for each player; and making duplicate matches."""

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from lobby.accounts.models import Player
from lobby.daily import match_selectors
from lobby.stakes.services import practice_terms
from lobby.two_factor.codes import SECRET_LENGTH, random_code
from rules.bots import Strength
from rules.game import Phase
from tables import daily, staff
from tables.errors import FROZEN, TableError
from tables.models import Attempt, Seating, Series, Shoe
from tables.play import services as play
from tables.play.opening import open_table
from tables.play.seating import check_free_hand, own_seatings
from wallet.audit_log.services import PLATFORM
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.base.report_zone import local_day
from wallet.base.retry import retried
from wallet.language import gettext as _
from wallet.responsible_gaming import admission

#: Duplicate matches of one player that may run at once, those made in a day, and the most players in one.
MOST_MATCHES, MOST_PLAYERS = 5, 12
MADE = RateLimit("duplicate-matches", 10, 86_400)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def todays_shoe(now: datetime) -> Shoe:
    """Return the shoe of today; whoever asks first makes it, and that of tomorrow."""
    daily.ensure_days(now)
    shoe = daily.shoe_of(local_day(now))
    assert shoe is not None, "the day was just made"
    return shoe


def read_day(text: str) -> date | None:
    """Return the day that is written `2026-11-27`, None for anything else."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def shoe_of_day(text: str, now: datetime) -> Shoe:
    """Return the shoe of the day that is written so. TableError `not_found` where it has none, or not yet."""
    daily.ensure_days(now)
    day = read_day(text)
    shoe = None if day is None else daily.shoe_of(day)
    if shoe is None:
        raise TableError("not_found", _("There is no deal of such a day."), status=404)
    return shoe


def sit_down(*, shoe: Shoe, user: Player) -> Seating:
    """Return the player's seat at their table of this shoe; the first call opens it.

    TableError `computers_off`, `guests_only_play`, `not_open`, `already_played`, `frozen`, `match_full`, and the
    refusals of `tables.play.services.sit`. Where we have cancelled their table, another one is opened; one that a fault
    of ours has stopped is cancelled first (`gives_back`).
    """
    _check_welcome(shoe.series, user)
    _leave_finished(user)
    _give_back(shoe, user)
    opened = _own_table(shoe.pk, user)
    return opened if isinstance(opened, Seating) else play.sit(table_id=opened, user=user, seat=0)


def match_of(code: str) -> Series:
    """Return the duplicate match with that code. TableError `not_found`."""
    if (series := match_selectors.match_of(code)) is None:
        raise TableError("not_found", _("There is no such match."), status=404)
    return series


def sit_down_at_next(*, code: str, user: Player) -> Seating:
    """Return the player's seat at their next deal of the match.

    TableError `not_found`, `already_played` after the last deal, `frozen` where none is left but those that wait for
    our staff, and those of `sit_down`.
    """
    series = match_of(code)
    shoe = match_selectors.next_shoe(series, user)
    if shoe is None and match_selectors.waits_for_staff(series, user):
        raise TableError("frozen", FROZEN)
    if shoe is None:
        raise _played()
    return sit_down(shoe=shoe, user=user)


def _played() -> TableError:
    return TableError("already_played", _("You have played this deal: everybody has one try."))


def _check_welcome(series: Series, user: Player) -> None:
    if not settings.COMPUTER_PLAYERS:
        raise TableError("computers_off", _("Practice tables are switched off."), status=403)
    _check_named(user)
    if not series.runs(timezone.now()):
        raise TableError("not_open", _("This is not played now."))


def _check_named(user: Player) -> None:
    if user.is_guest:
        message = _("Results are kept for names: sign up first, all you have stays yours.")
        raise TableError("guests_only_play", message, status=403)


def _leave_finished(user: Player) -> None:
    """Get up where the one deal of a table is over: its result stays, and the seat is needed no more."""
    for seating in own_seatings(user.pk):
        if seating.table.shoe_id is not None and seating.table.phase == Phase.RESULT:
            play.leave_table_if_idle(seating.table_id, user.pk)


def _give_back(shoe: Shoe, user: Player) -> None:
    """Cancel the player's table of this shoe where the platform gives the try back by itself."""
    attempt = daily.attempt_of(shoe, user.pk)
    if attempt is None or daily.standing_of(attempt) != "void" or not daily.gives_back(attempt):
        return
    # Another window of the player's may have done the same at this moment.
    with suppress(TableError):
        staff.cancel_table(table_id=attempt.table_id, reason="Stopped by a fault of ours: the try is given back.",
                           actor=PLATFORM)  # fmt: skip


@retried
@transaction.atomic
def _own_table(shoe_id: int, user: Player) -> Seating | int:
    """Return the player's table of this shoe, or their seat at a new one."""
    shoe = Shoe.objects.select_related("series").get(pk=shoe_id)
    if shoe.series.code is not None:
        lock_series(shoe.series)
    # Otherwise two windows at once would each find no attempt.
    admission.lock_player_row(user.pk)
    attempt = daily.attempt_of(shoe, user.pk)
    standing = daily.standing_of(attempt)
    if attempt is not None and standing == "playing":
        return int(attempt.table_id)
    if standing == "played":
        raise _played()
    if standing == "frozen":
        raise TableError("frozen", FROZEN)
    return _sit_at_new_table(shoe, user, attempt)


def _sit_at_new_table(shoe: Shoe, user: Player, attempt: Attempt | None) -> Seating:
    series = shoe.series
    if attempt is None:
        _check_room(series, user)
    check_free_hand(user.pk)
    terms = replace(practice_terms(series.book, series.seats, unhurried=True), book_version=series.book_version)
    table = open_table(
        terms=terms,
        title=f"Deal of the day · {series.day:%-d %b %Y}"
        if series.day is not None
        else f"Duplicate match · {shoe.number}",
        currency=settings.PRACTICE_CURRENCY,
        practice_for=user,
        computers=series.seats - 1,
        strength=Strength(series.strength),
        shoe=shoe,
    )
    Attempt.objects.update_or_create(shoe=shoe, user=user, defaults={"table": table})
    return play.sit(table_id=table.pk, user=user, seat=0)


def _check_room(series: Series, user: Player) -> None:
    """Refuse a new player where the duplicate match has as many as it may; call it with the series locked."""
    if series.code is None:
        return
    others = Attempt.objects.filter(shoe__series=series).exclude(user=user).values("user").distinct()
    if others.count() >= MOST_PLAYERS:
        raise TableError("match_full", _("{most} players are in this match, as many as it takes.", most=MOST_PLAYERS))


def lock_series(series: Series) -> None:
    """Lock the row of the series: its players are counted one after the other."""
    Series.objects.select_for_update().get(pk=series.pk)


@transaction.atomic
def open_match(*, user: Player) -> Series:
    """Make a duplicate match and return it. TableError `guests_only_play`, `too_many_matches`, `rate_limited`.

    CareRefusal to whom a seat would be refused now: see `check_play`. WalletError `locked` where the account is closed
    meanwhile.
    """
    _check_named(user)
    admission.lock_player_row(user.pk)
    admission.check_account_open(user)
    admission.check_play(user.pk)
    now = timezone.now()
    if Series.objects.filter(made_by=user, ends_at__gt=now).count() >= MOST_MATCHES:
        raise TableError(
            "too_many_matches",
            _("{most} of your matches are still running. Let one of them end first.", most=MOST_MATCHES),
        )
    if not rate_limits.count_tries([(MADE, MADE.key(user.pk))]):
        raise TableError("rate_limited", _("You have made many matches today. Wait until tomorrow."), status=429)
    return daily.make_match(user=user, code=random_code(SECRET_LENGTH), now=now)
