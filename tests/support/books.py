"""Helpers for tests of the wallet."""

from django.contrib.auth.models import AbstractBaseUser

from tests.support.players import signed_up
from wallet.models import Account, AccountKind, Posting, Transfer
from wallet.play_money import services as play_money


def seat(seating: int, user: AbstractBaseUser | None, stack: int) -> None:
    """Buy in with that stack; without a user, for a computer player."""
    play_money.buy_in(seating=seating, user=user, currency="FUN", amount=stack)


def account(kind: AccountKind, reference: str = "house", currency: str = "FUN") -> Account:
    return Account.objects.get(kind=kind, reference=reference, currency=currency)


def balance_account(name: str) -> Account:
    return Account.objects.get(kind=AccountKind.PLAYER, owner__username=name, currency="FUN")


def books() -> list[list[tuple[object, ...]]]:
    """Return every row of the books."""
    return [list(model.objects.order_by("pk").values_list()) for model in (Account, Posting, Transfer)]


def a_day_of_play() -> None:
    """Play points with a computer player, a pool match won, one cancelled, and one still running. Dina only watches."""
    asha, bela, chand, _dina = (signed_up(name) for name in ("asha", "bela", "chand", "dina"))
    for seating, user in ((1, asha), (2, bela), (3, None)):
        seat(seating, user, 800)
    play_money.settle_deal(key="deal:1:settle", currency="FUN", winner=1, losses={2: 200, 3: 100}, fee=30)
    play_money.add_chips(seating=2, user=bela, currency="FUN", amount=200, key="seating:2:add:1")
    play_money.settle_deal(key="deal:2:settle", currency="FUN", winner=3, losses={1: 40, 2: 60}, fee=10)
    for seating in (1, 2, 3):
        play_money.cash_out(seating=seating, amount=500, key=f"seating:{seating}:out")

    for seating, user in ((4, asha), (5, bela), (6, chand), (7, asha), (8, bela), (9, asha), (10, chand)):
        seat(seating, user, 500)
    play_money.take_entries(match=1, currency="FUN", entries={4: 500, 5: 500, 6: 500})
    play_money.rejoin_entry(match=1, seating=5, user=bela, currency="FUN", amount=500, key="match:1:rejoin:5:1")
    play_money.award_prize(match=1, currency="FUN", shares={4: 1000, 6: 800}, fee=200)
    play_money.take_entries(match=2, currency="FUN", entries={7: 500, 8: 500})
    play_money.refund_match(match=2, currency="FUN", refunds={7: 500, 8: 500})
    play_money.take_entries(match=3, currency="FUN", entries={9: 500, 10: 500})
