"""Adjustments of balances: through the ledger only, by two people above the limit, once however often they are sent."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from lobby.backoffice import recoveries
from lobby.models import Player, SupportRecovery
from tests.support.database import rolled_back
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from wallet import adjustments
from wallet.audit import audit
from wallet.audit.requests import request_acknowledgement
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import are_dependent
from wallet.base.errors import InsufficientBalance, WalletError
from wallet.ledger.selectors import balances
from wallet.models import Adjustment, Posting

pytestmark = pytest.mark.django_db


@pytest.fixture
def fin(staff: Mapping[str, Player]) -> Actor:
    return Actor("the_finance", staff["finance"])


@pytest.fixture
def second(staff: Mapping[str, Player]) -> Actor:
    return Actor("second", employ("finance", "second"))


def free(player: Player) -> int:
    return balances(player)[0]["free"]


def ask(actor: Actor, player: Player, amount: int, request: str = "r1", **fields: Any) -> Adjustment:
    return adjustments.ask(
        request_id=request,
        player=player,
        currency="FUN",
        amount=amount,
        reason="Lost to a fault",
        actor=actor,
        **fields,
    )


@pytest.mark.databases
@pytest.mark.parametrize(("amount", "balance"), [(1_000, 11_000), (-1_000, 9_000)])
def test_within_the_limit_it_is_posted_at_once_with_balances_in_the_trail(
    asha: Player, fin: Actor, amount: int, balance: int
) -> None:
    adjustment = ask(fin, asha, amount)
    assert (adjustment.status, free(asha)) == ("granted", balance)
    assert Posting.objects.filter(key=f"adjust:{adjustment.pk}", reason="adjust").exists()
    entry = AuditEntry.objects.get(action="adjustment.grant")
    assert entry.after == {
        "posting_key": f"adjust:{adjustment.pk}", "balance_before": 10_000, "balance": balance,
    }  # fmt: skip
    assert not audit.audit().differences


@pytest.mark.databases
def test_above_the_limit_a_second_person_approves_and_never_the_first(asha: Player, fin: Actor, second: Actor) -> None:
    adjustment = ask(fin, asha, 1_001)
    assert (adjustment.status, free(asha)) == ("asked", 10_000)
    with pytest.raises(WalletError, match="yourself"):
        adjustments.grant(row=adjustment, reason="Sure", actor=fin)
    assert free(asha) == 10_000
    adjustments.grant(row=adjustment, reason="Seen the logs", actor=second)
    adjustments.grant(row=adjustment, reason="Seen the logs", actor=second)
    assert free(asha) == 11_001
    adjustment.refresh_from_db()
    assert (adjustment.status, adjustment.decided_by_id) == ("granted", second.user.pk if second.user else 0)
    with pytest.raises(WalletError, match="already"):
        adjustments.refuse(row=adjustment, reason="Too late", actor=second)


def test_a_refused_one_is_never_posted(asha: Player, fin: Actor, second: Actor) -> None:
    adjustment = ask(fin, asha, 5_000)
    with pytest.raises(WalletError, match="yourself"):
        adjustments.refuse(row=adjustment, reason="Changed my mind", actor=fin)
    adjustments.refuse(row=adjustment, reason="No trace of it", actor=second)
    with pytest.raises(WalletError, match="already"):
        adjustments.grant(row=adjustment, reason="Or yes", actor=second)
    assert free(asha) == 10_000


@pytest.mark.databases
def test_small_adjustments_add_up_to_the_limit(asha: Player, fin: Actor) -> None:
    assert ask(fin, asha, 600, "a").status == "granted"
    assert ask(fin, asha, -400, "b").status == "granted"
    assert ask(fin, asha, 1, "c").status == "asked"
    assert free(asha) == 10_200


@pytest.mark.databases
def test_the_same_request_twice_is_posted_once(asha: Player, fin: Actor) -> None:
    assert ask(fin, asha, 500).pk == ask(fin, asha, 500).pk
    assert free(asha) == 10_500


@pytest.mark.parametrize(("amount", "code"), [(0, "invalid_amount"), (10**16, "invalid_amount")])
def test_an_impossible_amount_is_refused(asha: Player, fin: Actor, amount: int, code: str) -> None:
    with pytest.raises(WalletError) as refused:
        ask(fin, asha, amount)
    assert refused.value.code == code
    assert not Adjustment.objects.exists()


@pytest.mark.databases
def test_no_balance_falls_below_zero(fin: Actor, second: Actor, asha: Player) -> None:
    adjustment = ask(fin, asha, -10_001)
    with pytest.raises(InsufficientBalance):
        adjustments.grant(row=adjustment, reason="Take it all", actor=second)
    adjustment.refresh_from_db()
    assert (adjustment.status, free(asha)) == ("asked", 10_000)


@pytest.mark.databases
def test_the_database_itself_wants_two_people(asha: Player, fin: Actor) -> None:
    adjustment = ask(fin, asha, 5_000)
    with pytest.raises(IntegrityError), transaction.atomic():
        Adjustment.objects.filter(pk=adjustment.pk).update(decided_by=adjustment.asked_by_id)


def test_finance_asks_and_another_approves_in_the_admin(
    asha: Player, browser: Callable[[str], Client], staff: Mapping[str, Player]
) -> None:
    first, other = browser("finance"), browser_of(employ("finance", "second"))
    address = reverse("admin:wallet_adjustment_add")
    form = {"name": "Asha", "currency": "FUN", "amount": "2500", "reason": "Lost to a fault", "request_id": "f" * 32}
    asked = first.get(address).content.decode()
    assert "posted at once" in asked and "A whole number of fun chips; below zero takes away." in asked
    for _ in range(2):
        assert first.post(address, form).status_code == 302
    adjustment = Adjustment.objects.get()
    assert (adjustment.asked_by, adjustment.status) == (staff["finance"], "asked")
    act(first, "wallet_adjustment_grant", adjustment.pk)
    assert free(asha) == 10_000
    act(other, "wallet_adjustment_grant", adjustment.pk)
    assert free(asha) == 12_500
    assert "+2,500 chips" in first.get(reverse("admin:wallet_adjustment_changelist")).content.decode()
    posting = Posting.objects.get(key=f"adjust:{adjustment.pk}")
    transfer = posting.transfers.get()
    for page in (
        reverse("admin:wallet_posting_change", args=[posting.pk]),
        reverse("admin:wallet_transfer_change", args=[transfer.pk]),
    ):
        told = first.get(page).content.decode()
        assert "2,500 chips" in told and "12,500 chips" in told, page
    assert AuditEntry.objects.filter(action="adjustment.grant", actor_name="second", address="127.0.0.1").exists()
    refused = first.post(address, {**form, "request_id": "g", "amount": "0"})
    assert (refused.status_code, list(refused.context["adminform"].form.errors)) == (200, ["amount"])
    assert "Not 0" in refused.content.decode()
    refused = first.post(address, {**form, "request_id": "h", "reason": "\u200b\u200b\u200b"})
    assert (refused.status_code, list(refused.context["adminform"].form.errors)) == (200, ["reason"])


def test_adjustments_of_staff_need_a_second_person(asha: Player, fin: Actor, second: Actor, settings: Any) -> None:
    own = ask(fin, fin.user, 10, "own")  # type: ignore[arg-type]
    assert (own.status, ask(fin, second.user, 10, "staff").status) == ("asked", "asked")  # type: ignore[arg-type]
    adjustment = ask(second, fin.user, 10, "theirs")  # type: ignore[arg-type]
    with pytest.raises(WalletError, match="your own account"):
        adjustments.grant(row=adjustment, reason="For me", actor=fin)
    settings.ADJUSTMENT_DAY_LIMIT = {"FUN": 1_500}
    friends = [signed_up(f"friend{number}") for number in range(3)]
    assert [ask(fin, friend, 800, f"f{friend.pk}").status for friend in friends] == ["granted", "asked", "asked"]
    assert audit.audit().differences == []


def test_one_person_does_not_move_money_between_players(asha: Player, fin: Actor, second: Actor) -> None:
    ravi = signed_up("ravi")
    assert ask(fin, asha, -50, "down").status == "granted"
    assert ask(fin, asha, 20, "back").status == "granted"
    up = ask(fin, ravi, 50, "up")
    assert (up.status, free(ravi)) == ("asked", 10_000)
    recorded = AuditEntry.objects.get(action="adjustment.ask", target_id=str(up.pk)).after or {}
    assert "took from another" in recorded["second_person"]
    assert ask(second, ravi, 50, "another hand").status == "granted"
    assert audit.audit().differences == []


@pytest.mark.databases
@pytest.mark.parametrize("pattern", ["own", "friends"])
def test_the_audit_reports_who_avoided_the_limit(
    pattern: str, asha: Player, fin: Actor, settings: Any, monkeypatch: Any
) -> None:
    """The service's check and its trail are removed, and the adjustment is still named."""
    monkeypatch.setattr(adjustments, "why_second_person", lambda **_: "")
    adjusted = {"own": [(fin.user, 5)], "friends": [(asha, -5), (signed_up("ravi"), 5)]}[pattern]
    for number, (player, amount) in enumerate(adjusted):
        ask(fin, player, amount, f"r{number}")  # type: ignore[arg-type]
    assert [finding.check for finding in audit.audit().differences if finding.check == "clerk"] == ["clerk"]


