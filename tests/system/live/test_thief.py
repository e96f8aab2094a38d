"""A thief has Redis, with its address and password: they take no account, move no chip, read no card and no address."""

import base64
import json
import re
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from redis import Redis, RedisError

from config.celery import app
from tests.support.platform import Platform, wait_until
from tests.support.players import PASSWORD
from tests.support.redis_server import redis_server

pytestmark = [pytest.mark.slow, pytest.mark.redis]

ADDRESS, EVIL = "asha@example.com", "attacker@evil.example"
CARD = re.compile(r'"(?:10|[2-9AKQJ])[CDHS][123]"|"hand"')
#: Makes the victim, with an address, and a table where computer players play.
_VICTIM = f"""
from lobby.accounts.services import sign_up
from lobby.models import Player
player = sign_up(username="victim.one", password={PASSWORD!r})
Player.objects.filter(pk=player.pk).update(email={ADDRESS!r})
print(player.pk)
"""
#: Everything that a thief wants: accounts, codes and chips of people, and what opens them.
_STATE = """
import json
from lobby.models import MailOrder, PasswordCode, Player
from wallet.ledger import selectors as ledger
people = list(Player.objects.order_by("pk").values_list("pk", "username", "password", "email", "is_active", "is_staff"))
codes = list(PasswordCode.objects.order_by("pk").values_list("pk", "player_id", "digest"))
chips = [ledger.balances(player) for player in Player.objects.order_by("pk")]
print(json.dumps([people, codes, chips], default=str))
"""


class Thief:
    """Reads all that passes through Redis, and puts there what they like."""

    def __init__(self, url: str) -> None:
        self.store = Redis.from_url(url)
        self.heard: list[str] = []
        self._watching = Redis.from_url(url, socket_timeout=None)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        with self._watching.monitor() as monitor:
            while True:
                try:
                    self.heard.append(monitor.next_command()["command"])
                except (RedisError, OSError):
                    return
                except ValueError:
                    # A line that the library cannot read.
                    continue

    @property
    def queue(self) -> str:
        """The key of the list from which workers take tasks."""
        [key] = {match[1] for line in list(self.heard) if (match := re.match(r"LPUSH (\S+:tasks:celery) ", line))}
        return key

    def captured(self) -> list[dict[str, Any]]:
        """Return the messages of tasks that were sent so far."""
        lines = [line.partition(":tasks:celery ")[2] for line in list(self.heard) if line.startswith("LPUSH ")]
        return [json.loads(line) for line in lines if line.startswith("{")]

    def push(self, message: dict[str, Any]) -> None:
        self.store.lpush(self.queue, json.dumps(message))

    def send(self, name: str, *arguments: Any) -> None:
        """Send a task as anybody does who has the library and the address."""
        prefix = self.queue.removesuffix("celery")
        options = {"global_keyprefix": prefix}
        thief = Celery("thief", broker=self._url(), broker_transport_options=options, set_as_current=False)
        thief.send_task(name, arguments)

    def _url(self) -> str:
        connection = self.store.connection_pool.connection_kwargs
        return f"redis://{connection['host']}:{connection['port']}/{connection.get('db', 0)}"


@pytest.fixture
def theft(tmp_path: Path) -> Iterator[tuple[Platform, Thief]]:
    with redis_server(tmp_path) as url:
        thief = Thief(url)
        with Platform(tmp_path, RUMMY_REDIS_URL=url).started() as platform:
            wait_until(lambda: bool(thief.captured()), lambda: platform.log("web"))
            yield platform, thief


def post(platform: Platform, path: str, **form: str) -> None:
    token = "x" * 32
    data = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **form}).encode()
    request = urllib.request.Request(platform.address + path, data, {"Cookie": f"csrftoken={token}"})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def mails(platform: Platform) -> list[str]:
    folder = platform.data / "mail"
    return [file.read_text() for file in folder.iterdir()] if folder.exists() else []


def test_who_has_redis_has_nothing_else(theft: tuple[Platform, Thief]) -> None:
    platform, thief = theft
    victim = int(platform.run_code(_VICTIM))
    before = platform.run_code(_STATE)
    refused = platform.log("web").count("not signed by this installation")

    app.finalize()
    guesses: tuple[tuple[Any, ...], ...] = (
        (), (victim,), (1,), (victim, EVIL, "https://evil.example", "en"), (EVIL, "https://evil.example", "en"),
        ("lobby.tasks.mail_support_link", [[victim]]),
    )  # fmt: skip
    for name in app.tasks:
        for arguments in guesses:
            thief.send(name, *arguments)
    genuine = [message for message in thief.captured() if "signature" in message["properties"]]
    assert genuine
    for name in app.tasks:
        # As it was sent, but for the name; and with other arguments too.
        replayed = json.loads(json.dumps(genuine[-1]))
        replayed["headers"]["task"] = name
        if name != genuine[-1]["headers"]["task"]:
            thief.push(replayed)
        thief.push({**replayed, "body": base64.b64encode(json.dumps([[victim], {}, {}]).encode()).decode()})
    for channel in thief.store.pubsub_channels():
        for forged in (b"{}", b"\x81\xa4type\xaduser.news", b"gAAAAA" + b"A" * 100):
            thief.store.publish(channel, forged)

    wait_until(lambda: thief.store.llen(thief.queue) == 0, lambda: platform.log("web"))
    assert platform.run_code(_STATE) == before
    assert mails(platform) == []
    assert platform.log("web").count("not signed by this installation") > refused

    # And what is genuine still works, and tells those who read along neither an address nor a card.
    post(platform, "/play-now/")
    post(platform, "/login/forgotten/email/", email=ADDRESS)
    # Its file is there before it is written; this line is the last of it.
    wait_until(lambda: any(mail.endswith("-" * 79 + "\n") for mail in mails(platform)), lambda: platform.log("web"))
    [mail] = mails(platform)
    assert f"To: {ADDRESS}" in mail
    assert platform.address + "/login/forgotten/" in mail
    assert "evil" not in mail
    time_of_play(thief)
    read = "\n".join([*thief.heard, *(everything_in(thief.store))])
    assert ADDRESS not in read
    assert not CARD.search(read)


def time_of_play(thief: Thief) -> None:
    """Wait until something has been pushed between processes and tasks went on."""
    sent = len(thief.captured())
    give_up = time.monotonic() + 60
    while len(thief.captured()) < sent + 3 and time.monotonic() < give_up:
        time.sleep(0.1)
    assert len(thief.captured()) >= sent + 3


def everything_in(store: Any) -> list[str]:
    read = {b"string": store.get, b"list": lambda key: store.lrange(key, 0, -1), b"set": store.smembers,
            b"hash": store.hgetall, b"zset": lambda key: store.zrange(key, 0, -1)}  # fmt: skip
    return [f"{key!r} {read[store.type(key)](key)!r}" for key in store.scan_iter() if store.type(key) in read]
