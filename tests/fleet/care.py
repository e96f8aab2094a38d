"""Limits and exclusions tested by a state machine that spends chips in every possible way while the clock jumps.

A simple model predicts which calls succeed, why the others are refused, and from which microsecond on a looser limit
applies.
"""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import hypothesis
import time_machine
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.support.database import Figures, on_its_own, wipe
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.base.errors import WalletError
from wallet.ledger import selectors as ledger
from wallet.play_money import refills, services as play_money
from wallet.responsible_gaming import services as responsible_gaming

#: Runs of fifty steps.
SIZE = 300
STEPS = 50

START = datetime(2026, 11, 27, 9, 30, tzinfo=UTC)
#: The offset of India from UTC, the same all year.
INDIA = timedelta(hours=5, minutes=30)
WAIT = timedelta(hours=72)
LIMIT_PERIODS = ("day", "week", "month")
FOR_GOOD = datetime(9999, 1, 1, tzinfo=UTC)
PERIODS = {"day": 1, "week": 7, "month": 30, "half_year": 182, "year": 365}
AMOUNTS = st.one_of(st.integers(1, 60), st.integers(1, 600))
CAPS = st.one_of(st.none(), st.integers(0, 120), st.integers(0, 1_500))
MINUTES = st.one_of(st.none(), st.integers(0, 90), st.integers(0, 600))


def begin(period: str, now: datetime) -> datetime:
    """Return the start of the period that contains `now`."""
    day = (now + INDIA).replace(hour=0, minute=0, second=0, microsecond=0)
    back = {"day": 0, "week": day.weekday(), "month": day.day - 1}[period]
    return day - timedelta(days=back) - INDIA


def whole(moment: datetime) -> datetime:
    """Return the first whole minute that is not before the moment: what is shown has no seconds."""
    begun = moment.replace(second=0, microsecond=0)
    return begun if begun == moment else begun + timedelta(minutes=1)


class Schedule:
    """Values with the moments from which they apply: the latest entry that is due applies."""

    def __init__(self) -> None:
        self.entries: list[tuple[datetime, int | None]] = [(datetime.min.replace(tzinfo=UTC), None)]

    def at(self, now: datetime) -> int | None:
        return next(amount for moment, amount in reversed(self.entries) if moment <= now)

    def waiting(self, now: datetime) -> bool:
        return self.entries[-1][0] > now

    def ask(self, amount: int | None, now: datetime) -> None:
        current = self.at(now)
        looser = current is not None and (amount is None or amount > current)
        if not looser:
            self.entries = [(now, amount)]
        elif not (self.waiting(now) and self.entries[-1][1] == amount):
            self.entries = [(now, current), (whole(now + WAIT), amount)]

    def keep(self, now: datetime) -> None:
        self.entries = [(now, self.at(now))]


