"""A deal waits while settlement is frozen: nothing is lost, everybody is informed, and afterwards it settles once."""

from typing import Any

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client as Browser
from django.urls import reverse

from tables import tasks
from tables.log.reading import latest_state
from tables.models import Deal, LoggedEvent, Match, Table
from tables.play import outages, services as play
from tables.sockets import monitor, statuses
from tests.support.books import books
from tests.support.clock import Clock
from tests.support.freezes import lift_by_two
from tests.support.outages import alive, left
from tests.support.sockets import read_statuses
from tests.support.steering import all_drop_but, ask, next_deal, one_loses_eighty
from tests.support.tables import Client
from wallet import adjustments
from wallet.audit import audit, nightly
from wallet.audit_log.services import Actor
from wallet.models import Posting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "nudges")]

Player = get_user_model()


def everything(table_id: int) -> tuple[Any, ...]:
    row = Table.objects.get(pk=table_id)
    return books(), row.version, bytes(row.snapshot), LoggedEvent.objects.count(), list(Deal.objects.values())


def settlements() -> int:
    return Posting.objects.filter(reason="deal").count()


def test_a_move_that_would_settle_waits_and_can_be_made_again(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    nightly.freeze("for a reason")
    before = everything(first.table)
    refused = first.send("drop")
    assert (refused["type"], refused["code"]) == ("error", "settlement_frozen")
    assert "Your chips are safe" in refused["message"]
    assert everything(first.table) == before
    assert first.view()["phase"] == "playing"
    lift_by_two()
    ask(first, "drop")
    assert settlements() == 1
    assert audit.audit().differences == []


def test_moves_that_settle_nothing_go_on(duel: tuple[Client, Client]) -> None:
    first, second = duel
    nightly.freeze("for a reason")
    ask(first, "draw", pile="closed")
    ask(first, "discard", card=first.me["drawn"])
    ask(second, "sort")
    assert first.view()["deal"]["turn_seat"] == second.me["seat"]


def test_a_clock_that_runs_out_while_frozen_waits_for_the_lifting_and_settles_once(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    """The sweep tries again and again, and still sweeps every other table."""
    first, second = duel
    ask(first, "draw", pile="closed")
    ask(first, "finish", card=first.me["drawn"])
    nightly.freeze("for a reason")
    clock.now = first.view()["clock"]["deadline"] + 1
    before = everything(first.table)
    for _ in range(3):
        tasks.sweep()
        clock.now += outages.FORGOTTEN_AFTER_MS // 4
    assert everything(first.table) == before
    assert Table.objects.get().status == Table.Status.OPEN
    lift_by_two()
    for _ in range(40):
        clock.wait(4)
        tasks.sweep()
    assert settlements() == 1
    assert Match.objects.filter(status="settled").count() == 1
    assert Deal.objects.filter(status="over").count() == 1
    assert audit.audit().differences == []
    assert second.table == first.table


def test_a_prize_waits_with_everything_in_the_pot(clock: Clock, player: Any, table: Any, client_of: Any) -> None:
    place = table(book="standard-pool-101", point_value=0, minimum=0, entry=500, seats=2)
    users = [player("asha"), player("ravi")]
    for user in users:
        play.sit(table_id=place.pk, user=user)
    clients = [client_of(place, user) for user in users]
    clock.wait(10)
    play.tick(table_id=place.pk)
    nightly.freeze("for a reason")
    before = everything(place.pk)
    assert clients[0].send("leave")["code"] == "settlement_frozen"
    assert everything(place.pk) == before
    lift_by_two()
    ask(clients[0], "leave")
    assert [each.key for each in Posting.objects.filter(reason="prize")] == [f"match:{Match.objects.get().pk}:prize"]
    assert audit.audit().differences == []


def frozen_when_a_rejoin_is_asked_for(pool: Any, clock: Clock) -> tuple[Client, Client]:
    """Return who may rejoin a pool of four, and who has won its two deals."""
    out, winner, *_ = clients = pool(4)
    one_loses_eighty(out, winner, clients)
    next_deal(clients, clock)
    one_loses_eighty(out, winner, clients)
    nightly.freeze("for a reason")
    return out, winner


def test_a_rejoin_that_was_refused_is_still_offered_once_settlement_goes_on(pool: Any, clock: Clock) -> None:
    out, winner = frozen_when_a_rejoin_is_asked_for(pool, clock)
    assert out.send("rejoin", accept=True)["code"] == "settlement_frozen"
    alive(clock, 40)
    assert winner.view()["phase"] == "rejoin"
    lift_by_two()
    alive(clock, 5)
    ask(out, "rejoin", accept=True)
    assert winner.view()["phase"] == "result"
    assert Posting.objects.filter(reason="rejoin").count() == 1
    assert audit.audit().differences == []


@pytest.mark.parametrize("lifted", [3, -3])
def test_a_prompt_whose_last_moments_fell_into_a_freeze_gives_time_for_an_answer(
    pool: Any, clock: Clock, lifted: int
) -> None:
    """Settlement goes on three seconds before the prompt ends, or after."""
    out, winner = frozen_when_a_rejoin_is_asked_for(pool, clock)
    alive(clock, left(winner) - lifted)
    with time_machine.travel(clock.now / 1000, tick=False):
        lift_by_two()
    alive(clock, 9 + max(lifted, 0))
    ask(out, "rejoin", accept=True)
    assert winner.view()["phase"] == "result"


def test_a_prompt_that_a_freeze_cut_ends_by_itself_after_that(pool: Any, clock: Clock) -> None:
    out, winner = frozen_when_a_rejoin_is_asked_for(pool, clock)
    alive(clock, left(winner) + 3)
    with time_machine.travel(clock.now / 1000, tick=False):
        lift_by_two()
    alive(clock, 11)
    assert winner.view()["phase"] == "result" and "rejoin" not in out.me["moves"]


def test_a_split_that_all_wanted_can_still_be_agreed_to_once_settlement_goes_on(pool: Any, clock: Clock) -> None:
    asks, asked, leaves = clients = pool(3)
    all_drop_but(leaves, clients)
    ask(leaves, "leave")
    nightly.freeze("for a reason")
    ask(asks, "offer_split")
    assert asked.send("answer_split", accept=True)["code"] == "settlement_frozen"
    alive(clock, 50)
    lift_by_two()
    alive(clock, 5)
    ask(asked, "answer_split", accept=True)
    assert asks.view()["phase"] == "over"
    assert audit.audit().differences == []


def test_the_command_cancels_no_match_while_settlement_is_frozen_and_says_so_in_one_line(pool: Any) -> None:
    [first, _] = pool(2)
    nightly.freeze("for a reason")
    before, match = everything(first.table), Match.objects.get()
    with pytest.raises(CommandError, match="Settlement stands still") as refused:
        call_command("cancel_match", match.pk, reason="A fault")
    assert refused.value.returncode == 2
    assert everything(first.table) == before
    lift_by_two()
    call_command("cancel_match", match.pk, reason="A fault")
    assert Posting.objects.filter(reason="refund").count() == 1
    assert audit.audit().differences == []


def test_no_match_starts_while_settlement_is_frozen_and_nobody_pays(
    clock: Clock, player: Any, table: Any, client_of: Any
) -> None:
    place = table(book="standard-pool-101", point_value=0, minimum=0, entry=500, seats=2)
    users = [player("asha"), player("ravi")]
    nightly.freeze("for a reason")
    for user in users:
        play.sit(table_id=place.pk, user=user)
    clock.wait(10)
    tasks.sweep()
    assert not Posting.objects.filter(reason="entry").exists()
    lift_by_two()
    clock.wait(1)
    tasks.sweep()
    clock.wait(60)
    tasks.sweep()
    assert Posting.objects.filter(reason="entry").count() == 1
    assert audit.audit().differences == []


def test_all_tables_that_wait_are_one_line_in_the_log_and_no_fault(
    clock: Clock, player: Any, table: Any, client_of: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """However often they are swept; and there is one line when they go on."""
    places = [table(book="standard-pool-101", point_value=0, minimum=0, entry=500, seats=2) for _ in range(3)]
    for number, place in enumerate(places):
        for seat in range(2):
            play.sit(table_id=place.pk, user=player(f"p{number}{seat}"))
    nightly.freeze("for a reason")
    clock.wait(10)
    for _ in range(10):
        tasks.sweep()
        monitor._tick([place.pk for place in places])
        tasks.nudge(places[0].pk)
        clock.wait(1)
    assert {each.clock.deadline for each in map(latest_state, Table.objects.all()) if each.clock} == {
        clock.now - 10_000
    }
    [line] = caplog.records
    assert (line.levelname, line.exc_info, line.waiting) == ("WARNING", None, 3)  # type: ignore[attr-defined]
    assert line.tables == [place.pk for place in places]  # type: ignore[attr-defined]
    lift_by_two()
    for _ in range(20):
        clock.wait(4)
        tasks.sweep()
    assert Posting.objects.filter(reason="entry").count() == 3
    assert [each.getMessage() for each in caplog.records[1:]] == ["no table waits for settlement any more"]


def test_every_page_tells_a_player_that_their_table_waits(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    browser = Browser()
    browser.force_login(first.user)

    tables = statuses.Statuses()

    def waits() -> bool:
        return read_statuses(tables, {first.table}).statuses[first.table].waits

    clock.now = first.view()["clock"]["deadline"] + statuses.WAITING
    assert (read_statuses(tables, {first.table}).overdue, waits()) == ([first.table], False)
    assert "Your table waits" not in browser.get("/").content.decode()
    nightly.freeze("for a reason")
    assert waits()
    page = browser.get("/").content.decode()
    assert "Your table waits until our staff have checked the books" in page
    assert "Results wait for a while" in Browser().get("/").content.decode()
    clock.now = first.view()["clock"]["deadline"] - 1
    assert not waits(), "while its clock runs it is played on"
    lift_by_two()
    clock.wait(10)
    assert not waits()
    assert "Results wait" not in Browser().get("/").content.decode()


def test_staff_see_the_freeze_and_the_tables_that_wait(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    nightly.freeze("for a reason")
    clock.now = first.view()["clock"]["deadline"] + 60_000
    root = Player.objects.create_superuser(username="boss", password="a long one")
    browser = Browser()
    browser.force_login(root)
    assert "Settlement is frozen" in browser.get(reverse("finance:overview")).content.decode()
    stuck = browser.get(reverse("admin:tables_table_changelist"), {"condition": "stuck"}).content.decode()
    assert "Test table" in stuck


def test_a_balance_can_be_put_right_while_settlement_is_frozen(player: Any) -> None:
    """Otherwise nobody could repair what caused the freeze."""
    asha, fina = player("asha"), player("fina")
    nightly.freeze("for a reason")
    adjustment = adjustments.ask(
        request_id="one", player=asha, currency="FUN", amount=5, reason="Put right", actor=Actor("fina", fina)
    )
    assert adjustment.status == "granted"
