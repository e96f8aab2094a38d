"""The standings that are pushed to those who are in a tournament: few bytes and few queries, however many they are."""

import asyncio
import json
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.asgi import application
from lobby.models import Player
from tables import standings
from tables.history import sharing
from tables.models import Entrant, Tournament
from tables.play import store
from tables.sockets import standings_push as push
from tables.sockets.batching import IN_ONE_GO
from tests.support.players import signed_up
from tests.support.sockets import PatientSocket
from tests.support.tournaments import ARENA
from tests.support.turns import longest_run

pytestmark = pytest.mark.django_db


def running(number: int, *users: Player) -> Tournament:
    """Return an arena that runs, with the users and so many computer players, who have the more chips the later."""
    rules = {**ARENA, "title": "Load", "least_deals": 1}
    tournament = Tournament.objects.create(
        **rules, book_version=1, status="running", opens_ms=0, starts_ms=1, number=number, entered=number + len(users)
    )
    of_users = [Entrant(tournament=tournament, user=user, name=str(user), chips=1_500, deals=1) for user in users]
    others = [Entrant(tournament=tournament, name=f"c{each}", chips=1_000 + each, deals=2) for each in range(number)]
    Entrant.objects.bulk_create([*of_users, *others])
    standings._standings.clear()
    return tournament


def test_a_push_is_as_small_and_as_cheap_for_many_as_for_few() -> None:
    asha, ravi = signed_up("asha"), signed_up("ravi")
    sizes, counts = [], []
    for number in (60, 900):
        tournament = running(number, asha)
        for _ in range(2):  # The second asks nobody for standings that were just read.
            with CaptureQueriesContext(connection) as queries:
                texts = push.texts_for([asha.pk, ravi.pk])
            counts.append(len(queries))
        assert texts.keys() == {tournament.pk} and texts[tournament.pk].keys() == {asha.pk}
        sizes.append(len(texts[tournament.pk][asha.pk]))
        pushed = json.loads(texts[tournament.pk][asha.pk])
        assert (pushed["type"], pushed["tournament"]) == ("standings", tournament.pk)
        assert (pushed["place"], pushed["places"], pushed["chips"]) == (1 if number == 60 else 400, number + 1, 1_500)
        assert pushed["version"] == 1 + 2 * number and len(pushed["top"]) == standings.TOP
        Tournament.objects.filter(pk=tournament.pk).update(status="over", over_ms=1)
    assert counts == [3, 1, 3, 1]
    assert max(sizes) <= 400 and abs(sizes[0] - sizes[1]) <= 12, sizes


def test_before_the_least_number_of_deals_there_is_no_place() -> None:
    asha = signed_up("asha")
    tournament = running(3, asha)
    Tournament.objects.filter(pk=tournament.pk).update(least_deals=2)
    assert json.loads(push.texts_for([asha.pk])[tournament.pk][asha.pk])["place"] is None


def test_equals_share_a_place() -> None:
    tournament = running(3)
    Entrant.objects.filter(tournament=tournament).update(chips=7)
    assert [line.place for line in standings.standings_of(tournament.pk).top()] == [1, 1, 1]


def test_a_closed_account_has_no_name_there_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many only who has changed is read anew."""
    monkeypatch.setattr(standings, "FRESH_FOR", 0)
    asha = signed_up("asha")
    tournament = running(60, asha)
    Entrant.objects.filter(tournament=tournament, name="c59").update(changed_ms=store.now_ms() - 60_000)
    assert standings.standings_of(tournament.pk).top()[0].name == "asha"
    sharing.forget_names(asha)
    assert standings.standings_of(tournament.pk).top()[0].name == "Closed account"


def test_whoever_has_just_lost_does_not_stand_before_themselves() -> None:
    tournament = running(60)
    standings.standings_of(tournament.pk)
    best = standings.standing(tournament)[0]
    Entrant.objects.filter(pk=best.pk).update(chips=1_057)
    again = standings.standing(tournament).get(pk=best.pk)
    assert standings.standings_of(tournament.pk).place_of(again) == 2


@database_sync_to_async
def asha_in_an_arena() -> tuple[Tournament, tuple[bytes, bytes]]:
    asha, client = signed_up("asha"), Client()
    client.force_login(asha)
    return running(3, asha), (b"cookie", f"sessionid={client.session.session_key}".encode())


@database_sync_to_async
def win(tournament: Tournament) -> None:
    Entrant.objects.filter(tournament=tournament, user__isnull=False).update(chips=2_000, deals=2)


async def standings_from(socket: PatientSocket) -> dict[str, Any]:
    while (message := await socket.receive_json_from())["type"] != "standings":
        pass
    return dict(message)


async def kinds_until_silence(socket: PatientSocket, seconds: float) -> list[str]:
    """Return the types of the frames that come before so many seconds are silent: the lobby's may come late."""
    kinds: list[str] = []
    while not await socket.receive_nothing(seconds):
        kinds.append((await socket.receive_json_from())["type"])
    return kinds


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
@pytest.mark.usefixtures("sent")
async def test_the_lobby_socket_pushes_them_once_for_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "PUSH_EVERY", 0.05)
    tournament, cookie = await asha_in_an_arena()
    socket = PatientSocket(
        application, "/ws/lobby/", headers=[(b"host", b"testserver"), cookie, (b"origin", b"http://testserver")]
    )
    assert (await socket.connect())[0]
    first = await standings_from(socket)
    assert (first["tournament"], first["chips"], first["places"]) == (tournament.pk, 1_500, 4)
    assert "standings" not in await kinds_until_silence(socket, 0.3), "nothing has changed"
    await win(tournament)
    second = await standings_from(socket)
    assert second["chips"] == 2_000 and second["version"] > first["version"]
    await socket.disconnect()


class _Receiver:
    """A socket that notes in `happened` what it was sent."""

    def __init__(self, happened: list[Any]) -> None:
        self._happened = happened

    async def send_texts(self, *texts: tuple[bytes, ...]) -> None:
        self._happened += texts


@pytest.mark.asyncio
async def test_others_get_their_turn_while_standings_are_pushed_to_many(monkeypatch: pytest.MonkeyPatch) -> None:
    happened, many, pushing = list[Any](), 3 * IN_ONE_GO, push.StandingsPush()
    monkeypatch.setattr(push, "texts_for", lambda users: {1: dict.fromkeys(users, b"standings")})
    receivers = [_Receiver(happened) for _ in range(many)]
    for user_id, receiver in enumerate(receivers):
        pushing.add(user_id, receiver)
    sending = asyncio.create_task(pushing.push())
    assert await longest_run(happened, sending.done) <= IN_ONE_GO
    assert happened.count((b"standings",)) == many
    for user_id, receiver in enumerate(receivers):
        pushing.discard(user_id, receiver)
