"""Ratings: what is rated and what is not, how much it counts, and that all of it follows from what has finished."""

from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from itertools import count
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from lobby.models import Player
from lobby.ratings import contests, reckoning, services
from lobby.ratings.models import Contest, RatedResult, RatedUntil, Rating
from tables.models import Deal, DealSeat, Entrant, Match, Seating, Table, Tournament
from tables.play import services as play
from tables.play.opening import open_table
from tests.support.clock import Clock
from tests.support.database import rolled_back
from tests.support.players import signed_up
from tests.support.shows import SHOW
from tests.support.tables import seated_at, terms

NOW = timezone.now() - timedelta(days=2)
_minutes = count(1)


# --- what is rated ----------------------------------------------------------------------------------------------------


def open_stake(**changes: Any) -> Table:
    """Open a table of a stake at which strangers sit down."""
    row = {name: changes.pop(name) for name in ("private_code", "practice_for", "stake_id") if name in changes}
    return open_table(terms=terms(**changes), title="Open", currency="FUN", **{"stake_id": 1, **row})


def pool_stake(**changes: Any) -> Table:
    return open_stake(
        **{"book": "standard-pool-101", "seats": 3, "point_value": 0, "minimum": 0, "entry": 100, **changes}
    )


def seatings(table: Table, players: list[Player]) -> list[Seating]:
    found = {seating.user_id: seating for seating in table.seatings.all()}
    new = [
        Seating.objects.create(table=table, seat=seat, user=player, name=player.username)
        for seat, player in enumerate(players)
        if player.pk not in found
    ]
    found |= {seating.user_id: seating for seating in new}
    return [found[player.pk] for player in players]


def deal_of(
    table: Table, players: list[Player], winner: int = 0, at: datetime | None = None, *, shown: bool = True
) -> Match:
    """Write down a deal of points that has ended: the winner has none, the others 10, 20 ... by seat."""
    at = at or NOW + timedelta(minutes=next(_minutes))
    match = Match.objects.create(table=table, book=table.book, book_version=1, status=Match.Status.SETTLED, ended_at=at)
    row = Deal.objects.create(
        match=match, number=1, book=table.book, book_version=1, status=Deal.Status.OVER, ended_at=at, sealed_seed=b""
    )
    for seat, seating in enumerate(seatings(table, players)):
        outcome = "won" if seat == winner else "lost" if shown else "dropped"
        points = 0 if seat == winner else 10 * (seat + 1)
        DealSeat.objects.create(
            deal=row, seating=seating, user=seating.user, seat=seating.seat, outcome=outcome, points=points
        )
    return match


@pytest.fixture
def people(db: None) -> list[Player]:
    return [signed_up(name) for name in ("asha", "bela", "chand")]


@pytest.mark.databases
@pytest.mark.usefixtures("sent", "db")
def test_a_pool_is_rated_once_by_the_prize_and_by_who_lasted(clock: Clock) -> None:
    table = pool_stake()
    asha, bela, chand = seated_at(table, "asha", "bela", "chand")
    clock.wait(6)
    play.tick(table_id=table.pk)
    bela.send("leave")
    asha.send("leave")
    assert services.take_up() == 0, "it has only just ended"
    clock.wait(11)
    assert (services.take_up(), services.take_up()) == (1, 0)
    found = {result.player_id: (result.place, result.number, result.shows) for result in RatedResult.objects.all()}
    assert found == {chand.user.pk: (1, 1, 0), asha.user.pk: (2, 1, 0), bela.user.pk: (2, 1, 0)}
    assert Rating.objects.get(player=chand.user).shown > 1000 > Rating.objects.get(player=asha.user).shown
    assert list(services.differences()) == []


@pytest.mark.databases
def test_ten_deals_among_the_same_people_are_one_contest(people: list[Player]) -> None:
    table = open_stake(seats=6)
    for number in range(10):
        deal_of(table, people, winner=0 if number < 4 else 1, shown=number != 3)
    deal_of(table, people)
    services.take_up()
    # Points won less points lost: 4 x 50 - 6 x 10, 6 x 40 - 4 x 20, 10 x -30.
    found = {result.player_id: (result.place, result.shows) for result in RatedResult.objects.all()}
    assert found == {people[0].pk: (2, 3), people[1].pk: (1, 6), people[2].pk: (3, 0)}


@pytest.mark.databases
def test_a_show_counts_although_all_others_leave_before_they_submit(people: list[Player]) -> None:
    table = open_stake(seats=6)
    shown = {"seat": 0, "kinds": ["pure", "impure", "set", "set"], "loose": []}
    shown["groups"] = [group.split() for group in SHOW.split(" | ")]
    for number in range(10):
        match = deal_of(table, people)
        line = (
            shown if number < 3 else {**shown, "loose": ["2C1"]} if number < 6 else {**shown, "groups": [], "kinds": []}
        )
        Deal.objects.filter(match=match).update(result=[line])
    DealSeat.objects.filter(outcome="lost").update(outcome="left")
    services.take_up()
    assert {result.player_id: result.shows for result in RatedResult.objects.all()} == {
        people[0].pk: 3, people[1].pk: 0, people[2].pk: 0
    }  # fmt: skip