def test_the_same_request_for_something_else_is_refused(asha: Player, fin: Actor, second: Actor) -> None:
    first, ravi = ask(fin, asha, 5), signed_up("ravi")
    assert ask(fin, asha, 5) == first
    for actor, player, amount in ((fin, asha, 6), (fin, ravi, 5), (second, asha, 5)):
        with pytest.raises(WalletError, match="something else"):
            ask(actor, player, amount)
    assert (free(asha), free(ravi)) == (10_005, 10_000)


@pytest.mark.databases
def test_the_audit_recomputes_the_limits_of_a_day(asha: Player, fin: Actor, settings: Any, monkeypatch: Any) -> None:
    """By the settings of that day: a later change of the limit makes no difference."""
    settings.ADJUSTMENT_LIMIT, settings.ADJUSTMENT_DAY_LIMIT = {"FUN": 1_000}, {"FUN": 1_500}
    ravi, dina, now = signed_up("ravi"), signed_up("dina"), timezone.now()
    assert ask(fin, asha, 1_000, "whole").status == "granted"
    with time_machine.travel(now + timedelta(days=2)):
        assert [ask(fin, finding, 750, f"half {finding}").status for finding in (asha, ravi)] == ["granted", "granted"]
    settings.ADJUSTMENT_LIMIT = settings.ADJUSTMENT_DAY_LIMIT = {"FUN": 9}
    with time_machine.travel(now + timedelta(days=4)):
        assert ask(fin, ravi, 9, "within").status == "granted"
        assert audit.audit().differences == []
    monkeypatch.setattr(adjustments, "why_second_person", lambda **_: "")
    with time_machine.travel(now + timedelta(days=6)):
        ask(fin, dina, 10, "round it")
        settings.ADJUSTMENT_LIMIT = settings.ADJUSTMENT_DAY_LIMIT = {"FUN": 9_000}
        messages = [finding.message for finding in audit.audit().differences if finding.check == "clerk"]
    assert messages == [
        f"is missing; expected: a second person above 9 chips; found: none for 10 chips {words} within a day"
        for words in ("for one player", "by one person")
    ]


