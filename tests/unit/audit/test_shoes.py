"""The audit of shoes that are fixed beforehand names whatever somebody changes behind the platform's back."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from lobby.daily import services
from tables.audit.shoes import fixed_shoes_are_played_once
from tables.models import Attempt, Deal, DealSeat, Series, Shoe, Table
from tables.play import store
from tests.support.clock import WholeClock
from tests.support.database import rolled_back
from tests.support.fixed_shoes import at_once, play_out, sat_down
from tests.support.players import signed_up
from wallet.audit.audit import audit

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """Let two players play the deal of the day, and one of them a deal of a duplicate match."""
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        time_machine.travel(timezone.now().replace(hour=9), tick=False) as traveller,
        pytest.MonkeyPatch.context() as patch,
    ):
        clock = WholeClock(traveller)
        patch.setattr(store, "now_ms", lambda: clock.now)
        asha, bela = signed_up("asha"), signed_up("bela")
        shoe = services.todays_shoe(timezone.now())
        tables = [play_out(sat_down(shoe, user), clock, at_once) for user in (asha, bela)]
        match = services.open_match(user=asha)
        play_out(sat_down(match.shoes.earliest("number"), asha), clock, at_once)
        assert list(fixed_shoes_are_played_once()) == [] and audit().differences == []
        yield {"asha": asha, "bela": bela, "shoe": shoe, "tables": tables, "match": match}
        transaction.set_rollback(True)


@pytest.fixture
def played(world: dict[str, Any], db: None) -> Iterator[dict[str, Any]]:
    """Roll back what the test changes."""
    with rolled_back():
        yield world


def _other_seed(world: dict[str, Any]) -> None:
    other = world["match"].shoes.latest("number")
    Shoe.objects.filter(pk=world["shoe"].pk).update(sealed_seed=other.sealed_seed)


def _deal_of_other_shoe(world: dict[str, Any]) -> None:
    deal = Deal.objects.get(match__table=world["tables"][1])
    Deal.objects.filter(pk=deal.pk).update(commitment="0" * 64)


def _gap(world: dict[str, Any]) -> None:
    Shoe.objects.filter(pk=world["match"].shoes.latest("number").pk).update(number=9)


def _second_try(world: dict[str, Any]) -> None:
    """Give the second player's finished deal to the first."""
    DealSeat.objects.filter(deal__match__table=world["tables"][1], user=world["bela"]).update(user=world["asha"])


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "a promise rewritten": ("shoe", lambda w: Shoe.objects.filter(pk=w["shoe"].pk).update(commitment="1" * 64)),
    "a label rewritten": ("shoe", lambda w: Shoe.objects.filter(pk=w["shoe"].pk).update(label="daily-2020-01-01")),
    "another seed": ("shoe", _other_seed),
    "a shoe taken out": ("series", _gap),
    "a day that is longer": (
        "series", lambda w: Series.objects.filter(day__isnull=False).update(ends_at=w["match"].ends_at)
    ),
    "another book": ("table", lambda w: Series.objects.filter(pk=w["shoe"].series_id).update(strength="gentle")),
    "a table of another shoe": (
        "attempt", lambda w: Table.objects.filter(pk=w["tables"][0].pk).update(shoe=w["match"].shoes.latest("number"))
    ),
    "a table of no shoe": ("attempt", lambda w: Table.objects.filter(pk=w["tables"][0].pk).update(shoe=None)),
    "a try of somebody else": (
        "table", lambda w: Attempt.objects.filter(table=w["tables"][0]).update(user=signed_up("chand"))
    ),
    "a try taken away": ("table", lambda w: Attempt.objects.filter(table=w["tables"][0]).delete()),
    "other cards": ("deal", _deal_of_other_shoe),
    "a second try": ("player", _second_try),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named(name: str, played: dict[str, Any]) -> None:
    kind, plant = FAULTS[name]
    plant(played)
    found = [finding.subject for finding in fixed_shoes_are_played_once()]
    assert any(subject.startswith(kind) for subject in found), found


def test_a_seed_from_a_browser_is_named(played: dict[str, Any]) -> None:
    Deal.objects.filter(match__table=played["tables"][0]).update(client_seeds=["ab" * 16])
    assert [finding.subject.split()[0] for finding in fixed_shoes_are_played_once()] == ["deal"]


def test_what_was_published_is_sealed(played: dict[str, Any]) -> None:
    Series.objects.filter(pk=played["match"].pk).update(made_at=timezone.now() - timedelta(days=9))
    assert any("series" in finding.subject for finding in audit().differences)
