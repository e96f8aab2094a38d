"""Logs for machines and for people: with ids, and without anything that a player or a thief could use."""

import json
import logging
import sys
from collections.abc import Callable
from logging.config import DictConfigurator
from typing import Any

import pytest
from django.db import OperationalError
from structlog.contextvars import bound_contextvars

from config import logs
from rules.masking import masked


def line(as_json: bool, message: str, fault: Callable[[], None] | None = None, **extra: Any) -> str:
    """Return the record as the platform's own formatter writes it."""
    settings = logs.settings(as_json=as_json)
    formatter = DictConfigurator(settings).configure_formatter(settings["formatters"]["events"])
    output = None
    if fault is not None:
        try:
            fault()
        except ValueError:
            output = sys.exc_info()
    record = logging.LogRecord("tables.play.advance", logging.ERROR, __file__, 1, message, (), output)
    vars(record).update(extra)
    return str(formatter.format(record))


def a_fault_with_a_hand() -> None:
    hand, password = ["7H1", "10S2", "JR"], "open sesame"
    seed = "0123456789abcdef" * 8
    raise ValueError(f"{hand[0]} is not in {hand} {seed}" if password else "")


@pytest.mark.parametrize("as_json", [True, False])
def test_neither_a_traceback_nor_a_message_shows_a_card_a_seed_or_a_local(as_json: bool) -> None:
    text = line(as_json, "discard of QD2 failed", a_fault_with_a_hand, frame={"card": ["AC1"]})
    assert "ValueError" in text and "a_fault_with_a_hand" in text
    for secret in ("7H1", "10S2", "JR", "QD2", "AC1", "0123456789abcdef", "open sesame"):
        assert secret not in text, secret


def test_a_line_is_one_json_object_with_its_ids() -> None:
    with bound_contextvars(request="0a1b2c3d4e5f", table=41):
        record = json.loads(line(True, "a nudge could not be scheduled"))
    assert record["event"] == "a nudge could not be scheduled"
    assert (record["request"], record["table"], record["level"], record["logger"]) == (
        "0a1b2c3d4e5f", 41, "error", "tables.play.advance",
    )  # fmt: skip
    assert record["timestamp"].endswith("Z")


def test_a_line_break_in_what_a_client_sent_makes_no_second_line() -> None:
    assert len(line(True, "unknown path", path="/x\r\n2026 [info] all is well").splitlines()) == 1


def test_ordinary_words_and_numbers_stay() -> None:
    record = {"event": "table 10 has 4 seats, version 2", "numbers": [13, 2.5, None, True]}
    assert masked(record) == record


def passed(repeats: logs.Repeats, message: str, table: int = 1, fault: Exception | None = None) -> Any:
    """Return whether the warning is written, and how many were left out before it."""
    output = (type(fault), fault, None) if fault else None
    record = logging.LogRecord("tables.play", logging.WARNING, __file__, 1, message, (table,), output)  # type: ignore[arg-type]
    return repeats.filter(record), getattr(record, "left_out", 0)


def test_a_fault_that_repeats_is_one_line_a_second_with_its_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(logs.time, "monotonic", lambda: now[0])
    repeats, full = logs.Repeats(), OperationalError("No space left on device")
    assert passed(repeats, "table %s could not be nudged", 1, full) == (True, 0)
    assert [passed(repeats, "table %s could not be nudged", table, full)[0] for table in range(40)] == [False] * 40
    assert passed(repeats, "table %s could not be nudged", 1, OperationalError("another")) == (True, 0)
    assert passed(repeats, "table %s is frozen", 1, ValueError("a")) == (True, 0)
    assert passed(repeats, "table %s is frozen", 2, ValueError("a")) == (True, 0), "each is a table of its own"
    now[0] += 1
    assert passed(repeats, "table %s could not be nudged", 1, full) == (True, 40)
    assert passed(repeats, "table %s could not be nudged", 1, full) == (False, 0)


def test_what_is_no_fault_is_never_left_out() -> None:
    record = logging.LogRecord("tables.play", logging.INFO, __file__, 1, "started", (), None)
    repeats = logs.Repeats()
    assert [repeats.filter(record) for _ in range(3)] == [True] * 3


def test_only_so_many_different_faults_are_remembered() -> None:
    repeats = logs.Repeats()
    for table in range(logs.MOST_KNOWN * 2):
        assert passed(repeats, "table %s is frozen", table) == (True, 0)
    assert len(repeats._seen) == logs.MOST_KNOWN
