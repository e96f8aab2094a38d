"""The compose file's own services, in production, behind the shipped nginx files: what passes, and what does not."""

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from tests.support.client import Player, has_result
from tests.support.platform import wait_until
from tests.system.live.composed import SITE, WEBS, Composed, Front, lead_here

pytestmark = [pytest.mark.slow, pytest.mark.nginx]

#: Sockets that one address may have at each web process; at both together more than nginx once let in.
SOCKETS = 60
PLAYERS = 12
ACCOUNTS = """
import json, sys
from lobby.models import Player
from rest_framework.authtoken.models import Token

from wallet.keys.api_tokens import token_text
from wallet.play_money.services import open_wallet
keys = []
for number in range(int(sys.stdin.read())):
    player = Player.objects.create(username=f"behind{number}", password="!")
    open_wallet(player)
    keys.append(token_text(Token.objects.create(user=player)))
print(json.dumps(keys))
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    running = Composed(Path(tmp_path_factory.mktemp("composed")), RUMMY_SOCKETS_PER_ADDRESS=str(SOCKETS))
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def front(platform: Composed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    front = Front(Path(tmp_path_factory.mktemp("nginx")), platform.ports)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", lead_here)
        patch.setenv("SSL_CERT_FILE", str(front.certificate))
        try:
            front.start()
            yield front
        finally:
            front.stop()


@pytest.fixture
def http(front: Front) -> Iterator[httpx.Client]:
    trusted = ssl.create_default_context(cafile=front.certificate)
    with httpx.Client(base_url=front.address, verify=trusted, timeout=30) as client:
        yield client


def sockets(front: Front, path: str, **headers: str) -> Any:
    """Open a socket as a browser does from a page of the site; `headers` may replace some of its headers."""
    url = front.address.replace("https", "wss") + path
    sent = {"Origin": front.address} | {name.replace("_", "-"): value for name, value in headers.items()}
    return websockets.connect(url, additional_headers=sent, open_timeout=30)


def test_pages_are_served_and_probes_are_not(front: Front, http: httpx.Client) -> None:
    page = http.get("/how-to-play/")
    assert page.status_code == 200 and "Thirteen" in page.text
    assert [http.get(path).status_code for path in ("/readyz", "/metrics")] == [403, 403]
    plain = httpx.get(f"http://{SITE}:{front.plain}/wallet/?x=1")
    assert (plain.status_code, plain.headers["Location"]) == (301, f"https://{SITE}/wallet/?x=1")


def test_another_name_than_that_of_the_site_gets_no_answer(front: Front, http: httpx.Client) -> None:
    asked = (lambda: http.get("/how-to-play/", headers={"Host": "evil.test"}),
             lambda: httpx.get(f"http://{SITE}:{front.plain}/", headers={"Host": "evil.test"}),
             lambda: httpx.get(f"http://127.0.0.1:{front.plain}/"),
             lambda: httpx.get(f"https://127.0.0.1:{front.secure}/", verify=False))  # fmt: skip
    for ask in asked:
        with pytest.raises(httpx.TransportError):
            ask()


def test_programs_are_not_led_on_from_a_connection_in_clear(front: Front) -> None:
    plain = f"http://{SITE}:{front.plain}"
    for path in ("/api/auth/token/", "/api/me/", "/ws/lobby/", "/ws/tables/1/"):
        assert httpx.post(f"{plain}{path}", json={"username": "asha"}).status_code == 403
    assert httpx.get(f"{plain}/login/").status_code == 301


def test_no_line_of_the_proxy_has_what_opens_something(front: Front, http: httpx.Client) -> None:
    for path in ("/private/", "/api/private/", "/shared/", "/account/email/", "/login/forgotten/MQ/"):
        http.get(f"{path}Sesame-open/")
        httpx.get(f"http://{SITE}:{front.plain}{path}Sesame-open/")
    wait_until(lambda: "/login/forgotten/-" in front.logs(), front.logs)
    assert "Sesame" not in front.logs()


def test_a_class_behind_one_address_is_not_taken_for_a_flood(http: httpx.Client) -> None:
    assert {http.get("/manifest.webmanifest").status_code for _ in range(300)} == {200}


def sign_up(http: httpx.Client, name: str, **headers: str) -> str:
    """Sign up on the site's own page, and return the cookies."""
    http.get("/signup/")
    form = {"username": name, "csrfmiddlewaretoken": http.cookies["__Host-csrftoken"]}
    form |= dict.fromkeys(("password", "password1", "password2"), "a horse at the table 9")
    answer = http.post("/signup/", data=form, headers={"Referer": f"{http.base_url}/signup/", **headers})
    assert "__Host-sessionid" in http.cookies, answer.text
    return "; ".join(f"{name}={value}" for name, value in http.cookies.items())


