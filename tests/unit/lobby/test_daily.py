"""The deal of the day: the same cards for everybody, once, and nothing told before its time."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from hashlib import shake_256
from itertools import count
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.test import Client as Browser
from django.urls import reverse
from django.utils import timezone

from lobby.daily import selectors, services
from lobby.models import Player
from lobby.puzzles import stock
from rules.books import BOOKS
from rules.fairness import verify
from rules.notation import from_events, replay
from rules.shuffling import commitment
from tables.daily import making, results
from tables.errors import TableError
from tables.history import selectors as history, sharing
from tables.log import reading
from tables.log.sealing import SHOES
from tables.models import Attempt, Deal, DealSeat, Series, Shoe, Table
from tables.play import presence, services as play, store
from tables.play.advance import freezing
from tables.staff import services as staff
from tests.support.clock import WholeClock
from tests.support.commands import run
from tests.support.finance import body
from tests.support.fixed_shoes import at_once, by_the_book, play_out, sat_down, story
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.sampling import one_of_each
from wallet.audit.audit import audit
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db

#: Ten in the morning in India.
MORNING = datetime(2026, 11, 27, 4, 30, tzinfo=UTC)
DAY = date(2026, 11, 27)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[WholeClock]:
    """Let the clocks of the database and of the machine stand still on a morning."""
    with time_machine.travel(MORNING, tick=False) as traveller:
        clock = WholeClock(traveller)
        monkeypatch.setattr(store, "now_ms", lambda: clock.now)
        yield clock


@pytest.fixture(autouse=True)
def seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every run of these tests the same shoes."""
    numbers = count()
    fixed = lambda size: shake_256(f"{next(numbers)}".encode()).digest(size)  # noqa: E731
    monkeypatch.setattr(making.secrets, "token_bytes", fixed)


def todays_shoe() -> Shoe:
    return services.todays_shoe(timezone.now())


def go_to(clock: WholeClock, moment: datetime) -> None:
    clock.now = int(moment.timestamp() * 1000)


# --- the same for everybody -------------------------------------------------------------------------------------------


def test_whoever_makes_the_same_moves_gets_the_same_answers(clock: WholeClock, asha: Player, ravi: Player) -> None:
    """Compare the whole logs: toss, hands, upcard, every move of the computer players, the result."""
    shoe = todays_shoe()
    first = play_out(sat_down(shoe, asha), clock)
    clock.wait(3_600)
    second = play_out(sat_down(shoe, ravi), clock)
    assert first.pk != second.pk and first.phase == second.phase == "result"
    assert story(first) == story(second)
    assert {event["type"] for event in story(first)} >= {"toss_made", "cards_dealt", "upcard_turned", "deal_ended"}


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
    play_out(client, clock, most=20)
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
    play_out(client, clock, most=20)
    stopped_by_a_fault(client.table)
    assert ask.get("daily/")[1]["me"]["status"] == "void"
    again = sat_down(todays_shoe(), asha)
    assert again.table != client.table and Table.objects.get(pk=client.table).status == Table.Status.CLOSED
    play_out(again, clock, most=20)
    stopped_by_a_fault(again.table)
    assert ask.get("daily/")[1]["me"]["status"] == "frozen"
    with pytest.raises(TableError) as refused:
        services.sit_down(shoe=todays_shoe(), user=asha)
    assert refused.value.code == "frozen" and not audit().differences


def test_a_table_that_staff_have_stopped_waits_for_them(clock: WholeClock, asha: Player) -> None:
    client = sat_down(todays_shoe(), asha)
    play_out(client, clock, most=20)
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


# --- days -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 11, 27, 18, 29, 59, 999_000, UTC), date(2026, 11, 27)),
        (datetime(2026, 11, 27, 18, 30, tzinfo=UTC), date(2026, 11, 28)),
    ],
)
def test_days_begin_at_midnight_in_india(
    clock: WholeClock, moment: datetime, day: date, program: Callable[..., Program]
) -> None:
    go_to(clock, moment)
    status, answer = program().get("daily/")
    assert (status, answer["date"], answer["status"]) == (200, day.isoformat(), "open")
    assert answer["next"]["date"] == (day + timedelta(days=1)).isoformat()
    assert answer["ends_at"] == f"{day.isoformat()}T18:30:00Z"


