"""One refill a day, up to the level, with chips at tables counted in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from tests.support.books import balance_account, seat
from tests.support.players import signed_up
from wallet.audit import audit
from wallet.base.errors import WalletError
from wallet.models import Posting
from wallet.play_money import refills, services as play_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

NOON = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def clock() -> Any:
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


def lose(user: Any, amount: int, deal: int) -> None:
    """Let the player lose that much to a computer player and leave."""
    mine, theirs = 10 * deal + 1, 10 * deal + 2
    seat(mine, user, amount)
    seat(theirs, None, amount)
    key = f"deal:{deal}:settle"
    play_money.settle_deal(key=key, currency="FUN", winner=theirs, losses={mine: amount}, fee=0)


def test_chips_are_filled_up_once_a_day(clock: Any) -> None:
    asha = signed_up("asha")
    lose(asha, 4_000, 1)
    assert refills.offer(asha)["amount"] == 4_000
    assert refills.refill(asha) == 4_000
    lose(asha, 9_000, 2)
    assert refills.refill(asha) == 4_000, "the first answer, and no chip more"
    assert balance_account("asha").balance == 1_000
    assert refills.offer(asha) == refills.RefillOffer(
        level=10_000, amount=0, again_at=datetime(2026, 11, 21, 18, 30, tzinfo=UTC)
    )
    clock.move_to(datetime(2026, 11, 21, 18, 30, tzinfo=UTC))
    assert refills.refill(asha) == 9_000
    keys = Posting.objects.filter(reason="refill").order_by("id").values_list("key", flat=True)
    assert list(keys) == [f"refill:{asha.pk}:2026-11-21", f"refill:{asha.pk}:2026-11-22"]
    assert audit.audit().differences == []


def test_chips_on_a_stack_and_in_a_pot_count(clock: Any) -> None:
    asha = signed_up("asha")
    seat(1, asha, 6_000)
    play_money.take_entries(match=1, currency="FUN", entries={1: 2_000})
    assert refills.offer(asha)["amount"] == 0
    with pytest.raises(WalletError) as refusal:
        refills.refill(asha)
    assert refusal.value.code == "no_refill"
    lose(asha, 500, 2)
    assert refills.refill(asha) == 500


def test_a_balance_above_the_level_stays(clock: Any, settings: Any) -> None:
    asha = signed_up("asha")
    settings.REFILL_LEVEL = 2_000
    with pytest.raises(WalletError):
        refills.refill(asha)
    assert balance_account("asha").balance == 10_000


def test_the_audit_finds_a_refill_that_was_not_one(clock: Any) -> None:
    asha = signed_up("asha")
    play_money.grant(user=asha, amount=5, key=f"refill:{asha.pk}:2026-11-20", reason="refill")
    play_money.grant(user=asha, amount=5, key="refill:999:2026-11-21", reason="refill")
    clock.shift(timedelta(minutes=5))
    assert [each.check for each in audit.audit().differences] == ["refill", "refill", "grant", "grant"]
