"""Analyses of finished deals: asked for, judged in pieces that may be lost or done twice, limited, and one's own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client as Browser
from django.utils import timezone

from rules.analysis import DecisionReview
from tables.analysis import services, story, work
from tables.errors import TableError
from tables.models import Analysis, Deal, Table
from tables.play.opening import open_table
from tests.support.database import rolled_back
from tests.support.fixtures.tables import in_a_deal
from tests.support.tables import Client, terms
from tests.unit.audit.busy import silence

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Collect the nudges to a worker."""
    nudges: list[bool] = []
    monkeypatch.setattr(services, "call_worker", lambda: nudges.append(True))
    return nudges


@pytest.fixture(scope="module")
def played(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Deal, Client, Client]]:
    """Play a deal in which the first player drew and discarded twice, and the second then dropped."""
    with django_db_blocker.unblock(), rolled_back(), silence() as clock:
        first, second = in_a_deal(clock, open_table(terms=terms(), title="Played", currency="FUN"), "eela", "farid")
        for client in (first, second, first):
            client.send("draw", pile="closed")
            client.send("discard", card=client.me["drawn"])
        second.send("drop")
        yield Deal.objects.get(status=Deal.Status.OVER), first, second


@pytest.fixture
def finished(played: tuple[Deal, Client, Client], db: None) -> Iterator[tuple[Deal, Client, Client]]:
    """Roll back what the test does with the deal."""
    with rolled_back():
        yield played


def review(number: int = 0, **changes: Any) -> DecisionReview:
    option = {"move": {"type": "drop"}, "points": [-20, -20, -20], "win": [0, 0, 0.1], "lead": [3, 1, 5]}
    own = {"move": {"type": "draw", "pile": "closed"}, "points": [-23, -30, -16], "win": [0.2, 0.1, 0.4]}
    content: Any = {
        "event": 5 + number,
        "turn": 1 + number // 2,
        "hand": ["AS1", "JR1"],
        "drawn": None,
        "played": own["move"],
        "rival": option["move"],
        "advice": None,
        "options": [option, {**own, "lead": [0, 0, 0]}],
        "samples": 40,
        "lost": 3.0,
        "grade": "slip",
        "drop": {"price": 20, "lead": [3, 1, 5]},
    }
    return {**content, **changes}


def judged_by_now(judge: Any = lambda piece: review(piece["number"])) -> int:
    """Go on until nothing waits; return how many decisions were judged."""
    count = 0
    while services.go_on(judge):
        count += 1
    return count