async def handshake(opening: Any) -> int:
    """Return the status of the handshake, which is 101 if the socket opens and sends something."""
    try:
        async with opening as line:
            await asyncio.wait_for(line.recv(), 30)
            return 101
    except InvalidStatus as refused:
        return int(refused.response.status_code)


def test_sockets_open_for_the_pages_of_the_site_and_for_no_other(front: Front, http: httpx.Client) -> None:
    cookie = sign_up(http, "socketeer")
    for path, statuses in (("/ws/lobby/", [101, 403, 403]),):
        origins = (front.address, "https://evil.test", front.address.replace("https", "http"))
        tried = [asyncio.run(handshake(sockets(front, path, Cookie=cookie, Origin=one))) for one in origins]
        assert tried == statuses


def test_a_session_of_the_site_sits_down_and_plays(front: Front, http: httpx.Client) -> None:
    cookie = sign_up(http, "sitter")
    headers = {"X-CSRFToken": http.cookies["__Host-csrftoken"], "Referer": f"{http.base_url}/"}
    seat = http.post("/api/practice/", json={"book": "standard-points", "players": 2}, headers=headers)
    assert seat.status_code in (200, 201), seat.text
    path = f"/ws/tables/{seat.json()['table']}/"
    assert asyncio.run(handshake(sockets(front, path, Cookie=cookie))) == 101


def test_a_forged_address_does_not_come_through(platform: Composed, http: httpx.Client) -> None:
    sign_up(http, "forger", **{"X-Forwarded-For": "6.6.6.6", "X-Real-IP": "6.6.6.6", "Forwarded": "for=6.6.6.6"})
    query = "SELECT address FROM lobby_signin s JOIN lobby_player p ON p.id = s.player_id WHERE username = 'forger'"
    with platform.connect() as database:
        assert {str(address) for (address,) in database.execute(query).fetchall()} == {"127.0.0.1"}


def test_the_site_believes_the_proxy_about_https_and_nobody_else(http: httpx.Client) -> None:
    form = {"username": "nobody", "password": "nothing at all"}
    headers = {"X-Forwarded-Proto": "http", "X-Forwarded-For": "6.6.6.6", "Referer": f"{http.base_url}/login/"}
    http.get("/login/")
    signed = http.post(
        "/login/", data={**form, "csrfmiddlewaretoken": http.cookies["__Host-csrftoken"]}, headers=headers
    )
    assert signed.status_code == 400, "403 would mean that the Referer's https is not that of the site"
    assert "name or" in signed.text.lower() or "password" in signed.text.lower()


def test_a_body_too_large_is_not_read(http: httpx.Client) -> None:
    assert http.post("/api/auth/login/", content=b"x" * 300_000).status_code == 413


def test_a_deal_is_played_through_it_by_a_role_that_cannot_rewrite_the_books(platform: Composed, front: Front) -> None:
    async def story() -> None:
        player = Player(front.address)
        await player.sign_up()
        seat = await player.post("/api/practice/", book="standard-points", players=2)
        async with player.at(seat["table"]):
            await player.play_until(lambda view: has_result(view) or "drop" in (view["me"] or {}).get("moves", []))
            if not has_result(player.view):
                assert (await player.ask("drop"))["type"] == "ack"
                await player.until(has_result)

    asyncio.run(story())
    audited = platform.manage("audit_ledger")
    assert audited.returncode == 0, audited.stdout + audited.stderr
    rewriting = "from wallet.models import Transfer; Transfer.objects.all().update(amount=1)"
    rewritten = platform.manage("shell", "--no-imports", "-c", rewriting)
    assert rewritten.returncode and "permission denied" in rewritten.stderr


def test_one_address_gets_as_many_sockets_as_the_platform_allows(front: Front) -> None:
    """Each claims another address in its headers, and all are counted as those of their real one."""
    allowed = SOCKETS * len(WEBS)

    async def story() -> tuple[int, set[int]]:
        async with contextlib.AsyncExitStack() as stack, asyncio.timeout(180):
            opened, refused = 0, set()
            for number in range(4 * allowed):
                try:
                    line = sockets(front, "/ws/lobby/", X_Forwarded_For=f"10.0.{number // 250}.{number % 250}")
                    await stack.enter_async_context(line)
                    opened += 1
                except InvalidStatus as status:
                    refused.add(status.response.status_code)
                    if opened == allowed and number > allowed + SOCKETS:
                        break
                    await asyncio.sleep(0.02)
            return opened, refused

    assert asyncio.run(story()) == (allowed, {403})


