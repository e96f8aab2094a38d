"""Faults in the event log and in the answers to requests."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

EVENTS: Mapping[str, Fault] = {
    "event vanished from the middle": (["DELETE FROM tables_event WHERE id = {drop}"], "log", "table {points}"),
    "last event vanished": (["DELETE FROM tables_event WHERE id = {last_event}"], "table", "table {running}"),
    "all events vanished": (["DELETE FROM tables_event WHERE table_id = {running}"], "table", "table {running}"),
    "event twice": (
        [
            "INSERT INTO tables_event (id, table_id, deal_id, version, number, kind, at_ms, payload)"
            " SELECT 9001, table_id, deal_id, version, number, kind, at_ms, payload FROM tables_event e"
            " WHERE id = {draw}"
        ],
        "log",
        "table {running}",
    ),
    "event told otherwise": (
        [
            "UPDATE tables_event SET payload = (SELECT payload FROM tables_event e WHERE e.id = {other_draw})"
            " WHERE id = {draw}"
        ],
        "log",
        "table {running}",
    ),
    "event called otherwise": (
        ["UPDATE tables_event SET kind = 'player_dropped' WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event dated back": (["UPDATE tables_event SET at_ms = 1 WHERE id = {draw}"], "log", "table {running}"),
    "event dated beside the clock that it set": (
        ["UPDATE tables_event SET at_ms = at_ms + 1500 WHERE table_id = {running} AND kind = 'turn_began'"],
        "log",
        "table {running}",
    ),
    "event blotted": (["UPDATE tables_event SET payload = {garbage} WHERE id = {draw}"], "log", "table {running}"),
    "event under another deal": (
        ["UPDATE tables_event SET deal_id = {deal} WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event under no deal": (["UPDATE tables_event SET deal_id = NULL WHERE id = {draw}"], "log", "table {running}"),
    "event under another version": (
        ["UPDATE tables_event SET version = version + 3 WHERE id = {draw}"],
        "log",
        "table {running}",
    ),
    "event under another number": (["UPDATE tables_event SET number = 4 WHERE id = {draw}"], "log", "table {running}"),
    "event at another table": (
        ["UPDATE tables_event SET table_id = {stopped} WHERE id = {draw}"],
        "log",
        "table {stopped}",
    ),
    "answer to nobody": (
        ["UPDATE tables_answer SET seating_id = 9001 WHERE id = {answer}"],
        "reference",
        "answer {answer}",
    ),
    "answer from the future": (
        ['UPDATE tables_answer SET answer = \'{{"type": "ack", "version": 999}}\' WHERE id = {answer}'],
        "answer",
        "answer {answer}",
    ),
    "answer that says nothing": (
        ["UPDATE tables_answer SET answer = '[]' WHERE id = {answer}"],
        "answer",
        "answer {answer}",
    ),
    "answer to no request": (["UPDATE tables_answer SET request_id = '' WHERE id = {answer}"], "answer", "{answer}"),
    "answer twice": (
        [
            "INSERT INTO tables_answer (id, seating_id, request_id, answer)"
            " SELECT 9001, seating_id, request_id, answer FROM tables_answer a WHERE id = {answer}"
        ],
        "answer",
        "answer",
    ),
}
