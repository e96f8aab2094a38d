"""The audit finds and names every fault that is planted in a busy platform, and none in a sound one."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from tables.audit.proven import groups, proven_tables
from tables.log.triggers import TRIGGERS as LOG_TRIGGERS
from tables.models import Answer, Deal, DealSeat, LoggedEvent, Match, Seating, Table
from tests.support.columns import COVERED, STRIPPED
from tests.support.database import rolled_back
from tests.support.findings import found_by, found_of_kind
from tests.support.forging import make_balances_fit, make_chain_fit, make_seals_fit
from tests.support.sampling import one_of_each
from tests.unit.audit.changing import bare, check_all_name
from tests.unit.audit.faults import FAULTS, REFIT
from tests.unit.wallet.faults import FAULTS as FAULTS_OF_BOOKS
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.base import triggers
from wallet.base.findings import Finding
from wallet.ledger.prefix import Prefix, skipping
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, Adjustment, AuditRun, DayHead, ExportRecord, Freeze, Posting, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


#: By the name of each fault, the sentence that names it.
SENTENCES = dict(
    line.split(" | ", 1)
    for line in (Path(__file__).parents[1] / "sentences.txt").read_text().splitlines()
    if line and not line.startswith("#")
)


@pytest.fixture(scope="module")
def busy(built: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """Remove the triggers and constraints of the platform for all these tests."""
    with django_db_blocker.unblock(), rolled_back():
        names = _names()
        _strip()
        assert [each for each in differences() if each.check != "trigger"] == []
        yield names


@pytest.fixture
def planted(busy: dict[str, Any], db: None) -> Iterator[dict[str, Any]]:
    """Roll back what the test plants."""
    with rolled_back():
        yield busy


def differences() -> list[Finding]:
    return audit.audit().differences


@pytest.mark.parametrize("name", one_of_each(FAULTS, lambda name: FAULTS[name][1]))
def test_a_planted_fault_is_found_and_named(name: str, planted: dict[str, Any]) -> None:
    statements, check, subject = FAULTS[name]
    with connection.cursor() as cursor:
        for statement in statements:
            if statement == REFIT:
                make_balances_fit()
                make_seals_fit()
                make_chain_fit()
            else:
                cursor.execute(statement.format(**planted))
                assert cursor.rowcount > 0
    row, due = subject.format(**planted), SENTENCES[name]
    # Another check of that kind may find it, too, and say what else it contradicts.
    assert any(row in each.subject and sentence(each) == due for each in found_of_kind(check)), differences()


def sentence(found: Finding) -> str:
    """Return what the finding says is wrong and was expected, without the ids, times and digests of this run."""
    return re.sub(
        r"[0-9a-f]{16}|\d+", "#", f"{found.check}: {found.subject} is {found.fault}; expected: {found.expected}"
    )


def test_a_hundred_kinds_of_fault_are_planted() -> None:
    """Those of the books alone are planted in tests/wallet."""
    assert len(FAULTS) + len(FAULTS_OF_BOOKS) >= 150
    assert not FAULTS.keys() & FAULTS_OF_BOOKS.keys()


@pytest.mark.parametrize(
    "case", one_of_each(COVERED, lambda case: (case[0][:7], case[2][-1])), ids=lambda case: ".".join(case[:2])
)
def test_a_check_covers_the_column_as_the_list_says(case: tuple[str, str, list[str]], planted: dict[str, Any]) -> None:
    check_all_name(*case)


def test_a_night_reads_the_logs_of_tables_that_may_have_changed(planted: dict[str, Any]) -> None:
    last, posting = Transfer.objects.latest("pk"), Posting.objects.latest("pk")
    prefix = Prefix(last.pk, posting.pk, posting.created_at.date(), timezone.now())
    with skipping(prefix):
        granted = Table.objects.filter(proven_tables(groups()[0], {}).tables)
    assert planted["pool"] in granted.values_list("pk", flat=True)
    assert planted["running"] not in granted.values_list("pk", flat=True)
    assert {each.check for each in audit.audit(prefix=prefix).differences} == {"trigger"}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_table SET phase = 'melding', title = 'Other'")
    named = {each.subject for each in audit.audit(prefix=prefix).differences if each.check == "table"}
    assert f"table {planted['running']}" in named
    # What is sealed of a closed table is looked at every night, its log once a week.
    assert f"table {planted['pool']}" not in named
    assert f"table {planted['pool']}" in {each.subject for each in found_by(["finished_rows_are_unchanged"])}


def test_stacks_pots_and_settled_deals_are_read_at_once(
    planted: dict[str, Any], django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(7):
        found_by(["freed_seats_are_empty", "ended_matches_have_empty_pots", "deals_are_settled_as_scored"])


def _strip() -> None:
    connection.check_constraints()
    triggers.remove(connection, [*TRIGGERS, *LOG_TRIGGERS])
    triggers.remove(connection, triggers.append_only(*triggers.APPEND_ONLY))
    for table in STRIPPED:
        bare(table)


def _names() -> dict[str, Any]:
    """Return the rows that faults are planted in."""
    at = {table.title: table for table in Table.objects.all()}
    deals = Deal.objects.order_by("pk")
    deal, other = deals.filter(match__table=at["Points"])[0], deals.filter(match__table=at["Pool"])[1]
    drop = LoggedEvent.objects.get(table=at["Points"], kind="player_dropped", deal=deal)
    running_deal = deals.get(match__table=at["Running"])
    events = LoggedEvent.objects.filter(kind="card_drawn").order_by("pk")
    draw = events.get(table=at["Running"])
    user = get_user_model().objects.get
    freeze, head = Freeze.objects.get(), DayHead.objects.get()
    adjustments = dict(Adjustment.objects.values_list("request_id", "pk"))
    keys = {
        "settled": f"deal:{deal.pk}:settle",
        "prize": f"match:{other.match_id}:prize",
        "entries": f"match:{running_deal.match_id}:entries",
        "refund": f"match:{Match.objects.get(status='cancelled').pk}:refund",
    }
    return {
        "garbage": "'garbage'" if connection.vendor == "sqlite" else "'garbage'::bytea",
        **{title.lower(): table.pk for title, table in at.items()},
        "match": deal.match_id, "cancelled": Match.objects.get(status="cancelled").pk,
        "pool_match": other.match_id, "running_match": running_deal.match_id,
        "deal": deal.pk, "other_deal": other.pk, "running_deal": running_deal.pk,
        "loser": DealSeat.objects.get(deal=deal, outcome="dropped").pk,
        "gone": Seating.objects.get(table=at["Points"], freed_at__isnull=False).pk,
        "seating": Seating.objects.filter(table=at["Points"], freed_at=None)[0].pk,
        "seating_running": Seating.objects.filter(table=at["Running"])[0].pk,
        "drop": drop.pk, "draw": draw.pk, "other_draw": events.exclude(table=at["Running"])[0].pk,
        "last_event": LoggedEvent.objects.filter(table=at["Running"]).latest("pk").pk,
        "answer": Answer.objects.order_by("pk")[0].pk,
        "asha": user(username="asha").pk, "dina": user(username="dina").pk,
        "dina_balance": Account.objects.get(kind="player", owner__username="dina").pk,
        "loser_balance": Account.objects.get(kind="player", owner__username="chand").pk,
        "small": adjustments["small"], "large": adjustments["large"], "refused": adjustments["larger"],
        "waiting": adjustments["waiting"], "freeze": freeze.pk, "alarm": AuditRun.objects.get(differences=1).pk,
        "export": ExportRecord.objects.get().pk, "head": head.pk, "day": head.day,
        "act": AuditEntry.objects.get(action="adjustment.grant", target_id=str(adjustments["large"])).pk,
        **{name: Posting.objects.get(key=key).pk for name, key in keys.items()},
    }  # fmt: skip