def test_todays_and_tomorrows_shoes_are_made_once_whoever_asks(clock: WholeClock) -> None:
    for _ in range(3):
        making.ensure_days()
        making.make_day(DAY)
    assert list(Series.objects.order_by("day").values_list("day", flat=True)) == [DAY, DAY + timedelta(days=1)]
    promised = making.shoe_of(DAY + timedelta(days=1))
    assert promised is not None and promised.series.made_at < promised.series.begins_at
    assert commitment(promised.label, SHOES.unseal(promised)) == promised.commitment


def test_before_its_day_nothing_but_the_promise(
    clock: WholeClock, asha: Player, program: Callable[..., Program]
) -> None:
    ask = program(asha)
    ask.get("daily/")
    status, tomorrow = ask.get("daily/2026-11-28/")
    assert (status, tomorrow["status"], tomorrow["proof"], tomorrow["me"]) == (200, "announced", None, None)
    shoe = making.shoe_of(DAY + timedelta(days=1))
    assert shoe is not None and tomorrow["commitment"] == shoe.commitment
    with pytest.raises(TableError) as refused:
        services.sit_down(shoe=shoe, user=asha)
    assert refused.value.code == "not_open"
    for wrong in ("2026-11-29", "2026-11-26", "20261127", "2026-13-01", "x", "２０２６-11-27"):
        assert ask.get(f"daily/{wrong}/")[0] == 404, wrong


def test_a_deal_that_is_over_after_midnight_has_no_place(clock: WholeClock, asha: Player, ravi: Player) -> None:
    shoe = todays_shoe()
    go_to(clock, datetime(2026, 11, 27, 18, 29, tzinfo=UTC))
    client = sat_down(shoe, asha)
    play_out(client, clock, most=4)
    go_to(clock, datetime(2026, 11, 27, 18, 30, tzinfo=UTC))
    play_out(client, clock)
    own = selectors.own_game(shoe, asha)
    assert (own.standing, own.counts, own.place) == ("played", False, None)
    assert results.shoe_places(shoe) == [] and results.days_played(asha.pk) == set()
    with pytest.raises(TableError) as refused:
        services.sit_down(shoe=shoe, user=ravi)
    assert refused.value.code == "not_open"


# --- what is told -----------------------------------------------------------------------------------------------------


def addresses(deal: Deal, table: Table) -> list[str]:
    """Return every address at which something of a deal may be told."""
    return [
        "/daily/", f"/daily/{DAY}/", "/daily/week/", "/study/", "/", "/history/", f"/history/{deal.pk}/",
        f"/tables/{table.pk}/", f"/tables/{table.pk}/watch/", f"/report/{deal.pk}/", "/duplicate/",
        "/api/daily/", f"/api/daily/{DAY}/", "/api/history/", f"/api/deals/{deal.pk}/", f"/api/deals/{deal.pk}/review/",
        f"/api/deals/{deal.pk}/proof/", f"/api/deals/{deal.pk}/rdn/", f"/api/tables/{table.pk}/watch/",
        f"/api/tables/{table.pk}/sheet/", f"/history/{deal.pk}/analysis/", "/history/download/?format=jsonl",
        f"/history/{deal.pk}/analysis/now/", f"/api/deals/{deal.pk}/analysis/", f"/shared/{'t' * 43}/rdn/",
    ]  # fmt: skip


def told_of(text: str, shoe: Shoe, unseen: Iterable[str]) -> bool:
    """Return whether the text tells the seed of the shoe, or a card that lay in the closed deck to the end."""
    seed = SHOES.unseal(shoe).hex()
    return seed[:32] in text.lower() or any(f'"{card}"' in text for card in unseen)


@pytest.mark.parametrize("who", one_of_each(["played", "not", "nobody", "staff"]))
def test_while_the_day_runs_no_address_tells_the_shoe(clock: WholeClock, asha: Player, ravi: Player, who: str) -> None:
    shoe = todays_shoe()
    table = play_out(sat_down(shoe, asha), clock)
    deal, lying = Deal.objects.get(match__table=table), store.read_state(table).current.closed
    boss = signed_up("boss", is_staff=True, is_superuser=True)
    asking = {"played": asha, "not": ravi, "nobody": None, "staff": boss}[who]
    browser = Browser()
    if asking is not None:
        browser.force_login(asking)
    everywhere = [
        *addresses(deal, table),
        sharing_link(asha, deal),
        reverse("admin:tables_deal_replay", args=[deal.pk]),
    ]
    assert len(lying) > 10
    for address in everywhere:
        assert not told_of(text_at(browser, address), shoe, lying), address
    go_to(clock, datetime(2026, 11, 27, 18, 30, tzinfo=UTC))
    telling = {address for address in everywhere if told_of(text_at(browser, address), shoe, lying)}
    assert f"/api/daily/{DAY}/" in telling, "the search would find it"
    assert (f"/api/deals/{deal.pk}/proof/" in telling) is (who == "played")


