"""A running deal ends as its players end it, whoever leaves beside it: its row, its proof and the money say so."""

import io
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from rules.game import engine
from rules.game.phases import seating
from tables.models import Deal, Match, Table
from tables.staff import cancel_match, freeze_table
from tests.support.steering import all_drop_but, ask, next_deal, to_move
from tests.support.tables import Client
from tests.support.world import World, isolated_world
from tests.unit.rules.game.pools import leave_and_split
from wallet.audit.audit import audit
from wallet.audit_log.services import Actor
from wallet.ledger.selectors import spendable

pytestmark = pytest.mark.django_db
OPS = Actor("ops")


@pytest.fixture
def world() -> Iterator[World]:
    with isolated_world() as quiet:
        yield quiet


def pool(world: World, *winners: int, seats: int, book: str) -> list[Client]:
    """Return the players of a pool without a fee, after so many deals in which all but the winner drop."""
    table = world.pool(seats, book=book, fee_percent=0)
    clients = [world.sit(table, seat=seat) for seat in range(seats)]
    world.deal(table)
    for number, winner in enumerate(winners, start=1):
        all_drop_but(clients[winner], clients)
        if number < len(winners):
            next_deal(clients, world.clock)
    return clients


def nine_deals(world: World) -> list[Client]:
    """Return five players after nine deals: 200 200 200 75 225, the last one is out and nobody may rejoin."""
    clients = pool(world, 0, 1, 2, *[3] * 6, seats=5, book="standard-pool-201")
    assert [seat["total"] for seat in clients[0].view()["seats"]] == [200, 200, 200, 75, 225]
    return clients


def six_deals(world: World) -> list[Client]:
    """Return four players in their seventh deal: 100 100 40, the last one is out and nobody may rejoin."""
    clients = pool(world, 0, 1, 2, 2, 2, 2, seats=4, book="standard-pool-101")
    next_deal(clients, world.clock)
    return clients


def chips(clients: list[Client]) -> list[int]:
    return [spendable(client.user.pk, "FUN") for client in clients]


def verified(deal: Deal) -> str:
    out = io.StringIO()
    call_command("verify_deal", str(deal.pk), stdout=out)
    return out.getvalue().strip()


def test_a_deal_is_played_to_its_end_though_somebody_who_is_out_leaves(world: World) -> None:
    clients = nine_deals(world)
    next_deal(clients, world.clock)
    ask(clients[3], "leave")
    assert clients[4].me["moves"] == ["leave"]
    before = clients[0].view()
    ask(clients[4], "leave")
    after = clients[0].view()
    assert after["phase"] == "playing" and after["deal"] == before["deal"] and after["clock"] == before["clock"]
    all_drop_but(clients[0], clients[:3])
    assert chips(clients) == [10_400, 9_900, 9_900, 9_900, 9_900], "the winner of the deal is the only one left"
    deal = Deal.objects.latest("pk")
    assert (deal.number, deal.status) == (10, Deal.Status.OVER)
    assert verified(deal) == f"Deal {deal.pk} is exactly what its seeds give."
    assert audit().differences == []


def test_between_two_deals_three_without_a_drop_share(world: World) -> None:
    clients = nine_deals(world)
    ask(clients[4], "leave")
    assert clients[0].view()["phase"] == "result"
    ask(clients[3], "leave")
    assert chips(clients) == [9_900 + 167, 9_900 + 167, 9_900 + 166, 9_900, 9_900]
    assert audit().differences == []


def test_a_deal_is_proven_only_once_it_has_ended(world: World) -> None:
    table = world.table()
    clients = [world.sit(table, amount=800) for _ in range(2)]
    world.deal(table)
    deal = Deal.objects.get()
    with pytest.raises(CommandError, match=f"^Deal {deal.pk} has not ended"):
        verified(deal)
    with pytest.raises(CommandError, match=r"^There is no deal 0"):
        call_command("verify_deal", "0")
    ask(to_move(clients), "drop")
    assert verified(deal) == f"Deal {deal.pk} is exactly what its seeds give."


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("readable", [False, True])
def test_a_deal_that_staff_cut_off_is_cancelled_and_proven(world: World, frozen: bool, readable: bool) -> None:
    table = world.pool(2)
    clients = [world.sit(table) for _ in range(2)]
    world.deal(table)
    ask(to_move(clients), "draw", pile="closed")
    if frozen:
        freeze_table(table_id=table.pk, reason="To see", actor=OPS)
    if not readable:
        Table.objects.filter(pk=table.pk).update(snapshot=b"x", terms=None)
    deal = Deal.objects.get()
    cancel_match(match_id=deal.match_id, reason="Enough", actor=OPS)
    deal.refresh_from_db()
    assert deal.status == Deal.Status.CANCELLED and deal.ended_at is not None
    assert verified(deal).endswith("exactly what its seeds give. It was cancelled with its match.")
    assert chips(clients) == [10_000, 10_000]
    assert audit().differences == []


@pytest.fixture
def cut_off(world: World, monkeypatch: pytest.MonkeyPatch) -> Deal:
    """Return a deal that a release before has cut off: somebody who was out left, and the prize was split."""
    clients = six_deals(world)
    ask(clients[2], "leave")
    monkeypatch.setattr(seating, "_leave_match", leave_and_split)
    monkeypatch.setattr(engine, "check_bystander", lambda before, seat, after: None)
    ask(clients[3], "leave")
    assert chips(clients) == [10_100, 10_100, 9_900, 9_900]
    deal = Deal.objects.latest("pk")
    assert deal.match.status == Match.Status.SETTLED
    return deal


def test_a_deal_that_is_cut_off_is_void_and_proven(cut_off: Deal) -> None:
    assert (cut_off.status, cut_off.ended_at is not None) == (Deal.Status.VOID, True)
    assert verified(cut_off).endswith("exactly what its seeds give. It was void: nobody scored.")
    assert audit().differences == []


def test_rows_of_deals_that_were_cut_off_are_named(cut_off: Deal) -> None:
    Deal.objects.filter(pk=cut_off.pk).update(status=Deal.Status.PLAYING, ended_at=None)
    assert {each.subject for each in audit().differences} == {f"deal {cut_off.pk}"}
