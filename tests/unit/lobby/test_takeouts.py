"""A player's downloads: their statement and history of a period, complete, streamed, without formulas."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from lobby.models import Player
from tables.models import Table
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.steering import ask
from tests.support.takeouts import content, rows_of
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def busy() -> Player:
    """Return a player with an entry on each of three days."""
    with time_machine.travel(datetime(2026, 11, 18, 12, tzinfo=UTC), tick=False) as clock:
        asha = signed_up("busy")
        for day in (19, 20, 21):
            clock.move_to(datetime(2026, 11, day, 12, tzinfo=UTC))
            play_money.buy_in(seating=day, user=asha, currency="FUN", amount=day * 10)
    return asha


@pytest.mark.databases
def test_the_statement_of_a_period_as_csv(busy: Player) -> None:
    signed_up("other")
    answer = browser_of(busy).get("/wallet/statement/download/?from=2026-11-19&to=2026-11-20&format=csv")
    assert answer["Content-Disposition"] == 'attachment; filename="statement_FUN.csv"'
    assert answer["Cache-Control"] == "no-store, private"
    assert rows_of(answer) == [
        ["time_utc", "what", "reason", "reference", "currency", "amount", "balance"],
        ["2026-11-19T12:00:00Z", "Took a seat", "buy_in", "seating:19:buy_in", "FUN", "-190", "9810"],
        ["2026-11-20T12:00:00Z", "Took a seat", "buy_in", "seating:20:buy_in", "FUN", "-200", "9610"],
        ["total", "rows", "2"],
    ]


def test_the_statement_as_json_lines_over_the_api(busy: Player) -> None:
    api = Program(busy)
    answer = api.client.get("/api/wallet/statement/download/?format=jsonl", headers=api.headers)
    lines = [json.loads(line) for line in content(answer).splitlines()]
    assert [line.get("amount") for line in lines] == [10_000, -190, -200, -210, None]
    assert lines[-1] == {"total": {"rows": 4}}
    assert api.get("wallet/statement/download/?format=xlsx")[0] == 400
    assert api.get("wallet/statement/download/?from=yesterday")[0] == 400


@pytest.mark.parametrize("path", ["wallet/statement/download", "history/download"])
def test_an_invalid_period_redirects_and_visitors_get_nothing(busy: Player, path: str) -> None:
    answer = browser_of(busy).get(f"/{path}/?from=sometime")
    assert (answer.status_code, answer["Location"]) == (302, f"/{path.partition('/')[0]}/")
    assert Client().get(f"/{path}/")["Location"].startswith("/login/")
    assert Program().get(f"{path}/")[0] == 401


@pytest.mark.databases
def test_the_history_has_own_deals_and_no_formula(duel: Any, clock: Any) -> None:
    first, other = duel
    Table.objects.update(title='=HYPERLINK("x")')
    ask(first, "drop")
    today = datetime.now(UTC).date()
    [head, own_row, total] = rows_of(browser_of(first.user).get(f"/history/download/?from={today}"))
    cells = dict(zip(head, own_row, strict=True))
    assert (cells["outcome"], cells["points"], cells["amount"], cells["currency"]) == ("dropped", "20", "-20", "FUN")
    assert cells["title"] == '\'=HYPERLINK("x")'
    assert total == ["total", "rows", "1"]
    api = Program(other.user)
    answer = api.client.get("/api/history/download/?format=jsonl&to=2026-11-01", headers=api.headers)
    assert content(answer) == '{"total":{"rows":0}}\n'
    assert len(rows_of(browser_of(signed_up()).get("/history/download/"))) == 2


def test_the_pages_offer_the_files(busy: Player, duel: Any) -> None:
    page = browser_of(busy).get("/wallet/").content.decode()
    assert 'formaction="/wallet/statement/download/"' in page
    ask(duel[0], "drop")
    assert 'formaction="/history/download/"' in browser_of(duel[0].user).get("/history/").content.decode()


def test_a_refill_on_the_page_and_over_the_api(asha: Player) -> None:
    browser, api = browser_of(asha), Program(asha)
    assert "Refill:" not in browser.get("/wallet/").content.decode()
    assert api.post("wallet/refill/")[1]["code"] == "no_refill"
    play_money.buy_in(seating=1, user=asha, currency="FUN", amount=2_500)
    play_money.buy_in(seating=2, user=None, currency="FUN", amount=2_500)
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=2, losses={1: 2_500}, fee=0)
    assert "Refill: 2,500 chips" in browser.get("/wallet/").content.decode()
    assert api.get("wallet/refill/")[1] == {"level": 10_000, "amount": 2_500, "again_at": None}
    answer = browser.post("/wallet/refill/", follow=True).content.decode()
    assert "2,500 chips have come in" in answer and "Today’s refill is in" in answer and "Daily refill" in answer
    status, content = api.post("wallet/refill/")
    assert (status, content["given"], content["balances"][0]["free"], content["amount"]) == (200, 2_500, 10_000, 0)
    assert browser.get("/wallet/refill/").status_code == 405
