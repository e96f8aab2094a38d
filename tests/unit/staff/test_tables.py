"""Operations stop a table, resume it, cancel its match; a fault of ours stops one table alone."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client as Browser
from django.urls import reverse

from lobby.models import Player
from rules import game
from tables import tasks
from tables.errors import TableError
from tables.log import reading
from tables.log.sealing import SEEDS
from tables.models import Deal, Match, Seating, Table
from tables.play import outages, services as play, store
from tables.play.fast import table_cache
from tables.play.presence import current_frame
from tables.staff import cancel_match, cancel_table, freeze_table, resume_table
from tests.support import connections
from tests.support.clock import Clock
from tests.support.sampling import one_of_each
from tests.support.staff import act, acts_of_staff, browser_of, employ
from tests.support.tables import Client
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.ledger.selectors import balances, pot

pytestmark = pytest.mark.django_db
OPS = Actor("ops")
Sent = list[tuple[str, dict[str, Any]]]


def balances_of(user: Any) -> tuple[int, int]:
    (balance,) = balances(user)
    return balance["free"], balance["in_play"]


def notices(sent: Sent, table_id: int) -> list[str]:
    return [m["code"] for group, m in sent if group == f"table.{table_id}" and m["type"] == "table.notice"]


def test_a_frozen_table_takes_no_move_and_runs_no_clock_until_it_is_resumed(
    duel: tuple[Client, Client], clock: Clock, sent: Sent, django_capture_on_commit_callbacks: Any
) -> None:
    first, _ = duel
    with django_capture_on_commit_callbacks(execute=True):
        freeze_table(table_id=first.table, reason="A player complains", actor=OPS)
    assert notices(sent, first.table) == ["frozen"]
    with pytest.raises(TableError, match="stopped"):
        first.send("drop")
    before = store.read_table(first.table).state
    clock.wait(3_600)
    tasks.sweep()
    assert store.read_table(first.table).state == before
    assert first.view()["table"]["stopped"] is True
    resume_table(table_id=first.table, reason="All is well", actor=OPS)
    assert first.view()["table"]["stopped"] is False
    after = store.read_table(first.table).state
    assert after.clock is not None
    assert after.clock.deadline >= clock.now + outages.GRACE_MS
    assert first.send("drop")["type"] == "ack"


def test_a_table_is_frozen_once_and_resumed_once(duel: tuple[Client, Client]) -> None:
    first, _ = duel
    with pytest.raises(TableError, match="not frozen"):
        resume_table(table_id=first.table, reason="why not", actor=OPS)
    freeze_table(table_id=first.table, reason="once", actor=OPS)
    with pytest.raises(TableError, match="frozen"):
        freeze_table(table_id=first.table, reason="twice", actor=OPS)
    resume_table(table_id=first.table, reason="on", actor=OPS)
    assert list(acts_of_staff().values_list("action", "reason")) == [("table.freeze", "once"), ("table.resume", "on")]


def test_nobody_stops_or_cancels_a_table_at_which_they_play(duel: tuple[Client, Client]) -> None:
    """Who is losing would have the entry back; another of the staff may do it."""
    first, _ = duel
    match, player = Match.objects.get(status=Match.Status.OPEN), Actor(str(first.user), first.user)
    asked = {"reason": "I lose", "actor": player}
    acts = [lambda: freeze_table(table_id=first.table, **asked), lambda: cancel_table(table_id=first.table, **asked)]
    for act_of_theirs in [*acts, lambda: cancel_match(match_id=match.pk, **asked)]:
        with pytest.raises(WalletError, match="concerns you"):
            act_of_theirs()
    freeze_table(table_id=first.table, reason="A look", actor=OPS)
    with pytest.raises(WalletError, match="concerns you"):
        resume_table(table_id=first.table, **asked)
    assert Match.objects.get(pk=match.pk).status == Match.Status.OPEN and acts_of_staff().count() == 1
    cancel_table(table_id=first.table, reason="A fault", actor=Actor("tara", employ("operations")))


def test_nobody_shuts_out_who_plays_with_them(duel: tuple[Client, Client]) -> None:
    """A seat without its player drops by the clock: who shuts out the other side wins."""
    first, second = duel
    Player.objects.filter(pk=first.user.pk).update(is_staff=True, is_superuser=True)
    browser, rival = browser_of(Player.objects.get(pk=first.user.pk)), second.user.pk
    fields = {"password1": "fresh quiet cards", "password2": "fresh quiet cards", "usable_password": "true"}
    acts_of_theirs: list[Callable[[], Any]] = [
        lambda: act(browser, "lobby_player_lock", rival),
        lambda: act(browser, "lobby_player_exclude_ever", rival),
        lambda: browser.post(f"/admin/lobby/player/{rival}/password/", fields),
    ]
    Player.objects.filter(pk=first.user.pk).update(is_superuser=False)
    assert browser.post(f"/admin/lobby/player/{rival}/password/", fields).status_code == 403, "permission comes first"
    Player.objects.filter(pk=first.user.pk).update(is_superuser=True)
    for act_of_theirs in acts_of_theirs:
        act_of_theirs()
        assert "You play at one table or in one tournament with them" in browser.get("/admin/").content.decode()
    player = Player.objects.get(pk=rival)
    assert player.is_active and not player.check_password("fresh quiet cards") and not acts_of_staff().exists()
    act(browser_of(employ("support")), "lobby_player_lock", rival)
    player.refresh_from_db()
    assert not player.is_active


def test_nobody_cancels_the_match_that_they_have_left(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table], client_of: Callable[..., Client]
) -> None:
    place = table(book="standard-pool-101", seats=3, point_value=0, entry=100, minimum=0)
    clients = []
    for name in ("asha", "ravi", "tara"):
        user = player(name)
        play.sit(table_id=place.pk, user=user)
        clients.append(client_of(place, user))
    clock.wait(5)
    play.tick(table_id=place.pk)
    clients[0].send("leave")
    loser = clients[0].user
    assert pot(Match.objects.get().pk) == 300
    with pytest.raises(WalletError, match="concerns you"):
        cancel_table(table_id=place.pk, reason="My entry is gone", actor=Actor(str(loser), loser))


def test_cancelling_returns_every_stack_as_before_the_running_deal_once_only(duel: tuple[Client, Client]) -> None:
    first, second = duel
    match = Match.objects.get(status=Match.Status.OPEN)
    cancel_match(match_id=match.pk, reason="The shuffler is on fire", actor=OPS)
    assert balances_of(first.user) == balances_of(second.user) == (10_000, 0)
    match.refresh_from_db()
    assert (match.status, match.reason) == (Match.Status.CANCELLED, "The shuffler is on fire")
    assert Table.objects.get(pk=first.table).status == Table.Status.CLOSED
    assert not Seating.objects.filter(left_at=None).exists()
    with pytest.raises(TableError, match="not running"):
        cancel_match(match_id=match.pk, reason="again", actor=OPS)
    assert balances_of(first.user) == (10_000, 0)
    assert set(acts_of_staff().values_list("action", flat=True)) == {"table.cancel", "match.cancel"}


def test_cancelling_a_pool_refunds_every_entry_in_full(
    clock: Clock, player: Callable[[str], Any], table: Callable[..., Table], client_of: Callable[..., Client]
) -> None:
    place = table(book="standard-pool-101", seats=3, point_value=0, entry=100, minimum=0)
    users = [player(name) for name in ("asha", "ravi", "tara")]
    for user in users:
        play.sit(table_id=place.pk, user=user)
        client_of(place, user)
    clock.wait(5)
    play.tick(table_id=place.pk)
    match = Match.objects.get()
    assert pot(match.pk) == 300
    freeze_table(table_id=place.pk, reason="A fault", actor=OPS)
    call_command("cancel_match", match.pk, reason="A fault")
    assert pot(match.pk) == 0
    assert [balances_of(user) for user in users] == [(10_000, 0)] * 3
    entry = AuditEntry.objects.get(action="match.cancel")
    assert entry.actor_name.startswith("manage.py cancel_match, run by ")
    assert sorted(entry.after["refunds"]) == [[0, 100], [1, 100], [2, 100]]  # type: ignore[index]
    with pytest.raises(CommandError, match="not running"):
        call_command("cancel_match", match.pk, reason="Again")


def test_between_deals_a_settled_match_stays_settled_when_the_table_is_cancelled(duel: tuple[Client, Client]) -> None:
    first, second = duel
    first.send("drop")
    settled = Match.objects.get(status=Match.Status.SETTLED)
    cancel_table(table_id=first.table, reason="Closing time", actor=OPS)
    settled.refresh_from_db()
    assert settled.status == Match.Status.SETTLED
    assert {balances_of(first.user), balances_of(second.user)} == {(9_980, 0), (10_018, 0)}


def cards_in(page: str) -> set[str]:
    """Return the physical cards that a page names; its tokens and drawings only look like some."""
    page = re.sub(r"(?s)<svg.*?</svg>", "", page)
    return set(re.findall(r"\b(?:(?:10|[2-9AJQK])[CDHS]|JR)[1-3]\b", page))


def break_snapshot(table_id: int) -> None:
    table_cache.evict_all()
    Table.objects.filter(pk=table_id).update(snapshot=b"not a state")


def test_a_broken_snapshot_freezes_that_table_alone_and_tells_its_players(
    duel: tuple[Client, Client],
    clock: Clock,
    sent: Sent,
    player: Callable[[str], Any],
    table: Callable[..., Table],
    browser: Callable[[str], Browser],
    django_capture_on_commit_callbacks: Any,
) -> None:
    first, _ = duel
    other = table()
    play.sit(table_id=other.pk, user=player("tara"))
    break_snapshot(first.table)
    clock.wait(30)
    with django_capture_on_commit_callbacks(execute=True):
        assert play.sweep(clock.now) == 1
    assert Table.objects.get(pk=first.table).status == Table.Status.FROZEN
    assert Table.objects.get(pk=other.pk).status == Table.Status.OPEN
    assert notices(sent, first.table) == ["frozen"]
    assert notices(sent, other.pk) == []
    with pytest.raises(TableError, match="Your chips are safe"):
        connections.connect(table_id=first.table, user_id=first.user.pk, connection="new")
    play.sit(table_id=other.pk, user=player("meera"))
    lobby = Browser()
    lobby.force_login(first.user)
    assert lobby.get("/").status_code == 200
    page = browser("operations").get(reverse("admin:tables_table_change", args=[first.table])).content.decode()
    assert "InvalidTag" in page
    assert "cannot be read" in page
    listed = browser("operations").get(reverse("admin:tables_table_changelist"), {"condition": "stuck"})
    assert "frozen" in listed.content.decode()


def test_a_broken_table_is_rebuilt_from_its_events_and_goes_on(duel: tuple[Client, Client], clock: Clock) -> None:
    first, _ = duel
    first.send("draw", pile="closed")
    state = store.read_table(first.table).state
    break_snapshot(first.table)
    with pytest.raises(TableError):
        first.send("sort")
    resume_table(table_id=first.table, reason="Rebuilt", actor=OPS)
    again = store.read_table(first.table).state
    assert again.deal == state.deal
    assert again.version == state.version + 1
    game.check_invariants(again)
    assert first.send("discard", card=first.me["drawn"])["type"] == "ack"
    assert AuditEntry.objects.filter(action="table.rebuild").exists()


def test_a_client_that_has_read_a_broken_table_before_it_was_rebuilt_does_not_freeze_it_again(
    duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = duel
    freeze_table(table_id=first.table, reason="Broken", actor=OPS)
    break_snapshot(first.table)
    latest_state = reading.latest_state

    def read_slowly(row: Table) -> Any:
        monkeypatch.undo()
        resume_table(table_id=first.table, reason="Rebuilt", actor=OPS)
        return latest_state(row)

    monkeypatch.setattr(reading, "latest_state", read_slowly)
    with pytest.raises(TableError, match="Your chips are safe"):
        current_frame(table_id=first.table, user_id=first.user.pk)
    assert Table.objects.get(pk=first.table).status == Table.Status.OPEN
    assert current_frame(table_id=first.table, user_id=first.user.pk).version == store.version(first.table)


def test_a_broken_table_can_still_be_cancelled_and_refunded(duel: tuple[Client, Client]) -> None:
    first, second = duel
    break_snapshot(first.table)
    cancel_table(table_id=first.table, reason="Broken", actor=OPS)
    assert balances_of(first.user) == balances_of(second.user) == (10_000, 0)


def test_the_trace_that_staff_read_holds_no_card(
    duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch, browser: Callable[[str], Browser]
) -> None:
    first, _ = duel
    hand = first.me["hand"]

    def fail(*_: Any) -> None:
        raise RuntimeError(f"{hand} is in two places, seed {'ab' * 64}")

    with monkeypatch.context() as patch:
        patch.setattr(game, "apply", fail)
        with pytest.raises(TableError):
            first.send("drop")
    fault = Table.objects.get(pk=first.table).fault
    assert "RuntimeError" in fault
    assert not [card for card in hand if card in fault]
    assert "abab" not in fault


@pytest.mark.parametrize("role", one_of_each(["operations", "support", "superuser"]))
def test_no_page_of_a_running_table_shows_a_hidden_card_or_the_seed(
    duel: tuple[Client, Client], browser: Callable[[str], Browser], role: str
) -> None:
    first, second = duel
    deal = Deal.objects.get(status=Deal.Status.PLAYING)
    state = store.read_table(first.table).state
    assert state.deal is not None
    hidden = {*first.me["hand"], *second.me["hand"], *state.deal.closed}
    staff = browser(role)
    seed = SEEDS.unseal(deal).hex()
    assert cards_in(f"<td>{first.me['hand'][0]}</td>") <= hidden
    for name, arguments in (
        ("tables_table_changelist", []),
        ("tables_table_change", [first.table]),
        ("tables_match_change", [deal.match_id]),
        ("tables_deal_changelist", []),
        ("tables_deal_change", [deal.pk]),
        ("lobby_player_change", [first.user.pk]),
    ):
        page = staff.get(reverse(f"admin:{name}", args=arguments)).content.decode()
        assert not hidden & cards_in(page), name
        assert seed not in page
    assert staff.get(reverse("admin:tables_deal_replay", args=[deal.pk])).status_code == 404


def test_operations_freeze_resume_and_cancel_on_pages_that_ask_why(
    duel: tuple[Client, Client], browser: Callable[[str], Browser]
) -> None:
    first, _ = duel
    staff = browser("operations")
    redirect = staff.post(
        reverse("admin:tables_table_changelist"), {"action": "freeze", "_selected_action": [first.table]}
    )
    confirmation = staff.get(redirect["Location"])
    assert "No move is taken" in confirmation.content.decode()
    assert Table.objects.get(pk=first.table).status == Table.Status.OPEN
    assert act(staff, "tables_table_freeze", first.table, reason=" ").status_code == 400
    assert Table.objects.get(pk=first.table).status == Table.Status.OPEN
    for verb, status in (("freeze", "frozen"), ("resume", "open"), ("cancel", "closed")):
        assert act(staff, f"tables_table_{verb}", first.table).status_code == 302
        assert Table.objects.get(pk=first.table).status == status
    entry = AuditEntry.objects.get(action="table.cancel")
    assert (entry.actor_name, entry.address, entry.reason) == ("the_operations", "127.0.0.1", "A test asks for it")
    assert entry.before["status"] == "open"  # type: ignore[index]
    assert entry.after["status"] == "closed"  # type: ignore[index]


def test_a_finished_deal_is_replayed_with_all_hands(
    duel: tuple[Client, Client], browser: Callable[[str], Browser]
) -> None:
    first, second = duel
    first.send("draw", pile="closed")
    drawn = first.me["drawn"]
    first.send("discard", card=drawn)
    hands = {first.user.username: first.me["hand"], second.user.username: second.me["hand"]}
    second.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    address = reverse("admin:tables_deal_replay", args=[deal.pk])
    staff = browser("support")
    page = staff.get(address)
    steps = page.context["replay"]["steps"]
    (took,) = [step for step in steps if "from the closed deck" in step.get("text", "")]
    sizes = {len(hand["groups"]) + len(hand["loose"]) for hand in took["hands"].values()}
    assert sizes == {14} and drawn in took["hands"][str(took["seat"])]["loose"]
    players = {player["name"]: str(player["seat"]) for player in page.context["replay"]["players"]}
    lies = {
        name: next(s["hands"][seat] for s in reversed(steps) if seat in s["hands"]) for name, seat in players.items()
    }
    assert {name: sorted(lies[name]["loose"]) for name in hands} == {name: sorted(hand) for name, hand in hands.items()}
    assert page.context["replay"]["seat"] is None and "Your turns" not in page.content.decode()
