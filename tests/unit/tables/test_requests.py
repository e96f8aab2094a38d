"""Limits of one HTTP request on the web server's time and memory, by the server's own clock."""

from typing import Any

import pytest
from twisted.internet import task
from twisted.internet.testing import StringTransport
from twisted.web import http

from config.process.http_limits import BODY_TIME, HEAD_TIME, IDLE_TIME, LINGER, MOST_BODY, Channel
from tables.sockets.admission import connections


class Line(StringTransport):
    """A client's connection, which records what was done to it."""

    half_closed = aborted = False

    def loseWriteConnection(self) -> None:  # noqa: N802
        self.half_closed = True

    def abortConnection(self) -> None:  # noqa: N802
        self.aborted = True


class Answered(http.Request):  # type: ignore[misc]
    """An application that answers with the length of the body, by its header and as received."""

    def process(self) -> None:
        body = b"%d" % len(self.content.read())
        assert (self.getHeader("content-length") or "0").encode() == body
        self.setHeader(b"Content-Length", b"%d" % len(body))
        self.write(body)
        self.finish()


@pytest.fixture
def clock() -> task.Clock:
    return task.Clock()


@pytest.fixture
def channel(clock: task.Clock) -> Any:
    channel = Channel()
    channel.requestFactory = Answered
    channel.callLater, channel.timeOut = clock.callLater, 60
    channel.makeConnection(Line())
    return channel


def output_of(channel: Any) -> bytes:
    return bytes(channel.transport.value())


def test_a_body_that_will_be_too_large_is_refused_by_its_head(channel: Any) -> None:
    channel.dataReceived(
        b"POST /api/x/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (MOST_BODY + 1)
    )
    assert output_of(channel).startswith(b"HTTP/1.1 413 ") and b'"code": "too_large"' in output_of(channel)
    assert b"100 Continue" not in output_of(channel)
    assert channel.transport.half_closed


def test_a_body_of_unknown_length_is_refused_once_it_is_too_large(channel: Any) -> None:
    channel.dataReceived(b"POST /x/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"%x\r\n" % 8192 + b"a" * 8192 + b"\r\n"
    for _ in range(MOST_BODY // 8192 - 1):
        channel.dataReceived(piece)
    assert output_of(channel) == b""
    for _ in range(1_000):
        channel.dataReceived(piece)
    assert output_of(channel).count(b"HTTP/1.1") == 1 and output_of(channel).startswith(b"HTTP/1.1 413 ")
    assert channel.requests[0].content.tell() <= MOST_BODY


def test_a_client_that_keeps_sending_is_cut_off(channel: Any, clock: task.Clock) -> None:
    channel.dataReceived(b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n")
    for _ in range(LINGER):
        assert not channel.transport.aborted
        channel.dataReceived(b"a" * 10_000)
        clock.advance(1)
    assert channel.transport.aborted


@pytest.mark.parametrize("length", [0, 1, MOST_BODY])
def test_a_body_within_the_limit_is_answered_and_the_connection_stays(channel: Any, length: int) -> None:
    for _ in range(2):
        channel.transport.clear()
        channel.dataReceived(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % length + b"a" * length)
        assert output_of(channel).startswith(b"HTTP/1.1 200 ") and output_of(channel).endswith(b"\r\n\r\n%d" % length)
    assert not channel.transport.disconnecting


def test_a_body_in_chunks_comes_with_its_length(channel: Any) -> None:
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    channel.dataReceived(head + b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
    assert output_of(channel).endswith(b"\r\n\r\n7")


def test_requests_one_after_the_other_in_one_piece_are_all_answered(channel: Any) -> None:
    channel.dataReceived(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok" * 3)
    assert output_of(channel).count(b"HTTP/1.1 200 ") == 3


class InPieces(http.Request):  # type: ignore[misc]
    """An application that answers in three pieces, as Daphne hands on those of a page of more than 64 KiB."""

    def process(self) -> None:
        self.setHeader(b"Content-Length", b"9")
        for piece in (b"one", b"two", b"six"):
            http.Request.write(self, piece)
        self.finish()


def test_the_answer_to_head_has_no_body_in_however_many_pieces_it_is_made(channel: Any) -> None:
    channel.requestFactory = InPieces
    channel.dataReceived(b"HEAD / HTTP/1.1\r\n\r\n")
    assert output_of(channel).startswith(b"HTTP/1.1 200 ") and output_of(channel).endswith(b"\r\n\r\n")
    assert b"Content-Length: 9\r\n" in output_of(channel)
    channel.dataReceived(b"GET / HTTP/1.1\r\n\r\n")
    assert output_of(channel).count(b"onetwosix") == 1 and output_of(channel).endswith(b"\r\n\r\nonetwosix")


def trickle(channel: Any, clock: task.Clock, text: bytes, seconds: int) -> int:
    """Send a byte a second; return after how many seconds the connection was closed, or `seconds` if it was not."""
    for second in range(seconds):
        if channel.transport.disconnecting:
            return second
        channel.dataReceived(text[second % len(text) : second % len(text) + 1])
        clock.advance(1)
    return seconds


def test_a_head_that_comes_byte_by_byte_is_not_waited_for(channel: Any, clock: task.Clock) -> None:
    assert trickle(channel, clock, b"GET /" + b"x" * 1_000, 200) == HEAD_TIME


def test_a_body_that_comes_byte_by_byte_is_not_waited_for(channel: Any, clock: task.Clock) -> None:
    channel.dataReceived(b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n")
    assert trickle(channel, clock, b"x", 200) == BODY_TIME


def test_a_line_that_is_idle_may_be_so_for_a_while_and_a_new_head_has_its_own_time(
    channel: Any, clock: task.Clock
) -> None:
    channel.dataReceived(b"GET / HTTP/1.1\r\n\r\n")
    clock.advance(IDLE_TIME - 1)
    assert not channel.transport.disconnecting
    assert trickle(channel, clock, b"GET /" + b"x" * 1_000, 200) == HEAD_TIME


def test_an_answer_that_takes_long_is_waited_for(channel: Any, clock: task.Clock) -> None:
    channel.requestFactory = type("Slow", (Answered,), {"process": lambda self: None})
    channel.dataReceived(b"GET / HTTP/1.1\r\n\r\n")
    clock.advance(600)
    assert not channel.transport.disconnecting


@pytest.mark.parametrize("leaving", [False, True])
def test_a_server_that_leaves_answers_once_more_on_a_line_and_closes_it(
    leaving: bool, channel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "open", not leaving)
    channel.dataReceived(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert output_of(channel).startswith(b"HTTP/1.1 200 ")
    assert (b"Connection: close" in output_of(channel), channel.transport.disconnecting) == (leaving, leaving)