def test_no_puzzle_is_made_of_a_shoe_before_its_series_has_ended(clock: WholeClock, asha: Player) -> None:
    """Its question would show a hand of it, and its solution what was best."""
    Player.objects.filter(pk=asha.pk).update(shares_deals=True)
    match = services.open_match(user=asha)
    shoe = match.shoes.order_by("number").first()
    assert shoe is not None
    deals = [Deal.objects.get(match__table=play_out(sat_down(each, asha), clock)) for each in (todays_shoe(), shoe)]
    assert list(stock.deals_to_ask_of()) == []
    go_to(clock, datetime(2026, 11, 27, 18, 30, tzinfo=UTC))
    assert list(stock.deals_to_ask_of()) == deals[:1]
    go_to(clock, match.ends_at)
    assert set(stock.deals_to_ask_of(timedelta(days=9))) == set(deals)


def text_at(browser: Browser, address: str) -> str:
    answer = browser.get(address)
    return (body(answer) if answer.streaming else answer.content).decode()


def sharing_link(user: Player, deal: Deal) -> str:
    """Return the address of a link that was made by the back door: it may show nothing before the time either."""
    from tables.models import SharedDeal

    link = SharedDeal.objects.create(deal=deal, user=user, token="t" * 43, names_hidden=True)
    return f"/shared/{link.token}/"


def test_everything_is_open_from_midnight_on_and_is_what_was_promised(
    clock: WholeClock, asha: Player, ravi: Player, program: Callable[..., Program]
) -> None:
    shoe = todays_shoe()
    promise = program().get("daily/")[1]["commitment"]
    deal = Deal.objects.get(match__table=play_out(sat_down(shoe, asha), clock))
    ask = program(asha)
    go_to(clock, datetime(2026, 11, 27, 18, 29, 59, 999_000, UTC))
    for what in ("", "proof/", "review/"):
        status, refused = ask.get(f"deals/{deal.pk}/{what}")
        assert (status, refused["code"]) == (403, "not_open_yet")
    assert history.deal_of(asha, deal.pk) is None and history.ended_deal(deal.pk) is None
    with pytest.raises(TableError):
        sharing.share_deal(asha, deal.pk, names_hidden=True)
    with pytest.raises(CommandError):
        call_command("verify_deal", f"{deal.pk}")
    assert ask.get(f"daily/{DAY}/")[1]["proof"] is None
    go_to(clock, datetime(2026, 11, 27, 18, 30, tzinfo=UTC))
    status, proof = ask.get(f"deals/{deal.pk}/proof/")
    assert status == 200 and verify(proof) == [] and proof["commitment"] == promise == shoe.commitment
    assert proof["deal"] == shoe.label == "daily-2026-11-27"
    assert [ask.get(f"deals/{deal.pk}/{what}")[0] for what in ("", "review/")] == [200, 200]
    assert program(ravi).get(f"deals/{deal.pk}/")[0] == 404, "it is nobody else's"
    call_command("verify_deal", f"{deal.pk}")
    opened = program().get(f"daily/{DAY}/")[1]["proof"]
    assert opened["honest"] and commitment(opened["deal_id"], bytes.fromhex(opened["seed"])) == promise
    again = run("deal", "--deal-id", opened["deal_id"], "--seed", opened["seed"], "--packs", "2", "--json")
    recomputed = json.loads(again)
    assert recomputed["commitment"] == promise and recomputed["shoe"] == opened["shoe"]
    dealt = [card for place in range(13) for seat in proof["order"] for card in [proof["hands"][str(seat)][place]]]
    assert opened["shoe"][: len(dealt)] == dealt


