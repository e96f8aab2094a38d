"""The platform was down, or its clock was wrong: no player loses time they could not use, or gets it twice."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tables.models import LoggedEvent, Outage, Seating, ServerHeartbeat, Table
from tables.play import clocks, heartbeat_requests, outages, presence, services as play
from tables.play.opening import open_table
from tests.support import connections
from tests.support.clock import Clock
from tests.support.sampling import one_of_each
from tests.support.steering import all_drop_but, ask, next_deal, one_loses_eighty, pass_turn
from tests.support.tables import Client, seated_at, terms

pytestmark = pytest.mark.django_db

#: Hours by which a machine in the wrong zone is ahead, in seconds.
ZONE = 19_800


def alive(clock: Clock, seconds: float) -> None:
    """Let time pass while a web process serves and the sweep looks at the clocks."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        outages.record_heartbeat()
        play.sweep()


def away(clock: Clock, seconds: float) -> None:
    """Let the web processes die while the workers live on; at the end a web process is back."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        play.sweep()
    outages.record_heartbeat(starting=True)


def stepped(clock: Clock, seconds: float) -> None:
    """Step the database's clock while everything runs."""
    clock.wait(seconds)
    outages.record_heartbeat()
    play.sweep()


def kinds(table: int) -> list[str]:
    return list(LoggedEvent.objects.filter(table=table).order_by("pk").values_list("kind", flat=True))


def left(client: Client) -> float:
    """Return the seconds until the running clock ends."""
    return float(client.view()["clock"]["remaining_ms"]) / 1000


def back(client: Client) -> dict[str, Any]:
    """Return the first frame of a new socket of the player's."""
    return dict(
        json.loads(connections.connect(table_id=client.table, user_id=client.user.pk, connection="again").frame.text)
    )


@pytest.mark.parametrize("length", one_of_each([2, 5, 40, 3_600], lambda length: length > 30))
@pytest.mark.parametrize("before", one_of_each([18, 5]))
def test_a_clock_moves_by_the_time_in_which_nobody_served_whatever_its_length(
    duel: tuple[Client, Client], clock: Clock, before: float, length: float
) -> None:
    first, _ = duel
    alive(clock, before)
    away(clock, length)
    play.sweep()
    assert first.view()["clock"]["kind"] == "turn", "the player has paid for the outage"
    assert left(first) == 30 - before
    assert kinds(first.table)[-1] == "clock_credited"
    assert first.send("draw", pile="closed")["type"] == "ack"


@pytest.mark.parametrize("overdue", [-4, 0.5, 3, 40])
def test_a_clock_that_had_little_left_or_would_have_run_out_meanwhile_has_ten_seconds_from_the_return(
    duel: tuple[Client, Client], clock: Clock, overdue: float
) -> None:
    """`overdue`: how many seconds before the return the turn would have ended."""
    first, _ = duel
    alive(clock, 25)
    first.send("draw", pile="closed")
    card = first.me["drawn"]
    alive(clock, 3)
    away(clock, 2 + overdue if overdue > 0 else 1.5)
    play.sweep()
    assert left(first) == 10
    assert first.me["drawn"] == card, "a card was discarded for a player who could not do it"
    alive(clock, 9.5)
    assert first.send("discard", card=card)["type"] == "ack"


def test_the_grace_ends_and_comes_once(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 29)
    away(clock, 120)
    alive(clock, 9.5)
    assert first.view()["clock"]["kind"] == "turn"
    alive(clock, 1)
    assert first.view()["clock"]["kind"] == "extra"
    alive(clock, 30)
    assert first.view()["phase"] == "result"
    assert kinds(first.table).count("clock_credited") == 1


def test_a_returning_player_has_ten_seconds_once_for_each_outage(duel: tuple[Client, Client], clock: Clock) -> None:
    """Reconnecting again gives nothing more, and a player whose turn it is not gets nothing."""
    first, second = duel
    alive(clock, 28)
    away(clock, 6)
    alive(clock, 7)
    assert back(second)["view"]["clock"]["remaining_ms"] == 3_000
    frame = back(first)
    assert (frame["away_ms"], frame["view"]["clock"]["remaining_ms"]) == (6_000, 10_000)
    alive(clock, 4)
    frame = back(first)
    assert ("away_ms" in frame, frame["view"]["clock"]["remaining_ms"]) == (False, 6_000)


