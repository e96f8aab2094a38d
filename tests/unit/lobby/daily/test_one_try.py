"""The deal of the day: the same cards for everybody, once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from lobby.daily import services
from lobby.models import Player
from tables import staff
from tables.errors import TableError
from tables.models import Attempt, Deal, DealSeat, Table
from tables.play import presence, services as play
from tables.play.advance import freezing
from tests.support.clock import WholeClock
from tests.support.fixed_shoes import at_once, by_the_book, play_out, sat_down, story, todays_shoe
from tests.support.players import signed_up
from tests.support.program import Program
from wallet.audit.audit import audit
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db


# --- the same for everybody -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("three_computers")
def test_whoever_makes_the_same_moves_gets_the_same_answers(clock: WholeClock, asha: Player, ravi: Player) -> None:
    """Compare the whole logs: toss, hands, upcard, every move of the computer players, the result."""
    shoe = todays_shoe()
    first = play_out(sat_down(shoe, asha), clock)
    clock.wait(3_600)
    second = play_out(sat_down(shoe, ravi), clock)
    assert first.pk != second.pk and first.phase == second.phase == "result"
    assert story(first) == story(second)
    assert {event["type"] for event in story(first)} >= {"toss_made", "cards_dealt", "upcard_turned", "deal_ended"}


@pytest.mark.usefixtures("three_computers")
def test_what_one_player_does_changes_only_what_follows_from_it(clock: WholeClock, asha: Player, ravi: Player) -> None:
    shoe = todays_shoe()
    first, second = (play_out(sat_down(shoe, user), clock, how) for user, how in ((asha, by_the_book), (ravi, at_once)))
    dealt = [
        [event for event in story(table) if event["type"] in ("toss_made", "cards_dealt")] for table in (first, second)
    ]
    assert dealt[0] == dealt[1] and story(first) != story(second)


def test_no_seed_of_a_browser_comes_into_the_shuffle(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    assert "client_seed" not in client.me["moves"]
    assert client.send("client_seed", seed="ab" * 16)["code"] == "wrong_phase"


def test_no_deal_follows_and_the_seat_is_given_up_without_cost(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    table = play_out(client, clock)
    assert client.me["moves"] == ["leave"] and client.view()["next_deal"] is None
    assert client.send("leave")["type"] == "ack"
    table.refresh_from_db()
    assert (table.status, Deal.objects.filter(match__table=table).count()) == (Table.Status.CLOSED, 1)
    assert not audit().differences


@pytest.mark.usefixtures("three_computers")
def test_the_deal_ends_by_itself_once_its_player_has_dropped_and_gone(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    table = play_out(client, clock, at_once, most=60)
    for _ in range(400):
        table.refresh_from_db()
        if table.phase == "result":
            break
        assert table.computer_due_ms is not None, "the computer players wait for nobody"
        clock.now = max(clock.now + 40_000, table.computer_due_ms)
        play.tick(table_id=table.pk)
    assert table.phase == "result"


# --- one try ----------------------------------------------------------------------------------------------------------


def test_the_same_call_again_answers_the_same_seat_until_it_is_played(
    clock: WholeClock, asha: Player, program: Callable[..., Program]
) -> None:
    ask = program(asha)
    status, first = ask.post("daily/")
    assert status == 200 and ask.post("daily/") == (200, first) and first["seat"] == 0
    client = sat_down(todays_shoe(), asha)
    assert client.table == first["table"]
    play_out(client, clock)
    for _ in range(2):
        status, refused = ask.post("daily/")
        assert (status, refused["code"]) == (409, "already_played")
    assert Table.objects.filter(shoe__isnull=False).count() == 1


def test_the_database_keeps_it_to_one_attempt(clock: WholeClock, asha: Player) -> None:
    shoe = todays_shoe()
    sat_down(shoe, asha)
    other = Table.objects.create(
        title="x", book="standard-points", book_version=1, family="points", currency="FUN", seats=4
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.create(shoe=shoe, user=asha, table=other)


def test_leaving_costs_what_the_rules_say_and_is_the_try(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    while "draw" not in client.me["moves"]:
        play_out(client, clock, most=1)
    assert client.send("leave")["type"] == "ack"
    part = DealSeat.objects.get(user=asha)
    assert (part.outcome, part.points, part.amount) == ("left", 80, -80)
    with pytest.raises(TableError) as refused:
        services.sit_down(shoe=todays_shoe(), user=asha)
    assert refused.value.code == "already_played"


def test_a_table_that_we_cancel_gives_the_try_back(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    play_out(client, clock, most=8)
    staff.cancel_table(table_id=client.table, actor=Actor("ops"), reason="A fault")
    again = sat_down(todays_shoe(), asha)
    assert again.table != client.table
    assert play_out(again, clock).phase == "result"
    assert Attempt.objects.get(user=asha).table_id == again.table
    assert not audit().differences


def stopped_by_a_fault(table: int) -> None:
    with pytest.raises(TableError), freezing(table):
        raise ZeroDivisionError


def test_a_table_that_a_fault_of_ours_has_stopped_gives_the_try_back_once(
    clock: WholeClock, asha: Player, program: Callable[..., Program]
) -> None:
    """Once at each shoe: whoever can make our program fail looks at its cards no more than twice."""
    client, ask = sat_down(todays_shoe(), asha), program(asha)
    play_out(client, clock, most=8)
    stopped_by_a_fault(client.table)
    assert ask.get("daily/")[1]["me"]["status"] == "void"
    again = sat_down(todays_shoe(), asha)
    assert again.table != client.table and Table.objects.get(pk=client.table).status == Table.Status.CLOSED
    play_out(again, clock, most=8)
    stopped_by_a_fault(again.table)
    assert ask.get("daily/")[1]["me"]["status"] == "frozen"
    with pytest.raises(TableError) as refused:
        services.sit_down(shoe=todays_shoe(), user=asha)
    assert refused.value.code == "frozen" and not audit().differences


def test_a_table_that_staff_have_stopped_waits_for_them(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    play_out(client, clock, most=8)
    staff.freeze_table(table_id=client.table, actor=Actor("ops"), reason="Looks odd")
    with pytest.raises(TableError) as refused:
        services.sit_down(shoe=todays_shoe(), user=asha)
    assert refused.value.code == "frozen"
    assert Table.objects.get(pk=client.table).status == Table.Status.FROZEN


def test_before_the_cards_are_dealt_leaving_is_no_try(clock: WholeClock, asha: Player) -> None:
    first = sat_down(todays_shoe(), asha)
    assert first.send("leave")["type"] == "ack"
    assert sat_down(todays_shoe(), asha).table != first.table


def test_guests_and_strangers_are_led_to_sign_up(clock: WholeClock, program: Callable[..., Program]) -> None:
    guest = signed_up("someone", is_guest=True)
    assert program(guest).post("daily/")[1]["code"] == "guests_only_play"
    assert program().post("daily/")[0] in (401, 403)
    assert program().get("daily/")[1]["me"] is None


# --- after a crash ----------------------------------------------------------------------------------------------------


def test_a_table_that_was_opened_and_not_sat_at_is_the_same_try(
    clock: WholeClock, asha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies before the player sits: nothing of it stays, and the next call begins anew."""

    def dies(**_: Any) -> None:
        raise KeyboardInterrupt

    shoe = todays_shoe()
    with monkeypatch.context() as patch:
        patch.setattr(play, "sit", dies)
        with pytest.raises(KeyboardInterrupt), transaction.atomic():
            services.sit_down(shoe=shoe, user=asha)
    assert not Attempt.objects.exists() and not Table.objects.filter(shoe=shoe).exists()
    assert play_out(sat_down(shoe, asha), clock).phase == "result"


def test_play_goes_on_after_everything_in_memory_is_gone(clock: WholeClock, asha: Player) -> None:
    from tables.play.fast import table_cache

    client = sat_down(todays_shoe(), asha)
    play_out(client, clock, most=12)
    table_cache.evict_all()
    presence.record_sign_of_life(table_id=client.table, user_id=asha.pk, connection=client.connection)
    assert sat_down(todays_shoe(), asha).table == client.table
    assert play_out(client, clock).phase == "result"