def test_it_is_judged_decision_by_decision_and_kept(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    found = services.ask(first.user, deal.pk)
    assert (found.decisions, found.judged, story.state_of(found)) == (4, 0, "working")
    pieces: list[dict[str, Any]] = []
    assert judged_by_now(lambda piece: [pieces.append(piece), review(piece["number"])][1]) == 4
    found.refresh_from_db()
    assert [piece["number"] for piece in pieces] == [0, 1, 2, 3] and story.state_of(found) == "done"
    assert {piece["seat"] for piece in pieces} == {first.me["seat"]}
    assert services.ask(first.user, deal.pk).pk == found.pk
    assert judged_by_now() == 0


def test_a_real_piece_is_judged_in_a_process_of_its_own(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    found = services.ask(first.user, deal.pk, services.LEAST_SAMPLES)
    piece = services.piece_of(found)
    here, there = work.judged(piece), services.in_a_process(piece)
    assert json.loads(json.dumps(here)) == there
    assert there["samples"] == services.LEAST_SAMPLES and there["played"] == {"type": "draw", "pile": "closed"}


def test_the_process_knows_the_rules_alone() -> None:
    asked = "import sys, tables.analysis.work; print(any(name.startswith('django') for name in sys.modules))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, cwd=settings.BASE_DIR, check=True)
    assert told.stdout.strip() == b"False"


def test_a_lost_piece_is_done_again_and_a_double_one_changes_nothing(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    found = services.ask(first.user, deal.pk)
    lost = services._claimed()
    assert lost is not None and not services.go_on(lambda piece: review())
    Analysis.objects.update(busy_until=timezone.now() - timedelta(seconds=1))
    assert services.go_on(lambda piece: review(0))
    services._store(lost, review(99))
    found.refresh_from_db()
    assert found.judged == 1 and [each["event"] for each in found.reviews] == [5]


def test_a_piece_that_fails_is_tried_again_and_then_left_out(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    services.ask(first.user, deal.pk)
    tries: list[int] = []

    def fails_at_second(piece: dict[str, Any]) -> Any:
        tries.append(piece["number"])
        if piece["number"] == 1:
            raise ValueError("no answer")
        return review(piece["number"])

    judged_by_now(fails_at_second)
    found = Analysis.objects.get()
    assert tries.count(1) == services.MOST_TRIES and tries.count(0) == 1
    assert [each is None for each in found.reviews] == [False, True, False, False] and found.done_at is not None
    assert story.story_of(found)["missing"] == 1


def test_only_one_is_judged_at_a_time_in_a_process(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, second = finished
    services.ask(first.user, deal.pk)
    services.ask(second.user, deal.pk)
    inner: list[bool] = []
    services.go_on(lambda piece: [inner.append(services.go_on(lambda other: review())), review()][1])
    assert inner == [False]


def test_those_who_wait_take_turns(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, second = finished
    for client in (first, second):
        services.ask(client.user, deal.pk)
    seats: list[int] = []
    judged_by_now(lambda piece: [seats.append(piece["seat"]), review()][1])
    assert seats[:2] in ([0, 1], [1, 0]) and seats[2] == seats[0]


def test_who_asks_again_calls_no_worker_again(
    finished: tuple[Deal, Client, Client], asked: list[bool], django_capture_on_commit_callbacks: Any
) -> None:
    deal, first, _ = finished
    with django_capture_on_commit_callbacks(execute=True):
        for _again in range(5):
            services.ask(first.user, deal.pk)
    assert len(asked) == 1


def test_the_sweep_goes_on_with_what_was_lost(finished: tuple[Deal, Client, Client], asked: list[bool]) -> None:
    deal, first, _ = finished
    services.mend_lost()
    assert not asked
    services.ask(first.user, deal.pk)
    services.mend_lost()
    assert asked
    services._claimed()
    asked.clear()
    services.mend_lost()
    assert not asked
    Analysis.objects.update(busy_until=timezone.now() - timedelta(seconds=1))
    services.mend_lost()
    assert asked


def test_deals_in_play_and_of_others_are_refused(duel: tuple[Client, Client], player: Any) -> None:
    running = Deal.objects.get(status=Deal.Status.PLAYING)
    browser, address = Browser(), f"/api/deals/{running.pk}/analysis/"
    assert browser.get(address).status_code in (401, 403)
    browser.force_login(duel[0].user)
    pages = (f"/history/{running.pk}/analysis/", f"/history/{running.pk}/analysis/now/")
    for each in (address, *pages):
        assert browser.get(each).status_code == 404
    assert (
        browser.post(address, {}, content_type="application/json").status_code
        == browser.post(pages[0]).status_code
        == 404
    )
    duel[0].send("drop")
    assert browser.get(address).json()["status"] == "none"
    browser.force_login(player("tara"))
    for each in (address, *pages):
        assert browser.get(each).status_code == 404
    assert (
        browser.post(address, {}, content_type="application/json").status_code
        == browser.post(pages[0]).status_code
        == 404
    )
    assert not Analysis.objects.exists()


@pytest.mark.parametrize("samples", [0, 1, 201, 10**9, 10**30, -5, "many"])
def test_huge_numbers_of_samples_are_refused(finished: tuple[Deal, Client, Client], samples: object) -> None:
    deal, first, _ = finished
    browser = Browser()
    browser.force_login(first.user)
    answer = browser.post(f"/api/deals/{deal.pk}/analysis/", {"samples": samples}, content_type="application/json")
    assert answer.status_code == 400 and not Analysis.objects.exists()


def test_the_limit_of_a_day_is_told_and_does_not_hide_what_was_found(
    finished: tuple[Deal, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, first, second = finished
    monkeypatch.setattr(services, "MOST_A_DAY", 1)
    services.ask(first.user, deal.pk)
    Analysis.objects.update(user=second.user, seat=5)
    browser = Browser()
    browser.force_login(second.user)
    Analysis.objects.update(deal=_other_deal(deal))
    answer = browser.post(f"/api/deals/{deal.pk}/analysis/", {}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_analyses")
    page = browser.post(f"/history/{deal.pk}/analysis/", follow=True).content.decode()
    assert "within a day" in page
    Analysis.objects.update(asked_at=timezone.now() - timedelta(days=1, seconds=1))
    assert browser.post(f"/api/deals/{deal.pk}/analysis/", {}, content_type="application/json").status_code == 202


def test_the_limit_holds_for_those_asked_for_at_once(
    finished: tuple[Deal, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one is stored while the decisions of this deal are being counted."""
    deal, first, _ = finished
    counted, columns = services._decisions, {"seat": 0, "samples": 10, "decisions": 1}

    def meanwhile(*of: Any) -> Any:
        services._stored(first.user, _other_deal(deal), **columns)
        return counted(*of)

    monkeypatch.setattr(services, "MOST_A_DAY", 1)
    monkeypatch.setattr(services, "_decisions", meanwhile)
    with pytest.raises(TableError) as refused:
        services.ask(first.user, deal.pk)
    assert refused.value.code == "too_many_analyses" and Analysis.objects.count() == 1


def test_the_same_asked_for_at_once_is_one(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    columns = {"seat": 0, "samples": 10, "decisions": 4}
    assert services._stored(first.user, deal, **columns) == services._stored(first.user, deal, **columns)


def _other_deal(deal: Deal) -> Deal:
    return Deal.objects.create(match=deal.match, number=99, book=deal.book, book_version=1, sealed_seed=b"")


def test_a_void_deal_and_one_without_a_decision_are_refused(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    Deal.objects.filter(pk=deal.pk).update(status=Deal.Status.VOID)
    with pytest.raises(TableError, match="scored"):
        services.ask(first.user, deal.pk)
    Deal.objects.filter(pk=deal.pk).update(status=Deal.Status.OVER)
    Table.objects.update(log_pruned_at=deal.ended_at)
    with pytest.raises(TableError) as refused:
        services.ask(first.user, deal.pk)
    assert refused.value.code == "no_longer_kept"


def test_the_page_asks_waits_and_tells_the_story(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    browser, address = Browser(), f"/history/{deal.pk}/analysis/"
    browser.force_login(first.user)
    assert f'href="{address}"' in browser.get(f"/history/{deal.pk}/").content.decode()
    assert "Analyse my decisions" in browser.get(address).content.decode()
    assert "0 of 4 decisions are judged." in browser.post(address, follow=True).content.decode()
    services.go_on(lambda piece: review(piece["number"], grade="blunder", lost=14.0))
    part = browser.get(f"{address}now/").content.decode()
    assert "1 of 4 decisions are judged." in part and "<html" not in part
    judged_by_now()
    page = browser.get(address)
    text = page.content.decode()
    assert [turn["number"] for turn in page.context["turns"]] == [1, 2]
    assert "To drop was better, by 3.0 points (1.0 to 5.0)." in text
    assert page.context["figures"]["grades"] == {"slip": 3, "mistake": 0, "blunder": 1}
    # Each stands at its turn, and in the list above that leads there.
    assert "data-live" in text and text.count('class="grade grade--slip"') == 2 * 3


def test_the_api_tells_how_far_it_is_and_then_everything(finished: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = finished
    browser, address = Browser(), f"/api/deals/{deal.pk}/analysis/"
    browser.force_login(first.user)
    begun = browser.post(address, {"samples": 10}, content_type="application/json")
    assert begun.status_code == 202
    assert (begun.json()["status"], begun.json()["samples"], begun.json()["judged"]) == ("working", 10, 0)
    judged_by_now()
    done = browser.post(address, {}, content_type="application/json")
    assert done.status_code == 200
    content = done.json()
    assert (content["status"], content["judged"], len(content["reviews"])) == ("done", 4, 4)
    assert content["summary"]["lost"] == 3.0
    assert content == browser.get(address).json()


def test_totals_before_a_deal_are_what_the_match_counted_then(finished: tuple[Deal, Client, Client]) -> None:
    deal, _, _ = finished
    rows = [
        {"seat": 0, "points": 0, "total": 30, "outcome": "won"},
        {"seat": 1, "points": 25, "total": 80, "outcome": "lost"},
    ]
    deal.result, deal.book = rows, "standard-pool-201"
    assert services._totals(deal) == {0: 30, 1: 55}
    deal.result, deal.book = [{**rows[0], "total": 185}, {**rows[1], "total": 135}], "standard-deals-2"
    assert services._totals(deal) == {0: 160, 1: 160}
    deal.result = [{**row, "total": None} for row in rows]
    assert services._totals(deal) == {}
