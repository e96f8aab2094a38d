"""A player's money from sign-up to leaving the table."""

import inspect

import pytest
from django.test import override_settings

from tests.support.books import account, balance_account, books, seat
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.base.errors import InsufficientBalance, KeyReused, WalletError
from wallet.ledger import selectors as ledger
from wallet.models import AccountKind, Posting
from wallet.play_money import services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def free(name: str) -> int:
    return balance_account(name).balance


def test_signing_up_brings_chips_once_even_when_the_grant_changes() -> None:
    asha = signed_up("asha")
    play_money.open_wallet(asha)
    with override_settings(SIGN_UP_CHIPS=50_000):
        play_money.open_wallet(asha)
    assert free("asha") == 10_000
    assert account(AccountKind.ISSUANCE).balance == -10_000
    with override_settings(SIGN_UP_CHIPS=0):
        signed_up("bela")
    assert free("bela") == 0


def test_a_deal_for_points() -> None:
    """Rules.md, Points and blind: the winner gets the losers' points, less the fee; the rest goes home."""
    for seating, name in enumerate(("asha", "bela", "chand"), start=1):
        seat(seating, signed_up(name), 800)
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=2, losses={1: 200, 3: 40}, fee=24)
    assert [ledger.stack(seating) for seating in (1, 2, 3)] == [600, 1016, 760]
    assert account(AccountKind.FEES).balance == 24
    for seating, rest in ((1, 600), (2, 1016), (3, 760)):
        play_money.cash_out(seating=seating, amount=rest, key=f"seating:{seating}:out")
    assert [free(name) for name in ("asha", "bela", "chand")] == [9_800, 10_216, 9_960]
    assert audit.audit().differences == []


def test_a_pool_match_with_a_rejoin_and_a_split() -> None:
    users = [signed_up(name) for name in ("asha", "bela", "chand")]
    for seating, user in enumerate(users, start=1):
        seat(seating, user, 500)
    play_money.take_entries(match=7, currency="FUN", entries={1: 500, 2: 500, 3: 500})
    play_money.rejoin_entry(match=7, seating=3, user=users[2], currency="FUN", amount=500, key="match:7:rejoin:3:1")
    assert ledger.pot(7) == 2000
    play_money.award_prize(match=7, currency="FUN", shares={1: 1100, 3: 700}, fee=200)
    assert ledger.pot(7) == 0
    assert [free(name) for name in ("asha", "bela", "chand")] == [10_600, 9_500, 9_700]
    assert account(AccountKind.FEES).balance == 200


def test_a_cancelled_match_gives_everything_back() -> None:
    users = [signed_up(name) for name in ("asha", "bela")]
    for seating, user in enumerate(users, start=1):
        seat(seating, user, 500)
    play_money.take_entries(match=7, currency="FUN", entries={1: 500, 2: 500})
    play_money.rejoin_entry(match=7, seating=1, user=users[0], currency="FUN", amount=500, key="match:7:rejoin:1:1")
    play_money.refund_match(match=7, currency="FUN", refunds={1: 1000, 2: 500})
    assert [free(name) for name in ("asha", "bela")] == [10_000, 10_000]


def test_a_computer_player_plays_with_the_practice_house() -> None:
    seat(1, signed_up("asha"), 800)
    seat(2, None, 800)
    play_money.add_chips(seating=2, user=None, currency="FUN", amount=100, key="seating:2:add:1")
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 300}, fee=0)
    play_money.cash_out(seating=2, amount=600, key="seating:2:out")
    assert account(AccountKind.PRACTICE).balance == -300
    assert ledger.stack(1) == 1100


def test_every_service_done_twice_is_done_once() -> None:
    asha = signed_up("asha")
    bela = signed_up("bela")

    def day() -> None:
        play_money.buy_in(seating=1, user=asha, currency="FUN", amount=800)
        play_money.buy_in(seating=2, user=bela, currency="FUN", amount=800)
        play_money.add_chips(seating=2, user=bela, currency="FUN", amount=50, key="seating:2:add:1")
        play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 100}, fee=10)
        play_money.take_entries(match=1, currency="FUN", entries={1: 500, 2: 500})
        play_money.rejoin_entry(match=1, seating=2, user=bela, currency="FUN", amount=500, key="match:1:rejoin:2:1")
        play_money.award_prize(match=1, currency="FUN", shares={1: 1400}, fee=100)
        play_money.take_entries(match=2, currency="FUN", entries={1: 100, 2: 100})
        play_money.refund_match(match=2, currency="FUN", refunds={1: 100, 2: 100})
        play_money.cash_out(seating=1, amount=290, key="seating:1:out")
        play_money.cash_out(seating=2, amount=150, key="seating:2:out")

    day()
    before = books()
    day()
    assert books() == before


def test_settling_again_with_another_outcome_is_refused() -> None:
    for seating, name in enumerate(("asha", "bela"), start=1):
        seat(seating, signed_up(name), 800)
    play_money.take_entries(match=1, currency="FUN", entries={1: 500, 2: 500})
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 100}, fee=10)
    play_money.award_prize(match=1, currency="FUN", shares={1: 900}, fee=100)
    before = books()
    for attempt in (
        lambda: play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=2, losses={1: 100}, fee=10),
        lambda: play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 90}, fee=10),
        lambda: play_money.award_prize(match=1, currency="FUN", shares={2: 900}, fee=100),
        lambda: play_money.award_prize(match=1, currency="FUN", shares={1: 950}, fee=50),
        lambda: play_money.take_entries(match=1, currency="FUN", entries={1: 100, 2: 100}),
        lambda: play_money.buy_in(seating=1, user=balance_account("asha").owner, currency="FUN", amount=801),
    ):
        with pytest.raises(KeyReused):
            attempt()
        assert books() == before


