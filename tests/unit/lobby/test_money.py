"""Real money from the first deposit to the last withdrawal, and chips and rupees that never mix."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.test import Client

from config.process import demo
from lobby.models import Player, Stake
from lobby.stakes import services as stakes
from tables.models import Deal, Seating, Table
from tables.play import services as play
from tests.support import payments as cashiers
from tests.support.payments import HOME, rupees
from tests.support.players import signed_up
from tests.support.staff import act, browser_of, employ
from tests.support.stakes import StakeFactory
from tests.unit.lobby.conftest import Program
from tests.unit.tables import conftest as at_tables
from tests.unit.wallet.test_export import write
from wallet.audit import audit, nightly
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.finance.days import by_day
from wallet.finance.exports import Period
from wallet.ledger.selectors import balances
from wallet.models import Account, AccountKind, Posting, Transfer
from wallet.payments.identity.eligibility import today
from wallet.payments.models import Deposit, Identity
from wallet.payments.providers import test
from wallet.play_money import services as play_money
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = pytest.mark.django_db
clock, sent, client_of = at_tables.clock, at_tables.sent, at_tables.client_of


@pytest.fixture(autouse=True)
def money_is_on(settings: Any) -> None:
    cache.clear()
    cashiers.switch_on(settings)


@pytest.fixture
def stake(db: None) -> Stake:
    """Return a stake of points rummy for two at ₹1 a point."""
    return StakeFactory(currency="INR", point_value=100, title="Rupees")


@pytest.fixture
def support(db: None) -> Client:
    return browser_of(employ("support"))


def newcomer(name: str, support: Client) -> tuple[Player, Program]:
    """Return somebody who has signed up, declared who they are, and was verified by staff."""
    player = signed_up(name)
    program = Program(player)
    declaration = {"jurisdiction": "IN-GA", "birth_date": "1990-05-17", "accept_terms": True}
    assert program.post("wallet/identity/", declaration)[1]["code"] == "not_verified"
    act(support, "gateways_identity_verify", Identity.objects.get(player=player).pk, pan=cashiers.pan_of(player))
    return player, program


def pay_in(program: Program, amount: int) -> None:
    """Deposit by the test gateway, which confirms it with its signature."""
    status, deposit = program.post("wallet/deposits/", {"amount": amount, "gateway": "test"})
    assert status == 201
    body = test.paid(Deposit.objects.get(pk=deposit["id"]))
    answer = Client().post(
        "/api/gateways/test/webhook/",
        body,
        content_type="application/json",
        headers={"x-signature": test.sign_webhook(body, int(time.time()))},
    )
    assert answer.json()["outcome"] == "applied"


def test_from_the_first_deposit_to_the_last_withdrawal(
    stake: Stake, support: Client, clock: Any, client_of: Callable[..., Any], tmp_path: Path
) -> None:
    (asha, asha_api), (ravi, ravi_api) = newcomer("asha", support), newcomer("ravi", support)
    for program in (asha_api, ravi_api):
        pay_in(program, 50_000)
        assert program.post(f"stakes/{stake.pk}/seats/", {"buy_in": 20_000})[0] == 200
    table = Table.objects.get(stake_id=stake.pk, seatings__user=asha)
    players = [client_of(table, player) for player in (asha, ravi)]
    clock.wait(10)
    play.tick(table_id=table.pk)
    loser = players[players[0].view()["deal"]["turn_seat"]]
    winner = players[1 - players.index(loser)]
    loser.send("drop")
    rows = winner.view()["result"]["rows"]
    assert sorted(row["amount"] for row in rows) == [-2_000, 1_800]
    for player in players:
        player.send("leave")
    assert (rupees(winner.user), rupees(loser.user)) == (51_800, 48_000)
    assert Account.objects.get(kind=AccountKind.FEES, currency="INR").balance == 200

    program = asha_api if winner.user == asha else ravi_api
    status, withdrawal = program.post("wallet/withdrawals/", {"amount": 51_800, "gateway": "bank", **HOME})
    assert (status, rupees(winner.user)) == (201, 0)
    first, second = browser_of(employ("finance")), browser_of(employ("finance", "second"))
    act(first, "gateways_withdrawal_confirm", withdrawal["id"], reason="UTR 4711")
    act(first, "gateways_withdrawal_approve", withdrawal["id"])
    assert program.get("wallet/withdrawals/")[1]["results"][0]["status"] == "confirmed"
    act(second, "gateways_withdrawal_approve", withdrawal["id"])
    assert program.get("wallet/withdrawals/")[1]["results"][0]["status"] == "paid"

    assert audit.audit().differences == []
    assert nightly.run_nightly().differences == 0
    balances_of_kinds = {
        kind: sum(row.balance for row in Account.objects.filter(kind=kind, currency="INR")) for kind in AccountKind
    }
    assert {kind: balance for kind, balance in balances_of_kinds.items() if balance} == {
        AccountKind.PLAYER: 48_000, AccountKind.FEES: 200, AccountKind.GATEWAY: -48_200,
    }  # fmt: skip
    day = by_day(Period(first=today(), last=today()), "INR")[today()]
    assert {
        "fees": 200,
        "won": 2_000,
        "bought_in": 40_000,
        "liabilities": 48_000,
        "deposited": 100_000,
        "paid_out": 51_800,
    }.items() <= asdict(day).items()
    assert exported(tmp_path, "INR") == set(Transfer.objects.filter(debit__currency="INR").values_list("pk", flat=True))
    assert exported(tmp_path, "FUN") == set(Transfer.objects.filter(debit__currency="FUN").values_list("pk", flat=True))


def exported(folder: Path, currency: str) -> set[int]:
    """Return the transfers in an export, and check that every line is in that currency."""
    file = folder / f"{currency}.jsonl"
    write(file, "jsonl", currency=currency)
    *rows, totals = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["currency"] for row in rows} == {currency}
    assert totals
    return {row["transfer"] for row in rows}


def test_stakes_for_money_are_offered_only_while_money_is_on(stake: Stake, settings: Any) -> None:
    program = Program(signed_up())
    assert [offer["currency"] for offer in program.get("lobby/")[1]["stakes"]] == ["INR"]
    settings.REAL_MONEY = False
    assert program.get("lobby/")[1]["stakes"] == []
    assert program.post(f"stakes/{stake.pk}/seats/")[0] == 404
    assert program.post("private/", {"stake": stake.pk})[0] == 404
    with pytest.raises(ValidationError, match="switched off"):
        StakeFactory.build(currency="INR").full_clean()


def test_a_demonstration_of_money_has_stakes_in_rupees(settings: Any) -> None:
    settings.REAL_MONEY = False
    demo.ensure_stakes()
    assert set(Stake.objects.values_list("currency", flat=True)) == {"FUN"}
    settings.REAL_MONEY = True
    for _ in range(2):
        demo.ensure_stakes()
    assert Stake.objects.filter(currency="INR").count() == len(demo.MONEY_STAKES)
    assert Stake.objects.filter(currency="FUN").count() == len(demo.STAKES)


@pytest.mark.parametrize("who", ["nobody known", "elsewhere", "a child", "unverified"])
def test_an_ineligible_player_gets_no_seat_for_money(who: str, stake: Stake) -> None:
    player = signed_up("asha")
    staff = Actor("staff1", signed_up("staff1"))
    cashiers.make_eligible(player, staff)
    cashiers.pay_in(player, 100_000)
    changes: dict[str, dict[str, Any]] = {
        "elsewhere": {"jurisdiction": "IN-TN"},
        "a child": {"birth_date": today().replace(year=today().year - 17, day=1)},
        "unverified": {"verified_at": None, "verified_by": None},
    }
    identities = Identity.objects.filter(player=player)
    identities.update(**changes[who]) if who in changes else identities.delete()
    stakes.ensure_table(stake.pk)
    code, program, before = stakes.open_private(stake_id=stake.pk, user=player), Program(player), rupees(player)
    ways: dict[str, Callable[[], Any]] = {
        "stake": lambda: program.post(f"stakes/{stake.pk}/seats/", {"buy_in": 20_000})[0],
        "table": lambda: program.post(f"tables/{Table.objects.filter(private_code='')[0].pk}/seats/", {})[0],
        "private": lambda: program.post(f"private/{code}/seats/", {})[0],
        "page": lambda: browser_of(player).post(f"/sit/{stake.pk}/", {"buy_in": "200"})["Location"],
    }
    for way, tried in ways.items():
        assert tried() == ("/wallet/money/" if way == "page" else 403), way
        assert (Seating.objects.count(), rupees(player)) == (0, before), way


def test_the_page_of_a_stake_speaks_of_rupees(stake: Stake, support: Client) -> None:
    asha, program = newcomer("asha", support)
    pay_in(program, 50_000)
    page = browser_of(asha)
    text = page.get(f"/sit/{stake.pk}/").content.decode()
    assert "₹80.00" in text
    assert 'value="250.00"' in text
    wrong = page.post(f"/sit/{stake.pk}/", {"buy_in": "80.001"})
    assert (wrong.status_code, Seating.objects.count()) == (400, 0)
    assert page.post(f"/sit/{stake.pk}/", {"buy_in": "80.50"})["Location"].startswith("/tables/")
    assert rupees(asha) == 50_000 - 8_050


def test_a_seat_without_a_wish_takes_the_least_of_the_table(stake: Stake, support: Client) -> None:
    asha, program = newcomer("asha", support)
    pay_in(program, 500_000)
    assert program.post(f"stakes/{stake.pk}/seats/", {})[0] == 200
    assert rupees(asha) == 500_000 - stake.terms().minimum


def test_adding_chips_and_rejoining_check_eligibility(
    stake: Stake, support: Client, clock: Any, client_of: Callable[..., Any]
) -> None:
    asha, program = newcomer("asha", support)
    pay_in(program, 50_000)
    assert program.post(f"stakes/{stake.pk}/seats/", {"buy_in": 8_000})[0] == 200
    player = client_of(Table.objects.get(seatings__user=asha), asha)
    Identity.objects.filter(player=asha).update(verified_at=None, verified_by=None)
    assert player.send("add_chips", amount=1_000)["code"] == "not_verified"
    assert player.send("leave")["type"] == "ack"
    assert rupees(asha) == 50_000


#: What becomes of a player who sits at a table for rupees, and what they are told after the deal.
CHANGES: dict[str, Callable[[Player, Any], object]] = {
    "not_verified": lambda player, _: Identity.objects.filter(player=player).update(verified_at=None, verified_by=None),
    "not_permitted_there": lambda player, _: cashiers.declare(player, jurisdiction="IN-TN"),
    "terms_not_accepted": lambda player, _: Identity.objects.filter(player=player).update(terms="0"),
    "self_excluded": lambda player, _: responsible_gaming.exclude(user=player, period="week"),
    "money_off": lambda _, settings: setattr(settings, "REAL_MONEY", False),
}


@pytest.mark.parametrize("code", CHANGES)
def test_an_ineligible_player_is_seated_out_after_the_deal_with_the_reason(
    code: str,
    stake: Stake,
    clock: Any,
    client_of: Callable[..., Any],
    sent: list[Any],
    settings: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:
    staff = Actor("staff1", signed_up("staff1"))
    people = [signed_up(name) for name in ("asha", "ravi")]
    for player in people:
        cashiers.make_eligible(player, staff)
        cashiers.pay_in(player, 50_000)
        assert Program(player).post(f"stakes/{stake.pk}/seats/", {"buy_in": 20_000})[0] == 200
    table = Table.objects.get(stake_id=stake.pk, seatings__user=people[0])
    asha, ravi = (client_of(table, person) for person in people)
    clock.wait(10)
    play.tick(table_id=table.pk)
    CHANGES[code](people[0], settings)
    turn = {asha.view()["me"]["seat"]: asha, ravi.view()["me"]["seat"]: ravi}[asha.view()["deal"]["turn_seat"]]
    assert turn.send("draw", pile="closed")["type"] == "ack"
    turn.send("discard", card=turn.me["drawn"])
    (ravi if turn is asha else asha).send("drop")
    assert asha.view()["phase"] == "result"
    for person in (asha, ravi):
        person.send("continue")
    clock.now = ravi.view()["clock"]["deadline"]
    with django_capture_on_commit_callbacks(execute=True):
        play.tick(table_id=table.pk)
    assert asha.view().get("me") is None
    refusals = [message for group, message in sent if group == f"user.{people[0].pk}" and "code" in message]
    assert [(refusal["table"], refusal["code"]) for refusal in refusals] == [(table.pk, code)]
    assert refusals[0]["message"]
    in_play = {
        name: sum(balance["in_play"] for balance in balances(player)) for name, player in zip("ar", people, strict=True)
    }
    assert (in_play["a"], in_play["r"] > 0) == (0, code != "money_off")
    assert not Deal.objects.filter(status=Deal.Status.PLAYING).exists()
    assert sum(rupees(player) for player in people) + in_play["r"] == 100_000 - fees()
    # How they came to stand so here, no trail knows.
    assert [finding for finding in audit.audit().differences if finding.check != "declaration"] == []


def fees() -> int:
    return sum(Account.objects.filter(kind=AccountKind.FEES, currency="INR").values_list("balance", flat=True))


# ---- two currencies that never meet


def assert_clean() -> None:
    """Check the books alone: here money moves for tables that do not exist."""
    assert [finding for finding in audit.audit().differences if finding.check != "derived"] == []


def mixtures() -> Iterator[tuple[str, Callable[[int], object]]]:
    """Yield every way to pay at a table of one currency with another; a call takes a seating with a stack in rupees."""
    yield (
        "a deal",
        lambda seating: play_money.settle_deal(key="x", currency="FUN", winner=seating, losses={2: 5}, fee=0),
    )
    yield "entries", lambda seating: play_money.take_entries(match=1, currency="FUN", entries={seating: 5})
    yield (
        "both in one pot",
        lambda seating: play_money.take_entries(match=1, currency="INR", entries={seating: 5, 2: 5}),
    )
    yield (
        "both in one deal",
        lambda seating: play_money.settle_deal(key="x", currency="INR", winner=seating, losses={2: 5}, fee=0),
    )
    yield "a prize", lambda seating: play_money.award_prize(match=7, currency="FUN", shares={seating: 40}, fee=0)
    yield "a split", lambda seating: play_money.award_prize(match=7, currency="INR", shares={2: 20, 3: 20}, fee=0)
    yield "a refund", lambda seating: play_money.refund_match(match=7, currency="INR", refunds={2: 40})


def test_nothing_is_paid_in_the_other_currency() -> None:
    asha, ravi = signed_up("asha"), signed_up("ravi")
    cashiers.make_eligible(asha, Actor("ravi", ravi))
    cashiers.pay_in(asha, 100_000)
    play_money.buy_in(seating=1, user=asha, currency="INR", amount=1_000)
    for seating in (2, 3):
        play_money.buy_in(seating=seating, user=ravi, currency="FUN", amount=1_000)
    play_money.buy_in(seating=4, user=ravi, currency="FUN", amount=1_000)
    play_money.take_entries(match=7, currency="FUN", entries={4: 40})
    before = Posting.objects.count()
    for what, pay in mixtures():
        with pytest.raises(WalletError):
            pay(1)
        assert Posting.objects.count() == before, what
    with pytest.raises(WalletError):
        play_money.add_chips(seating=1, user=asha, currency="FUN", amount=5, key="x")
    with pytest.raises(WalletError):
        play_money.rejoin_entry(match=7, seating=1, user=asha, currency="INR", amount=5, key="x")
    assert Posting.objects.count() == before
    assert_clean()


def test_no_posting_ever_has_two_currencies(stake: Stake, support: Client) -> None:
    (asha, program), fun = newcomer("asha", support), StakeFactory()
    pay_in(program, 50_000)
    assert program.post(f"stakes/{fun.pk}/seats/", {})[0] == 200
    at_fun = Seating.objects.get(user=asha, left_at=None)
    assert Account.objects.get(kind=AccountKind.STACK, reference=f"seating:{at_fun.pk}").currency == "FUN"
    assert rupees(asha) == 50_000
    for posting in Posting.objects.all():
        sides = posting.transfers.values_list("debit__currency", "credit__currency")
        assert len({code for pair in sides for code in pair}) == 1


def test_real_money_is_given_by_hand_only_out_of_what_was_earned(stake: Stake) -> None:
    from wallet.adjustments import services as adjustments

    asha, fin = signed_up("asha"), Actor("fin", signed_up("fin"))
    fields = {"player": asha, "currency": "INR", "reason": "A fault of ours", "actor": fin}
    chief = Actor("chief", signed_up("chief"))

    def adjust(request: str, amount: int) -> None:
        adjustment = adjustments.ask(request=request, amount=amount, **fields)  # type: ignore[arg-type]
        assert adjustment.status == "asked"
        adjustments.approve(adjustment=adjustment, reason="Seen", actor=chief)

    with pytest.raises(WalletError) as refused:
        adjust("a", 500)
    assert refused.value.code == "insufficient_balance"
    cashiers.make_eligible(asha, fin)
    cashiers.pay_in(asha, 1_000)
    adjust("b", -600)
    adjust("c", 500)
    assert (rupees(asha), Account.objects.get(kind=AccountKind.FEES, currency="INR").balance) == (900, 100)
    assert not Account.objects.filter(kind=AccountKind.ISSUANCE, currency="INR").exists()
    assert_clean()


def test_a_refill_of_chips_makes_no_rupees(support: Client) -> None:
    asha, program = newcomer("asha", support)
    pay_in(program, 50_000)
    play_money.buy_in(seating=1, user=asha, currency="FUN", amount=9_000)
    play_money.buy_in(seating=2, user=signed_up(), currency="FUN", amount=9_000)
    play_money.settle_deal(key="d", currency="FUN", winner=2, losses={1: 9_000}, fee=0)
    assert program.post("wallet/refill/")[0] in (200, 201)
    assert rupees(asha) == 50_000
    assert_clean()
