"""A second currency beside chips, as anybody would add one: a piece of data, with parts and a sign."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lobby.models import Player
from tests.support.players import signed_up
from wallet import adjustments
from wallet.audit_log.services import Actor
from wallet.base.money import CURRENCIES, Currency
from wallet.ledger.selectors import spendable

MARKS = Currency(code="TST", title="test marks", decimals=2, symbol="¤")


@contextmanager
def two_currencies() -> Iterator[None]:
    """In the block there are marks beside chips."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CURRENCIES, MARKS.code, MARKS)
        yield


def give_marks(player: Player, amount: int) -> None:
    """Give the player that much in hundredths of a mark, by two people."""
    first, second = (Actor(person.username, person) for person in (signed_up(), signed_up()))
    gift = adjustments.ask(
        request_id=f"marks for {player.pk}", player=player, currency="TST", amount=amount, reason="To play", actor=first
    )
    adjustments.grant(row=gift, reason="Yes", actor=second)


def marks_of(player: Player) -> int:
    """Return what the player can spend, in hundredths of a mark."""
    return spendable(player.pk, MARKS.code)
