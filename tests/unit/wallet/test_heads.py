"""The published heads of days: whoever kept one can see that its day was changed, even with the key."""

import io
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from tests.support.books import a_day_of_play
from tests.support.forging import make_balances_fit, make_chain_fit, make_seals_fit
from tests.support.players import signed_up
from wallet.audit import chain, heads, links, nightly
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import entry_hash
from wallet.base import triggers
from wallet.base.commands import BadInput
from wallet.ledger.hash_chain import linked_transfers
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Closing, DayHead, DaySum, FeeSum, PlaceSum, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def audited(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("audit_ledger", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def heads_file(tmp_path: Path) -> Path:
    """Play two days, and keep their heads in a file."""
    now = timezone.now()
    with time_machine.travel(now - timedelta(days=3)):
        a_day_of_play()
    with time_machine.travel(now - timedelta(days=2)):
        nightly.run_nightly()
        signed_up("later")
    with time_machine.travel(now):
        nightly.run_nightly()
    file = tmp_path / "heads.txt"
    status, output = audited("--print-heads")
    assert (status, len(output.splitlines())) == (0, 3)
    file.write_text(output)
    triggers.remove(connection, [*TRIGGERS, *triggers.append_only("audit_log_auditentry")])
    return file


def with_the_key_all_is_made_anew() -> None:
    """Change a day and every record of it, as somebody with the database and the key could."""
    Transfer.objects.filter(posting__key="seating:1:out").update(amount=499)
    make_balances_fit()
    make_seals_fit()
    for model in (PlaceSum, FeeSum, DaySum, Closing):
        model._default_manager.all().delete()
    # Links cover the trail, the trail the heads, and these the links of their day: a round for each day.
    for _ in range(DayHead.objects.count() + 1):
        make_trail_fit()
        make_chain_fit()
        make_heads_fit()


def make_heads_fit() -> None:
    days: dict[date, chain.Day] = {}
    for transfer in linked_transfers(Transfer.objects.all()):
        days.setdefault(transfer.posting.made_at.date(), chain.Day()).add(transfer)
    before = ""
    for head in DayHead.objects.order_by("day"):
        head.digest = before = days[head.day].digest(before)
        DayHead.objects.filter(pk=head.pk).update(digest=head.digest)
        entry = AuditEntry.objects.get(action=links.SIGNED, target_id=str(head.pk))
        after = {**(entry.after or {}), "digest": head.digest}
        AuditEntry.objects.filter(pk=entry.pk).update(after=after)


def make_trail_fit() -> None:
    """Recompute the trail, and what it says of its own reach, as somebody with the key could."""
    follows = ""
    for entry in AuditEntry.objects.order_by("pk"):
        (entry.after or {}).pop(links.REACH_KEY, None)
        entry.previous_hash = follows
        follows = entry.hash = entry_hash(entry)
        AuditEntry.objects.filter(pk=entry.pk).update(
            after=entry.after, previous_hash=entry.previous_hash, hash=entry.hash
        )


def without_triggers(output: str) -> list[str]:
    return [line for line in output.splitlines() if not line.startswith("trigger: ")]


def test_kept_heads_fit_and_go_on_to_fit(heads_file: Path) -> None:
    heads_file.write_text(heads_file.read_text(), encoding="utf-8-sig")
    _, output = audited("--heads", str(heads_file))
    assert without_triggers(output)[:-1] == []
    signed_up("today")
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        nightly.chain.sign_days()
        assert DayHead.objects.count() == 3
        assert without_triggers(audited("--heads", str(heads_file))[1])[:-1] == []


def test_a_day_that_others_have_seen_is_changed_by_nobody_who_has_the_key_either(heads_file: Path) -> None:
    with_the_key_all_is_made_anew()
    _, output = audited()
    assert without_triggers(output)[:-1] == []
    status, output = audited("--heads", str(heads_file))
    named = without_triggers(output)[:-1]
    assert status == 1
    assert all(line.startswith("given head: ") for line in named)
    assert len(named) >= 2


TRIED: dict[str, Callable[[], object]] = {
    "the head of a day removed": lambda: DayHead.objects.latest("day").delete(),
    "an act made another": lambda: (
        AuditEntry.objects.filter(pk=AuditEntry.objects.earliest("pk").pk).update(actor_name="nobody"),
        make_trail_fit(),
    ),
}


@pytest.mark.parametrize("name", TRIED)
def test_a_published_head_that_is_gone_is_missed(name: str, heads_file: Path) -> None:
    now = timezone.now()
    with time_machine.travel(now + timedelta(days=2)):
        signed_up("next")
        nightly.run_nightly()
    with time_machine.travel(now + timedelta(days=4)):
        nightly.run_nightly()
        heads_file.write_text(audited("--print-heads")[1])
        TRIED[name]()
        _, output = audited("--heads", str(heads_file))
    assert any(line.startswith("given head: ") for line in output.splitlines())


def test_a_database_put_back_to_an_earlier_day_is_missed_even_when_play_has_gone_on(tmp_path: Path) -> None:
    now, file = timezone.now(), tmp_path / "heads.txt"
    with time_machine.travel(now - timedelta(days=4)):
        a_day_of_play()
    with time_machine.travel(now - timedelta(days=3)):
        nightly.run_nightly()
    with transaction.atomic():
        with time_machine.travel(now - timedelta(days=3)):
            signed_up("robbed")
        with time_machine.travel(now - timedelta(days=2)):
            nightly.run_nightly()
        file.write_text(audited("--print-heads")[1])
        assert audited("--heads", str(file))[0] == 0
        # As a copy of the whole database from before would.
        transaction.set_rollback(True)
    lost_day = f"{(now - timedelta(days=3)).date()}"
    for goes_on in (False, True):
        if goes_on:
            signed_up("instead")
            with time_machine.travel(now + timedelta(days=1)):
                nightly.run_nightly()
        with time_machine.travel(now + timedelta(days=1)):
            assert audited()[0] == 0, "by itself it is in order"
            status, output = audited("--heads", str(file))
        assert status == 1
        assert any(line.startswith(f"given head: {lost_day} ") for line in output.splitlines())


@pytest.mark.parametrize("text", ["", "# nothing\n", "2026-11-22 5 7 short\n", "2026-13-45 5 7 " + "a" * 64, "\x00"])
def test_a_file_that_holds_no_heads_is_refused_and_nothing_is_audited(text: str, tmp_path: Path) -> None:
    file = tmp_path / "heads.txt"
    file.write_text(text)
    with pytest.raises(BadInput) as refused:
        call_command("audit_ledger", "--heads", str(file), stdout=io.StringIO())
    assert refused.value.returncode == 2
    with pytest.raises(BadInput, match="cannot be read"):
        call_command("audit_ledger", "--heads", str(tmp_path / "nowhere"), stdout=io.StringIO())


def test_everybody_reads_the_heads_and_takes_them_home(heads_file: Path) -> None:
    page = Client().get("/transparency/").content.decode()
    heads_on_page = re.findall(r"[0-9a-f]{64}", page)
    assert heads_on_page == list(DayHead.objects.order_by("-day").values_list("digest", flat=True))
    assert "sealed late" not in page
    answer = Client().get("/transparency/heads.txt")
    assert (answer["Content-Type"], answer.content.decode()) == ("text/plain; charset=utf-8", heads_file.read_text())


def test_a_head_that_was_made_late_says_so_and_pages_go_back() -> None:
    assert "No day is sealed yet" in Client().get("/transparency/").content.decode()
    now = timezone.now()
    for days in range(40, 5, -1):
        with time_machine.travel(now - timedelta(days=days)):
            signed_up(f"player{days}")
    nightly.run_nightly()
    first, second = (Client().get(f"/transparency/?page={number}").content.decode() for number in (1, 2))
    lines = Client().get("/transparency/heads.txt").content.decode().splitlines()
    assert all(line.endswith(f" late {now:%Y-%m-%d}") for line in lines[1:-1]) and len(lines) == 36
    heads_in_file = heads.read_heads("\n".join(lines))
    assert [head.day for head in heads_in_file] == list(DayHead.objects.order_by("day").values_list("day", flat=True))
    assert list(heads.compare_heads(heads_in_file)) == []
    assert first.count("sealed late") + second.count("sealed late") == DayHead.objects.count() == 35
    assert ("Older" in first, "Newer" in first) == (True, False)
    assert ("Older" in second, "Newer" in second) == (False, True)
