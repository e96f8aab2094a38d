"""Whoever owns the database but not the key cannot rewrite history: the audit names each attempt."""

import hashlib
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from tests.support.books import a_day_of_play
from tests.support.database import rolled_back
from tests.support.findings import found_by, is_found
from tests.support.forging import make_balances_fit, make_seals_fit, strip
from tests.support.players import signed_up
from wallet.audit import audit, nightly
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, record
from wallet.base import triggers
from wallet.keys.deriving import FastHmac
from wallet.ledger.hash_chain import TrailEnd, link_hash, linked_transfers
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Account, AuditRun, DayHead, Freeze, Posting, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.databases, pytest.mark.usefixtures("noon")]


@pytest.fixture
def nights() -> None:
    """Play a day, audit two nights with a sign-up before each, then remove every trigger."""
    now = timezone.now()
    with time_machine.travel(now - timedelta(days=3)):
        a_day_of_play()
    for days in (2, 1):
        with time_machine.travel(now - timedelta(days=days)):
            nightly.run_nightly()
            signed_up(f"night{days}")
    assert (DayHead.objects.count(), AuditRun.objects.count()) == (2, 2)
    triggers.remove(connection, [*TRIGGERS, *triggers.append_only("audit_log_auditentry")])


def checks_with_findings() -> set[tuple[str, str]]:
    return {(each.check, each.subject) for each in audit.audit().differences if each.check != "trigger"}


def checks() -> set[str]:
    return {check for check, _ in checks_with_findings()}


def link_anew(by: Callable[..., str]) -> None:
    """Recompute every link, as somebody could who has read the sources."""
    heads: dict[int, str] = {}
    for transfer in list(linked_transfers(Transfer.objects.all())):
        before = (heads.get(transfer.debit_id, ""), heads.get(transfer.credit_id, ""))
        link = by(before, transfer.posting.digest, transfer.posting.made_at, transfer.content)
        heads[transfer.debit_id] = heads[transfer.credit_id] = link
        Transfer.objects.filter(pk=transfer.pk).update(seal=link)
    for pk in Account.objects.values_list("pk", flat=True):
        Account.objects.filter(pk=pk).update(head=heads.get(pk, ""))


WITHOUT_THE_KEY: dict[str, Callable[..., str]] = {
    "without any key": lambda *content: hashlib.sha256(repr(content).encode()).hexdigest(),
    "with a key of their own": lambda *content: link_hash(*content, by=FastHmac(b"guessed")),
}


@pytest.mark.parametrize("way", WITHOUT_THE_KEY)
def test_links_reckoned_anew_without_the_key_are_named(way: str) -> None:
    a_day_of_play()
    strip()
    Transfer.objects.filter(posting__key="seating:1:out").update(amount=499)
    make_balances_fit()
    make_seals_fit()
    link_anew(WITHOUT_THE_KEY[way])
    named = [each for each in found_by(["chain"]) if each.check == "seal"]
    assert len(named) == Transfer.objects.count()


def delete_heads() -> None:
    DayHead.objects.all().delete()


def delete_runs() -> None:
    Freeze.objects.all().delete()
    AuditRun.objects.all().delete()


def delete_all_signs_of_the_nights() -> None:
    delete_heads()
    delete_runs()
    AuditEntry.objects.filter(action__in=["audit.run", "day.sign"]).delete()


def invent_a_run() -> None:
    run = AuditRun.objects.latest("pk")
    run.pk, run.started_at, run.ended_at = None, run.started_at - timedelta(days=9), run.ended_at - timedelta(days=9)
    run.save(force_insert=True)


def invent_a_head() -> None:
    head = DayHead.objects.earliest("pk")
    head.pk, head.day = None, head.day - timedelta(days=9)
    head.save(force_insert=True)


TRIED: dict[str, tuple[Callable[[], object], str]] = {
    "the heads removed": (delete_heads, "day"),
    "the audits removed": (delete_runs, "audit run"),
    "heads and audits removed, and what the trail says of them": (delete_all_signs_of_the_nights, "trail"),
    "the end of the trail cut": (lambda: AuditEntry.objects.latest("pk").delete(), "trail"),
    "an audit invented": (invent_a_run, "audit run"),
    "an audit back-dated": (
        lambda: AuditRun.objects.update(started_at=timezone.now() - timedelta(days=8)),
        "audit run",
    ),
    "an audit made clean": (lambda: AuditRun.objects.update(transfers=1), "audit run"),
    "a head invented": (invent_a_head, "day"),
    "a head back-dated": (lambda: DayHead.objects.update(signed_at=timezone.now() - timedelta(days=8)), "day"),
    "the trail forgotten by postings": (lambda: Posting.objects.update(trail_entry=None), "seal"),
}


def test_every_change_of_heads_audits_and_the_trail_is_named(nights: None) -> None:
    for name, (attempt, check) in TRIED.items():
        with rolled_back():
            attempt()
            assert is_found(check), name


def test_an_entry_cut_off_the_end_is_missed_by_the_next_audits_even_if_nothing_was_posted(nights: None) -> None:
    record(PLATFORM, "player.note", Posting.objects.earliest("pk"), reason="Whoever did it wants this gone")
    cut = AuditEntry.objects.latest("pk").pk
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        nightly.run_nightly()
        assert checks() == set()
        AuditEntry.objects.filter(pk=cut).delete()
        later = AuditEntry.objects.filter(pk__gt=cut).order_by("pk")
        assert ("trail", f"entry {later[0].pk}") in checks_with_findings()


def test_a_link_covers_where_the_trail_ended() -> None:
    content = (("", ""), "digest", timezone.now(), (0, 1, 2, 3, 4, 5))
    first, second, none = (
        link_hash(*content, TrailEnd(7, "a")),
        link_hash(*content, TrailEnd(7, "b")),
        link_hash(*content),
    )
    assert len({first, second, none}) == 3
