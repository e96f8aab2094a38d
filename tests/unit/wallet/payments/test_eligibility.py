"""Only eligible players play for money, which is checked wherever money enters; their own money they always get."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from tests.support.books import books
from tests.support.payments import HOME, ask_in, ask_out, declare, pan_of, pay_in, person, rupees
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, Actor
from wallet.base.errors import InsufficientBalance, WalletError
from wallet.payments import deposits, withdrawals
from wallet.payments.identity import eligibility, verification
from wallet.payments.models import Deposit, Identity, Withdrawal
from wallet.play_money import services as play_money
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = pytest.mark.django_db


@pytest.fixture
def asha(asha: AbstractBaseUser) -> AbstractBaseUser:
    """Return a player with ₹5,000 who may play."""
    pay_in(asha, 500_000)
    play_money.buy_in(seating=90, user=asha, currency="INR", amount=80_000)
    play_money.take_entries(match=9, currency="INR", entries={90: 40_000})
    return asha


def move(player: AbstractBaseUser, **fields: Any) -> None:
    Identity.objects.filter(player_id=player.pk).update(**fields)


def young(player: AbstractBaseUser) -> None:
    today = eligibility.today()
    move(
        player,
        birth_date=today.replace(year=today.year - 18, day=28) if today.day < 28 else date(today.year - 17, 1, 1),
    )


STANDINGS: dict[str, Callable[[AbstractBaseUser], object]] = {
    "not_declared": lambda player: Identity.objects.filter(player_id=player.pk).delete(),
    "not_permitted_there": lambda player: move(player, jurisdiction="IN-TN"),
    "too_young": young,
    "terms_not_accepted": lambda player: move(player, terms="0"),
    "not_verified": lambda player: move(player, verified_at=None, verified_by=None),
}
WAYS: dict[str, Callable[[AbstractBaseUser], object]] = {
    "deposit": lambda player: ask_in(player, 10_000, request="new"),
    "buy-in": lambda player: play_money.buy_in(seating=91, user=player, currency="INR", amount=80_000),
    "more chips": lambda player: play_money.add_chips(seating=90, user=player, currency="INR", amount=100, key="k"),
    "rejoin": lambda player: play_money.rejoin_entry(
        match=9, seating=90, user=player, currency="INR", amount=40_000, key="k"
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("code", STANDINGS)
def test_an_ineligible_player_gets_no_seat_by_any_way(code: str, way: str, asha: AbstractBaseUser) -> None:
    STANDINGS[code](asha)
    before = books()
    with pytest.raises(WalletError) as refused, transaction.atomic():
        WAYS[way](asha)
    assert refused.value.code == code
    assert (books(), Deposit.objects.count(), Withdrawal.objects.count()) == (before, 1, 0)


@pytest.mark.parametrize("code", [*STANDINGS, "self_excluded"])
def test_a_player_who_was_verified_once_is_paid_out(code: str, asha: AbstractBaseUser, first: Actor) -> None:
    """They may not play during the whole withdrawal; only a player who was never verified gets nothing."""
    if code == "self_excluded":
        responsible_gaming.exclude(user=asha, period="ever")
    else:
        STANDINGS[code](asha)
    if code == "not_declared":
        with pytest.raises(WalletError) as refused:
            ask_out(asha, 10_000, "new")
        assert (refused.value.code, Withdrawal.objects.count()) == ("not_declared", 0)
        return
    withdrawal = ask_out(asha, 10_000, "new")
    withdrawals.confirm(withdrawal, "UTR 1", first)
    withdrawals.approve(withdrawal, "The account is their own", person("second"))
    withdrawal.refresh_from_db()
    assert (withdrawal.status, rupees(asha)) == ("paid", 500_000 - 80_000 - 10_000)
    with pytest.raises(WalletError) as refused:
        WAYS["buy-in"](asha)
    assert refused.value.code == code
    # How they came to stand so here, no trail knows.
    assert [each for each in audit.audit().differences if each.check != "declaration"] == []


def test_who_was_never_verified_is_not_paid_out(asha: AbstractBaseUser, first: Actor) -> None:
    bela = signed_up("bela")
    play_money.balance_account(bela.pk, "INR")
    declare(bela)
    with pytest.raises(WalletError) as refused:
        ask_out(bela, 100, "new")
    assert refused.value.code == "not_verified"
    verification.verify(bela.identity, "Seen", first, pan=pan_of(bela))  # type: ignore[attr-defined]
    with pytest.raises(InsufficientBalance):
        ask_out(bela, 100, "new")


def test_a_proof_holds_whatever_is_declared_later(asha: AbstractBaseUser, first: Actor) -> None:
    proved = Identity.objects.get(player_id=asha.pk).proved_at
    assert proved is not None
    verification.unverify(asha.identity, "Moved", first)  # type: ignore[attr-defined]
    declare(asha, jurisdiction="IN-TN", born=date(1991, 1, 1))
    again = declare(asha, jurisdiction="IN-SK")
    verification.verify(again, "Seen again", first, pan=pan_of(asha))
    assert Identity.objects.get(player_id=asha.pk).proved_at == proved


@pytest.mark.parametrize("way", WAYS)
def test_who_may_gets_in(way: str, asha: AbstractBaseUser) -> None:
    WAYS[way](asha)
    assert audit.audit().differences == []


@pytest.mark.parametrize("code", STANDINGS)
def test_chips_are_for_everybody_and_what_lies_at_a_table_comes_back(code: str, asha: AbstractBaseUser) -> None:
    STANDINGS[code](asha)
    play_money.buy_in(seating=92, user=asha, currency="FUN", amount=800)
    play_money.cash_out(seating=90, amount=40_000, key="seating:90:out")
    play_money.refund_match(match=9, currency="INR", refunds={90: 40_000})


def test_an_admitted_request_is_answered_again(asha: AbstractBaseUser) -> None:
    move(asha, verified_at=None, verified_by=None)
    play_money.buy_in(seating=90, user=asha, currency="INR", amount=80_000)


def test_an_ineligible_players_deposit_is_not_approved(asha: AbstractBaseUser, first: Actor) -> None:
    second = person("second")
    deposit = ask_in(asha, 10_000, request="new")
    deposits.confirm(deposit, "UTR 1", first)
    move(asha, jurisdiction="IN-TN")
    with pytest.raises(WalletError, match="Tamil Nadu"):
        deposits.approve(deposit, "Seen", second)
    deposits.refuse(deposit, "Goes back at the bank", second)


@pytest.mark.parametrize(
    ("born", "on", "age"),
    [
        (date(2008, 11, 21), date(2026, 11, 21), 18),
        (date(2008, 11, 22), date(2026, 11, 21), 17),
        (date(2008, 2, 29), date(2026, 2, 28), 17),
        (date(2008, 2, 29), date(2026, 3, 1), 18),
        (date(2008, 2, 29), date(2028, 2, 29), 20),
    ],
)
def test_years_are_completed_years(born: date, on: date, age: int) -> None:
    assert eligibility.years(born, on) == age


def test_a_new_declaration_needs_a_new_proof_and_the_trail_has_both(asha: AbstractBaseUser, first: Actor) -> None:
    assert eligibility.obstacle(asha) is None
    declare(asha)
    assert eligibility.obstacle(asha) is None
    declare(asha, jurisdiction="IN-SK")
    obstacle = eligibility.obstacle(asha)
    assert obstacle is not None
    assert obstacle.code == "not_verified"
    entry = AuditEntry.objects.filter(what="identity.declare").latest("pk")
    assert entry.before is not None and entry.after is not None
    assert (entry.before["jurisdiction"], entry.after["jurisdiction"]) == ("IN-GA", "IN-SK")
    assert (entry.before["verified_by_id"], entry.after["verified_by_id"]) == (first.user.pk, None)  # type: ignore[union-attr]


def test_new_terms_are_accepted_without_a_new_proof(asha: AbstractBaseUser, settings: Any) -> None:
    settings.MONEY_TERMS = "2"
    obstacle = eligibility.obstacle(asha)
    assert obstacle is not None
    assert (obstacle.code, obstacle.their_turn) == ("terms_not_accepted", True)
    declare(asha)
    assert eligibility.obstacle(asha) is None


def test_nobody_verifies_themselves_nor_what_has_changed_nor_a_child(asha: AbstractBaseUser, first: Actor) -> None:
    assert first.user is not None
    own = declare(first.user)
    stale = declare(signed_up("bela"))
    declare(stale.player, jurisdiction="IN-SK")
    child = declare(signed_up("chand"), born=date(eligibility.today().year - 10, 1, 1))
    for row, actor, code in (
        (own, first, "own_identity"),
        (stale, first, "changed"),
        (child, first, "too_young"),
        (child, PLATFORM, "no_person"),
        (asha.identity, first, "verified"),  # type: ignore[attr-defined]
    ):
        with pytest.raises(WalletError) as refused:
            verification.verify(row, "Sure", actor, pan="ABCPE1234F")
        assert refused.value.code == code
    with pytest.raises(IntegrityError), transaction.atomic():
        Identity.objects.filter(pk=own.pk).update(verified_at="2026-01-01T00:00:00Z", verified_by=own.player_id)


@pytest.mark.parametrize(
    ("place", "born"), [("IN-XX", date(1990, 1, 1)), ("IN-GA", date(2100, 1, 1)), ("IN-GA", date(1890, 1, 1))]
)
def test_impossible_details_cannot_be_declared(place: str, born: date) -> None:
    with pytest.raises(WalletError):
        declare(signed_up("bela"), place, born)
    assert not Identity.objects.exists()


def test_computer_players_never_play_for_money() -> None:
    with pytest.raises(WalletError, match="play money only"):
        play_money.buy_in(seating=1, user=None, currency="INR", amount=80_000)


def test_the_account_holder_is_told_their_account_only_in_part(asha: AbstractBaseUser) -> None:
    withdrawal = ask_out(asha, 10_000, "new")
    assert HOME["account"] not in repr(withdrawal.__dict__)