def test_a_player_whose_turn_began_after_the_last_heartbeat_learns_of_the_outage(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    ServerHeartbeat.objects.create(pk=1, at_ms=clock.now - 100)
    away(clock, 6)
    play.sweep()
    assert left(first) == 30
    assert back(first)["away_ms"] == 6_100


def test_a_clock_of_the_database_that_is_set_back_a_little_brings_no_grace(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    alive(clock, 28)
    stepped(clock, -5)
    assert Outage.objects.count() == 1
    assert left(first) == 7
    assert "clock_credited" not in kinds(first.table)
    assert "away_ms" not in back(first)


def test_who_was_cut_off_alone_gets_nothing(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 10)
    connections.disconnect(table_id=first.table, user_id=first.user.pk, connection=first.connection)
    alive(clock, 18)
    frame = back(first)
    assert ("away_ms" in frame, frame["view"]["clock"]["remaining_ms"]) == (False, 2_000)


def test_outages_one_after_the_other_are_all_given_back_though_nobody_looked_at_the_table_between(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    alive(clock, 10)
    for _ in range(3):
        away_unswept(clock, 7)
    play.sweep()
    assert left(first) == 20
    assert Outage.objects.count() == 3


def away_unswept(clock: Clock, seconds: float) -> None:
    clock.wait(seconds)
    outages.record_heartbeat(starting=True)


def test_a_clock_that_began_after_an_outage_is_not_moved_by_it(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    alive(clock, 1)
    away_unswept(clock, 60)
    pass_turn(first)
    play.sweep()
    assert left(second) == 30
    alive(clock, 30.5)
    assert second.view()["clock"]["kind"] == "extra"


def test_a_move_that_comes_before_anybody_has_noticed_the_return_is_taken(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    """A stopped process resumes and handles the waiting frames before its own heartbeat."""
    first, _ = duel
    alive(clock, 28)
    clock.wait(30)
    assert first.send("draw", pile="closed")["type"] == "ack"
    assert Outage.objects.count() == 1


def test_one_web_process_that_serves_is_enough(duel: tuple[Client, Client], clock: Clock) -> None:
    """The clocks run while another one starts, dies, and starts."""
    first, _ = duel
    for _ in range(6):
        alive(clock, 5)
        outages.record_heartbeat(starting=True)
    alive(clock, 30)
    assert first.view()["phase"] == "result"
    assert not Outage.objects.exists()


def test_without_any_web_process_no_clock_runs_out_and_no_outage_is_over(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    first, _ = duel
    alive(clock, 29.5)
    for _ in range(10):
        clock.wait(0.5)
        play.sweep()
        play.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "turn"
    assert not Outage.objects.exists()


def test_a_platform_that_never_had_a_web_process_waits_for_none(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    clock.wait(30)
    play.tick(table_id=first.table)
    assert first.view()["clock"]["kind"] == "extra"


# --- one web process of several is silent ---


def with_signs_of(clock: Clock, seconds: float, *present: Client) -> None:
    """Let time pass while a web process serves; those of the `present` players note that their sockets live."""
    for _ in range(int(seconds * 2)):
        clock.wait(0.5)
        outages.record_heartbeat()
        for each in present:
            presence.record_sign_of_life(table_id=each.table, user_id=each.user.pk, connection=each.connection)
        play.sweep()


def seated_names(table: int) -> set[str]:
    return set(Seating.objects.filter(table=table, left_at=None).values_list("user__username", flat=True))


def test_whose_web_process_is_silent_over_the_end_of_a_result_clock_keeps_their_seat_and_continues(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    cut_off, present = duel
    ask(cut_off, "drop")
    with_signs_of(clock, 8, *duel)
    with_signs_of(clock, 8, present)
    assert left(present) == 9, "the clock begins once more, for a while"
    assert seated_names(present.table) == {cut_off.user.username, present.user.username}
    ask(cut_off, "continue")
    with_signs_of(clock, 9.5, *duel)
    assert seated_names(present.table) == {cut_off.user.username}, "who was there and did not continue has left"


@pytest.fixture
def pool(clock: Clock, table: Callable[..., Table]) -> list[Client]:
    """Seat three players at a running pool."""
    place = table(book="standard-pool-101", seats=3, point_value=0, minimum=0, entry=100)
    clients = seated_at(place, "asha", "bela", "chitra")
    clock.wait(10)
    play.tick(table_id=place.pk)
    return clients


def test_whose_web_process_is_silent_over_the_end_of_the_rejoin_clock_may_still_answer(
    pool: list[Client], clock: Clock
) -> None:
    cut_off, winner, third = pool
    one_loses_eighty(cut_off, winner, pool)
    next_deal(pool, clock)
    one_loses_eighty(cut_off, winner, pool)
    with_signs_of(clock, 10, *pool)
    with_signs_of(clock, 12, winner, third)
    assert (winner.view()["phase"], left(winner)) == ("rejoin", 8)
    ask(cut_off, "rejoin", accept=True)


def test_whose_web_process_is_silent_over_the_end_of_the_split_clock_may_still_answer(
    pool: list[Client], clock: Clock
) -> None:
    asks, cut_off, leaves = pool
    all_drop_but(leaves, pool)
    ask(leaves, "leave")
    ask(asks, "offer_split")
    with_signs_of(clock, 10, asks, cut_off)
    with_signs_of(clock, 12, asks)
    assert (asks.view()["phase"], left(asks)) == ("split", 8)
    ask(cut_off, "answer_split", accept=True)
    assert asks.view()["phase"] == "over"


def test_who_is_there_and_answers_nothing_has_the_time_of_the_clock_and_no_more(
    pool: list[Client], clock: Clock
) -> None:
    asks, _, leaves = pool
    all_drop_but(leaves, pool)
    ask(leaves, "leave")
    ask(asks, "offer_split")
    with_signs_of(clock, 20.5, *pool)
    assert asks.view()["phase"] == "result"


def test_a_web_process_that_died_holds_a_result_clock_up_only_until_its_players_count_as_disconnected(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    cut_off, present = duel
    ask(cut_off, "drop")
    with_signs_of(clock, 14, present)
    ask(present, "continue")
    with_signs_of(clock, 1.5, present)
    assert len(seated_names(present.table)) == 2
    with_signs_of(clock, 30, present)
    assert seated_names(present.table) == {present.user.username}


def test_a_result_clock_waits_for_nobody_whose_web_process_serves_nor_for_who_has_gone(
    duel: tuple[Client, Client], clock: Clock
) -> None:
    gone, present = duel
    ask(gone, "drop")
    connections.disconnect(table_id=gone.table, user_id=gone.user.pk, connection=gone.connection)
    with_signs_of(clock, 12, present)
    with_signs_of(clock, 3.5)
    assert seated_names(present.table) == set()


# --- the heartbeat, requested by workers ---


@pytest.fixture
def ended(duel: tuple[Client, Client], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Let the turn end shortly after a heartbeat; nobody has to wait long for one that does not come."""
    monkeypatch.setattr(heartbeat_requests, "PATIENCE", 0.0)
    monkeypatch.setitem(heartbeat_requests._unanswered, "at_ms", 0)
    alive(clock, 29.5)
    clock.wait(0.52)
    return duel[0]


def test_a_clock_that_ends_between_two_heartbeats_runs_out_at_once_if_a_web_process_answers(
    ended: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[int] = []

    def answer(group: str, message: dict[str, Any]) -> None:
        if group == heartbeat_requests.GROUP:
            requests.append(heartbeat_requests.moment_of(message))
            outages.record_heartbeat(since=requests[-1])

    deadline = Table.objects.get(pk=ended.table).deadline_ms
    monkeypatch.setattr("tables.play.broadcast.send", answer)
    play.tick(table_id=ended.table)
    assert ended.view()["clock"]["kind"] == "extra"
    assert requests == [deadline]


def test_a_request_that_nobody_answers_is_not_repeated_before_the_next_heartbeat(
    ended: Client, clock: Clock, sent: list[tuple[str, dict[str, Any]]]
) -> None:
    sent.clear()
    play.tick(table_id=ended.table)
    play.tick(table_id=ended.table)
    assert [group for group, _ in sent] == [heartbeat_requests.GROUP]
    assert ended.view()["clock"]["kind"] == "turn"
    alive(clock, 0.5)
    assert ended.view()["clock"]["kind"] == "extra"


def test_a_web_process_runs_clocks_out_without_a_request(ended: Client, sent: list[tuple[str, dict[str, Any]]]) -> None:
    play.tick(table_id=ended.table, by_server=True)
    assert ended.view()["clock"]["kind"] == "extra"
    assert heartbeat_requests.GROUP not in [group for group, _ in sent]


@pytest.mark.parametrize(("since", "noted"), [(-50, False), (50, True)])
def test_a_heartbeat_noted_just_before_is_noted_again_only_for_a_clock_that_ended_since(
    clock: Clock, since: int, noted: bool
) -> None:
    outages.record_heartbeat()
    first = ServerHeartbeat.objects.get().at_ms
    clock.wait(0.06)
    outages.record_heartbeat(since=first + since)
    assert (ServerHeartbeat.objects.get().at_ms > first) is noted


# --- the clock of the database itself ---


def test_a_clock_set_back_lets_no_table_wait_for_what_was_its_time(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 10)
    stepped(clock, -ZONE)
    assert left(first) == 30
    alive(clock, 30.5)
    assert first.view()["clock"]["kind"] == "extra"


def test_a_clock_set_forward_takes_no_time_from_anybody(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    alive(clock, 10)
    stepped(clock, ZONE)
    assert left(first) == 20


@pytest.mark.parametrize("steps", [(ZONE, -ZONE), (-ZONE, ZONE), (ZONE, -2 * ZONE, ZONE), (4, -4, 7, -60, 60)])
def test_a_clock_set_back_and_forth_under_a_running_table_costs_no_turn_and_stops_nothing(
    duel: tuple[Client, Client], clock: Clock, steps: tuple[float, ...]
) -> None:
    first, second = duel
    for step in steps:
        alive(clock, 1)
        stepped(clock, step)
        assert 10 <= left(first) <= 30
        assert first.view()["clock"]["kind"] == "turn"
    pass_turn(first)
    assert left(second) == 30
    alive(clock, 30.5)
    assert second.view()["clock"]["kind"] == "extra"
    alive(clock, 30)
    assert second.view()["phase"] == "result"


def test_a_heartbeat_in_the_future_is_set_right_and_a_start_clock_is_not_put_off(clock: Clock, table: Any) -> None:
    """A process started in the wrong time zone and was stopped; it wrote nothing else."""
    ServerHeartbeat.objects.create(at_ms=clock.now + ZONE * 1000)
    place = table()
    clients = seated_at(place, "asha", "ravi", amount=800)
    alive(clock, 10.5)
    assert ServerHeartbeat.objects.get().at_ms == clock.now
    assert clients[0].view()["phase"] == "playing"


def test_computer_players_of_a_time_that_was_ahead_do_not_think_for_hours(
    clock: Clock, player: Any, client_of: Any
) -> None:
    user = player("asha")
    place = open_table(terms=terms(), title="Practice", currency="FUN", practice_for=user, computers=1)
    play.sit(table_id=place.pk, user=user, amount=800)
    client_of(place, user)
    alive(clock, 11)
    Table.objects.update(computer_due_ms=clock.now + ZONE * 1000)
    assert place.pk in clocks.overdue_tables(clock.now)
    play.sweep()
    assert (Table.objects.get().computer_due_ms or 0) < clock.now + clocks.FAR_AHEAD_MS


def test_who_was_last_heard_of_in_the_future_is_not_there_for_ever(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    stepped(clock, -ZONE)
    seats = {seat["name"]: seat["connected"] for seat in second.view()["seats"]}
    assert seats == {"asha": False, "ravi": False}
    presence.record_sign_of_life(table_id=first.table, user_id=first.user.pk, connection=first.connection)
    assert [seat["connected"] for seat in second.view()["seats"] if seat["name"] == first.user.username] == [True]


def test_who_waits_for_company_and_is_long_gone_gives_up_their_seat_and_keeps_their_chips(
    clock: Clock, player: Any, table: Any, client_of: Any
) -> None:
    absent, present, place = player("asha"), player("ravi"), table(seats=6)
    play.sit(table_id=place.pk, user=absent, amount=500)
    alone = table()
    play.sit(table_id=alone.pk, user=present, amount=500)
    client_of(alone, present)
    clock.wait(clocks.ABANDONED_AFTER_MS / 1000)
    assert play.release_seats() == 0
    presence.record_sign_of_life(table_id=alone.pk, user_id=present.pk, connection=f"c{present.pk}")
    clock.wait(1)
    assert play.release_seats() == 1
    assert list(Seating.objects.filter(left_at=None).values_list("user__username", flat=True)) == ["ravi"]
    assert Table.objects.get(pk=place.pk).seated == 0
    play.sit(table_id=place.pk, user=absent, amount=10_000)