def test_in_notation_the_label_stands_for_the_deal(clock: WholeClock, asha: Player) -> None:
    shoe = todays_shoe()
    deal = Deal.objects.get(match__table=play_out(sat_down(shoe, asha), clock))
    happened = [entry.event() for entry in reading.of_deal(deal)]
    told = from_events(BOOKS[deal.book], happened, date="2026-11-27T04:30:00Z", seats=4)
    assert (told.deal, told.commitment) == (shoe.label, shoe.commitment)
    assert commitment(told.deal, bytes.fromhex(told.seed or "")) == shoe.commitment
    *_, last = replay(told)
    assert last.state.result is not None


# --- places -----------------------------------------------------------------------------------------------------------


def test_places_go_by_chips_and_equal_results_share_them(
    clock: WholeClock, asha: Player, ravi: Player, program: Callable[..., Program]
) -> None:
    shoe = todays_shoe()
    mina, tara = signed_up("mina"), signed_up("zara")
    for user, how in ((asha, by_the_book), (ravi, at_once), (mina, at_once), (tara, by_the_book)):
        play_out(sat_down(shoe, user), clock, how)
    lines = results.shoe_places(shoe)
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
    lines = results.week(date(2026, 11, 23), timezone.now())
    chips = {line.user.username: (line.chips, line.played) for line in lines}
    assert chips == {"asha": (-40, 2), "ravi": (-20 - 80, 1)}
    assert [line.place for line in lines] == [1, 2]
    own = results.own_week(date(2026, 11, 23), timezone.now(), ravi)
    assert own == lines[1] and results.own_week(date(2026, 11, 16), timezone.now(), ravi) is None
    assert [line.user for line in results.week(date(2026, 11, 23), timezone.now(), most=1)] == [asha]
    # Today is missed once it is over.
    after = results.week(date(2026, 11, 23), datetime(2026, 11, 26, 18, 30, tzinfo=UTC))
    assert {line.user.username: line.chips for line in after} == {"asha": -40 - 80, "ravi": -20 - 160}


@pytest.mark.parametrize(
    ("days", "length"), [((), 0), ((27,), 1), ((26,), 1), ((25,), 0), ((24, 25, 26), 3), ((24, 26, 27), 2)]
)
def test_a_streak_is_of_days_in_a_row_up_to_today_or_yesterday(days: tuple[int, ...], length: int) -> None:
    assert results.streak({date(2026, 11, day) for day in days}, DAY) == length


def test_who_has_finished_is_told_where_the_best_took_another_way(
    clock: WholeClock, asha: Player, ravi: Player, client: Browser
) -> None:
    shoe = todays_shoe()
    tables = [play_out(sat_down(shoe, user), clock, how) for user, how in ((asha, by_the_book), (ravi, at_once))]
    parts = [DealSeat.objects.get(deal__match__table=table, user__isnull=False) for table in tables]
    better, worse = sorted(parts, key=lambda part: -part.amount)
    parted = results.parting(worse, better, "them")
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
    assert results.parting(part, part, "me") is None and results.turns_of(part) >= 1


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


# --- duplicate matches ------------------------------------------------------------------------------------------------


def test_a_duplicate_match_shows_of_a_deal_only_what_its_reader_has_played(
    clock: WholeClock, asha: Player, ravi: Player
) -> None:
    series = services.open_match(user=asha)
    shoes = list(series.shoes.order_by("number"))
    assert len(shoes) == 8 and len({shoe.commitment for shoe in shoes}) == 8
    for shoe in shoes[:2]:
        play_out(sat_down(shoe, asha), clock, at_once)
    play_out(sat_down(shoes[0], ravi), clock, at_once)
    now = timezone.now()
    seen = {row.player: row.cells for row in selectors.match_rows(series, ravi, now)}
    assert [cell.chips is not None for cell in seen[asha]] == [True] + [False] * 7
    assert seen[asha][1].hidden and not seen[asha][2].hidden
    assert all(cell.chips is None for row in selectors.match_rows(series, None, now) for cell in row.cells)
    later = selectors.match_rows(series, None, series.ends_at)
    assert [cell.chips is not None for cell in {row.player: row.cells for row in later}[asha]][:3] == [
        True,
        True,
        False,
    ]
    assert {row.place for row in selectors.match_rows(series, ravi, now)} == {None}
    assert selectors.next_shoe(series, ravi) == shoes[1]
    assert not audit().differences


