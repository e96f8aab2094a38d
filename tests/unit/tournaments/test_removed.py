"""Who is removed from a tournament while they cannot leave their table."""

from typing import Any

import pytest

from tables import staff
from tables.models import DealSeat, Entrant, Seating, Table
from tables.play import services as play
from tables.tournaments import staff as acts, steps
from tests.support.clock import Clock
from tests.support.database import rolled_back
from tests.support.findings import found_by
from tests.support.tournaments import ARENA, entered, opened, play_on, play_table
from wallet.audit.audit import audit
from wallet.audit_log.services import PLATFORM

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("rules", [{"most": 3, "deals": 2}, {**ARENA, "minutes": 2}], ids=["knock-out", "arena"])
def test_who_is_removed_while_their_table_is_stopped_plays_no_more_once_it_goes_on(
    clock: Clock, rules: dict[str, Any]
) -> None:
    tournament = opened(clock, starts_ms=clock.now + 60_000, **rules)
    cheat, *others = entered(tournament, 3)
    clock.wait(60)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    table = Table.objects.get(tournament_id=tournament.pk)
    play.tick(table_id=table.pk)
    staff.freeze_table(table_id=table.pk, reason="they look at each other's cards", actor=PLATFORM)
    acts.remove_entrant(entrant_id=cheat.pk, reason="a cheat", actor=PLATFORM)
    staff.resume_table(table_id=table.pk, reason="goes on without them", actor=PLATFORM)
    playing = Seating.objects.filter(table=table, left_at=None).values_list("entrant_id", flat=True)
    assert sorted(playing) == [entrant.pk for entrant in others]
    play_on(clock, tournament)
    cheat.refresh_from_db()
    assert (cheat.status, cheat.place) == (Entrant.Status.REMOVED, None)
    assert audit().differences == []


def test_who_is_removed_when_they_cannot_leave_does_as_the_next_deal_begins(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the winner of a deal while the others meld."""
    tournament = opened(clock, most=3, deals=2)
    cheat, *_ = entered(tournament, 3)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    table = Table.objects.get(tournament_id=tournament.pk)
    play.tick(table_id=table.pk)
    with monkeypatch.context() as melding:
        melding.setattr(acts, "legal_moves", lambda state, seat: frozenset())
        acts.remove_entrant(entrant_id=cheat.pk, reason="a cheat", actor=PLATFORM)
    assert Seating.objects.get(entrant_id=cheat.pk).left_at is None
    play_on(clock, tournament)
    assert Seating.objects.get(entrant_id=cheat.pk).left_at is not None
    cheat.refresh_from_db()
    assert (cheat.status, cheat.place, cheat.deals) == (Entrant.Status.REMOVED, None, 2)
    second = DealSeat.objects.get(deal__number=2, seating__entrant_id=cheat.pk)
    assert second.outcome == "left"
    assert audit().differences == []


@pytest.mark.parametrize("in_the_break", [False, True])
def test_the_audit_names_who_goes_on_from_the_table_of_who_was_removed(clock: Clock, in_the_break: bool) -> None:
    tournament = opened(clock, most=8, seats=4, deals=1)
    entered(tournament, 8)
    while steps.step(tournament.pk):
        pass
    clock.wait(6)
    tables = Table.objects.filter(tournament_id=tournament.pk)
    for table in tables:
        play.tick(table_id=table.pk)
    own = tournament.entrants.filter(table_id=tables[0].pk)
    if not in_the_break:
        acts.remove_entrant(entrant_id=own[0].pk, reason="a cheat", actor=PLATFORM)
    for table in tables:
        play_table(table.pk)
    steps.step(tournament.pk)
    if in_the_break:
        acts.remove_entrant(entrant_id=own.filter(status="in")[0].pk, reason="a cheat", actor=PLATFORM)
    assert audit().differences == []
    with rolled_back():
        goes_on, out = own.filter(status="in")[0], own.filter(status="out")[0]
        for entrant, status, place in ((goes_on, "out", out.place), (out, "in", None)):
            Entrant.objects.filter(pk=entrant.pk).update(status=status, place=place)
        assert [each.subject for each in found_by(["tournaments_add_up"])] == [
            f"round {tournament.drawn_rounds.get(number=1).pk}"
        ]
    play_on(clock, tournament)
    assert audit().differences == []
