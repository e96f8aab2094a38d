"""The audit of tournaments: silent on honest ones, and each planted fault is found."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from rules.game import moves
from tables.models import Entrant, Outage, Round, Seating, Table, Template, Tournament
from tables.play import store
from tables.play.advance import advance, changing, finish, run_overdue_clocks
from tables.tournaments import offers, services, staff as acts, steps
from tests.support.clock import Clock
from tests.support.database import rolled_back
from tests.support.findings import found_by
from tests.support.tournaments import ARENA, KNOCKOUT, entered, opened, play_on, play_round, play_table
from tests.unit.audit.busy import silence
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM
from wallet.base import triggers
from wallet.base.places import PostingPlace
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, Posting, Transfer
from wallet.play_money import tournaments as play_money

pytestmark = pytest.mark.django_db


def found() -> set[str]:
    return {each.subject for each in found_by(["tournaments_add_up"])}


def altered() -> set[str]:
    return {each.subject for each in found_by(["finished_rows_are_unchanged"])}


def last_of(tournament: Tournament) -> Entrant:
    """Return who has the last place; two who went out alike share the third, and then there is no fourth."""
    last = Entrant.objects.filter(tournament=tournament, place__isnull=False).order_by("-place", "-pk").first()
    assert last is not None
    return last


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[Tournament]:
    """Play a tournament to its end for all these tests, and audit it clean."""
    with django_db_blocker.unblock(), rolled_back(), silence() as clock:
        tournament = opened(clock, most=4, seats=2, go_on=1, deals=1, entry=101, prizes=[50, 30, 20])
        back = entered(tournament, 1)[0]
        services.withdraw_entry(tournament_id=tournament.pk, user=back.user)
        entered(tournament, 4)
        play_on(clock, tournament)
        assert audit.audit().differences == []
        connection.check_constraints()
        yield tournament


@pytest.fixture
def over(played: Tournament, db: None) -> Iterator[Tournament]:
    """Remove the triggers of the books; afterwards roll back that, and what the test plants."""
    with rolled_back():
        triggers.remove(connection, TRIGGERS)
        yield played


def test_a_prize_moved_by_one_place(over: Tournament) -> None:
    first, second = Entrant.objects.filter(tournament=over, place__lte=2).order_by("place")
    for entrant, prize in ((first, second.prize), (second, first.prize)):
        Entrant.objects.filter(pk=entrant.pk).update(prize=prize)
    assert found() == {f"entrant {first.pk}", f"entrant {second.pk}"}


def test_a_prize_paid_to_another_place(over: Tournament) -> None:
    paid = Transfer.objects.filter(posting__key=f"tournament:{over.pk}:prizes").order_by("-amount")
    other = Account.objects.get(kind="player", owner_id=last_of(over).user_id)
    Transfer.objects.filter(pk=paid[0].pk).update(credit=other)
    assert found() == {f"posting tournament:{over.pk}:prizes"}


def test_a_unit_lost_in_a_shared_prize(over: Tournament) -> None:
    paid = Transfer.objects.filter(posting__key=f"tournament:{over.pk}:prizes").order_by("amount")
    Transfer.objects.filter(pk=paid[0].pk).update(amount=F("amount") - 1)
    assert found() == {f"posting tournament:{over.pk}:prizes"}


def test_a_place_moved(over: Tournament) -> None:
    last = last_of(over)
    Entrant.objects.filter(pk=last.pk).update(place=(last.place or 0) - 1)
    assert found() == {f"entrant {last.pk}"}


def test_chips_invented_at_a_table(over: Tournament) -> None:
    table = Table.objects.filter(tournament_id=over.pk).first()
    assert table is not None
    seating = Seating.objects.filter(table=table).first()
    assert seating is not None
    place = PostingPlace(table=table.pk, title=table.title, book=table.book)
    play_money.issue_chips(tournament=over.pk, tables={"gift": ({seating.pk: 5}, place)})
    assert found() == {f"tournament {over.pk}, chips"}
    assert "derived" in {each.check for each in audit.audit().differences}


def test_an_entry_never_refunded(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, most=4, least=3, entry=100)
    entered(tournament, 2)
    clock.wait(60)
    steps.step(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.status == Tournament.Status.CANCELLED and audit.audit().differences == []
    triggers.remove(connection, TRIGGERS)
    refund = Posting.objects.get(key=f"tournament:{tournament.pk}:refund")
    Transfer.objects.filter(posting=refund, line=1).delete()
    assert found() == {f"posting tournament:{tournament.pk}:refund"}


@pytest.fixture
def in_a_break(clock: Clock) -> Tournament:
    """Play a round of two tables, of each of which the best goes on to the final."""
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=1, entry=101, prizes=[50, 30, 20])
    entered(tournament, 4)
    play_round(clock, tournament)
    assert audit.audit().differences == []
    return tournament


@pytest.mark.parametrize(
    ("status", "change"),
    [
        ("in", {"status": "removed"}),
        ("in", {"status": "left"}),
        ("in", {"status": "out"}),
        ("out", {"status": "in"}),
        ("out", {"status": "left"}),
        ("out", {"status": "removed"}),
    ],
)
def test_a_status_written_while_it_runs_is_found_then_and_once_it_is_over(
    clock: Clock, in_a_break: Tournament, status: str, change: dict[str, str]
) -> None:
    """What is paid follows from it, so that places and prizes agree with it."""
    planted = in_a_break.entrants.filter(status=status).order_by("-chips")[0]
    Entrant.objects.filter(pk=planted.pk).update(**change)
    assert found()
    play_on(clock, in_a_break)
    assert found()


@pytest.mark.parametrize(
    "change", [{"prizes": [10, 20, 70]}, {"entry": 5, "fee_percent": 50}, {"seats": 3}, {"title": "Another"}]
)
def test_rules_that_change_while_it_runs_are_found(
    clock: Clock, in_a_break: Tournament, change: dict[str, Any]
) -> None:
    """What is paid follows from them, so that prizes agree with what they say now."""
    Tournament.objects.filter(pk=in_a_break.pk).update(**change)
    assert altered() == {f"tournament {in_a_break.pk}"}


def test_only_tournaments_of_before_the_first_mark_have_none(clock: Clock) -> None:
    """An upgrade finds tournaments that were made before their rules were marked."""
    marked = opened(clock)
    rules = {**KNOCKOUT, "opens_ms": clock.now}
    Tournament.objects.bulk_create([Tournament(pk=-1, **rules)])
    assert altered() == set()
    [later] = Tournament.objects.bulk_create([Tournament(pk=marked.pk + 1, **rules)])
    assert altered() == {f"tournament {later.pk}"}
    triggers.remove(connection, triggers.append_only("audit_log_auditentry"))
    AuditEntry.objects.filter(target_id="tables.Tournament as published").delete()
    assert altered() == set()


@pytest.mark.parametrize("number", [2, 3])
def test_somebody_written_into_a_round_they_were_not_drawn_for(
    clock: Clock, in_a_break: Tournament, number: int
) -> None:
    """The final, with the chips with which all begin it, or a round after it that nobody played."""
    clock.wait(20)
    while steps.step(in_a_break.pk):
        pass
    planted = in_a_break.entrants.filter(status="out")[0]
    Entrant.objects.filter(pk=planted.pk).update(round=number, chips=80, deals=0, deals_won=0, points_lost=0)
    assert found() == {f"entrant {planted.pk}"}
    play_on(clock, in_a_break)
    assert Entrant.objects.get(pk=planted.pk).prize > 0 and found() == {f"entrant {planted.pk}"}


@pytest.mark.parametrize("status", ["out", "left"])
def test_nobody_is_out_of_an_arena(clock: Clock, status: str) -> None:
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    planted, _ = entered(tournament, 2)
    steps.step(tournament.pk)
    assert found() == set()
    Entrant.objects.filter(pk=planted.pk).update(status=status)
    assert found() == {f"entrant {planted.pk}"}


def test_who_leaves_in_the_moment_in_which_the_table_closes_has_left(clock: Clock) -> None:
    """Between two deals and during one; the other goes on, and alone wins what is played no more."""
    tournament = opened(clock, most=4, seats=2, go_on=1, deals=2)
    entered(tournament, 4)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    for between, table in zip((True, False), Table.objects.filter(tournament_id=tournament.pk), strict=True):
        if between:
            play_table(table.pk)
        with changing(table.pk):
            locked = store.lock_table(table.pk)
            run_overdue_clocks(locked)
            advance(locked, moves.Leave(seat=0))
            finish(locked)
    assert tournament.entrants.filter(status="left").count() == 2
    play_on(clock, tournament)
    assert audit.audit().differences == []


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Entrant, {"chips": 7}),
        (Entrant, {"deals_won": 9}),
        (Entrant, {"points_lost": 9}),
        (Entrant, {"status": "withdrawn"}),
        (Entrant, {"round": 2}),
        (Round, {"entrants": [1]}),
        (Round, {"commitment": "0" * 64}),
        (Seating, {"entrant_id": 999}),
        (Table, {"round": None}),
        (Tournament, {"rounds": 5}),
        (Tournament, {"entered": 5}),
        (Tournament, {"fee": 5}),
        (Tournament, {"entry": 5}),
        (Tournament, {"prizes": [10, 90]}),
        (Tournament, {"seats": 4}),
    ],
)
def test_a_changed_column_is_found(over: Tournament, model: Any, change: dict[str, Any]) -> None:
    model.objects.all().update(**change)
    assert found()


def test_a_draw_that_is_promised_anew_before_it_is_made_is_found(clock: Clock) -> None:
    promised = Round.objects.filter(tournament=opened(clock))
    row = promised.get()
    assert found() | altered() == set()
    promised.update(commitment="0" * 64)
    assert found() == altered() == {f"round {row.pk}"}
    promised.update(commitment=row.commitment, sealed_seed=b"garbage")
    assert found() == {f"round {row.pk}"}
    promised.delete()
    offers.commit_round(row.tournament, row.number)
    assert found() == set() and altered() == {f"round {row.pk}"}


def test_an_arena_that_ends_before_its_time_is_found(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    entered(tournament, 2)
    steps.step(tournament.pk)
    own = Tournament.objects.filter(pk=tournament.pk)
    ends = own.values_list("ends_ms", flat=True).get()
    assert ends is not None and found() == set()
    own.update(ends_ms=clock.now + 60_000)
    assert found() == {f"tournament {tournament.pk}, end"}
    play_on(clock, tournament, seconds=300)
    own.update(ends_ms=ends)
    assert f"tournament {tournament.pk}, end" in found()


def test_an_arena_that_ends_later_than_pauses_and_outages_put_it_off_is_found(clock: Clock) -> None:
    """Who is ahead as its time ends might not be later."""
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    entered(tournament, 2)
    steps.step(tournament.pk)
    own = Tournament.objects.filter(pk=tournament.pk)
    for paused, outage in ((0, 0), (100, 0), (50, 70)):
        if paused:
            acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
            clock.wait(paused)
            acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
        if outage:
            Outage.objects.create(began_ms=clock.now, ended_ms=clock.now + outage * 1_000)
            clock.wait(outage)
            steps.step(tournament.pk)
        ends = own.values_list("ends_ms", flat=True).get()
        assert ends is not None and found() == set()
        own.update(ends_ms=ends + 1)
        assert found() == {f"tournament {tournament.pk}, end"}
        own.update(ends_ms=ends)


def test_an_arena_whose_start_is_moved_with_its_end_is_found(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    entered(tournament, 2)
    steps.step(tournament.pk)
    own = Tournament.objects.filter(pk=tournament.pk)

    def found_after(moved: int) -> set[str]:
        with rolled_back():
            own.update(starts_ms=F("starts_ms") + moved, ends_ms=F("ends_ms") + moved)
            return found()

    steps.step(tournament.pk)
    assert found_after(0) == set() and found_after(60_000) == {f"tournament {tournament.pk}, start"}
    with rolled_back():
        acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
        acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
        assert found_after(0) == set() and found_after(-60_000) == {f"tournament {tournament.pk}, start"}
    play_on(clock, tournament)
    assert found_after(0) == set() and found_after(-60_000) == {f"tournament {tournament.pk}, end"}


def test_a_tournament_that_begins_before_the_moment_for_which_staff_made_it_is_found(clock: Clock) -> None:
    template = Template.objects.create(**KNOCKOUT, active=False)
    starts = clock.now + 600_000
    made = acts.make(template=template, starts_ms=starts, opens_ms=clock.now, reason="a feast", actor=PLATFORM)
    for moved in (60_000, 0, -1):
        Tournament.objects.filter(pk=made.pk).update(starts_ms=starts + moved)
        assert found() == ({f"tournament {made.pk}, start"} if moved < 0 else set())


def test_a_tournament_that_has_begun_at_no_moment_or_an_arena_that_ends_at_none_is_found(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now, **ARENA)
    entered(tournament, 2)
    steps.step(tournament.pk)
    own = Tournament.objects.filter(pk=tournament.pk)
    for _ in range(2):
        for column, subject in (("starts_ms", "start"), ("ends_ms", "end")):
            with rolled_back():
                own.update(**{column: None})
                assert f"tournament {tournament.pk}, {subject}" in found()
        play_on(clock, tournament)
    assert found() == set()


def test_an_arena_that_was_paused_and_cancelled_or_missed_its_start_is_not_named(clock: Clock) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **ARENA)
    entered(tournament, 2)
    acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
    clock.wait(100)
    assert found() == set()
    acts.resume(tournament_id=tournament.pk, reason="well", actor=PLATFORM)
    Outage.objects.create(began_ms=clock.now, ended_ms=clock.now + 100_000)
    clock.wait(100)
    while steps.step(tournament.pk):
        pass
    assert found() == set()
    clock.wait(61)
    while steps.step(tournament.pk):
        pass
    assert found() == set() and Table.objects.filter(tournament_id=tournament.pk).exists()
    acts.pause(tournament_id=tournament.pk, reason="a look", actor=PLATFORM)
    clock.wait(100)
    Outage.objects.create(began_ms=clock.now - 50_000, ended_ms=clock.now)
    assert found() == set()
    acts.cancel(tournament_id=tournament.pk, reason="enough", actor=PLATFORM)
    assert audit.audit().differences == []
    waiting = opened(clock, most=4)
    entered(waiting, 2)
    acts.pause(tournament_id=waiting.pk, reason="a look", actor=PLATFORM)
    assert found() == set()
    acts.cancel(tournament_id=waiting.pk, reason="enough", actor=PLATFORM)
    assert audit.audit().differences == []
