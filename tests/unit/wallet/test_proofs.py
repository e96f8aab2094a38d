"""The chain of links, the signed days, the nightly audit, and the freeze after a difference."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.support.books import a_day_of_play, books, seat
from tests.support.database import rolled_back
from tests.support.findings import found_by
from tests.support.forging import checks_with_findings, make_balances_fit, make_chain_fit, make_seals_fit, strip
from tests.support.players import signed_up
from wallet.audit import audit, nightly
from wallet.audit_log.services import Actor
from wallet.base import triggers
from wallet.base.errors import WalletError
from wallet.finance import exports
from wallet.ledger import selectors as ledger
from wallet.ledger.triggers import TRIGGERS
from wallet.models import AuditRun, DayHead, ExportRecord, Freeze, Posting, Transfer
from wallet.play_money import services as play_money
from wallet.tasks import audit_books, audit_missed

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: What every transfer of the day is put through, one at a time, each time with the balances made to fit.
ALTERATIONS = {
    "removed": "DELETE FROM wallet_transfer WHERE id = {0}",
    "one more": "UPDATE wallet_transfer SET amount = amount + 1 WHERE id = {0}",
}


@pytest.fixture
def day_of_play() -> datetime:
    """Play three days ago, so that the day is over."""
    moment = timezone.now() - timedelta(days=3)
    with time_machine.travel(moment):
        a_day_of_play()
    return moment


def differences(check: str) -> list[str]:
    """Return what is found of the chain or its signed days: a "seal", a "head" or a "day"."""
    findings = found_by(["chain", "linked_rows"])
    return [f"{each.subject} {each.message}" for each in findings if each.check == check]


@pytest.mark.parametrize("change", ALTERATIONS)
def test_no_transfer_is_altered_or_removed_unseen(change: str) -> None:
    """The culprit made balances and digests fit, but the links name the place."""
    a_day_of_play()
    ids = list(Transfer.objects.order_by("pk").values_list("pk", flat=True))
    assert len(ids) > 28
    strip()
    for pk in ids:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(ALTERATIONS[change].format(pk))
            make_balances_fit()
            make_seals_fit()
            subjects = [each.subject for each in found_by(["chain"])]
            assert subjects, pk
            assert change == "removed" or any(each.startswith(f"transfer {pk} ") for each in subjects), subjects
            transaction.set_rollback(True)


def test_a_seal_that_was_altered_is_named_with_what_it_should_follow() -> None:
    a_day_of_play()
    strip()
    altered = Transfer.objects.get(posting__key="deal:2:settle", line=0)
    Transfer.objects.filter(pk=altered.pk).update(seal="0" * 64)
    first, *_ = differences("seal")
    assert first.startswith(f"transfer {altered.pk} of posting {altered.posting_id} is altered")
    assert f"on account {altered.debit_id}" in first


def test_one_flipped_bit_of_a_balance_long_past_names_its_row() -> None:
    a_day_of_play()
    strip()
    altered = Transfer.objects.order_by("pk")[9]
    Transfer.objects.filter(pk=altered.pk).update(credit_balance=altered.credit_balance ^ 1)
    named = [each.split(" of ")[0] for each in differences("seal")]
    assert named == [f"transfer {altered.pk}"]


def test_the_end_of_a_chain_cannot_be_cut_off_unseen() -> None:
    a_day_of_play()
    strip()
    last = Transfer.objects.latest("pk")
    Transfer.objects.filter(pk=last.pk).delete()
    make_balances_fit()
    assert len(differences("head")) == 2
    assert not differences("seal")


def test_days_that_are_over_are_signed_once_and_found_in_order(day_of_play: datetime) -> None:
    signed_up("eela")
    assert nightly.run_nightly().differences == 0
    head = DayHead.objects.get()
    assert (head.day, head.transfers) == (day_of_play.date(), Transfer.objects.count() - 1)
    nightly.run_nightly()
    assert DayHead.objects.count() == 1
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert nightly.run_nightly().differences == 0
        assert DayHead.objects.count() == 2
        assert audit.audit().differences == []


def test_a_chain_computed_anew_after_a_change_does_not_fit_its_signed_day(day_of_play: datetime) -> None:
    nightly.run_nightly()
    strip()
    Transfer.objects.filter(posting__key="seating:1:out").update(amount=499)
    make_balances_fit()
    make_seals_fit()
    make_chain_fit()
    assert checks_with_findings() == {"day", "closing"}
    assert differences("day")[0].startswith(f"{day_of_play.date()} is altered")


HEADS = {
    "digest altered": ({"digest": "0" * 64}, 2),
    "count altered": ({"transfers": 1}, 2),
    "last altered": ({"last_transfer": 1}, 2),
    "signed at another time": ({"signed_at": datetime(2020, 1, 1, tzinfo=UTC)}, 1),
}


def test_a_signed_head_cannot_be_altered_unseen(day_of_play: datetime) -> None:
    nightly.run_nightly()
    for name, (change, alarms) in HEADS.items():
        with rolled_back():
            triggers.remove(connection, TRIGGERS)
            DayHead.objects.update(**change)
            triggers.install(connection, TRIGGERS)
            assert len(differences("day")) == alarms, name


def test_a_head_that_vanished_is_missed(day_of_play: datetime) -> None:
    nightly.run_nightly()
    triggers.remove(connection, TRIGGERS)
    DayHead.objects.all().delete()
    triggers.install(connection, TRIGGERS)
    faults = [each.partition(";")[0] for each in differences("day")]
    assert faults == [f"{day_of_play.date()} is not signed", f"{day_of_play.date()} is missing"]


def test_a_difference_freezes_settlement_until_finance_lifts_it() -> None:
    for seating, name in ((1, "asha"), (2, "bela")):
        seat(seating, signed_up(name), 800)
    settle: dict[str, Any] = {"currency": "FUN", "winner": 1, "losses": {2: 100}, "fee": 10}
    play_money.settle_deal(key="deal:1:settle", **settle)
    triggers.remove(connection, TRIGGERS)
    Posting.objects.filter(key__startswith="signup:").update(digest="0" * 64)
    triggers.install(connection, TRIGGERS)
    assert audit_books() > 0
    run = AuditRun.objects.get()
    assert run.findings[0]["check"] == "digest"
    before = books()
    with pytest.raises(WalletError, match="stands still") as refusal:
        play_money.settle_deal(key="deal:2:settle", **settle)
    assert refusal.value.code == "settlement_frozen"
    assert books() == before
    play_money.settle_deal(key="deal:1:settle", **settle)
    play_money.cash_out(seating=2, amount=695, key="seating:2:out")
    nightly.run_nightly()
    assert Freeze.objects.count() == 1
    client = _finance("lift_freeze", "view_finance")
    assert "Settlement is frozen" in client.get(reverse("finance:overview")).content.decode()
    for nothing in (" ", "\0", "\u200b", "x" * 301):
        client.post(reverse("finance:lift"), {"note": nothing})
        assert Freeze.objects.filter(lifted_at=None, asked_by=None).exists()
    why, second = "looked into, the balance was put right", _finance("lift_freeze", "view_finance", name="omar")
    for _ in range(2):
        client.post(reverse("finance:lift"), {"note": why})
    assert Freeze.objects.filter(lifted_at=None, asked_by__username="fina", note=why).exists()
    assert f"asked to let settlement go on: {why}" in second.get(reverse("finance:overview")).content.decode()
    second.post(reverse("finance:lift"), {"note": "seen it"})
    freeze = Freeze.objects.get()
    assert (freeze.lifted_by, freeze.note) == (_player("omar"), why)
    play_money.settle_deal(key="deal:2:settle", currency="FUN", winner=1, losses={2: 5}, fee=0)
    assert ledger.stack(2) == 0


def test_a_difference_found_after_one_has_asked_is_lifted_by_nobody_alone() -> None:
    for name in ("asha", "bela"):
        signed_up(name)
    clients = {name: _finance("lift_freeze", "view_finance", name=name) for name in ("fina", "omar")}
    altered = Posting.objects.order_by("pk").values_list("pk", flat=True)
    for count, asker in ((1, "fina"), (2, "omar")):
        triggers.remove(connection, TRIGGERS)
        Posting.objects.filter(pk__in=altered[:count]).update(digest="0" * 64)
        triggers.install(connection, TRIGGERS)
        for _ in range(2):
            nightly.run_nightly()
        clients[asker].post(reverse("finance:lift"), {"note": f"looked into {count}"})
        assert Freeze.objects.filter(lifted_at=None, asked_by=_player(asker)).exists()
    clients["fina"].post(reverse("finance:lift"), {"note": "seen both"})
    assert Freeze.objects.get().lifted_by == _player("fina")
    assert found_by(["freezes"]) == []


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_staff": False}])
def test_who_has_been_locked_or_lost_their_role_has_asked_for_nothing(change: dict[str, bool]) -> None:
    nightly.freeze("a drill")
    fina, omar, tara = (signed_up(name, is_staff=True, is_superuser=True) for name in ("fina", "omar", "tara"))
    nightly.lift_freeze(Actor("fina", fina), "asked in time")
    fina.user_permissions.add(Permission.objects.get(codename="lift_freeze"))
    get_user_model()._default_manager.filter(pk=fina.pk).update(is_superuser=False, **change)
    assert nightly.lift_freeze(Actor("omar", omar), "looked into").lifted_at is None
    freeze = nightly.lift_freeze(Actor("tara", tara), "seen it")
    assert (freeze.asked_by, freeze.lifted_by, freeze.note) == (omar, tara, "looked into")


def test_to_see_is_not_to_lift() -> None:
    nightly.freeze("for a reason")
    client = _finance("view_finance")
    assert "let settlement go on" not in client.get(reverse("finance:overview")).content.decode()
    assert client.post(reverse("finance:lift"), {"note": "please"}).status_code == 403
    assert Freeze.objects.filter(lifted_at=None).exists()
    with pytest.raises(WalletError, match="not frozen"):
        Freeze.objects.update(lifted_at=timezone.now())
        nightly.lift_freeze(Actor("fina", _player("fina")), "please")


def test_a_missed_night_is_made_up_for_once(day_of_play: datetime) -> None:
    audit_missed()
    audit_missed()
    assert (AuditRun.objects.count(), DayHead.objects.count()) == (1, 1)
    signed_up("eela")
    for hours, audits in ((24, 1), (26, 2)):
        with time_machine.travel(timezone.now() + timedelta(hours=hours)):
            audit_missed()
            assert AuditRun.objects.count() == audits


def test_without_a_posting_no_night_was_missed() -> None:
    audit_missed()
    assert not AuditRun.objects.exists()


def test_empty_books_raise_no_alarm() -> None:
    assert audit.audit() == audit.AuditReport(accounts=0, postings=0, transfers=0, differences=[])


def test_clean_books_freeze_nothing() -> None:
    a_day_of_play()
    assert audit_books() == 0
    assert not Freeze.objects.exists()
    assert AuditRun.objects.get().transfers == Transfer.objects.count()


def _finance(*permissions: str, name: str = "fina") -> Client:
    user = get_user_model().objects.create_user(username=name, password="a long pass phrase", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def _player(name: str) -> Any:
    return get_user_model().objects.get(username=name)


def test_records_are_read_in_admin_and_changed_by_nobody(day_of_play: datetime) -> None:
    nightly.run_nightly()
    nightly.freeze("for a reason")
    with exports.export(
        period=exports.Period(first=day_of_play.date(), last=day_of_play.date()), format="csv", by=None, via="test"
    ):
        pass
    root = get_user_model().objects.create_superuser(username="root", password="a long pass phrase")
    client = Client()
    client.force_login(root)
    for model in (AuditRun, DayHead, ExportRecord, Freeze):
        row = model.objects.get()
        place = f"admin:wallet_{model._meta.model_name}"
        assert client.get(reverse(f"{place}_changelist")).status_code == 200
        assert client.get(reverse(f"{place}_change", args=[row.pk])).status_code == 200
        for path in (
            reverse(f"{place}_add"),
            *(reverse(f"{place}_{word}", args=[row.pk]) for word in ("change", "delete")),
        ):
            assert client.post(path, {"post": "yes", "rows": "1"}).status_code == 403
        assert model.objects.get() == row
