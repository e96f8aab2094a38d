"""The proxy's own configuration, tried with a real nginx: pages, sockets, and what it keeps out."""

import asyncio
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.live.client import Player, has_result
from tests.live.platform import ROOT, Platform, free_port

pytestmark = [pytest.mark.slow, pytest.mark.nginx]

#: Around the file that a distribution's nginx.conf includes.
WHOLE = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""


class Front:
    """nginx before one web process, with a certificate of its own."""

    def __init__(self, folder: Path, web: int) -> None:
        self.plain, self.secure = free_port(), free_port()
        self.certificate = folder / "site.crt"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "site.key", "-out", self.certificate],
            check=True, capture_output=True,
        )  # fmt: skip
        server = (ROOT / "config/deploy/nginx.conf").read_text()
        for ours, here in (
            ("server web:8000;", f"server 127.0.0.1:{web};"),
            ("listen 80;", f"listen 127.0.0.1:{self.plain};"),
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.secure} ssl;"),
            ("/etc/nginx/tls/", f"{folder}/"),
        ):
            assert ours in server
            server = server.replace(ours, here)
        self._file = folder / "nginx.conf"
        self._file.write_text(WHOLE.format(folder=folder, server=server))
        self.address = f"https://127.0.0.1:{self.secure}"

    def start(self) -> subprocess.Popen[bytes]:
        tried = subprocess.run(["nginx", "-t", "-c", self._file], capture_output=True, text=True)
        assert tried.returncode == 0 and "warn" not in tried.stderr, tried.stderr
        return subprocess.Popen(["nginx", "-c", self._file])


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    folder = Path(tmp_path_factory.mktemp("nginx"))
    running = Platform(folder, RUMMY_PROXIES="1")
    running.start()
    made = Front(folder, running.port)
    nginx = made.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(made.certificate))
        yield made
    nginx.terminate()
    nginx.wait(10)
    running.stop()


@pytest.fixture
def http(front: Front) -> Iterator[httpx.Client]:
    trusted = ssl.create_default_context(cafile=front.certificate)
    transport = httpx.HTTPTransport(retries=5, verify=trusted)
    with httpx.Client(base_url=front.address, transport=transport) as client:
        yield client


def test_pages_are_served_and_probes_are_not(front: Front, http: httpx.Client) -> None:
    page = http.get("/how-to-play/")
    assert page.status_code == 200 and "Thirteen" in page.text
    assert [http.get(path).status_code for path in ("/readyz", "/metrics")] == [403, 403]
    plain = httpx.get(f"http://127.0.0.1:{front.plain}/wallet/?x=1")
    assert (plain.status_code, plain.headers["Location"]) == (301, "https://127.0.0.1/wallet/?x=1")


def test_the_site_believes_the_proxy_about_https_and_nobody_else(http: httpx.Client) -> None:
    form = {"username": "nobody", "password": "nothing at all"}
    told = {"X-Forwarded-Proto": "http", "X-Forwarded-For": "6.6.6.6", "Referer": f"{http.base_url}/login/"}
    http.get("/login/")
    signed = http.post("/login/", data={**form, "csrfmiddlewaretoken": http.cookies["csrftoken"]}, headers=told)
    assert signed.status_code == 400, "403 would mean that the Referer's https is not that of the site"
    assert "name or" in signed.text.lower() or "password" in signed.text.lower()


def test_what_is_too_large_stays_outside(http: httpx.Client) -> None:
    assert http.post("/api/auth/login/", content=b"x" * 300_000).status_code == 413


def test_a_deal_is_played_through_it(front: Front, http: httpx.Client) -> None:
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
