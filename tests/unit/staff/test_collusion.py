"""Cases of pairs: what the nights count, who sees what, and that nothing happens by itself."""

import itertools
import json
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db.models import F
from django.test import Client, RequestFactory
from django.utils import timezone

from lobby import tasks
from lobby.account_data import closing
from lobby.accounts.models import SignIn
from lobby.collusion import circumstances, counting, figures, services
from lobby.collusion.models import Case, CountedUntil, PairSums
from lobby.models import Player
from tables.models import Deal
from tables.play import store
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

MONTH = date(2026, 11, 1)


@pytest.fixture
def deal(duel: Any, monkeypatch: pytest.MonkeyPatch) -> Deal:
    """Play a deal between the two at the table, long enough ago to be counted."""
    monkeypatch.setattr(store, "SETTLED", -store.SETTLED)
    duel[0].send("drop")
    return Deal.objects.get(status=Deal.Status.OVER)


@pytest.fixture
def pair(db: None) -> tuple[Player, Player]:
    return signed_up("anand"), signed_up("bela")


def planted(pair: tuple[Player, Player], *, fed: float, deals: int = 60) -> None:
    """Store the sums of two players, of whom the first feeds the other by so much a discard, and nobody else."""
    one, other = pair
    choices = 5.0 * deals
    month = timezone.now().date().replace(day=1)
    even = {"choices": choices, "helped": 0.3 * choices, "leeway": 0.1 * choices, "beyond2": 0.1 * choices}
    back = even | {"deals": deals, "fair": deals / 3, "wins": deals / 3}
    toward = back | {"helped": (0.3 + fed) * choices, "beyond": fed * choices}
    whole = {name: 4 * value for name, value in back.items()}
    for player, toward_whom, sums in (
        (one, other, toward),
        (other, one, back),
        (one, None, whole),
        (other, None, whole),
    ):
        total = sums | ({"beyond": fed * choices} if toward_whom is None and player is one else {})
        PairSums.objects.create(player=player, other=toward_whom, month=month, deals=deals, sums=total)


# --- counting ---------------------------------------------------------------------------------------------------------


def test_a_finished_deal_is_counted_once_however_often_the_night_comes(deal: Deal) -> None:
    assert services.nightly() == 1
    first = list(PairSums.objects.order_by("pk").values())
    assert {(row["player_id"], row["other_id"]) for row in first} == {
        (one, other)
        for one in deal.seats.values_list("user", flat=True)
        for other in (*deal.seats.exclude(user=one).values_list("user", flat=True), None)
    }
    assert services.nightly() == 0
    assert list(PairSums.objects.order_by("pk").values()) == first
    [both] = PairSums.objects.filter(player__lt=F("other"))
    assert (both.deals, sum(count for _, count in both.wins[3])) == (1, 1)


def test_nothing_of_a_running_deal_is_counted(duel: Any) -> None:
    assert Deal.objects.filter(ended_at=None).exists()
    assert services.nightly() == 0
    assert not PairSums.objects.exists()


def test_a_deal_that_cannot_be_read_stops_no_night(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: Any) -> None:
        raise ValueError("damaged")

    monkeypatch.setattr(counting.reading, "of_deal", damaged)
    assert services.nightly() == 1
    assert not PairSums.objects.exists()


def test_a_night_ends_after_its_time_and_the_next_goes_on(deal: Deal) -> None:
    assert counting.count_deals(most_seconds=0) == 0
    assert counting.count_deals() == 1


