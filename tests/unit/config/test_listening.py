"""The port of a web process is bound before anything is loaded."""

import socket
from collections.abc import Iterator

import pytest

from config.process import listening, serve


@pytest.fixture(autouse=True)
def no_listener() -> Iterator[None]:
    yield
    listening.hand_over_port("", 0)


@pytest.fixture
def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("form", ["--port {}", "--port={}", "--host 127.0.0.1 --port {} --verbosity 0"])
def test_a_client_that_connects_before_the_server_waits_for_it(free: int, form: str) -> None:
    listening.start_listening(form.format(free).split())
    serve.check_port("127.0.0.1", free)
    with socket.create_connection(("127.0.0.1", free), 5) as early:
        early.sendall(b"hello")
        file = listening.hand_over_port("127.0.0.1", free)
        assert file is not None and not listening.is_listening("127.0.0.1", free)
        with socket.socket(fileno=file) as listener:
            server, _ = listener.accept()
            with server:
                assert server.recv(5) == b"hello"


def test_a_port_of_other_arguments_is_released(free: int) -> None:
    listening.start_listening(["--port", str(free)])
    assert listening.hand_over_port("127.0.0.1", free + 1) is None
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", free), 5)


@pytest.mark.parametrize("wrong", ["--port", "--port http", "--port 99999999", "--host no.such.host.invalid", "--host"])
def test_an_unusable_port_is_left_to_the_server_to_refuse(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    listening.start_listening(wrong.split())
    assert not listening._listeners and capsys.readouterr() == ("", "")


def test_a_port_in_use_is_not_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        listening.start_listening(["--port", str(port)])
        assert not listening.is_listening("127.0.0.1", port)


@pytest.mark.parametrize(("host", "site"), [("127.0.0.1", "127.0.0.1"), ("here.test", "here.test"), ("::1", "[::1]")])
def test_an_address_that_is_told_can_be_opened(host: str, site: str) -> None:
    assert serve.origin(host, 8000) == f"http://{site}:8000"