def test_the_second_person_approves_only_what_they_saw(
    asha: Player, fin: Actor, browser: Callable[[str], Client]
) -> None:
    adjustment, page = ask(fin, asha, 2_500), browser_of(employ("finance", "second"))
    address = reverse("admin:wallet_adjustment_grant")
    preview = page.get(address, {"ids": adjustment.pk})
    assert "10,000 chips → 12,500 chips" in preview.content.decode()
    ask(fin, asha, 100, "meanwhile")
    stale = {"ids": adjustment.pk, "reason": "Seen the logs", "seen": preview.context["seen"]}
    assert page.post(address, stale).status_code == 409
    assert page.post(address, {"ids": adjustment.pk, "reason": "Blind"}).status_code == 409
    assert free(asha) == 10_100
    act(page, "wallet_adjustment_grant", adjustment.pk)
    assert free(asha) == 12_600
    assert "Lost to a fault" in browser_of(asha).get("/wallet/").content.decode()


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_staff": False}, {"groups": []}])
def test_the_second_person_is_told_that_who_asked_may_no_longer(
    asha: Player, fin: Actor, staff: Mapping[str, Player], change: dict[str, Any]
) -> None:
    """A request stands when its asker is locked: whoever decides must know, and not by chance."""
    boss, support, asker = browser_of(staff["superuser"]), Actor("the_support", staff["support"]), staff["finance"]
    adjustment = ask(fin, asha, 2_500)
    acknowledgement = request_acknowledgement(check="drill", subject="x", message="y", reason="z", actor=fin)
    recoveries.ask(staff["operations"], "Known by voice", support)
    recovery = SupportRecovery.objects.get()
    requests = {
        "wallet_adjustment": adjustment,
        "wallet_acknowledgement": acknowledgement,
        "lobby_supportrecovery": recovery,
    }
    pages = {name: reverse(f"admin:{name}_grant") for name in requests}
    seen = {name: boss.get(page, {"ids": requests[name].pk}) for name, page in pages.items()}
    for name, page in pages.items():
        assert "may not ask for this any more" not in seen[name].content.decode(), name
        for person in (asker, staff["support"]):
            if "groups" in change:
                person.groups.set(change["groups"])
            else:
                Player.objects.filter(pk=person.pk).update(**change)
        assert "may not ask for this any more" in boss.get(page, {"ids": requests[name].pk}).content.decode(), name
        sent = {"ids": requests[name].pk, "reason": "Seen the logs", "seen": seen[name].context["seen"]}
        assert boss.post(page, sent).status_code == 409, "they have not seen it yet"


