"""Duplicate matches: the same deals for all who have the link."""

from collections.abc import Callable

import pytest
from django.test import Client as Browser
from django.utils import timezone

from lobby.daily import match_selectors, services
from lobby.models import Player
from tables import daily, staff
from tables.errors import TableError
from tables.models import DealSeat
from tests.support.clock import WholeClock
from tests.support.fixed_shoes import at_once, go_to, play_out, sat_down
from tests.support.players import signed_up
from tests.support.program import Program
from wallet.audit.audit import audit
from wallet.audit_log.services import Actor

pytestmark = pytest.mark.django_db


def test_a_duplicate_match_shows_of_a_deal_only_what_its_reader_has_played(
    clock: WholeClock, asha: Player, ravi: Player
) -> None:
    series = services.open_match(user=asha)
    shoes = list(series.shoes.order_by("number"))
    assert len(shoes) == 8 and len({shoe.commitment for shoe in shoes}) == 8
    for shoe in shoes[:2]:
        play_out(sat_down(shoe, asha), clock, at_once)
    play_out(sat_down(shoes[0], ravi), clock, at_once)
    now = timezone.now()
    seen = {row.player: row.cells for row in match_selectors.match_rows(series, ravi, now)}
    assert [cell.chips is not None for cell in seen[asha]] == [True] + [False] * 7
    assert seen[asha][1].hidden and not seen[asha][2].hidden
    assert all(cell.chips is None for row in match_selectors.match_rows(series, None, now) for cell in row.cells)
    later = match_selectors.match_rows(series, None, series.ends_at)
    assert [cell.chips is not None for cell in {row.player: row.cells for row in later}[asha]][:3] == [
        True,
        True,
        False,
    ]
    assert {row.place for row in match_selectors.match_rows(series, ravi, now)} == {None}
    assert match_selectors.next_shoe(series, ravi) == shoes[1]
    assert not audit().differences