def test_who_may_still_play_a_duplicate_match_sees_no_result_of_those_who_have_finished(
    clock: WholeClock, asha: Player, ravi: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The places are told to those who have played everything, not to the next one who comes with the link."""
    monkeypatch.setattr(making, "MATCH_SHOES", 1)
    series = services.open_match(user=asha)
    play_out(sat_down(series.shoes.get(), asha), clock, at_once)
    now = timezone.now()
    for reader in (ravi, None):
        (row,) = selectors.match_rows(series, reader, now)
        assert (row.place, row.chips, row.cells[0].chips, row.cells[0].hidden) == (None, 0, None, True)
    (own,) = selectors.match_rows(series, asha, now)
    assert (own.place, own.chips) == (1, -20)
    (ended,) = selectors.match_rows(series, None, series.ends_at)
    assert (ended.place, ended.chips) == (1, -20)


def test_no_deal_tells_the_secret_of_the_link_to_its_match(clock: WholeClock, asha: Player) -> None:
    series = services.open_match(user=asha)
    labels = list(series.shoes.values_list("label", flat=True))
    assert series.code and len(set(labels)) == 8
    assert not any(series.code in label for label in labels)


def test_a_duplicate_match_has_bounds(clock: WholeClock, asha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [services.open_match(user=asha) for _ in range(services.MOST_MATCHES)]
    with pytest.raises(TableError) as refused:
        services.open_match(user=asha)
    assert refused.value.code == "too_many_matches"
    monkeypatch.setattr(services, "MOST_PLAYERS", 1)
    shoe = made[0].shoes.order_by("number").first()
    assert shoe is not None
    sat_down(shoe, asha)
    with pytest.raises(TableError) as full:
        services.sit_down(shoe=shoe, user=signed_up("ravi"))
    assert full.value.code == "match_full"


def test_the_pages_of_a_match(clock: WholeClock, asha: Player, ravi: Player, client: Browser) -> None:
    client.force_login(asha)
    address = client.post("/duplicate/").headers["Location"]
    assert (
        client.get(address).status_code == 200
        and client.get(address.upper().replace("DUPLICATE", "duplicate")).status_code == 200
    )
    client.force_login(ravi)
    to_table = client.post(f"{address}play/").headers["Location"]
    assert to_table.startswith("/tables/") and client.get(to_table).status_code == 200
    assert client.get("/duplicate/").content.decode().count(address) == 1
    assert client.get("/duplicate/NOSUCHCODE/").status_code == 404


def test_a_program_plays_a_duplicate_match(
    clock: WholeClock, asha: Player, ravi: Player, program: Callable[..., Program]
) -> None:
    ask, other = program(asha), program(ravi)
    status, made = ask.post("duplicate/")
    assert (status, made["status"], made["made_by"]) == (201, "open", "asha")
    assert other.get("duplicate/")[1] == [] and ask.get("duplicate/")[1] == [made]
    assert program().post("duplicate/")[0] in (401, 403)
    address = f"duplicate/{made['code']}/"
    assert [program().get(address)[1][name] for name in ("next_deal", "results", "proofs")] == [1, [], []]
    status, seat = ask.post(address)
    assert status == 200 and ask.post(address) == (200, seat)
    series = services.match_of(made["code"])
    play_out(sat_down(series.shoes.get(number=1), asha), clock, at_once)
    mine, theirs = ask.get(address)[1], other.get(address)[1]
    assert (mine["next_deal"], theirs["next_deal"]) == (2, 1)
    part = DealSeat.objects.get(user=asha)
    told = {"number": 1, "played": True, "chips": part.amount, "outcome": part.outcome}
    assert mine["results"][0]["deals"][0] == told
    assert theirs["results"][0]["deals"][0] == {"number": 1, "played": True, "chips": None, "outcome": None}
    assert (theirs["results"][0]["chips"], theirs["results"][0]["me"]) == (0, False)
    assert other.get("duplicate/nosuchcode/")[0] == other.post("duplicate/nosuchcode/")[0] == 404
    go_to(clock, series.ends_at)
    proofs = other.get(address)[1]["proofs"]
    assert len(proofs) == 8 and all(proof["honest"] for proof in proofs)
    assert ask.post(address)[1]["code"] == "not_open"
