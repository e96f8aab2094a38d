"""Places at a deal of the day and in a week, streaks, and where the best took another way."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from unittest.mock import patch

import pytest
from django.test import Client as Browser
from django.utils import timezone

from lobby.daily import selectors
from lobby.models import Player
from tables import daily, staff
from tables.models import DealSeat
from tests.support.clock import WholeClock
from tests.support.fixed_shoes import DAY, at_once, by_the_book, go_to, play_out, sat_down, todays_shoe
from tests.support.players import signed_up
from tests.support.program import Program
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db


def test_places_go_by_chips_and_equal_results_share_them(
    clock: WholeClock, asha: Player, ravi: Player, program: Callable[..., Program]
) -> None:
    shoe = todays_shoe()
    mina, tara = signed_up("mina"), signed_up("zara")
    for user, how in ((asha, by_the_book), (ravi, at_once), (mina, at_once), (tara, by_the_book)):
        play_out(sat_down(shoe, user), clock, how)
    lines = daily.shoe_places(shoe)
    chips = [line.chips for line in lines]
    assert chips == sorted(chips, reverse=True) and len(lines) == 4
    assert [line.place for line in lines] == [1 + sum(other > each for other in chips) for each in chips]
    own = program(mina).get("daily/")[1]["me"]
    assert (own["place"], own["of"], own["chips"]) == (next(line.place for line in lines if line.user == mina), 4, -20)
    assert own["streak"] == 1


def test_for_how_many_chips_others_have_played_is_told_once_one_has_played(
    clock: WholeClock, asha: Player, ravi: Player, program: Callable[..., Program], client: Browser
) -> None:
    play_out(sat_down(todays_shoe(), asha), clock, at_once)
    line = {"place": 1, "name": "asha", "chips": -20, "outcome": "dropped"}
    hidden = line | {"chips": None, "outcome": None}
    for reader, told in ((asha, line), (ravi, hidden), (None, hidden)):
        answer = program(reader).get("daily/")[1] if reader else program().get("daily/")[1]
        assert (answer["results"], answer["played"]) == ([told], 1)
    client.force_login(ravi)
    for address in ("/daily/", "/daily/week/", "/study/", "/"):
        assert "−20" not in client.get(address).content.decode(), address
    assert "Shown once you have played this deal" in client.get("/daily/").content.decode()
    go_to(clock, datetime(2026, 11, 27, 18, 30, tzinfo=UTC))
    assert program(ravi).get(f"daily/{DAY}/")[1]["results"] == [line]
    assert "−20" in client.get("/daily/week/").content.decode()


def test_the_week_counts_a_missed_day_as_a_full_hand(clock: WholeClock, asha: Player, ravi: Player) -> None:
    """Days on which nobody could play, since the platform was not there yet, are missed by nobody."""
    go_to(clock, datetime(2026, 11, 24, 5, tzinfo=UTC))
    chips = {}
    for number in range(2):
        shoe = todays_shoe()
        play_out(sat_down(shoe, asha), clock, at_once)
        if number == 0:
            play_out(sat_down(shoe, ravi), clock, at_once)
        go_to(clock, datetime(2026, 11, 25 + number, 5, tzinfo=UTC))
    lines = daily.week(date(2026, 11, 23), timezone.now())
    chips = {line.user.username: (line.chips, line.played) for line in lines}
    assert chips == {"asha": (-40, 2), "ravi": (-20 - 80, 1)}
    assert [line.place for line in lines] == [1, 2]
    own = daily.own_week(date(2026, 11, 23), timezone.now(), ravi)
    assert own == lines[1] and daily.own_week(date(2026, 11, 16), timezone.now(), ravi) is None
    with patch.object(daily, "ROWS", 1):
        assert [line.user for line in daily.week(date(2026, 11, 23), timezone.now())] == [asha]
    # Today is missed once it is over.
    after = daily.week(date(2026, 11, 23), datetime(2026, 11, 26, 18, 30, tzinfo=UTC))
    assert {line.user.username: line.chips for line in after} == {"asha": -40 - 80, "ravi": -20 - 160}


def test_a_day_whose_table_staff_have_stopped_is_missed_by_nobody(
    clock: WholeClock, asha: Player, ravi: Player
) -> None:
    go_to(clock, datetime(2026, 11, 24, 5, tzinfo=UTC))
    for player in (asha, ravi):
        play_out(sat_down(todays_shoe(), player), clock, at_once)
    go_to(clock, datetime(2026, 11, 25, 5, tzinfo=UTC))
    table = sat_down(todays_shoe(), ravi).table
    staff.freeze_table(table_id=table, actor=Actor("ops"), reason="Looks odd")
    go_to(clock, datetime(2026, 11, 26, 5, tzinfo=UTC))
    for cancelled in (False, True):
        if cancelled:
            staff.cancel_table(table_id=table, actor=Actor("ops"), reason="A fault")
        lines = daily.week(date(2026, 11, 23), timezone.now())
        assert [(line.user, line.chips, line.place) for line in lines] == [(ravi, -20, 1), (asha, -20 - 80, 2)]
        assert daily.own_week(date(2026, 11, 23), timezone.now(), asha) == lines[1]


@pytest.mark.parametrize(
    ("days", "length"), [((), 0), ((27,), 1), ((26,), 1), ((25,), 0), ((24, 25, 26), 3), ((24, 26, 27), 2)]
)
def test_a_streak_is_of_days_in_a_row_up_to_today_or_yesterday(days: tuple[int, ...], length: int) -> None:
    assert daily.streak({date(2026, 11, day) for day in days}, DAY) == length


def test_who_has_finished_is_told_where_the_best_took_another_way(
    clock: WholeClock, asha: Player, ravi: Player, client: Browser
) -> None:
    shoe = todays_shoe()
    tables = [play_out(sat_down(shoe, user), clock, how) for user, how in ((asha, by_the_book), (ravi, at_once))]
    parts = [DealSeat.objects.get(deal__match__table=table, user__isnull=False) for table in tables]
    better, worse = sorted(parts, key=lambda part: -part.amount)
    parted = daily.parting(worse, better, "them")
    assert parted is not None and parted.own is not None and parted.other is not None
    assert parted.own.key != parted.other.key
    told = selectors.path_beside_best(shoe, worse)
    assert told is not None and told.chips == better.amount
    assert selectors.path_beside_best(shoe, better) is None
    for user, shown in ((worse.user, True), (better.user, False), (signed_up("late"), False)):
        client.force_login(user)
        page = client.get("/daily/").content.decode()
        assert ("What the best did differently" in page) is shown


def test_a_game_is_the_same_as_itself(clock: WholeClock, asha: Player) -> None:
    part = DealSeat.objects.get(deal__match__table=play_out(sat_down(todays_shoe(), asha), clock), user=asha)
    assert daily.parting(part, part, "me") is None and daily.turns_of(part) >= 1