def test_two_who_count_at_the_same_time_count_a_deal_once(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    rows_of = counting._rows_of

    def slowly(deals: list[Deal]) -> Any:
        monkeypatch.setattr(counting, "_rows_of", rows_of)
        assert counting.count_deals() == 1
        return rows_of(deals)

    monkeypatch.setattr(counting, "_rows_of", slowly)
    assert counting.count_deals() == 0
    assert set(PairSums.objects.values_list("deals", flat=True)) <= {0, 1}


def test_sums_of_long_ago_go(pair: tuple[Player, Player]) -> None:
    planted(pair, fed=0.0)
    PairSums.objects.filter(other=None).update(month=date(2020, 1, 1))
    counting.forget_sums()
    assert PairSums.objects.filter(other=None).count() == 0 and PairSums.objects.count() == 2


# --- judging ----------------------------------------------------------------------------------------------------------


def test_a_pair_who_feed_each_other_becomes_a_case_and_an_honest_one_does_not(pair: tuple[Player, Player]) -> None:
    planted(pair, fed=0.3)
    honest = signed_up("chitra"), signed_up("dev")
    planted(honest, fed=0.0)
    assert services.judge_pairs() == 1
    case = Case.objects.get()
    assert (case.one, case.other, case.state, case.deals) == (*pair, "open", 60)
    assert case.evidence >= figures.line()
    assert (case.signals[0]["kind"], case.signals[0]["giver"]) == ("fed", 0)
    done = CountedUntil.objects.get()
    assert done.pairs == 2 and done.figures["fed"]


def test_a_pair_with_few_deals_is_not_judged(pair: tuple[Player, Player]) -> None:
    planted(pair, fed=0.3, deals=services.LEAST_DEALS - 1)
    assert services.judge_pairs() == 0 and not Case.objects.exists()


def test_judging_again_renews_the_figures_and_keeps_what_staff_decided(pair: tuple[Player, Player]) -> None:
    planted(pair, fed=0.3)
    services.judge_pairs()
    Case.objects.update(state=Case.State.CLEARED, evidence=1.0)
    assert services.judge_pairs() == 0
    case = Case.objects.get()
    assert case.state == Case.State.CLEARED and case.evidence > 1


def test_one_address_alone_makes_no_case_and_no_address_is_told(pair: tuple[Player, Player]) -> None:
    for player in pair:
        SignIn.objects.create(player=player, address="192.0.2.77", client="Browser/1")
    planted(pair, fed=0.0)
    assert services.judge_pairs() == 0
    shared = circumstances.circumstances(pair[0].pk, pair[1].pk)
    assert [each.counts for each in shared] == [True]
    assert "192.0.2.77" not in shared[0].text and "1 address" in shared[0].text


def test_an_address_of_many_accounts_says_nothing(pair: tuple[Player, Player]) -> None:
    people = [*pair, *(signed_up(f"guest{number}") for number in range(circumstances.FEW))]
    for player in people:
        SignIn.objects.create(player=player, address="192.0.2.77")
    assert circumstances.circumstances(pair[0].pk, pair[1].pk) == []


def test_two_who_sit_at_one_table_are_known_to_have_met(deal: Deal) -> None:
    one, other = sorted(deal.seats.values_list("user", flat=True))
    met, expected = circumstances.meetings(one, other, deal.started_at)
    assert (met, expected) == (1, 1.0), "nobody else has played that day, so whom should they have met"


def test_a_night_judges_as_far_as_it_comes_and_the_next_goes_on(
    pair: tuple[Player, Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "_CHUNK", 1)
    pairs = [pair, *((signed_up(f"left{number}"), signed_up(f"right{number}")) for number in range(2))]
    for each in pairs:
        planted(each, fed=0.3)
    for number in range(1, 5):
        assert services.judge_pairs(most_seconds=0) == (number <= 3)
        done = CountedUntil.objects.get(pk=1)
        assert (done.pairs, done.judged) == (3, [player.pk for player in pairs[(number - 1) % 3]])
    assert services.judge_pairs() == 0
    assert CountedUntil.objects.get(pk=1).judged == []


# --- staff ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def case(pair: tuple[Player, Player], deal: Deal) -> Case:
    planted(pair, fed=0.3)
    PairSums.objects.filter(player=pair[0], other=pair[1]).update(deals_that_tell=[[2.5, deal.pk]])
    services.judge_pairs()
    return Case.objects.get(one=pair[0])


def test_support_sees_each_signal_with_its_figures_and_the_deals(case: Case) -> None:
    support = browser_of(employ("support"))
    queue = support.get("/admin/collusion/case/").content.decode()
    assert "anand" in queue and "helps bela, who is next" in queue
    page = support.get(f"/admin/collusion/case/{case.pk}/change/").content.decode()
    told = case.signals[0]["figures"]
    assert f"{told['helped']:.0f} of {told['count']:.0f} discards with such a choice helped" in page
    [(_, deal)] = case.deals_that_tell
    assert f'href="/admin/tables/deal/{deal}/replay/"' in page
    assert support.get(f"/admin/tables/deal/{deal}/replay/").status_code == 200
    assert "Pairs who may play together" in support.get("/admin/").content.decode()


def test_notes_and_decisions_stand_in_the_trail_and_nothing_happens_to_players(case: Case) -> None:
    support = browser_of(employ("support"))
    before = list(Player.objects.filter(pk__in=(case.one_id, case.other_id)).order_by("pk").values())
    act(support, "collusion_case_note", case.pk, reason="They are <i>brothers</i>.")
    act(support, "collusion_case_watch", case.pk, reason="Looked at six deals")
    act(support, "collusion_case_clear", case.pk, reason="Chance")
    case.refresh_from_db()
    assert (case.state, case.handled_by.username) == ("cleared", "the_support")
    trail = AuditEntry.objects.filter(action__startswith="case.").order_by("id")
    assert [(entry.action, entry.reason) for entry in trail] == [
        ("case.note", ""),
        ("case.watching", "Looked at six deals"),
        ("case.cleared", "Chance"),
    ]
    page = support.get(f"/admin/collusion/case/{case.pk}/change/").content.decode()
    assert "&lt;i&gt;brothers" in page and "Looked at six deals" in page
    assert list(Player.objects.filter(pk__in=(case.one_id, case.other_id)).order_by("pk").values()) == before


def test_nobody_of_the_staff_decides_a_case_of_their_own_or_writes_in_it(
    case: Case, pair: tuple[Player, Player]
) -> None:
    for person in pair:
        with pytest.raises(WalletError, match="concerns you"):
            services.decide(Case.State.CLEARED, case, "All is well", Actor(str(person), person))
        with pytest.raises(WalletError, match="concerns you"):
            services.note_case(case, "We are honest", Actor(str(person), person))
    assert not services.acts_on_case(case).exists()
    case.refresh_from_db()
    assert (case.state, case.handled_by_id) == (Case.State.OPEN, None)


def test_only_support_handles_cases(case: Case) -> None:
    for role in ("operations", "finance"):
        browser = browser_of(employ(role))
        assert browser.get(f"/admin/collusion/case/{case.pk}/change/").status_code == 403
        assert act(browser, "collusion_case_clear", case.pk).status_code == 403
    assert browser_of(case.one).get("/admin/collusion/case/").status_code == 302
    case.refresh_from_db()
    assert case.state == Case.State.OPEN


def test_a_closed_account_loses_its_sums_but_no_case(case: Case, pair: tuple[Player, Player]) -> None:
    friend, stranger = signed_up("esha"), signed_up("farid")
    planted((friend, stranger), fed=0.0)
    months = {"month": MONTH, "deals": 60}
    for known in pair:
        PairSums.objects.create(player=known, other=friend, **months)
        PairSums.objects.create(player=friend, other=known, **months)
        PairSums.objects.create(player=known, other=stranger, **months)
        PairSums.objects.create(player=stranger, other=known, **months)
    for player in (friend, pair[1]):
        closing.close_account(player, RequestFactory().get("/"))
    counting.forget_sums()
    assert not PairSums.objects.filter(player=friend).exists()
    assert not PairSums.objects.filter(other=friend).exists()
    assert PairSums.objects.filter(player=pair[1]).exists()
    both = set(PairSums.objects.filter(other__isnull=False).values_list("player", "other"))
    assert both == {(other, one) for one, other in both}, "a pair has the sums of both, or of neither"
    page = browser_of(employ("support")).get(f"/admin/collusion/case/{case.pk}/change/").content.decode()
    assert "closed-" in page and "bela" not in page


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_shows_every_figure_of_the_benchmark() -> None:
    page = Client().get("/playing-together/").content.decode()
    told = figures.benchmark()
    assert page.count("<tr") == len(told["alarms"]) * (1 + len(told["rows"]) / len(told["common"]))
    assert page.count("<td>") == len(told["alarms"]) * len(told["rows"])
    assert f"--seed {told['seed']} --json" in page


def test_the_stored_figures_are_those_of_this_version() -> None:
    from rules.collusion import KINDS
    from rules.collusion.sums import RATES
    from tests.benchmarks import collusion as benchmark

    told = figures.benchmark()
    assert told["version"] == benchmark.VERSION
    assert told["book"] == benchmark.BOOK and told["alarms"] == list(benchmark.RATES_OF_ALARMS)
    assert set(told["usual"]["means"]) == set(RATES)
    assert set(told["honest"]) == {"evidence", *KINDS}
    assert told["line"] == max(told["lines"][number][0] for number in ("50", "200")), "as often as strangers met"


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_does_what_the_night_does_and_names_the_cases(pair: tuple[Player, Player], deal: Deal) -> None:
    planted(pair, fed=0.3)
    out = StringIO()
    call_command("pairs", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["counted"], told["pairs"]) == (1, 1)
    [case] = told["cases"]
    assert case["players"] == ["anand", "bela"] and "helps bela, who is next" in case["signals"][0]["what"]
    words = StringIO()
    call_command("pairs", stdout=words)
    assert "0 deals counted, 1 pairs judged, 1 cases." in words.getvalue()


def test_the_night_is_planned(deal: Deal) -> None:
    planned = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert tasks.look_at_pairs.name in planned
    tasks.look_at_pairs()
    assert PairSums.objects.exists()


def test_the_long_tasks_of_a_night_leave_threads_of_a_worker_to_the_sweep() -> None:
    """Each may take half an hour: no two of them begin within as long of this one."""
    plan = settings.CELERY_BEAT_SCHEDULE

    def minute(name: str) -> int:
        [(hour, at)] = itertools.product(plan[name]["schedule"].hour, plan[name]["schedule"].minute)
        return 60 * int(hour) + int(at)

    others = ("make_puzzles", "sum_fairness", "prune", "audit_books", "mend_ratings")
    assert all(abs(minute(name) - minute("look_at_pairs")) > counting.MOST_SECONDS / 60 for name in others)