class Back:
    """A player at a table who reconnects whenever the connection is cut, as the page does."""

    def __init__(self, front: Front, key: str, *, in_the_address: bool) -> None:
        self._front, self._key, self._in_the_address = front, key, in_the_address
        self.headers = {"Authorization": f"Token {key}"}
        #: How often a table was seen, and whether it is in sight now.
        self.joined, self.there = 0, False
        self.refused: list[int] = []

    async def sit(self, http: httpx.AsyncClient) -> None:
        content = {"book": "standard-points", "players": 2}
        answer = await http.post("/api/practice/", json=content, headers=self.headers)
        self._table = answer.raise_for_status().json()["table"]

    def _opening(self) -> Any:
        if self._in_the_address:
            return sockets(self._front, f"/ws/tables/{self._table}/?token={self._key}")
        return sockets(self._front, f"/ws/tables/{self._table}/", **self.headers)

    async def live(self) -> None:
        while True:
            try:
                async with self._opening() as line:
                    async for text in line:
                        if json.loads(text)["type"] == "state" and not self.there:
                            self.joined, self.there = self.joined + 1, True
            except InvalidStatus as status:
                self.refused.append(status.response.status_code)
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError):
                pass
            self.there = False
            await asyncio.sleep(0.2)


@contextlib.asynccontextmanager
async def asked_all_the_time(address: str, statuses: list[int]) -> AsyncIterator[None]:
    """Request a page of the site twenty times a second, and collect the statuses."""

    async def ask() -> None:
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            while True:
                statuses.append((await client.get("/healthz")).status_code)
                await asyncio.sleep(0.05)

    asking = asyncio.create_task(ask())
    try:
        yield
    finally:
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking


async def _all_there(players: list[Back], times: int) -> None:
    async with asyncio.timeout(90):
        while not all(player.there and player.joined >= times for player in players):
            await asyncio.sleep(0.05)


def test_one_web_process_after_the_other_restarts_and_all_players_are_back(platform: Composed, front: Front) -> None:
    """The second restarts right after the first, while nginx still takes the first for dead."""
    output = platform.run_code(ACCOUNTS, str(PLAYERS))
    keys = json.loads(output.splitlines()[-1])

    async def story() -> tuple[list[Back], list[int]]:
        players = [Back(front, key, in_the_address=number % 2 == 0) for number, key in enumerate(keys)]
        statuses: list[int] = []
        async with httpx.AsyncClient(base_url=front.address, timeout=60) as client:
            for player in players:
                await player.sit(client)
        lives = [asyncio.create_task(player.live()) for player in players]
        try:
            async with asked_all_the_time(front.address, statuses):
                await _all_there(players, 1)
                for web in WEBS:
                    await asyncio.to_thread(platform.restart, web)
                await _all_there(players, 2)
        finally:
            for life in lives:
                life.cancel()
            await asyncio.gather(*lives, return_exceptions=True)
        return players, statuses

    players, statuses = asyncio.run(story())
    assert set(statuses) == {200}
    assert {status for player in players for status in player.refused} <= {403}, "one of the two was always there"
    logs = front.logs() + platform.logs()
    assert "/ws/tables/" in logs
    assert [key for key in keys if key in logs] == []


def test_all_sockets_of_a_table_come_to_the_same_web_process(front: Front) -> None:
    """The proxy's log must say so, and that not all tables are at the same process."""
    paths = [f"/ws/tables/{number}/" for number in range(990_001, 990_011)] * 2

    async def ask() -> None:
        for path in paths:
            async with sockets(front, path) as one:
                with contextlib.suppress(ConnectionClosed):
                    await one.recv()

    def answered() -> list[tuple[str, str]]:
        lines = [json.loads(line) for line in front.logs().splitlines() if '"path":"/ws/tables/990' in line]
        return [(each["path"], each["web"]) for each in lines]

    asyncio.run(ask())
    wait_until(lambda: len(answered()) == len(paths), front.logs)
    assert len(set(answered())) == len(set(paths))
    assert len({web for _, web in answered()}) == len(WEBS)
