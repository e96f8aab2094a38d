"""A month of play by computer players: some matches of each book every day, and some audits that sign the days.

Some tables are played overnight, some matches cancelled, some balances adjusted, some accounts closed. At the end, all
figures of all reports, the entries behind them and the exports in all formats must agree with the ledger.
"""

import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from random import Random

import time_machine
from django.test import RequestFactory

from tables.models import Table
from tables.play.opening import open_table
from tables.simulation import fleet
from tests.fleet.service_faults.room import Room
from tests.support.database import Figures, on_its_own, wipe
from tests.support.world import World, isolated_world

#: Matches.
SIZE = 2_000
DAYS = 30
FIRST = date(2026, 9, 1)
#: So many nights lie between audits, each of which reads all that was played so far; the last night has one.
AUDITED_EVERY = 10
#: Tables belong to so many stakes.
_STAKES = 4


def run(*, seed: int, size: int) -> Figures:
    """Play `size` matches, spread over the month."""
    return on_its_own("accounting_month", play, seed, size)


def play(seed: int, size: int, days: int = DAYS) -> Figures:
    """Play the month on the present database, which is emptied first."""
    from wallet.audit import nightly

    wipe()
    happened: Counter[str] = Counter()
    faults: list[str] = []
    tasks = list(fleet.tasks(size, seed))
    with isolated_world() as world:
        for day in range(days):
            # Played at noon of the report zone; audited the night after.
            noon = datetime.combine(FIRST + timedelta(days=day), datetime.min.time(), UTC) + timedelta(hours=7)
            with time_machine.travel(noon, tick=True):
                for number, task in enumerate(tasks[day::days]):
                    happened["matches"] += _evening(world, task, number % _STAKES, happened)
                _else(world, day)
            if (days - day - 1) % AUDITED_EVERY == 0:
                with time_machine.travel(noon + timedelta(hours=20), tick=True):
                    faults += [f"night {day}: {each}" for each in nightly.run_nightly().findings]
            print(f"day {day + 1} of {days}: {happened['matches']} matches", file=sys.stderr, flush=True)
    with time_machine.travel(datetime.combine(FIRST + timedelta(days=days + 1), datetime.min.time(), UTC), tick=True):
        figures = finance(days)
    return {"matches": happened["matches"], **_sizes(), **figures, "faults": [*faults, *figures["faults"]][:20]}


def _evening(world: World, task: fleet.Task, stake: int, happened: Counter[str]) -> int:
    """Play the matches of the task, at as many tables as it takes."""
    rng, matches = Random(task.seed), 0
    while matches < task.matches:
        room = Room(world, rng, task.book, task.players, happened, alone=False)
        Table.objects.filter(pk=room.table).update(stake_id=stake or None)
        matches += room.play(task.matches - matches)
    return matches


def _else(world: World, day: int) -> None:
    """Let a match be cancelled and another be won, leave two tables playing overnight, adjust a balance, close an
    account."""
    from lobby.account_data.closing import close_account
    from tables import staff
    from tables.models import Match
    from tests.support.tables import terms
    from wallet import adjustments
    from wallet.audit_log.services import Actor

    actor, guest, learner = Actor("fina", world.person()), world.person(), world.person()
    pool = world.pool(3)
    for _ in range(3):
        world.sit(pool)
    world.deal(pool)
    staff.cancel_match(match_id=Match.objects.get(table=pool).pk, reason="The light went out", actor=actor)
    _win(world, world.pool(2))
    points = world.table()
    world.sit(points)
    world.sit(points, guest)
    world.deal(points)
    practice = open_table(terms=terms(), title="Practice", currency="FUN", practice_for=learner, computers=1)
    world.sit(practice, learner)
    world.deal(practice)
    for amount in (300 + day, -200):
        wish = {"request_id": f"day {day}: {amount}", "player": guest, "currency": "FUN", "amount": amount}
        adjustments.ask(**wish, reason="A gift", actor=actor)
    close_account(world.person(), RequestFactory().post("/"))


def _win(world: World, pool: Table) -> None:
    """Let one of two players leave, so that the other wins the prize whatever the shuffle."""
    world.sit(pool)
    second = world.sit(pool)
    world.deal(pool)
    second.send("leave")


def _sizes() -> dict[str, int]:
    from wallet.models import DayHead, Posting, Transfer

    return {
        "postings": Posting.objects.count(),
        "transfers": Transfer.objects.count(),
        "days_signed": DayHead.objects.count(),
    }


def finance(days: int) -> Figures:
    """Return where reports and exports differ from the transfers, and how many figures were compared."""
    from tests.fleet import exported_files, sums as _sums

    period, ledger = _sums.month_of(FIRST, days), _sums.add_up("FUN")
    faults = _sums.differences(period, "FUN", ledger)
    faults += exported_files.differences(period, _amounts(), ledger.whole["transfers"])
    whole = {name: ledger.whole[name] for name in sorted(ledger.whole)}
    return {
        "sums": whole,
        "lines": len(ledger.places),
        "in_a_spreadsheet": exported_files.OFFICE is not None,
        "faults": faults,
    }


def _amounts() -> Counter[str]:
    from wallet.models import Transfer

    sums: Counter[str] = Counter()
    for currency, amount in Transfer.objects.values_list("debit__currency", "amount").iterator():
        sums[currency] += amount
    return sums
