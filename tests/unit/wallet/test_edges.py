"""The edge of a day, a week and a month lies in one place, in India: pages, files, sums, limits, boards agree on it."""

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.cache import cache

from config.bootstrap import ROOT
from lobby.models import Player
from lobby.ratings.boards import Board, BoardOrder, BoardPeriod
from tables.history.views import _midnight_before
from tests.support.exports import in_workbook
from tests.support.finance import body
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of, employ
from wallet.base import report_zone
from wallet.finance.exports import FORMATS, export
from wallet.finance.months.kinds import by_kind
from wallet.finance.periods import Period, month_of
from wallet.finance.totals import by_day
from wallet.ledger import sums
from wallet.play_money import refills, services as play_money
from wallet.responsible_gaming import selectors as care
from wallet.responsible_gaming.limits import bounds
from wallet.responsible_gaming.models import LimitPeriod

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: The last moment of October in India, a Friday, and the first of November.
LAST, FIRST = datetime(2025, 10, 31, 18, 29, 59, 999_000, tzinfo=UTC), datetime(2025, 10, 31, 18, 30, tzinfo=UTC)
OCTOBER, NOVEMBER = month_of(date(2025, 10, 31)), month_of(date(2025, 11, 1))
#: What was put in at either moment.
BEFORE, AFTER = 111, 222
#: Who may ask what day a moment is on: the helper, what asks the database for many in that zone at once, and the seals
#: of the days, which are days in UTC and say so.
CUTS = {
    "wallet/base/report_zone.py", "wallet/ledger/sums.py", "lobby/collusion/circumstances.py",
    "wallet/audit/chain.py", "wallet/audit/checkpoints.py",
}  # fmt: skip
CUT = re.compile(r"\.date\(\)|Trunc[A-Z]\w+\(|localdate\(|localtime\(|date\.today\(|__date\b|__month\b")


@pytest.fixture
def busy() -> Iterator[Player]:
    """Return a player who put chips in at either moment; it is a later day of November now."""
    cache.clear()
    with time_machine.travel(LAST - timedelta(days=3), tick=False) as clock:
        asha = signed_up("edge")
        clock.move_to(LAST)
        play_money.buy_in(seating=1, user=asha, currency="FUN", amount=BEFORE)
        clock.move_to(FIRST)
        play_money.buy_in(seating=2, user=asha, currency="FUN", amount=AFTER)
        clock.move_to(datetime(2025, 11, 5, 12, tzinfo=UTC))
        yield asha


def amounts_in(text: str) -> set[int]:
    return {amount for amount in (BEFORE, AFTER) if re.search(rf"[−-]{amount}\b", text)}


@pytest.mark.parametrize(("period", "amount"), [(OCTOBER, BEFORE), (NOVEMBER, AFTER)])
def test_the_page_the_files_and_the_api_cut_the_month_alike(busy: Player, period: Period, amount: int) -> None:
    browser, api = browser_of(busy), Program(busy)
    days = f"from={period.first}&to={period.last}"
    assert amounts_in(browser.get(f"/wallet/?{days}").content.decode()) == {amount}
    for form in ("csv", "excel", "jsonl"):
        text = body(browser.get(f"/wallet/statement/download/?{days}&format={form}")).decode("utf-8-sig")
        assert amounts_in(text) == {amount}, form
    _, entries = api.get(f"wallet/statement/?{days}")
    assert amounts_in(json.dumps(entries)) == {amount}
    answer = api.client.get(f"/api/wallet/statement/download/?{days}&format=csv", headers=api.headers)
    assert amounts_in(body(answer).decode()) == {amount}


