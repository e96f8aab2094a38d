"""Thirty-two requests at once against one limit, one level, one exclusion: never a chip beyond it."""

import pytest

from tests.support.books import balance_account
from tests.support.findings import assert_clean
from tests.support.players import signed_up
from tests.support.side_by_side import outcomes
from wallet.models import Posting
from wallet.play_money import refills, services as play_money
from wallet.responsible_gaming import admission, services as responsible_gaming

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases, pytest.mark.usefixtures("noon")]

MANY = 32


def test_32_buy_ins_at_once_stay_within_the_limit() -> None:
    asha = signed_up("asha")
    responsible_gaming.set_limit(user=asha, kind="entries", currency="FUN", period="day", amount=1_000)
    ends = outcomes(
        *(
            lambda seating=seating: play_money.buy_in(seating=seating, user=asha, currency="FUN", amount=300)
            for seating in range(1, MANY + 1)
        )
    )
    assert ends == {"done": 3, "limit_reached": MANY - 3}
    assert balance_account("asha").balance == 9_100
    assert_clean()


def test_buy_ins_added_chips_and_rejoins_share_one_limit() -> None:
    asha = signed_up("asha")
    play_money.buy_in(seating=1, user=asha, currency="FUN", amount=400)
    play_money.take_entries(match=1, currency="FUN", entries={1: 100})
    responsible_gaming.set_limit(user=asha, kind="entries", currency="FUN", period="week", amount=1_000)
    ways = (
        lambda n: play_money.buy_in(seating=100 + n, user=asha, currency="FUN", amount=200),
        lambda n: play_money.add_chips(seating=1, user=asha, currency="FUN", amount=200, key=f"add:{n}"),
        lambda n: play_money.rejoin_entry(match=1, seating=1, user=asha, currency="FUN", amount=200, key=f"again:{n}"),
    )
    ends = outcomes(*(lambda n=n: ways[n % 3](n) for n in range(MANY)))
    assert ends == {"done": 3, "limit_reached": MANY - 3}
    assert balance_account("asha").balance == 9_000
    assert_clean()


def test_a_first_limit_set_while_others_sit_down_is_not_overrun() -> None:
    asha = signed_up("asha")
    sit = [
        lambda seating=seating: play_money.buy_in(seating=seating, user=asha, currency="FUN", amount=100)
        for seating in range(1, MANY)
    ]
    ends = outcomes(
        *sit, lambda: responsible_gaming.set_limit(user=asha, kind="entries", currency="FUN", period="day", amount=500)
    )
    before = Posting.objects.filter(reason="buy_in").count()
    assert ends["done"] == before + 1
    # What came before the limit stands; after it nothing goes beyond 500 chips.
    assert before >= 5
    assert ends["limit_reached"] == MANY - 1 - before
    with pytest.raises(admission.CareRefusal):
        play_money.buy_in(seating=99, user=asha, currency="FUN", amount=100)


def test_of_32_refills_at_once_one_gives() -> None:
    asha = signed_up("asha")
    play_money.buy_in(seating=1, user=asha, currency="FUN", amount=1_500)
    play_money.buy_in(seating=2, user=None, currency="FUN", amount=500)
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=2, losses={1: 1_500}, fee=0)
    ends = outcomes(*[lambda: refills.refill(asha)] * MANY)
    assert ends == {"done": MANY}
    assert Posting.objects.filter(reason="refill").count() == 1
    assert balance_account("asha").balance == 10_000
    assert_clean()