def test_keys_hold_identities_only() -> None:
    """No service can build a key from a place, a score or an amount: it never gets the first two."""
    for seating, name in enumerate(("asha", "bela"), start=1):
        seat(seating, signed_up(name), 800)
    play_money.take_entries(match=31, currency="FUN", entries={1: 517, 2: 517})
    play_money.award_prize(match=31, currency="FUN", shares={1: 1000}, fee=34)
    keys = set(Posting.objects.exclude(reason="sign_up").values_list("key", flat=True))
    assert keys == {"seating:1:buy_in", "seating:2:buy_in", "match:31:entries", "match:31:prize"}
    for service in (play_money.settle_deal, play_money.cash_out, play_money.add_chips, play_money.rejoin_entry):
        assert inspect.signature(service).parameters["key"].default is inspect.Parameter.empty


def test_a_prize_leaves_nothing_in_the_pot_and_takes_nothing_more() -> None:
    for seating, name in enumerate(("asha", "bela"), start=1):
        seat(seating, signed_up(name), 500)
    play_money.take_entries(match=1, currency="FUN", entries={1: 500, 2: 500})
    before = books()
    for shares, fee, code in (
        ({1: 899}, 100, "pot_not_empty"),
        ({1: 900}, 0, "pot_not_empty"),
        ({}, 0, "pot_not_empty"),
        ({1: 901}, 100, "insufficient_balance"),
        ({1: 900, 2: 1}, 100, "insufficient_balance"),
    ):
        with pytest.raises(WalletError) as refusal:
            play_money.award_prize(match=1, currency="FUN", shares=shares, fee=fee)
        assert refusal.value.code == code
        assert books() == before
    with pytest.raises(WalletError):
        play_money.refund_match(match=1, currency="FUN", refunds={1: 500})
    assert books() == before


def test_a_pot_is_not_paid_out_twice_by_prize_and_refund() -> None:
    for seating, name in enumerate(("asha", "bela"), start=1):
        seat(seating, signed_up(name), 500)
    play_money.take_entries(match=1, currency="FUN", entries={1: 500, 2: 500})
    play_money.refund_match(match=1, currency="FUN", refunds={1: 500, 2: 500})
    with pytest.raises(InsufficientBalance):
        play_money.award_prize(match=1, currency="FUN", shares={1: 900}, fee=100)


def test_the_fee_is_paid_out_of_what_was_lost() -> None:
    for seating, name in enumerate(("asha", "bela"), start=1):
        seat(seating, signed_up(name), 800)
    with pytest.raises(WalletError, match="more than was lost"):
        play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 100}, fee=101)
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 100}, fee=100)
    assert [ledger.stack(1), ledger.stack(2)] == [800, 700]


def test_nothing_is_moved_without_a_trace_of_it() -> None:
    seat(1, signed_up("asha"), 800)
    before = books()
    assert play_money.cash_out(seating=1, amount=0, key="seating:1:out") is None
    assert play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={}, fee=0) is None
    assert play_money.take_entries(match=1, currency="FUN", entries={1: 0}) is None
    assert books()[1:] == before[1:]


def test_nobody_touches_the_stack_of_another() -> None:
    asha, bela = signed_up("asha"), signed_up("bela")
    seat(1, asha, 800)
    play_money.take_entries(match=1, currency="FUN", entries={1: 100})
    before = books()
    for user in (bela, None):
        for attempt in (
            lambda user=user: play_money.buy_in(seating=1, user=user, currency="FUN", amount=800, key="again"),
            lambda user=user: play_money.add_chips(seating=1, user=user, currency="FUN", amount=1, key="more"),
            lambda user=user: play_money.rejoin_entry(
                match=1, seating=1, user=user, currency="FUN", amount=1, key="back"
            ),
        ):
            with pytest.raises(WalletError) as refusal:
                attempt()
            assert refusal.value.code == "not_your_stack"
            assert books() == before


def test_an_unknown_seating_or_match_is_refused(marks: None) -> None:
    seat(1, signed_up("asha"), 800)
    before = books()
    for attempt, code in (
        (lambda: play_money.cash_out(seating=9, amount=1, key="k"), "unknown_account"),
        (lambda: play_money.settle_deal(key="k", currency="TST", winner=1, losses={1: 1}, fee=0), "unknown_account"),
        (lambda: play_money.award_prize(match=9, currency="FUN", shares={1: 1}, fee=0), "unknown_account"),
        (
            lambda: play_money.buy_in(seating=2, user=balance_account("asha").owner, currency="EUR", amount=1),
            "unknown_currency",
        ),
    ):
        with pytest.raises(WalletError) as refusal:
            attempt()
        assert refusal.value.code == code
        assert books() == before


def test_balances_tell_free_from_in_play() -> None:
    asha, bela = signed_up("asha"), signed_up("bela")
    seat(1, asha, 800)
    seat(2, asha, 500)
    seat(3, bela, 500)
    play_money.take_entries(match=1, currency="FUN", entries={2: 500, 3: 500})
    assert ledger.balances(asha) == [{"currency": "FUN", "free": 8_700, "in_play": 1_300}]
    play_money.award_prize(match=1, currency="FUN", shares={3: 1000}, fee=0)
    assert ledger.balances(asha) == [{"currency": "FUN", "free": 8_700, "in_play": 800}]
    assert ledger.balances(bela) == [{"currency": "FUN", "free": 10_500, "in_play": 0}]