def test_who_may_still_play_a_duplicate_match_sees_no_result_of_those_who_have_finished(
    clock: WholeClock, asha: Player, ravi: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The places are told to those who have played everything, not to the next one who comes with the link."""
    monkeypatch.setattr(daily, "MATCH_SHOES", 1)
    series = services.open_match(user=asha)
    play_out(sat_down(series.shoes.get(), asha), clock, at_once)
    now = timezone.now()
    for reader in (ravi, None):
        (row,) = match_selectors.match_rows(series, reader, now)
        assert (row.place, row.chips, row.cells[0].chips, row.cells[0].hidden) == (None, 0, None, True)
    (own,) = match_selectors.match_rows(series, asha, now)
    assert (own.place, own.chips) == (1, -20)
    (ended,) = match_selectors.match_rows(series, None, series.ends_at)
    assert (ended.place, ended.chips) == (1, -20)


def test_a_deal_missed_in_a_match_counts_as_a_full_hand_once_it_has_ended(
    clock: WholeClock, asha: Player, ravi: Player, client: Browser, program: Callable[..., Program]
) -> None:
    """Whoever stops after the first deal is not before those who have played on."""
    series = services.open_match(user=asha)
    first, second, *_ = series.shoes.order_by("number")
    for shoe, user in ((first, asha), (second, asha), (first, ravi)):
        play_out(sat_down(shoe, user), clock, at_once)
    running = match_selectors.match_rows(series, asha, timezone.now())
    assert {row.player: row.chips for row in running} == {asha: -20 - 20, ravi: -20}
    go_to(clock, series.ends_at)
    ended = match_selectors.match_rows(series, ravi, timezone.now())
    assert [(row.player, row.place, row.chips, row.played) for row in ended] == [
        (asha, 1, -20 - 20 - 6 * 80, 2),
        (ravi, 2, -20 - 7 * 80, 1),
    ]
    told = program(ravi).get(f"duplicate/{series.code}/")[1]["results"]
    assert [(line["place"], line["chips"]) for line in told] == [(1, -520), (2, -580)]
    page = client.get(f"/duplicate/{series.code}/").content.decode()
    assert "A deal missed then counts as −80." in page and "−520" in page and "Not played yet" not in page


def test_no_deal_tells_the_secret_of_the_link_to_its_match(clock: WholeClock, asha: Player) -> None:
    series = services.open_match(user=asha)
    labels = list(series.shoes.values_list("label", flat=True))
    assert series.code and len(set(labels)) == 8
    assert not any(series.code in label for label in labels)


def test_a_duplicate_match_has_bounds(clock: WholeClock, asha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [services.open_match(user=asha) for _ in range(services.MOST_MATCHES)]
    with pytest.raises(TableError) as refused:
        services.open_match(user=asha)
    assert refused.value.code == "too_many_matches"
    monkeypatch.setattr(services, "MOST_PLAYERS", 1)
    shoe = made[0].shoes.order_by("number").first()
    assert shoe is not None
    sat_down(shoe, asha)
    with pytest.raises(TableError) as full:
        services.sit_down(shoe=shoe, user=signed_up("ravi"))
    assert full.value.code == "match_full"


def test_the_pages_of_a_match(clock: WholeClock, asha: Player, ravi: Player, client: Browser) -> None:
    client.force_login(asha)
    address = client.post("/duplicate/").headers["Location"]
    assert (
        client.get(address).status_code == 200
        and client.get(address.upper().replace("DUPLICATE", "duplicate")).status_code == 200
    )
    client.force_login(ravi)
    to_table = client.post(f"{address}play/").headers["Location"]
    assert to_table.startswith("/tables/") and client.get(to_table).status_code == 200
    assert client.get("/duplicate/").content.decode().count(address) == 1
    assert client.get("/duplicate/NOSUCHCODE/").status_code == 404


def test_a_program_plays_a_duplicate_match(
    clock: WholeClock, asha: Player, ravi: Player, program: Callable[..., Program]
) -> None:
    ask, other = program(asha), program(ravi)
    status, made = ask.post("duplicate/")
    assert (status, made["status"], made["made_by"]) == (201, "open", "asha")
    assert other.get("duplicate/")[1] == [] and ask.get("duplicate/")[1] == [made]
    assert program().post("duplicate/")[0] in (401, 403)
    address = f"duplicate/{made['code']}/"
    assert [program().get(address)[1][name] for name in ("next_deal", "results", "proofs")] == [1, [], []]
    status, seat = ask.post(address)
    assert status == 200 and ask.post(address) == (200, seat)
    series = services.match_of(made["code"])
    play_out(sat_down(series.shoes.get(number=1), asha), clock, at_once)
    mine, theirs = ask.get(address)[1], other.get(address)[1]
    assert (mine["next_deal"], theirs["next_deal"]) == (2, 1)
    part = DealSeat.objects.get(user=asha)
    told = {"number": 1, "played": True, "stopped": False, "chips": part.amount, "outcome": part.outcome}
    assert mine["results"][0]["deals"][0] == told
    assert theirs["results"][0]["deals"][0] == {**told, "chips": None, "outcome": None}
    assert (theirs["results"][0]["chips"], theirs["results"][0]["me"]) == (0, False)
    assert other.get("duplicate/nosuchcode/")[0] == other.post("duplicate/nosuchcode/")[0] == 404
    go_to(clock, series.ends_at)
    after = other.get(address)[1]
    proofs = after["proofs"]
    assert (after["status"], after["next_deal"]) == ("over", None)
    assert len(proofs) == 8 and all(proof["honest"] for proof in proofs)
    assert ask.post(address)[1]["code"] == "not_open"


def test_a_table_that_waits_for_staff_holds_up_no_other_deal_of_the_match(
    clock: WholeClock, asha: Player, program: Callable[..., Program], client: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily, "MATCH_SHOES", 2)
    series = services.open_match(user=asha)
    address, ask = f"duplicate/{series.code}/", program(asha)
    first = ask.post(address)[1]["table"]
    staff.freeze_table(table_id=first, actor=Actor("ops"), reason="Looks odd")
    assert ask.get(address)[1]["next_deal"] == 2
    client.force_login(asha)
    page = client.get(f"/{address}").content.decode()
    assert "Play deal 2" in page and "Your table is stopped" in page
    status, second = ask.post(address)
    assert status == 200 and second["table"] != first
    play_out(sat_down(series.shoes.get(number=2), asha), clock, at_once)
    page = client.get(f"/{address}").content.decode()
    assert "You have played all of them" not in page and "Your table is stopped" in page
    assert ask.get(address)[1]["next_deal"] is None and ask.post(address)[1]["code"] == "frozen"
    staff.cancel_table(table_id=first, actor=Actor("ops"), reason="A fault")
    assert ask.get(address)[1]["next_deal"] == 1
    play_out(sat_down(series.shoes.get(number=1), asha), clock, at_once)
    assert ask.post(address)[1]["code"] == "already_played"
    assert "You have played all of them" in client.get(f"/{address}").content.decode()


@pytest.mark.parametrize("cancelled", [None, "in time", "late"])
def test_a_deal_that_staff_have_stopped_is_told_so_and_is_none_that_its_player_missed(
    clock: WholeClock, asha: Player, program: Callable[..., Program], client: Browser, monkeypatch: pytest.MonkeyPatch,
    cancelled: str | None,
) -> None:  # fmt: skip
    monkeypatch.setattr(daily, "MATCH_SHOES", 2)
    series = services.open_match(user=asha)
    address = f"duplicate/{series.code}/"
    first = program(asha).post(address)[1]["table"]
    staff.freeze_table(table_id=first, actor=Actor("ops"), reason="Looks odd")
    client.force_login(asha)
    assert "Table stopped" in client.get(f"/{address}").content.decode()
    if cancelled == "in time":
        staff.cancel_table(table_id=first, actor=Actor("ops"), reason="A fault")
        assert "Table stopped" not in client.get(f"/{address}").content.decode(), "it may be played again"
    go_to(clock, series.ends_at)
    if cancelled == "late":
        staff.cancel_table(table_id=first, actor=Actor("ops"), reason="A fault")
    [row] = match_selectors.match_rows(series, None, timezone.now())
    stopped = cancelled != "in time"
    assert (row.chips, [cell.stopped for cell in row.cells]) == (-80 if stopped else -160, [stopped, False])
    page = client.get(f"/{address}").content.decode()
    assert ("Table stopped" in page, page.count("Not played")) == (stopped, 1 if stopped else 2)
    [told] = program(asha).get(address)[1]["results"]
    assert [deal["stopped"] for deal in told["deals"]] == [stopped, False]