@pytest.mark.parametrize("asks", ["who was given rights", "who gave them"])
def test_whom_the_other_has_just_given_rights_is_no_second_person(
    asks: str, browser: Callable[[str], Client], staff: Mapping[str, Player], asha: Player, fin: Actor
) -> None:
    ghost = signed_up("ghost")
    role = {"groups": [staff["finance"].groups.get().pk], "is_active": "on", "is_staff": "on"}
    change = reverse("admin:lobby_player_change", args=[ghost.pk])
    assert browser("superuser").post(change, {"username": "ghost", "reason": "New", **role}).status_code == 302
    pair = [Actor("ghost", Player.objects.get(pk=ghost.pk)), Actor("the_superuser", staff["superuser"])]
    first, other = pair if asks == "who was given rights" else reversed(pair)
    adjustment = ask(first, asha, 900_000)
    with pytest.raises(WalletError, match=r"their rights.*manage\.py createsuperuser"):
        adjustments.grant(row=adjustment, reason="Sure", actor=other)
    assert free(asha) == 10_000
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        adjustments.grant(row=adjustment, reason="Sure", actor=other)
    assert free(asha) == 910_000
    assert not [each for each in audit.audit().differences if each.check == "adjustment"]


#: Who has given rights to whom, each a day after the one before; "the_finance" asks and "second" decides.
GIVES = {
    "one to the other": (True, "the_finance>second"),
    "a chain of two": (True, "the_finance>omar omar>second"),
    "a chain of three": (True, "second>omar omar>nina nina>the_finance"),
    "one person to both": (True, "omar>the_finance omar>second"),
    "one person to both through others": (True, "omar>nina nina>the_finance omar>lila lila>second"),
    "nobody to either": (False, ""),
    "two people": (False, "omar>the_finance nina>second"),
    "both to one": (False, "the_finance>omar second>omar"),
    "what was not theirs yet": (False, "omar>second the_finance>omar"),
    "the command line to both": (False, ">the_finance >second"),
    "two superusers of the command line, one each": (False, ">omar >nina omar>the_finance nina>second"),
    "a password of their own": (False, "the_finance>the_finance second>second"),
}


def give(acts: str) -> None:
    """Record these acts, the last of them an hour ago."""
    pairs = [each.split(">") for each in acts.split()]
    names = {name for pair in pairs for name in pair if name}
    people = {name: Player.objects.filter(username=name).first() or employ("finance", name) for name in names}
    for days, (giver, given) in zip(reversed(range(len(pairs))), pairs, strict=True):
        with time_machine.travel(timezone.now() - timedelta(days=days, hours=1)):
            actor = Actor(giver or "manage.py", people.get(giver))
            record(actor, "player.change", people[given], reason="New", after={"is_staff": True})


@pytest.mark.databases
def test_people_are_dependent_through_any_chain_of_rights_of_the_last_seven_days(fin: Actor, second: Actor) -> None:
    assert fin.user is not None and second.user is not None
    pair = (fin.user.pk, second.user.pk)
    for gives, (dependent, acts) in GIVES.items():
        with rolled_back():
            give(acts)
            now = timezone.now()
            assert are_dependent(*pair, now) is are_dependent(*reversed(pair), now) is dependent, gives
            assert not are_dependent(*pair, now + timedelta(days=7)), gives
            assert not are_dependent(*pair, now - timedelta(days=7)), gives


@pytest.mark.databases
def test_the_audit_names_a_decision_of_two_who_are_one(
    asha: Player, fin: Actor, second: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for gives, (dependent, acts) in GIVES.items():
        if dependent:
            with rolled_back():
                give(acts)
                adjustment = ask(fin, asha, 2_000)
                with pytest.raises(WalletError, match=r"their rights.*manage\.py createsuperuser"):
                    adjustments.grant(row=adjustment, reason="Sure", actor=second)
                with monkeypatch.context() as patch:
                    patch.setattr(
                        "wallet.backoffice.requests.check_second_person", lambda asked_by, actor: actor.user.pk
                    )
                    adjustments.grant(row=adjustment, reason="Sure", actor=second)
                report = audit.audit()
            [wrong] = [each for each in report.differences if each.check == "second person"]
            said = "two people whose rights did not just come from one of them, or from the same person"
            assert said in str(wrong), gives
            assert wrong not in report.money, "a decision of before this rule stops no table"
