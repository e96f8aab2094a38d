"""A deal through services, database and wallet."""

from collections.abc import Callable
from typing import Any

import pytest

from rules.fairness import verify
from tables.errors import TableError
from tables.history import proofs
from tables.models import Deal, DealSeat, LoggedEvent, Match, Seating, Table
from tables.play import presence, services as play, store
from tests.support import connections
from tests.support.clock import Clock
from tests.support.tables import Client, connected, read_event
from wallet.ledger.selectors import balances, stack

pytestmark = pytest.mark.django_db


def free(user: Any) -> int:
    return sum(balance["free"] for balance in balances(user))


def test_a_deal_has_the_same_id_in_the_view_and_in_the_database(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    assert first.view()["deal"]["id"] == Deal.objects.get(status=Deal.Status.PLAYING).pk
    first.send("drop")
    assert first.view()["result"]["deal"] == Deal.objects.get(status=Deal.Status.OVER).pk


def test_the_start_clock_deals_thirteen_cards_to_each(duel: tuple[Client, Client]) -> None:
    first, second = duel
    assert len(first.me["hand"]) == len(second.me["hand"]) == 13
    assert "draw" in first.me["moves"]
    assert "draw" not in second.me["moves"]
    assert not set(first.me["hand"]) & set(second.me["hand"])


def test_draw_and_discard_pass_the_turn(duel: tuple[Client, Client]) -> None:
    first, second = duel
    assert first.send("draw", pile="closed", id="1")["type"] == "ack"
    drawn = first.me["drawn"]
    answer = first.send("discard", card=drawn)
    assert answer["type"] == "ack"
    assert first.view()["deal"]["open_top"] == drawn
    assert "draw" in second.me["moves"]


@pytest.mark.databases
def test_an_id_used_again_gets_the_first_answer_and_changes_nothing(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    once = first.send("draw", pile="closed", id="same")
    events = LoggedEvent.objects.count()
    assert first.send("draw", pile="closed", id="same") == once
    refused = first.send("draw", pile="closed", id="other")
    assert refused["code"] == "already_drawn"
    assert first.send("discard", card=first.me["drawn"], id="other") == refused
    assert LoggedEvent.objects.count() == events
    assert len(first.me["hand"]) == 14


@pytest.mark.databases
def test_a_refusal_changes_nothing_and_names_the_version(duel: tuple[Client, Client]) -> None:
    first, second = duel
    before = first.view()
    refused = second.send("draw", pile="closed")
    assert refused["type"] == "error"
    assert refused["code"] == "not_your_turn"
    assert refused["version"] == store.version(first.table)
    assert first.view() == before


def test_a_move_seen_from_an_old_version_is_stale_but_private_arranging_ages_nobody_else(
    duel: tuple[Client, Client],
) -> None:
    first, second = duel
    version = store.version(first.table)
    assert second.send("arrange", groups=[second.me["hand"][:3]])["type"] == "ack"
    assert store.version(first.table) == version + 1
    assert first.send("draw", pile="closed", version=version - 1)["code"] == "stale"
    assert first.send("draw", pile="closed", version=version)["type"] == "ack"
    assert first.send("discard", card=first.me["drawn"], version=version)["code"] == "stale"
    assert first.send("discard", card=first.me["drawn"], version=version + 99)["code"] == "stale"


@pytest.mark.databases
def test_a_drop_ends_the_deal_and_settles_it_in_the_wallet(duel: tuple[Client, Client]) -> None:
    first, second = duel
    first.send("drop")
    result = first.view()["result"]
    rows = {row["seat"]: row for row in result["rows"]}
    seat = first.me["seat"]
    assert (rows[seat]["outcome"], rows[seat]["points"], rows[seat]["amount"]) == ("dropped", 20, -20)
    assert (rows[1 - seat]["outcome"], rows[1 - seat]["points"], rows[1 - seat]["amount"]) == ("won", 0, 18)
    seatings = {each.user_id: each.pk for each in Seating.objects.all()}
    assert stack(seatings[first.user.pk]) == 780
    assert stack(seatings[second.user.pk]) == 818
    deal = Deal.objects.get(status=Deal.Status.OVER)
    assert deal.match.status == Match.Status.SETTLED
    assert set(DealSeat.objects.filter(deal=deal).values_list("outcome", "points")) == {("dropped", 20), ("won", 0)}


def test_a_player_who_does_not_continue_gets_their_stack(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    first.send("drop")
    assert second.send("continue")["type"] == "ack"
    clock.wait(15)
    play.tick(table_id=first.table)
    assert free(first.user) == 9_980
    assert free(second.user) == 9_200
    assert first.view()["me"] is None
    assert second.view()["phase"] == "waiting"
    play.sit(table_id=first.table, user=first.user, amount=80)
    assert second.view()["phase"] == "starting"


def test_both_continue_and_the_next_deal_comes_soon(duel: tuple[Client, Client], clock: Clock) -> None:
    first, second = duel
    first.send("drop")
    first.send("continue")
    second.send("continue")
    clock.wait(3)
    play.tick(table_id=first.table)
    view = first.view()
    assert view["phase"] == "playing"
    assert Match.objects.count() == 2
    assert Deal.objects.filter(status=Deal.Status.PLAYING).count() == 1


def test_the_result_names_who_played_even_when_another_has_their_seat_now(
    duel: tuple[Client, Client], player: Callable[[str], Any]
) -> None:
    first, second = duel
    seat = first.me["seat"]
    first.send("drop")
    first.send("leave")
    play.sit(table_id=first.table, user=player("tara"), seat=seat)
    view = second.view()
    assert view["seats"][seat]["name"] == "tara"
    assert {row["seat"]: row["name"] for row in view["result"]["rows"]}[seat] == first.user.username


def test_leaving_between_deals_returns_the_stack(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    first.send("drop")
    first.send("leave")
    assert free(first.user) == 9_980
    assert not Seating.objects.filter(user=first.user, left_at=None).exists()


@pytest.mark.databases
def test_a_leave_whose_answer_was_lost_is_answered_again(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    first.send("drop")
    once = first.send("leave", id="bye")
    assert once["type"] == "ack"
    assert first.send("leave", id="bye") == once
    with pytest.raises(TableError) as refused:
        first.send("leave", id="again")
    assert refused.value.code == "not_seated"


@pytest.mark.databases
def test_an_id_counts_for_one_stay_at_the_table(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    first.send("drop", id="1")
    assert first.send("leave", id="2")["type"] == "ack"
    play.sit(table_id=first.table, user=first.user, amount=800)
    again = connected(Table.objects.get(pk=first.table), first.user)
    assert again.send("drop", id="1")["type"] == "error", "no deal runs: it is another request"
    assert again.send("leave", id="2")["type"] == "ack"
    assert not Seating.objects.filter(user=first.user, left_at=None).exists()


def test_leaving_a_running_deal_costs_the_books_points_at_once(duel: tuple[Client, Client]) -> None:
    first, second = duel
    first.send("leave")
    assert free(first.user) == 10_000 - 80
    seating = Seating.objects.get(user=second.user)
    assert stack(seating.pk) == 800 + 72
    assert Seating.objects.get(user=first.user).left_at is not None


@pytest.mark.databases
def test_a_second_connection_takes_the_seat_over(duel: tuple[Client, Client], sent: list[Any]) -> None:
    first, _ = duel
    with pytest.raises(TableError) as refusal:
        number = connections.connect(table_id=first.table, user_id=first.user.pk, connection="tab2").number
        connections.take(table_id=first.table, user_id=first.user.pk, connection="tab2", number=number)
        first.send("draw", pile="closed")
    assert refusal.value.code == "taken_over"
    connections.disconnect(table_id=first.table, user_id=first.user.pk, connection=first.connection)
    seat = next(seat for seat in first.view()["seats"] if seat["name"] == first.user.username)
    assert seat["connected"], "the old tab's goodbye does not disconnect the new one"


def test_a_player_silent_for_long_counts_as_offline(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    clock.wait(36)
    assert not any(seat["connected"] for seat in first.view()["seats"])
    presence.record_sign_of_life(table_id=first.table, user_id=first.user.pk, connection=first.connection)
    assert [seat["name"] for seat in first.view()["seats"] if seat["connected"]] == [first.user.username]


@pytest.mark.databases
def test_the_event_log_rebuilds_the_stored_state(duel: tuple[Client, Client]) -> None:
    from itertools import groupby

    from rules.game import codec, rebuild

    first, _ = duel
    first.send("draw", pile="closed")
    first.send("discard", card=first.me["drawn"])
    table = store.read_table(first.table)
    rows = LoggedEvent.objects.filter(table=first.table).order_by("version", "number")
    steps = [[read_event(row) for row in group] for _, group in groupby(rows, key=lambda row: row.version)]
    rebuilt = rebuild(table.state.terms, steps)
    assert codec.canonical(codec.dump_state(rebuilt)) == codec.canonical(codec.dump_state(table.state))


@pytest.mark.databases
def test_nothing_hidden_can_be_read_in_the_database(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    row = Table.objects.get(pk=first.table)
    deal = Deal.objects.get(status=Deal.Status.PLAYING)
    seed = store.read_table(first.table).state.current.seed
    stored = bytes(row.snapshot) + bytes(deal.sealed_seed)
    stored += b"".join(bytes(event.payload) for event in LoggedEvent.objects.all())
    assert seed.encode() not in stored
    assert bytes.fromhex(seed) not in stored
    assert not any(f'"{card}"'.encode() in stored for card in first.me["hand"])


def test_the_proof_of_a_finished_deal_verifies_and_any_change_in_it_is_found(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    deal = Deal.objects.get(status=Deal.Status.PLAYING)
    with pytest.raises(ValueError, match="not revealed"):
        proofs.proof(deal)
    first.send("drop")
    deal.refresh_from_db()
    proof = proofs.proof(deal)
    assert verify(proof) == []
    for part, forged in {
        "seed": "00" * 64,
        "commitment": "0" * 64,
        "client_seeds": ["00" * 16, "11" * 16],
        "upcard": proof["cut_joker"],
        "cut_joker": proof["upcard"],
        "closed": proof["closed"][::-1],
        "hands": {seat: hand[::-1] for seat, hand in proof["hands"].items()},
        "toss": [{"seat": each["seat"], "card": "AS"} for each in proof["toss"]],
        "packs": None,
        "order": "nonsense",
    }.items():
        assert verify({**proof, part: forged}), f"a forged {part} passed"
