"""A block keeps somebody from the private tables that one opens, and from nothing that is open to all."""

from typing import Any

import pytest

from lobby.friends import friends, invitations
from lobby.friends.models import Rematch
from lobby.models import HostedTable, Player, Stake
from lobby.stakes import private_tables, services as stakes
from rules.bots import Strength
from tables.errors import TableError
from tables.models import Match, Seating, Table
from tests.support.clock import Clock
from tests.support.players import signed_up
from tests.support.program import Program
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.steering import next_deal
from tests.support.tables import connected

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

NO_SUCH_CODE = "ZZZZ2222"


def opened(host: Player, way: str) -> str:
    stake: Stake = StakeFactory(seats=3)
    if way == "stake":
        return stakes.open_private(stake_id=stake.pk, user=host)
    return private_tables.open_own_table(user=host, stake=stake)


@pytest.mark.parametrize("way", ["stake", "own terms"])
def test_to_the_blocked_a_private_table_is_not_there(asha: Player, ravi: Player, way: str) -> None:
    code = opened(asha, way)
    friends.block_player(player=asha, other=ravi)
    api, page = Program(ravi), browser_of(ravi)
    assert api.post(f"private/{code}/seats/") == api.post(f"private/{NO_SUCH_CODE}/seats/")
    assert api.post(f"private/{code}/seats/")[0] == 404
    for ask in (page.get, page.post):
        assert ask(f"/private/{code}/").status_code == ask(f"/private/{NO_SUCH_CODE}/").status_code
    assert page.get(f"/private/{code}/code.svg").status_code == 404
    assert not Seating.objects.filter(user=ravi).exists()
    assert Program(signed_up()).post(f"private/{code}/seats/")[0] == 200, "others sit there"
    friends.unblock_player(player=asha, other=ravi)
    assert Program(ravi).post(f"private/{code}/seats/")[0] == 200


def test_only_the_block_of_who_has_opened_it_counts(asha: Player, ravi: Player) -> None:
    code = opened(asha, "stake")
    guest = signed_up()
    stakes.sit_by_code(code=code, user=guest)
    friends.block_player(player=guest, other=ravi)
    friends.block_player(player=ravi, other=asha)
    assert stakes.sit_by_code(code=code, user=ravi)


def test_who_sits_there_when_they_are_blocked_keeps_the_seat(asha: Player, ravi: Player) -> None:
    code = opened(asha, "stake")
    seating = stakes.sit_by_code(code=code, user=ravi)
    friends.block_player(player=asha, other=ravi)
    assert Program(ravi).post(f"private/{code}/seats/")[1]["table"] == seating.table_id


def test_who_is_blocked_and_leaves_a_running_deal_does_not_come_back(asha: Player, ravi: Player, clock: Clock) -> None:
    code, people = opened(asha, "stake"), [asha, ravi, signed_up()]
    for person in people:
        stakes.sit_by_code(code=code, user=person)
    places = [connected(stakes.private_table(code), person) for person in people]
    next_deal(places, clock)
    friends.block_player(player=asha, other=ravi)
    assert places[1].send("leave")["type"] == "ack" and Seating.objects.get(user=ravi).freed_at is None
    api, page = Program(ravi), browser_of(ravi)
    assert api.post(f"private/{code}/seats/") == api.post(f"private/{NO_SUCH_CODE}/seats/")
    assert page.get(f"/private/{code}/").status_code == page.get(f"/private/{NO_SUCH_CODE}/").status_code
    assert page.get(f"/private/{code}/code.svg").status_code == 404


def test_an_invitation_by_another_to_a_table_of_who_has_blocked_one_is_not_shown(asha: Player, ravi: Player) -> None:
    code, bela = opened(asha, "stake"), signed_up()
    friends.ask_friend(player=bela, other=ravi)
    friends.accept_friend(player=ravi, other=bela)
    invitations.invite(player=bela, friend=ravi, code=code)
    assert invitations.open_invitations(ravi).count() == 1
    friends.block_player(player=asha, other=ravi)
    assert not invitations.open_invitations(ravi)


def test_whom_the_host_has_blocked_is_told_nothing_of_an_invitation_by_another(
    asha: Player, ravi: Player, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    code, bela = opened(asha, "stake"), signed_up()
    friends.ask_friend(player=bela, other=ravi)
    friends.accept_friend(player=ravi, other=bela)
    friends.block_player(player=asha, other=ravi)
    with django_capture_on_commit_callbacks(execute=True):
        answer = browser_of(bela).post(f"/private/{code}/invite/", {"player": ravi.pk}, follow=True)
    assert "ravi is invited" in answer.content.decode(), "nor is who invites told of the block"
    assert not sent and not ravi.invitations.exists(), "neither on a page, nor in the file of their data"


def test_nobody_sits_at_the_rematch_that_who_has_blocked_them_opened(
    asha: Player, ravi: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    stake: Stake = StakeFactory(pool=True)
    former = stakes.quick_seat(stake_id=stake.pk, user=asha).table
    match = Match.objects.create(table=former, book=former.book, book_version=1)
    monkeypatch.setattr(invitations, "rematch_of", lambda table, user_id: match)
    monkeypatch.setattr("tables.play.services.sit", lambda *, table_id, user: Seating(table_id=table_id, user=user))
    seating = invitations.sit_for_rematch(player=asha, match_id=match.pk)
    assert HostedTable.objects.get(table=seating.table_id).player == asha
    friends.block_player(player=asha, other=ravi)
    with pytest.raises(TableError, match="No table has this code"):
        invitations.sit_for_rematch(player=ravi, match_id=match.pk)
    assert Rematch.objects.count() == 1
    assert invitations.sit_for_rematch(player=signed_up(), match_id=match.pk).table_id == seating.table_id


def test_a_practice_table_is_entered_by_nobody_else_blocked_or_not(asha: Player, ravi: Player) -> None:
    own = stakes.practice(user=asha, book_key="standard-points", players=3, strength=Strength.SOUND)
    other = stakes.practice(user=ravi, book_key="standard-points", players=3, strength=Strength.SOUND)
    assert own.table_id != other.table_id, "equal wishes pair nobody"
    for _ in range(2):
        with pytest.raises(TableError, match="no such table"):
            stakes.sit_at(table_id=own.table_id, user=ravi)
        friends.block_player(player=asha, other=ravi)


def test_open_stakes_stay_open_to_all(asha: Player, ravi: Player) -> None:
    friends.block_player(player=asha, other=ravi)
    friends.block_player(player=ravi, other=asha)
    stake: Stake = StakeFactory()
    tables = {stakes.quick_seat(stake_id=stake.pk, user=player).table_id for player in (asha, ravi)}
    assert tables == {Table.objects.exclude(seated=0).get().pk}


def test_the_pages_say_what_a_block_means_and_what_it_does_not(asha: Player, ravi: Player) -> None:
    friends.block_player(player=asha, other=ravi)
    assert "Open stakes stay open to all" in browser_of(asha).get("/friends/").content.decode()
    Player.objects.filter(pk=ravi.pk).update(has_profile=True)
    assert "Open stakes stay open to all" in browser_of(asha).get("/players/ravi/").content.decode()