class AnyCare(RuleBasedStateMachine):
    """State machine of one player with a seat at a table and one in a match, and of all their limits and exclusions."""

    counts: Counter[str] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.clock = time_machine.travel(START, tick=False)
        self.hands: Any = self.clock.start()
        self.now = START
        self.number = 1
        self.put: list[tuple[datetime, int]] = []
        self.played: list[tuple[datetime, datetime]] = []
        self.caps = {period: Schedule() for period in LIMIT_PERIODS}
        self.times = {period: Schedule() for period in LIMIT_PERIODS}
        self.own_end: datetime | None = None
        self.staff_ends: list[datetime] = []
        self.patch = patch("wallet.responsible_gaming.playtime.MEASURES", [self.seconds])
        self.patch.start()

    def teardown(self) -> None:
        try:
            # There are no tables here that could tell of the same.
            with patch("wallet.audit.audit.REGISTERED_CHECKS", []):
                differences = audit.audit().differences
            assert differences == [], differences
        finally:
            self.patch.stop()
            transaction.set_rollback(True)
            self.transaction.__exit__(None, None, None)
            self.clock.stop()

    @initialize()
    def sit_down(self) -> None:
        self.asha: AbstractBaseUser = signed_up("asha")
        self.support: AbstractBaseUser = signed_up("support")
        play_money.buy_in(seating=1, user=self.asha, currency="FUN", amount=100)
        play_money.take_entries(match=1, currency="FUN", entries={1: 50})
        self.put.append((self.now, 100))

    def seconds(self, user_ids: Collection[int], since: datetime, until: datetime) -> dict[int, int]:
        parts = ((max(start, since), min(end, until)) for start, end in self.played)
        return dict.fromkeys(user_ids, int(sum(max(0.0, (end - start).total_seconds()) for start, end in parts)))

    # --- the child's sum ---

    def expected(self, amount: int) -> str:
        """Return the wallet's expected answer to spending that amount now."""
        now = self.now
        if any(end > now for end in [self.own_end or START, *self.staff_ends]):
            return "self_excluded"
        for period, schedule in self.times.items():
            cap = schedule.at(now)
            if cap is not None and self.seconds([0], begin(period, now), now)[0] >= cap * 60:
                return "time_limit_reached"
        for period, schedule in self.caps.items():
            cap = schedule.at(now)
            spent = sum(each for moment, each in self.put if moment >= begin(period, now))
            if cap is not None and spent + amount > cap:
                return "limit_reached"
        free = ledger.balances(self.asha)[0]["free"]
        return "done" if amount <= free else "insufficient_balance"

    def attempt(self, service: Any, amount: int, **arguments: Any) -> None:
        due = self.expected(amount)
        try:
            service(user=self.asha, currency="FUN", amount=amount, **arguments)
            came = "done"
        except WalletError as refusal:
            came = refusal.code
        assert came == due, f"{service.__name__} of {amount} at {self.now}: {came} instead of {due}"
        self.counts[came] += 1
        if came == "done":
            self.put.append((self.now, amount))

    def key(self) -> str:
        self.number += 1
        return f"key:{self.number}"

    # --- ways to put chips in ---

    @rule(amount=AMOUNTS)
    def buy_in(self, amount: int) -> None:
        self.number += 1
        self.attempt(play_money.buy_in, amount, seating=self.number)

    @rule(amount=AMOUNTS)
    def add_chips(self, amount: int) -> None:
        self.attempt(play_money.add_chips, amount, seating=1, key=self.key())

    @rule(amount=AMOUNTS)
    def rejoin(self, amount: int) -> None:
        self.attempt(play_money.rejoin_entry, amount, match=1, seating=1, key=self.key())

    @rule()
    def exactly_what_is_left(self) -> None:
        left = [
            cap - sum(each for moment, each in self.put if moment >= begin(period, self.now))
            for period, schedule in self.caps.items()
            if (cap := schedule.at(self.now)) is not None
        ]
        for amount in (min(left, default=0), min(left, default=0) + 1):
            if 0 < amount <= 1_500:
                self.buy_in(amount)

    @rule(amount=AMOUNTS)
    def take_along(self, amount: int) -> None:
        """Take chips from the table, which gives nothing back to the limit."""
        if ledger.stack(1) >= amount:
            play_money.cash_out(seating=1, amount=amount, key=self.key())

    @rule()
    def refill(self) -> None:
        """Refill the balance, which uses nothing of the limit."""
        try:
            refills.refill(self.asha)
        except WalletError as refusal:
            assert refusal.code == "no_refill"

    # --- what may be set ---

    @rule(period=st.sampled_from(LIMIT_PERIODS), cap=CAPS)
    def limit(self, period: str, cap: int | None) -> None:
        responsible_gaming.set_limit(user=self.asha, kind="entries", currency="FUN", period=period, amount=cap)
        self.caps[period].ask(cap, self.now)

    @rule(period=st.sampled_from(LIMIT_PERIODS), cap=MINUTES)
    def time_limit(self, period: str, cap: int | None) -> None:
        responsible_gaming.set_limit(user=self.asha, kind="time", period=period, amount=cap)
        self.times[period].ask(cap, self.now)

    @rule(period=st.sampled_from(LIMIT_PERIODS), of_time=st.booleans())
    def withdraw(self, period: str, of_time: bool) -> None:
        schedule = (self.times if of_time else self.caps)[period]
        names = {"kind": "time"} if of_time else {"kind": "entries", "currency": "FUN"}
        waits = schedule.waiting(self.now)
        try:
            responsible_gaming.withdraw(user=self.asha, period=period, **names)
            assert waits
            schedule.keep(self.now)
        except WalletError as refusal:
            assert (refusal.code, waits) == ("nothing_pending", False)

    @rule(period=st.sampled_from([*PERIODS, "ever"]), staff=st.booleans(), rarely=st.integers(0, 7))
    def exclude(self, period: str, staff: bool, rarely: int) -> None:
        if rarely or (period == "ever" and not staff):
            return
        end = FOR_GOOD if period == "ever" else whole(self.now + timedelta(days=PERIODS[period]))
        holds = [each for each in [self.own_end or START, *self.staff_ends] if each > self.now]
        try:
            responsible_gaming.exclude(user=self.asha, period=period, by=self.support if staff else None)
            assert all(end > each for each in holds)
            if staff:
                self.staff_ends.append(end)
            else:
                self.own_end = end
        except WalletError as refusal:
            assert refusal.code == "cannot_shorten" and any(end <= each for each in holds)

    @rule()
    def lift(self) -> None:
        theirs = [end for end in self.staff_ends if end > self.now]
        try:
            responsible_gaming.lift(user=self.asha, by=self.support)
            assert theirs
        except WalletError as refusal:
            assert (refusal.code, theirs) == ("not_excluded", [])
        self.staff_ends = [min(end, whole(self.now + WAIT)) if end > self.now else end for end in self.staff_ends]

    # --- time ---

    def move_to(self, moment: datetime) -> None:
        self.now = max(self.now, moment)
        self.hands.move_to(self.now)

    @rule(minutes=st.integers(1, 200))
    def play(self, minutes: int) -> None:
        start = self.now
        self.move_to(start + timedelta(minutes=minutes))
        self.played.append((start, self.now))

    @rule(minutes=st.one_of(st.integers(1, 600), st.integers(600, 60_000)))
    def pass_time(self, minutes: int) -> None:
        self.move_to(self.now + timedelta(minutes=minutes))

    @rule(before=st.sampled_from([0, 1]), period=st.sampled_from(LIMIT_PERIODS))
    def to_the_edge_of_a_period(self, before: int, period: str) -> None:
        after = {"day": 1, "week": 7, "month": 32}[period]
        edge = begin(period, begin(period, self.now) + timedelta(days=after))
        self.move_to(edge - timedelta(microseconds=before))
        self.exactly_what_is_left()

    @rule(before=st.sampled_from([0, 1]))
    def to_the_moment_something_changes(self, before: int) -> None:
        moments = [each.entries[-1][0] for each in [*self.caps.values(), *self.times.values()]]
        moments += [end for end in [self.own_end or START, *self.staff_ends] if end != FOR_GOOD]
        coming = sorted(moment for moment in moments if moment > self.now)
        if coming:
            self.move_to(coming[0] - timedelta(microseconds=before))
            self.exactly_what_is_left()

    @rule(before=st.sampled_from([0, 1]), period=st.sampled_from(LIMIT_PERIODS), cap=st.integers(0, 300))
    def a_change_of_mind(self, before: int, period: str, cap: int) -> None:
        """Set a strict limit, then a looser one, and play at the very moment from which it applies."""
        self.limit(period, cap)
        self.limit(period, cap + 50)
        self.to_the_moment_something_changes(before)


def play(examples: int, *, seed: int, steps: int = STEPS) -> None:
    """Run the state machine `size` times; raise the error of the first run that fails."""
    machine = hypothesis.seed(seed)(type("AnyCare", (AnyCare,), {}))
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            # A run is its own story: to make it shorter would take minutes.
            phases=[Phase.generate],
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )


def run(*, seed: int, size: int) -> Figures:
    """Run the state machine `size` times on an empty database; count the wallet's answers by kind under `came`."""
    return on_its_own("care", _play, seed, size)


def _play(seed: int, size: int) -> Figures:
    wipe()
    AnyCare.counts.clear()
    faults = []
    try:
        play(size, seed=seed)
    except AssertionError as fault:
        faults.append(f"seed {seed}: {fault}")
    return {"runs": size, "steps": STEPS, "came": dict(AnyCare.counts), "faults": faults}