@pytest.mark.parametrize(("period", "amount"), [(OCTOBER, BEFORE), (NOVEMBER, AFTER)])
def test_the_ledger_in_every_format_the_days_and_the_month_agree(
    busy: Player, period: Period, amount: int, tmp_path: Path
) -> None:
    day = (LAST if amount == BEFORE else FIRST + timedelta(hours=1)).astimezone(report_zone.zone()).date()
    for form in FORMATS:
        with export(period=period, format=form, by=None, via="test") as (path, _):
            rows = list(_rows(path, form))
        assert [row for row in rows if row[1] in (BEFORE, AFTER)] == [(day.isoformat(), amount)], form
    for closed in (False, True):
        if closed:
            sums.close_days()
        [there] = [totals for each, totals in by_day(period, "FUN").items() if each == day]
        assert there.transfers == 1
        moved = {row.kind: row.movements for row in by_kind(period, "FUN")}
        assert moved["stack"]["buy_in"].credits == amount


def _rows(path: Path, form: str) -> Iterator[tuple[str, int]]:
    if form == "xlsx":
        head, *lines = in_workbook(path, 1)
    elif form == "jsonl":
        records = [json.loads(line) for line in path.read_text().splitlines()][:-1]
        head, lines = list(records[0]), [list(record.values()) for record in records]
    else:
        head, *lines = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
        lines = [line for line in lines if line[0] != "total"]
    for line in lines:
        yield str(line[head.index("day")]), int(str(line[head.index("amount")]))


@pytest.mark.parametrize(("now", "day"), [(LAST, date(2025, 10, 31)), (FIRST, date(2025, 11, 1))])
def test_limits_boards_figures_refills_and_periods_begin_at_the_same_moment(
    busy: Player, now: datetime, day: date
) -> None:
    midnight, month = report_zone.midnight(day), report_zone.midnight(day.replace(day=1))
    monday = datetime(2025, 10, 26, 18, 30, tzinfo=UTC)
    with time_machine.travel(now, tick=False):
        assert report_zone.today() == day
        assert [bounds(period, now)[0] for period in LimitPeriod] == [midnight, monday, month]
        boards = [Board("points", period, BoardOrder.WON).since for period in BoardPeriod if period != BoardPeriod.ALL]
        assert boards == [midnight, monday, month]
        assert _midnight_before("7") == midnight - timedelta(days=6)
        assert report_zone.this_day() == (midnight, midnight + timedelta(days=1))
        finance = browser_of(employ("finance")).get("/finance/").content.decode()
        assert f'name="to" value="{day}"' in finance
        assert refills._key(busy.pk, now) == f"refill:{busy.pk}:{day}"


def test_the_chips_put_in_count_for_the_limit_of_their_own_day_and_month(busy: Player) -> None:
    with time_machine.travel(FIRST, tick=False):
        rows = care.overview(busy, ["FUN"])["limits"]
    used = [row["used"] for row in rows if row["kind"] == "entries" and row["currency"] == "FUN"]
    assert used == [AFTER, BEFORE + AFTER, AFTER], "of the day, of the week since Monday, of the month"


@pytest.mark.parametrize(
    ("now", "left"),
    [(LAST, 1), (FIRST, 86_400), (FIRST - timedelta(hours=1), 3_600), (FIRST + timedelta(seconds=1), 86_399)],
)
def test_a_page_of_the_day_knows_when_the_day_is_over(busy: Player, now: datetime, left: int) -> None:
    with time_machine.travel(now, tick=False):
        browser = browser_of(busy)
        for address in ("/wallet/", "/account/care/", "/boards/", "/history/figures/"):
            page = browser.get(address).content.decode()
            assert f'<meta name="day-left" content="{left}">' in page and "js/shared/day" in page, address
        assert f'content="{left}"' in browser_of(employ("finance")).get("/finance/").content.decode()


def test_nobody_else_cuts_a_day() -> None:
    found = {
        str(path.relative_to(ROOT))
        for app in ("config", "lobby", "tables", "wallet")
        for path in (ROOT / app).rglob("*.py")
        if "migrations" not in path.parts and CUT.search(path.read_text())
    }
    assert found <= CUTS and "wallet/base/report_zone.py" in found
