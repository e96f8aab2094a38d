"""Limits, exclusions and time: checked where money is taken, stricter at once, looser after exactly 72 hours."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import AbstractBaseUser
from django.db import DatabaseError, transaction
from django.utils.translation import override

from tests.support.books import balance_account, seat
from tests.support.players import signed_up
from wallet.base.errors import WalletError
from wallet.play_money import services as play_money
from wallet.responsible_gaming import admission, limits, playtime, services as responsible_gaming
from wallet.responsible_gaming.admission import CareRefusal
from wallet.responsible_gaming.models import Exclusion, LimitKind, PlayerSettings, SettingsChange
from wallet.responsible_gaming.selectors import translated_change

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: A Saturday, three in the afternoon in the report zone.
NOON = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def clock() -> Any:
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


def limit(user: AbstractBaseUser, amount: int | None, period: str = "day", currency: str = "FUN") -> limits.Rule:
    return responsible_gaming.set_limit(
        user=user, kind=LimitKind.ENTRIES, currency=currency, period=period, amount=amount
    )


def refused(seating: int, user: AbstractBaseUser, amount: int) -> str:
    with pytest.raises(CareRefusal) as refusal:
        seat(seating, user, amount)
    return refusal.value.code


def test_entries_add_up_to_the_limit_and_no_further(asha: AbstractBaseUser, clock: Any) -> None:
    limit(asha, 1_000)
    seat(1, asha, 600)
    play_money.add_chips(seating=1, user=asha, currency="FUN", amount=100, key="add")
    assert refused(2, asha, 301) == "limit_reached"
    with pytest.raises(CareRefusal):
        play_money.add_chips(seating=1, user=asha, currency="FUN", amount=301, key="more")
    seat(2, asha, 300)
    assert refused(3, asha, 1) == "limit_reached"
    assert balance_account("asha").balance == 9_000


def test_a_rejoin_counts_and_an_entry_moved_from_the_stack_does_not_count_twice(
    asha: AbstractBaseUser, clock: Any
) -> None:
    limit(asha, 1_000)
    seat(1, asha, 500)
    play_money.take_entries(match=1, currency="FUN", entries={1: 500})
    play_money.rejoin_entry(match=1, seating=1, user=asha, currency="FUN", amount=500, key="rejoin:1")
    with pytest.raises(CareRefusal):
        play_money.rejoin_entry(match=1, seating=1, user=asha, currency="FUN", amount=500, key="rejoin:2")


def test_money_taken_back_gives_nothing_back_to_the_limit(asha: AbstractBaseUser, clock: Any) -> None:
    limit(asha, 1_000)
    seat(1, asha, 1_000)
    play_money.cash_out(seating=1, amount=1_000, key="out")
    assert refused(2, asha, 1) == "limit_reached"


def test_the_same_request_again_is_answered_though_the_limit_is_reached(asha: AbstractBaseUser, clock: Any) -> None:
    limit(asha, 1_000)
    seat(1, asha, 1_000)
    seat(1, asha, 1_000)
    assert balance_account("asha").balance == 9_000


def test_each_period_begins_anew_in_the_report_zone(asha: AbstractBaseUser, clock: Any) -> None:
    for period, amount in (("day", 300), ("week", 500), ("month", 1_200)):
        limit(asha, amount, period)
    seat(1, asha, 300)
    # Half past six in the evening UTC is midnight in Kolkata.
    clock.move_to(datetime(2026, 11, 21, 18, 29, 59, tzinfo=UTC))
    assert refused(2, asha, 1) == "limit_reached"
    clock.move_to(datetime(2026, 11, 21, 18, 30, tzinfo=UTC))
    seat(2, asha, 200)
    assert refused(3, asha, 1) == "limit_reached", "the week has had 500"
    clock.move_to(datetime(2026, 11, 22, 18, 30, tzinfo=UTC))
    seat(3, asha, 300)
    clock.move_to(datetime(2026, 11, 24, 18, 30, tzinfo=UTC))
    seat(4, asha, 200)
    clock.move_to(datetime(2026, 11, 30, 18, 29, tzinfo=UTC))
    assert refused(5, asha, 201) == "limit_reached", "the month has had 1,000"
    clock.move_to(datetime(2026, 11, 30, 18, 30, tzinfo=UTC))
    seat(5, asha, 300)


def test_the_refusal_says_what_is_left_and_from_when_on_there_is_more(asha: AbstractBaseUser, clock: Any) -> None:
    limit(asha, 1_000)
    seat(1, asha, 900)
    with pytest.raises(CareRefusal) as refusal:
        seat(2, asha, 200)
    assert refusal.value.message == (
        "Your limit is 1,000 chips a day; 100 chips can still be put into play until 22 Nov 2026, 00:00 IST."
    )
    assert refusal.value.until == datetime(2026, 11, 21, 18, 30, tzinfo=UTC)
    assert admission.remaining(asha.pk, "FUN") == 100


def test_a_stricter_limit_holds_at_once_and_a_looser_one_after_exactly_72_hours(
    asha: AbstractBaseUser, clock: Any
) -> None:
    limit(asha, 1_000)
    limit(asha, 500)
    assert refused(1, asha, 501) == "limit_reached"
    limit(asha, 2_000)
    clock.move_to(NOON + timedelta(hours=72) - timedelta(microseconds=1))
    assert refused(1, asha, 501) == "limit_reached"
    clock.move_to(NOON + timedelta(hours=72))
    seat(1, asha, 2_000)
    assert refused(2, asha, 1) == "limit_reached"


def test_taking_a_limit_away_waits_and_can_be_withdrawn(asha: AbstractBaseUser, clock: Any) -> None:
    limit(asha, 100)
    pending = limit(asha, None)
    assert (pending.amount, pending.pending, pending.pending_at) == (100, None, NOON + timedelta(hours=72))
    responsible_gaming.withdraw(user=asha, kind=LimitKind.ENTRIES, currency="FUN", period="day")
    clock.move_to(NOON + timedelta(days=30))
    assert refused(1, asha, 101) == "limit_reached"
    limit(asha, None)
    clock.shift(timedelta(hours=72))
    seat(1, asha, 10_000)
    with pytest.raises(WalletError, match="No change"):
        responsible_gaming.withdraw(user=asha, kind=LimitKind.ENTRIES, currency="FUN", period="day")


def test_asking_again_does_not_put_the_moment_off_and_a_stricter_wish_takes_its_place(
    asha: AbstractBaseUser, clock: Any
) -> None:
    limit(asha, 100)
    limit(asha, 500)
    clock.shift(timedelta(hours=71))
    assert limit(asha, 500).pending_at == NOON + timedelta(hours=72)
    assert limit(asha, 50).pending_at is None
    clock.shift(timedelta(days=9))
    assert refused(1, asha, 51) == "limit_reached"


def test_default_limits_hold_for_who_has_set_none(asha: AbstractBaseUser, clock: Any, settings: Any) -> None:
    assert admission.remaining(asha.pk, "FUN") is None
    settings.DEFAULT_LIMITS = {"FUN": {"day": 700}, "time": {}}
    assert admission.remaining(asha.pk, "FUN") == 700
    assert refused(1, asha, 701) == "limit_reached"
    limit(asha, 5_000)
    assert refused(1, asha, 701) == "limit_reached", "looser than the default: it waits as well"
    clock.shift(timedelta(hours=72))
    seat(1, asha, 701)


def test_a_limit_in_one_currency_is_none_in_another(asha: AbstractBaseUser, marks: None) -> None:
    limit(asha, 0, currency="TST")
    seat(1, asha, 100)
    assert [admission.remaining(asha.pk, currency) for currency in ("TST", "FUN")] == [0, None]


@pytest.mark.parametrize("amount", [-1, 10**15 + 1, 1.5, "7", True])
def test_a_limit_is_a_whole_number(asha: AbstractBaseUser, amount: Any) -> None:
    with pytest.raises(WalletError, match="whole number"):
        limit(asha, amount)
    assert admission.remaining(asha.pk, "FUN") is None


def test_an_exclusion_holds_to_its_end_and_is_never_shortened(asha: AbstractBaseUser, clock: Any) -> None:
    responsible_gaming.exclude(user=asha, period="week")
    assert refused(1, asha, 1) == "self_excluded"
    with pytest.raises(WalletError, match="already until"):
        responsible_gaming.exclude(user=asha, period="day")
    with pytest.raises(WalletError, match="never shortened"):
        responsible_gaming.lift(user=asha, by=None)
    clock.move_to(NOON + timedelta(days=7) - timedelta(seconds=1))
    assert refused(1, asha, 1) == "self_excluded"
    clock.move_to(NOON + timedelta(days=7))
    seat(1, asha, 1)


def test_an_exclusion_for_good_stays(asha: AbstractBaseUser, clock: Any) -> None:
    responsible_gaming.exclude(user=asha, period="day")
    responsible_gaming.exclude(user=asha, period="ever")
    clock.shift(timedelta(days=4_000))
    with pytest.raises(CareRefusal) as refusal:
        seat(1, asha, 1)
    assert (refusal.value.until, "for good" in refusal.value.message) == (None, True)


def test_what_staff_set_ends_72_hours_after_they_lift_it(asha: AbstractBaseUser, clock: Any) -> None:
    support = signed_up("support")
    responsible_gaming.exclude(user=asha, period="ever", by=support)
    assert responsible_gaming.lift(user=asha, by=support) == NOON + timedelta(hours=72)
    clock.shift(timedelta(hours=1))
    responsible_gaming.lift(user=asha, by=support)
    clock.move_to(NOON + timedelta(hours=72) - timedelta(seconds=1))
    assert refused(1, asha, 1) == "self_excluded"
    clock.shift(timedelta(seconds=1))
    seat(1, asha, 1)
    assert list(SettingsChange.objects.order_by("id").values_list("by__username", flat=True)) == ["support"] * 3


def test_the_players_own_exclusion_outlasts_what_staff_lift(asha: AbstractBaseUser, clock: Any) -> None:
    support = signed_up("support")
    responsible_gaming.exclude(user=asha, period="week")
    responsible_gaming.exclude(user=asha, period="year", by=support)
    responsible_gaming.lift(user=asha, by=support)
    clock.shift(timedelta(days=6))
    assert refused(1, asha, 1) == "self_excluded"
    clock.shift(timedelta(days=1))
    seat(1, asha, 1)
    with pytest.raises(DatabaseError), transaction.atomic():
        Exclusion.objects.filter(by_staff=False).update(lifted_at=NOON)


def test_time_played_ends_with_the_limit_and_begins_with_the_next_day(
    asha: AbstractBaseUser, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = {"2026-11-21": 59 * 60, "2026-11-22": 0}

    def measure(user_ids: Collection[int], since: datetime, until: datetime) -> dict[int, int]:
        return dict.fromkeys(user_ids, played[str((since + timedelta(hours=6)).date())])

    monkeypatch.setattr(playtime, "MEASURES", [measure])
    responsible_gaming.set_limit(user=asha, kind=LimitKind.TIME, period="day", amount=60)
    seat(1, asha, 100)
    admission.check_play(asha.pk)
    played["2026-11-21"] = 60 * 60
    assert refused(2, asha, 1) == "time_limit_reached"
    with pytest.raises(CareRefusal, match=r"60 minutes a day.*22 Nov 2026, 00:00 IST"):
        admission.check_play(asha.pk)
    clock.shift(timedelta(days=1))
    seat(2, asha, 1)


def test_what_is_told_to_the_minute_is_over_at_that_minute(asha: AbstractBaseUser, clock: Any) -> None:
    support = signed_up("support", is_staff=True)
    clock.shift(timedelta(seconds=37, microseconds=5))
    responsible_gaming.exclude(user=asha, period="day")
    with pytest.raises(CareRefusal, match="until 22 Nov 2026, 15:01 IST"):
        admission.check_play(asha.pk)
    limit(asha, 100)
    assert limit(asha, 200).pending_at == NOON + timedelta(hours=72, minutes=1)
    responsible_gaming.exclude(user=asha, period="week", by=support)
    assert responsible_gaming.lift(user=asha, by=support) == NOON + timedelta(hours=72, minutes=1)
    clock.move_to(NOON + timedelta(hours=72, minutes=1, microseconds=-1))
    assert refused(1, asha, 1) == "self_excluded"
    clock.move_to(NOON + timedelta(hours=72, minutes=1))
    seat(1, asha, 150)


def test_changes_of_limits_are_kept_for_good(asha: AbstractBaseUser, clock: Any) -> None:
    limit(asha, 100)
    limit(asha, 100)
    limit(asha, None)
    assert list(SettingsChange.objects.order_by("id").values_list("text", flat=True)) == [
        "Put into play a day: 100 chips",
        "Put into play a day: 100 chips; no limit from 24 Nov 2026, 15:00 IST",
    ]
    with pytest.raises(DatabaseError), transaction.atomic():
        SettingsChange.objects.update(text="nothing")


def test_reminders_are_chosen_from_a_few(asha: AbstractBaseUser, clock: Any) -> None:
    responsible_gaming.remind_every(user=asha, minutes=30)
    responsible_gaming.acknowledge(user=asha)
    person = PlayerSettings.objects.get(pk=asha.pk)
    assert (person.reminder_minutes, person.reminded_at) == (30, NOON)
    with pytest.raises(WalletError, match="reminder"):
        responsible_gaming.remind_every(user=asha, minutes=999)


def test_changes_are_shown_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    def changes_of(name: str) -> list[str]:
        user = signed_up(name)
        for amount in (60, None):
            responsible_gaming.set_limit(user=user, kind="time", period="day", amount=amount)
        responsible_gaming.withdraw(user=user, kind="time", period="day")
        for amount in (1, 150_000):
            responsible_gaming.set_limit(user=user, kind="entries", period="month", amount=amount, currency="FUN")
        responsible_gaming.exclude(user=user, period="week", by=user)
        responsible_gaming.lift(user=user, by=user)
        responsible_gaming.exclude(user=user, period="ever")
        return list(SettingsChange.objects.filter(user=user).values_list("text", flat=True))

    with time_machine.travel(datetime(2026, 9, 30, 9, 30, tzinfo=UTC), tick=False), override("hi"):
        sentences = changes_of("asha")
        monkeypatch.setattr(responsible_gaming, "override", lambda _english: override("hi"))
        in_hindi = changes_of("bela")
    assert [translated_change(sentence) for sentence in sentences] == sentences, "English stays as it is"
    with override("hi"):
        translated = [translated_change(sentence) for sentence in sentences]
    assert translated == in_hindi and not set(translated) & set(sentences)
    assert translated_change("Something of an older time") == "Something of an older time"
