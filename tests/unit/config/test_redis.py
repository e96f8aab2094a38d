"""Messages through Redis are readable by processes of both steps of a key change."""

from pathlib import Path

import pytest
from cryptography.fernet import InvalidToken

from config.redis_layer import ECHO, MOST_UNDER_WAY, PushLayer
from config.settings.databases import sqlite
from config.settings.redis import channel_layers, prefix

FORMER, NEW = "f" * 50, "n" * 50
FIRST_STEP, SECOND_STEP = [FORMER, NEW], [NEW, FORMER]


def layer(keys: list[str]) -> PushLayer:
    settings = channel_layers("redis://cache.test/0", "rummy", keys)["default"]
    assert settings["BACKEND"] == f"{PushLayer.__module__}.{PushLayer.__name__}"
    return PushLayer(**settings["CONFIG"])


@pytest.mark.parametrize(
    ("sends", "reads"),
    [([FORMER], FIRST_STEP), (FIRST_STEP, [FORMER]), (FIRST_STEP, SECOND_STEP), (SECOND_STEP, FIRST_STEP),
     (SECOND_STEP, [NEW]), ([NEW], SECOND_STEP)],
)  # fmt: skip
def test_each_step_reads_what_the_one_beside_it_sends(sends: list[str], reads: list[str]) -> None:
    message = {"type": "table.state", "version": 7}
    assert layer(reads).deserialize(layer(sends).serialize(message)) == message


def test_without_the_first_step_they_would_not() -> None:
    with pytest.raises(InvalidToken):
        layer([FORMER]).deserialize(layer(SECOND_STEP).serialize({"type": "table.state"}))


def test_a_process_does_not_read_its_own_message_but_another_does() -> None:
    one, other, message = layer([NEW]), layer([NEW]), {"type": "news"}
    first, second = one.serialize(message), one.serialize(message)
    assert one.deserialize(second) == one.deserialize(first) == ECHO
    assert other.deserialize(first) == message


def test_messages_that_never_come_back_are_forgotten() -> None:
    sender, message = layer([NEW]), {"type": "news"}
    sent = [sender.serialize(message) for _ in range(MOST_UNDER_WAY + 1)]
    assert [sender.deserialize(each) for each in (sent[0], sent[1], sent[-1])] == [message, ECHO, ECHO]


def test_installations_on_files_share_no_prefix(tmp_path: Path) -> None:
    files = [sqlite(tmp_path / name) for name in ("one.sqlite3", "two.sqlite3")]
    assert prefix("", files[0]) == prefix("", files[0]) != prefix("", files[1])
