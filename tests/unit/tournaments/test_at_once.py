"""Many at once: entries for few places, and the same step by several workers."""

import threading
import time
from collections import Counter
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import RequestFactory

from lobby.account_data.closing import close_account
from lobby.models import Player
from tables import staff
from tables.models import Entrant, Round, Seating, Table, Tournament
from tables.play.tournament_tables import open_tables
from tables.tournaments import arena, services, staff as acts, steps
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.side_by_side import at_once
from tests.support.tournaments import ARENA, entered, opened, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM
from wallet.ledger.selectors import spendable
from wallet.models import Posting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def test_forty_want_the_six_places(clock: Clock) -> None:
    tournament = opened(clock, entry=100)
    users = [signed_up() for _ in range(40)]
    enter = [lambda user=user: services.enter(tournament_id=tournament.pk, user=user).pk for user in users]
    answers = at_once(enter)
    assert Counter(answer for answer in answers if isinstance(answer, str)) == {"tournament_full": 34}
    tournament.refresh_from_db()
    assert tournament.entered == Entrant.objects.count() == 6
    assert sum(10_000 - spendable(user.pk, "FUN") for user in users) == 600
    assert audit().differences == []


def test_one_player_enters_once_however_often_they_ask_at_once(clock: Clock) -> None:
    tournament, user = opened(clock, entry=100), signed_up()
    answers = at_once([lambda: services.enter(tournament_id=tournament.pk, user=user).pk] * 8)
    assert len(set(answers)) == 1 and spendable(user.pk, "FUN") == 9_900


def test_workers_that_make_the_same_step_make_it_once(clock: Clock) -> None:
    tournament = opened(clock, most=12, seats=2)
    entered(tournament, 12)
    for _ in range(4):
        at_once([lambda: steps.step(tournament.pk)] * 6)
    assert Round.objects.get(tournament=tournament, number=1).tables == 6
    assert Table.objects.filter(tournament_id=tournament.pk).count() == 6
    assert Seating.objects.filter(entrant_id__isnull=False).count() == 12
    assert Tournament.objects.get().round == 1
    assert audit().differences == []


@pytest.mark.parametrize("workers", [2, 6])
def test_each_step_from_the_draw_to_the_prizes_is_made_once_by_many_at_once(clock: Clock, workers: int) -> None:
    tournament = opened(clock, most=8, seats=4, go_on=2, deals=1, entry=101, fee_percent=7)
    entered(tournament, 8)
    made = 0
    while tournament.over_ms is None:
        answers = at_once([lambda: steps.step(tournament.pk)] * workers)
        assert set(answers) <= {True, False, "busy"}
        made += answers.count(True)
        tournament.refresh_from_db()
        for table in Table.objects.filter(status="open"):
            play_table(table.pk)
        clock.wait(6)
    # It begins with its first draw; each round opens its tables and ends; between them the second is drawn.
    assert made == 6
    assert sorted(Round.objects.exclude(began_ms=None).values_list("number", "tables")) == [(1, 2), (2, 1)]
    assert Table.objects.filter(tournament_id=tournament.pk).count() == 3
    assert Posting.objects.filter(key=f"tournament:{tournament.pk}:prizes").count() == 1
    assert sum(entrant.prize for entrant in tournament.entrants.all()) == 808 - 56
    assert audit().differences == []


def test_those_who_are_free_are_paired_once_by_many_at_once(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 12)
    clock.wait(60)
    at_once([lambda: steps.step(tournament.pk)] * 4)
    at_once([lambda: steps.step(tournament.pk)] * 6)
    at_once([lambda: steps.step(tournament.pk)] * 6)
    assert Table.objects.filter(tournament_id=tournament.pk).count() == 2
    assert Seating.objects.filter(entrant_id__isnull=False, left_at=None).count() == 12
    assert audit().differences == []


def test_staff_cancel_it_at_the_moment_in_which_one_of_its_tables_closes(clock: Clock) -> None:
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=1, entry=100)
    people = [entrant.user_id or 0 for entrant in entered(tournament, 4)]
    while steps.step(tournament.pk):
        pass
    first, _ = Table.objects.filter(tournament_id=tournament.pk).order_by("pk")
    answers: list[object] = []
    cancel = lambda: acts.cancel(tournament_id=tournament.pk, reason="a fault", actor=PLATFORM)  # noqa: E731
    canceller = threading.Thread(target=lambda: answers.extend(at_once([cancel])))
    with transaction.atomic():
        staff.cancel_table(table_id=first.pk, reason="closes", actor=PLATFORM)
        canceller.start()
        give_up = time.monotonic() + 30
        while not _somebody_waits():
            assert time.monotonic() < give_up
            time.sleep(0.01)
    canceller.join()
    tournament.refresh_from_db()
    assert (answers, tournament.status) == ([None], "cancelled")
    assert not Table.objects.exclude(status=Table.Status.CLOSED).exists()
    assert [spendable(person, "FUN") for person in people] == [10_000] * 4
    assert audit().differences == []


def test_nobody_closes_their_account_while_an_arena_seats_them(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a seat would have the name that has just gone everywhere else."""
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    asha, _ = [Player.objects.get(pk=entrant.user_id) for entrant in entered(tournament, 2)]
    name, request = asha.shown_name, RequestFactory().post("/account/close/")
    answers: list[object] = []
    closer = threading.Thread(target=lambda: answers.extend(at_once([lambda: close_account(asha, request)])))

    def seat(*parties: Any) -> None:
        closer.start()
        give_up = time.monotonic() + 30
        while closer.is_alive() and not _somebody_waits():
            assert time.monotonic() < give_up
            time.sleep(0.01)
        open_tables(*parties)

    monkeypatch.setattr(arena, "open_tables", seat)
    clock.wait(60)
    while steps.step(tournament.pk):
        pass
    closer.join()
    asha.refresh_from_db()
    assert (answers, asha.closed_at) == (["not_yet"], None)
    assert Seating.objects.get(user=asha).name == name


def _somebody_waits() -> bool:
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with connection.cursor() as cursor:
        # A transaction goes on seeing what it saw there first.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(waiting)
        return cursor.fetchone() is not None