@pytest.mark.databases
def test_with_other_company_a_series_begins_anew(people: list[Player]) -> None:
    table = open_stake(seats=6)
    for company in (people, people[:2], people, people[:2]):
        for _ in range(9):
            deal_of(table, company)
    assert not list(contests.finished(None, timezone.now()))
    tenth = deal_of(table, people[:2])
    assert [(contest.kind, contest.ref) for contest in contests.finished(None, timezone.now())] == [
        ("series", tenth.pk)
    ]


@pytest.mark.databases
def test_a_series_is_the_same_however_often_one_looks(people: list[Player], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rated after every deal, and all at once from the beginning."""
    table = open_stake(seats=6)
    for number in range(34):
        company = people if number not in (3, 17) else people[:2]
        match = deal_of(table, company, winner=number % 2)
        monkeypatch.setattr("tables.play.store.now_ms", lambda at=match.ended_at: int(at.timestamp() * 1000) + 10_001)
        services.take_up()
    assert list(Contest.objects.order_by("ref").values_list("ref", flat=True)) == [
        Match.objects.order_by("pk")[number].pk for number in (13, 27)
    ]
    before = stored()
    assert list(services.differences()) == []
    services.make_anew()
    assert stored() == before


def stored() -> list[Any]:
    rows = RatedResult.objects.order_by("ended_at", "player")
    return list(rows.values_list("player", "number", "place", "shows", "won", "mu", "sigma"))


def ten_deals(table: Table, players: list[Player]) -> None:
    for _ in range(10):
        deal_of(table, players)


@pytest.mark.databases
def test_what_ends_in_the_same_moment_is_the_same_contest_by_contest(people: list[Player]) -> None:
    """Found in the order of matches, and stored in that of kinds."""
    points, pool = open_stake(seats=6), pool_stake()
    ten_deals(points, people)
    at = Match.objects.latest("pk").ended_at
    match = deal_of(pool, people, at=at)
    services.take_up()
    assert list(Contest.objects.order_by("pk").values_list("kind", "ref")) == [
        ("match", match.pk),
        ("series", match.pk - 1),
    ]
    assert list(services.differences()) == []


@pytest.mark.databases
def test_farming_in_a_closed_room_changes_nothing_that_others_see(
    people: list[Player], program: Callable[..., Any]
) -> None:
    """Two accounts at a table for friends, at practice, and after a cancelled match: no row of a rating moves."""
    ten_deals(open_stake(), people[:2])
    services.take_up()
    see = program()
    seen, rows = see.get("ratings/"), list(Rating.objects.values())
    farmed = [
        open_stake(private_code="ROOM1234"),
        open_stake(stake_id=None, private_code="ROOM1235"),
        open_stake(practice_for=people[0], stake_id=None),
        open_stake(stake_id=None),
    ]
    for table in farmed:
        for _ in range(5):
            ten_deals(table, people[:2])
    cancelled = open_stake()
    ten_deals(cancelled, people[:2])
    Match.objects.filter(table=cancelled).update(status=Match.Status.CANCELLED)
    services.take_up()
    assert see.get("ratings/") == seen and list(Rating.objects.values()) == rows and Contest.objects.count() == 1


@pytest.mark.databases
def test_at_an_open_table_the_same_two_win_less_and_less(people: list[Player]) -> None:
    table = open_stake()
    for _ in range(6):
        ten_deals(table, people[:2])
    ten_deals(open_stake(seats=6), people)
    services.take_up()
    weights = list(Contest.objects.order_by("ended_at").values_list("weight", flat=True))
    assert weights == [10 / (10 + met) for met in range(6)] + [10 / (10 + 6 / 3)]


@pytest.mark.databases
def test_after_thirty_days_people_are_strangers_again(people: list[Player]) -> None:
    table = open_stake()
    for days in (40, 31):
        for minute in range(10):
            deal_of(table, people[:2], at=NOW - timedelta(days=days, minutes=-minute))
    ten_deals(table, people[:2])
    services.take_up()
    assert list(Contest.objects.order_by("ended_at").values_list("weight", flat=True)) == [1, 10 / 11, 1]


@pytest.mark.databases
def test_matches_with_computer_players_are_not_rated(people: list[Player]) -> None:
    table = open_stake()
    ten_deals(table, people[:2])
    DealSeat.objects.filter(user=people[1]).update(user=None)
    services.take_up()
    assert not Contest.objects.exists()


def tournament(
    people: list[Player], *, kind: str = "arena", book: str = "standard-points", computer: bool = False
) -> None:
    over = int((NOW + timedelta(minutes=next(_minutes))).timestamp() * 1000)
    row = Tournament.objects.create(
        title="Evening", kind=kind, book=book, opens_ms=0, status=Tournament.Status.OVER, over_ms=over
    )
    for place, player in enumerate(people, start=1):
        Entrant.objects.create(tournament=row, user=player, name=player.username, place=place)
    if computer:
        Entrant.objects.create(tournament=row, user=None, name="Robo", place=4 if kind == "knockout" else None)


@pytest.mark.databases
def test_tournaments_are_rated_by_place_in_the_family_of_their_book(people: list[Player]) -> None:
    for _ in range(2):
        tournament(people)
    tournament(people, kind="knockout", book="standard-deals-6")
    for kind in ("arena", "knockout"):
        tournament(people, kind=kind, computer=True)
    services.take_up()
    found = list(Contest.objects.order_by("ended_at").values_list("kind", "family", "weight"))
    assert found == [("arena", "points", 1), ("arena", "points", 10 / 11), ("knockout", "deals", 10 / 12)]
    assert [Rating.objects.get(player=player, family="points").matches for player in people] == [2, 2, 2]
    assert list(services.differences()) == []


@pytest.mark.databases
def test_of_a_tournament_of_many_the_company_does_not_count(
    people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (reckoning, services):
        monkeypatch.setattr(module, "FEW", 2)
    for few in (3, 2, 3, 2):
        tournament(people[:few])
    ten_deals(open_stake(), people[:2])
    services.take_up()
    weights = list(Contest.objects.order_by("ended_at").values_list("weight", flat=True))
    assert weights == [1, 1, 1, 10 / 11, 10 / 12]
    assert list(services.differences()) == []


# --- reckoned anew ----------------------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "a skill": (lambda: RatedResult.objects.filter(number=2).update(mu=F("mu") + 0.001), "what it changed differs"),
    "a place": (lambda: RatedResult.objects.filter(place=1).update(place=2), "differ from what was played"),
    "a show": (lambda: RatedResult.objects.filter(place=1).update(shows=9), "differ from what was played"),
    "a weight": (lambda: Contest.objects.update(weight=2.0), "it counts 2.0, not 1.0"),
    "a family": (lambda: Contest.objects.update(family="pool"), "differ from what was played"),
    "a moment": (lambda: Contest.objects.update(ended_at=NOW), "ended at another moment"),
    "a contest too many": (
        lambda: Contest.objects.create(kind="match", ref=99, family="pool", ended_at=NOW, weight=1), "is rated, but",
    ),
    "a contest too few": (lambda: Contest.objects.order_by("pk").last().delete(), "is not rated"),
    "a rating": (lambda: Rating.objects.filter(matches=2).update(shown=2000), "not the one after their last contest"),
    "a count": (lambda: Rating.objects.update(matches=31), "not the one after their last contest"),
    "a rating out of nothing": (
        lambda: Rating.objects.create(player=signed_up("dev"), family="blind"), "not the one after their last contest",
    ),
}  # fmt: skip


@pytest.mark.databases
def test_a_stored_rating_that_differs_is_named_and_mended(people: list[Player]) -> None:
    table = open_stake(seats=6)
    ten_deals(table, people)
    ten_deals(table, people)
    services.take_up()
    rows = list(Rating.objects.order_by("pk").values("player", "family", "mu", "sigma", "shown", "matches"))
    for fault, (plant, sentence) in FAULTS.items():
        text = StringIO()
        with rolled_back():
            plant()
            with pytest.raises(SystemExit) as exit_code:
                call_command("rate", check=True, stdout=text)
            assert exit_code.value.code == 1 and sentence in text.getvalue(), fault
            services.mend()
            mended = Rating.objects.order_by("player").values("player", "family", "mu", "sigma", "shown", "matches")
            assert list(mended) == rows, fault
            call_command("rate", check=True, stdout=text)
            assert "Every rating is what the finished matches say." in text.getvalue(), fault


@pytest.mark.databases
def test_what_the_package_says_of_the_same_matches_is_what_is_stored(people: list[Player]) -> None:
    """Reckoned without any of our code: one call a match, tau a twenty-fifth of sigma."""
    from openskill.models import PlackettLuce

    table, model = open_stake(seats=6), PlackettLuce(tau=25 / 3 / 25)
    ten_deals(table, people)
    services.take_up()
    by_hand = model.rate([[model.rating()] for _ in people], ranks=[1, 2, 3])
    for player, (rating,) in zip(people, by_hand, strict=True):
        row = Rating.objects.get(player=player)
        assert (row.mu, row.sigma) == (rating.mu, rating.sigma)


@pytest.mark.databases
def test_days_without_anything_are_passed_at_once(people: list[Player]) -> None:
    assert services.take_up() == 0 and RatedUntil.objects.get().moment is not None
    assert contests.first_end() is None
    for minute in range(10):
        deal_of(
            open_stake() if minute == 0 else Table.objects.get(),
            people[:2],
            at=NOW - timedelta(days=90, minutes=-minute),
        )
    RatedUntil.objects.all().delete()
    assert services.take_up() == 1


@pytest.mark.databases
def test_the_tasks_of_beat_rate_and_mend(people: list[Player], settings: Any) -> None:
    from lobby import tasks

    ten_deals(open_stake(), people[:2])
    tasks.rate()
    assert Contest.objects.count() == 1
    Contest.objects.update(weight=3.0)
    tasks.mend_ratings()
    assert Contest.objects.get().weight == 1
    planned = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {tasks.rate.name, tasks.mend_ratings.name} <= planned
