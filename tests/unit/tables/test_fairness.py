"""The figures of fairness: what is counted of finished deals, and that all that is published follows from them."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client as Browser

from rules.cards import HAND_SIZE, total_points
from rules.expectations.tallies import ALL_SEATS, Holders, SumKey
from rules.game import events
from tables import daily
from tables.fairness.models import FairnessSum
from tables.fairness.sums import by_key, counted_deals, differing_days, sum_up, summed, sums_by_day
from tables.history import kept
from tables.log import reading
from tables.log.upkeep import pack_deal
from tables.models import Deal, Match, Shoe, Table
from tests.support.clock import Clock
from tests.support.steering import all_drop_but, next_deal, one_loses_eighty
from tests.support.tables import Client, seated_at
from tests.support.takeouts import rows_of
from wallet.base import report_zone
from wallet.base.commands import BadInput

pytestmark = pytest.mark.django_db

Duel = tuple[Client, Client]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    kept._kept.clear()


def end_deal(duel: Duel, clock: Clock) -> None:
    """Let one drop, and time pass until the deal counts."""
    all_drop_but(duel[0], list(duel))
    clock.wait(11)


def another(duel: Duel, clock: Clock) -> None:
    for client in duel:
        client.send("continue")
    next_deal(list(duel), clock)
    end_deal(duel, clock)


def whole(holders: Holders = Holders.PEOPLE) -> Counter[str]:
    """Return the stored sums of points rummy for two, all seats together."""
    return by_key(sums_by_day()).get(SumKey("standard-points", 2, holders, ALL_SEATS, 2), Counter())


@pytest.mark.databases
def test_a_finished_deal_is_counted_once_with_what_its_events_say(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    assert (sum_up(), sum_up()) == (1, 0)
    deal = Deal.objects.get(status=Deal.Status.OVER)
    happened = [entry.event() for entry in reading.of_deal(deal)]
    dealt = next(event for event in happened if isinstance(event, events.CardsDealt))
    cut = next(event for event in happened if isinstance(event, events.CutJokerTurned))
    found = whole()
    assert (found["deals"], found["tosses"], found["tosses_won"], found["firsts"], found["wins"]) == (1, 1, 1, 1, 1)
    assert found["points"] == sum(total_points(hand, cut.wild_rank) for hand in dealt.hands)
    assert sum(count for name, count in found.items() if name[-1] in "CDHSR") == 2 * HAND_SIZE
    first = by_key(sums_by_day())[SumKey("standard-points", 2, Holders.PEOPLE, dealt.order[0], 2)]
    assert (first["firsts"], first["tosses_won"], first["first_wins"]) == (1, 1, 1)


def test_a_running_deal_is_never_counted(duel: Duel, clock: Clock) -> None:
    clock.wait(11)
    assert sum_up() == 0 and not FairnessSum.objects.exists()
    assert summed(counted_deals()).deals == 0
    page = Browser().get("/fairness/").content.decode()
    assert "No deal is counted yet" in page


@pytest.mark.databases
def test_sums_of_several_nights_are_those_of_all_deals_at_once(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    another(duel, clock)
    pack_deal(duel[0].table, Deal.objects.filter(status=Deal.Status.OVER).order_by("pk")[0].pk)
    assert sum_up() == 1 and whole()["deals"] == 2
    assert differing_days() == []
    assert by_key(summed(counted_deals()).sums) == {key: +tally for key, tally in by_key(sums_by_day()).items()}


@pytest.mark.databases
def test_a_void_deal_is_counted_as_void_alone(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    Deal.objects.filter(status=Deal.Status.OVER).update(status=Deal.Status.VOID)
    assert sum_up() == 0
    assert by_key(sums_by_day()) == {SumKey("standard-points", 2, Holders.VOID, ALL_SEATS, 0): Counter(deals=1)}
    assert answer()["void"] == 1 and answer()["figures"] == []


@pytest.mark.databases
@pytest.mark.parametrize(
    "hide",
    [
        lambda table: Match.objects.update(status=Match.Status.CANCELLED),
        lambda table: Table.objects.filter(pk=table).update(void_at=F("opened_at")),
    ],
    ids=["cancelled", "void by the books"],
)
def test_what_has_no_result_that_stands_is_not_counted(hide: Callable[[int], Any], duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    hide(duel[0].table)
    assert sum_up() == 0 and not FairnessSum.objects.exists()


@pytest.mark.databases
def test_deals_whose_moves_are_no_longer_kept_are_left_out_and_named(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    Table.objects.update(log_pruned_at=F("opened_at"))
    assert summed(counted_deals()).gone.total() == 1
    assert differing_days() == [], "what was counted while it was kept stands"
    assert answer_of_command()["gone"] == 1


@pytest.mark.databases
def test_a_deal_counts_for_the_day_on_which_it_ended_in_the_report_zone(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    for ended, day in (
        (datetime(2025, 10, 31, 18, 29, 59, 999_000, tzinfo=UTC), date(2025, 10, 31)),
        (datetime(2025, 10, 31, 18, 30, tzinfo=UTC), date(2025, 11, 1)),
    ):
        Deal.objects.filter(status=Deal.Status.OVER).update(ended_at=ended)
        assert {found for found, _ in summed(counted_deals()).sums} == {day}


@pytest.mark.databases
def test_a_pool_counts_once_it_is_over_and_has_one_toss(clock: Clock, table: Callable[..., Table]) -> None:
    place = table(book="standard-pool-101", seats=2, point_value=0, minimum=0, entry=100)
    asha, ravi = clients = seated_at(place, "asha", "ravi")
    for _ in range(2):
        clock.wait(11)
        assert sum_up() == 0
        next_deal(clients, clock)
        one_loses_eighty(ravi, asha, clients)
    assert asha.view()["phase"] == "over"
    clock.wait(11)
    assert sum_up() == 2
    found = by_key(sums_by_day())[SumKey("standard-pool-101", 2, Holders.PEOPLE, ALL_SEATS, 2)]
    assert (found["deals"], found["tosses"], found["firsts"]) == (2, 1, 2)


# --- what is published ------------------------------------------------------------------------------------------------


def answer() -> dict[str, Any]:
    return dict(Browser().get("/api/fairness/").json())


def answer_of_command(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("fairness", *options, "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


def test_the_api_says_what_the_command_counts_anew(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    told, counted = answer(), answer_of_command()
    assert told["deals"] == {"standard-points": 1}
    assert all(told[name] == counted[name] for name in ("deals", "void", "tested", "figures"))
    printed = next(each for each in told["figures"] if each["measure"] == "printed_jokers" and each["seat"] is None)
    assert printed["count"] == 2 and printed["expected"] == pytest.approx(13 / 53) and printed["verdict"] == "too few"
    assert {"packs": 2, "measure": "printed_jokers", "exact": "13/53", "expected": 13 / 53} in told["laws"]


def test_the_page_shows_a_game_and_leads_to_the_files(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    for address in ("/fairness/", "/fairness/?book=standard-points", "/fairness/?book=nonsense"):
        page = Browser().get(address)
        assert page.status_code == 200
        text = page.content.decode()
        assert "Points in a first hand, as dealt" in text and "Seat 1" in text and "too few yet" in text
    assert 'href="/fairness/?' not in Browser().get("/").content.decode()
    assert 'href="/fairness/"' in Browser().get("/").content.decode()
    assert asks(duel[0], f"/history/{Deal.objects.get(status=Deal.Status.OVER).pk}/").count('href="/fairness/"') == 2


def asks(client: Client, address: str) -> str:
    browser = Browser()
    browser.force_login(client.user)
    return browser.get(address).content.decode()


def test_the_file_has_every_figure(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    head, *rows, last = rows_of(Browser().get("/fairness/figures/"))
    assert [cell.lstrip("\ufeff") for cell in head][:4] == ["book", "holders", "seat", "measure"]
    assert len(rows) == len(answer()["figures"]) and str(len(rows)) in last
    assert Browser().get("/fairness/figures/?format=xlsx").status_code == 302


def test_a_figure_is_reckoned_once_a_night(duel: Duel, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    end_deal(duel, clock)
    sum_up()
    answer()
    monkeypatch.setattr("tables.fairness.published.sums_by_day", lambda: pytest.fail("read again"))
    assert answer()["deals"] == {"standard-points": 1}


@pytest.mark.databases
def test_the_check_names_the_day_of_a_sum_that_was_changed(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    call_command("fairness", "--check", stdout=StringIO())
    FairnessSum.objects.filter(seat=ALL_SEATS).update(printed=F("printed") + 1)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("fairness", "--check", stdout=out)
    assert str(FairnessSum.objects.all()[0].day) in out.getvalue()


def test_days_choose_deals_and_wrong_ones_are_refused(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    day = Deal.objects.get(status=Deal.Status.OVER).ended_at.astimezone(report_zone.zone()).date()
    assert answer_of_command("--from", str(day), "--to", str(day))["deals"] == {"standard-points": 1}
    assert answer_of_command("--from", str(day + timedelta(days=1)))["deals"] == {}
    for wrong in (["--from", "soon"], ["--from", "2026-11-02", "--to", "2026-11-01"]):
        with pytest.raises(BadInput):
            call_command("fairness", *wrong)


def test_what_the_command_prints_names_each_figure(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    out = StringIO()
    call_command("fairness", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "1 deals, 0 void." and any("people, seat 2: wild_cards" in line for line in lines)


def test_nobody_reads_a_deal_that_runs_from_the_figures(duel: Duel, clock: Clock) -> None:
    """The second deal runs when the night comes: the figures are those of the first alone."""
    end_deal(duel, clock)
    sum_up()
    before = answer()["figures"]
    for client in duel:
        client.send("continue")
    next_deal(list(duel), clock)
    clock.wait(11)
    assert sum_up() == 0 and answer()["figures"] == before


@pytest.mark.databases
def test_deals_of_a_shoe_that_many_play_are_left_out(duel: Duel, clock: Clock) -> None:
    daily.ensure_days()
    end_deal(duel, clock)
    Table.objects.update(shoe=Shoe.objects.all()[0])
    assert sum_up() == 0 and not FairnessSum.objects.exists()


# --- deals for everybody ----------------------------------------------------------------------------------------------


def agree(*clients: Client) -> None:
    for client in clients:
        type(client.user).objects.filter(pk=client.user.pk).update(shares_deals=True)


def shared_text() -> str:
    response = Browser().get("/fairness/deals/1/")
    assert response.status_code == 200
    return response.content.decode()


def test_deals_are_given_away_only_where_everybody_has_agreed(duel: Duel, clock: Clock) -> None:
    end_deal(duel, clock)
    sum_up()
    assert Browser().get("/fairness/deals/1/").status_code == 404 and answer()["shared"] == 0
    agree(duel[0])
    assert Browser().get("/fairness/deals/1/").status_code == 404
    agree(duel[1])
    kept._kept.clear()
    assert answer()["shared"] == 1 and "/fairness/deals/1/" in Browser().get("/fairness/").content.decode()
    text = shared_text()
    assert '[Player0 "Person 1"]' in text and "asha" not in text and "ravi" not in text
    assert "-01" in next(line for line in text.splitlines() if line.startswith("[Date")) and "@" not in text
    assert Browser().get("/fairness/deals/2/").status_code == Browser().get("/fairness/deals/0/").status_code == 404


def test_a_running_deal_is_in_no_file(duel: Duel, clock: Clock) -> None:
    agree(*duel)
    end_deal(duel, clock)
    sum_up()
    for client in duel:
        client.send("continue")
    next_deal(list(duel), clock)
    clock.wait(11)
    sum_up()
    assert shared_text().count("[RDN ") == 1


@pytest.mark.databases
def test_the_deals_given_away_give_the_published_figures(duel: Duel, clock: Clock, tmp_path: Path) -> None:
    agree(*duel)
    end_deal(duel, clock)
    another(duel, clock)
    sum_up()
    (tmp_path / "deals-1.rdn").write_text("# from the page\n\n" + shared_text())
    with ZipFile(tmp_path / "deals.zip", "w") as archive:
        archive.write(tmp_path / "deals-1.rdn", "deals-1.rdn")
    for name in ("deals-1.rdn", "deals.zip"):
        counted = answer_of_command("--file", str(tmp_path / name))
        assert counted["deals"] == {"standard-points": 2} and counted["figures"] == answer()["figures"]


def test_a_file_that_was_altered_is_refused_by_name_and_deal(duel: Duel, clock: Clock, tmp_path: Path) -> None:
    agree(*duel)
    end_deal(duel, clock)
    sum_up()
    text = shared_text()
    altered = {
        "result": text.replace(":0", ":7", 1),
        "seed": text.replace('[Seed "', '[Seed "00')[:-1],
        "broken": "[RDN \n" + text,
        "bytes": "[RDN \udcff",
        "ledger": "# of a day\n\ntransfer,amount\n1,20\n",
    }
    for name, content in altered.items():
        (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(BadInput, match=name):
            call_command("fairness", "--file", str(tmp_path / name))
    with pytest.raises(BadInput, match="cannot be read"):
        call_command("fairness", "--file", str(tmp_path / "nothing"))
    with pytest.raises(BadInput, match="either days or files"):
        call_command("fairness", "--from", "2026-11-01", "--file", str(tmp_path / "result"))
