"""Days begin and end at midnight in India, and nothing of their cards is told before its time."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
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
from tables import daily
from tables.errors import TableError
from tables.history import selectors as history, sharing
from tables.log import reading
from tables.log.sealing import SHOES
from tables.models import Deal, Series, Shoe, Table
from tests.support.clock import WholeClock
from tests.support.commands import run
from tests.support.finance import body
from tests.support.fixed_shoes import DAY, go_to, play_out, sat_down, todays_shoe
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.sampling import one_of_each

pytestmark = pytest.mark.django_db


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
        daily.ensure_days()
        daily.make_day(DAY)
    assert list(Series.objects.order_by("day").values_list("day", flat=True)) == [DAY, DAY + timedelta(days=1)]
    promised = daily.shoe_of(DAY + timedelta(days=1))
    assert promised is not None and timezone.now() < promised.series.begins_at
    assert commitment(promised.label, SHOES.unseal(promised)) == promised.commitment


def test_before_its_day_nothing_but_the_promise(
    clock: WholeClock, asha: Player, program: Callable[..., Program]
) -> None:
    ask = program(asha)
    ask.get("daily/")
    status, tomorrow = ask.get("daily/2026-11-28/")
    assert (status, tomorrow["status"], tomorrow["proof"], tomorrow["me"]) == (200, "announced", None, None)
    shoe = daily.shoe_of(DAY + timedelta(days=1))
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
    assert daily.shoe_places(shoe) == [] and daily.days_played(asha.pk) == set()
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
    deal, lying = Deal.objects.get(match__table=table), reading.latest_state(table).current.closed
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
    with patch.object(stock, "_WITHIN", timedelta(days=9)):
        assert set(stock.deals_to_ask_of()) == set(deals)


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
    for what in ("", "proof/", "review/", "rdn/", "analysis/"):
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
    told = from_events(BOOKS[deal.book], happened, date="2026-11-27T04:30:00Z", seats=2)
    assert (told.deal, told.commitment) == (shoe.label, shoe.commitment)
    assert commitment(told.deal, bytes.fromhex(told.seed or "")) == shoe.commitment
    *_, last = replay(told)
    assert last.state.result is not None
