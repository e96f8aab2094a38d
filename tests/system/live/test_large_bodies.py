"""Far too large bodies sent to the real server: they are refused at once, and nothing of them is kept."""

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.platform import Platform

pytestmark = pytest.mark.slow

SIZE = 200_000_000


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with Platform(Path(tmp_path_factory.mktemp("bodies"))).started() as running:
        yield running


class Held:
    """The most memory, and bytes in unnamed files, that a process used during the block."""

    def __init__(self, pid: int) -> None:
        self._process = Path(f"/proc/{pid}")
        self._done = threading.Event()
        self._watching = threading.Thread(target=self._watch)
        self.memory = self.nameless = 0

    def __enter__(self) -> "Held":
        self.before = self._resident()
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watching.join()

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            self.memory = max(self.memory, self._resident() - self.before)
            self.nameless = max(self.nameless, self._unlinked())

    def _resident(self) -> int:
        return int((self._process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def _unlinked(self) -> int:
        found = 0
        for each in (self._process / "fd").iterdir():
            with contextlib.suppress(OSError):
                found += each.stat().st_size if str(each.readlink()).endswith("(deleted)") else 0
        return found


def send(port: int, head: bytes, piece: bytes, size: int) -> tuple[bytes, int]:
    """Return the answer, and the number of bytes of the body that were sent before the server took no more."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(head)
        sent, answer = 0, b""
        with contextlib.suppress(OSError):
            while sent < size:
                line.sendall(piece)
                sent += len(piece)
        with contextlib.suppress(OSError):
            answer = line.recv(65_536)
        return answer, sent


@pytest.mark.parametrize("path", [b"/login/", b"/api/auth/login/"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_200_mb_is_refused_and_nothing_of_it_is_kept(platform: Platform, path: bytes, chunked: bool) -> None:
    plain = b"a" * 65_536
    piece = b"10000\r\n" + plain + b"\r\n" if chunked else plain
    length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % SIZE
    head = b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n%b\r\n\r\n" % (path, length)
    with Held(platform.processes["web"].pid) as held:
        answer, _ = send(platform.port, head, piece, SIZE)
    assert answer.startswith(b"HTTP/1.1 413 "), answer
    assert held.memory < 50_000_000
    assert held.nameless < 1_000_000
