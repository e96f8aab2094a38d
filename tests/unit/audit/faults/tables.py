"""Faults in the rows of tables."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

TABLES: Mapping[str, Fault] = {
    "snapshot of another table": (
        [
            "UPDATE tables_table SET snapshot = (SELECT snapshot FROM tables_table o WHERE o.id = {stopped})"
            " WHERE id = {points}"
        ],
        "snapshot",
        "table {points}",
    ),
    "snapshot blotted": (
        ["UPDATE tables_table SET snapshot = {garbage} WHERE id = {running}"],
        "snapshot",
        "table {running}",
    ),
    "version further": (
        ["UPDATE tables_table SET version = version + 1 WHERE id = {points}"],
        "table",
        "table {points}",
    ),
    "another phase": (["UPDATE tables_table SET phase = 'melding' WHERE id = {running}"], "table", "table {running}"),
    "deadline put off": (
        ["UPDATE tables_table SET deadline_ms = deadline_ms + 60000 WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "deadline gone": (["UPDATE tables_table SET deadline_ms = NULL WHERE id = {running}"], "table", "table {running}"),
    "seated miscounted": (["UPDATE tables_table SET seated = 0 WHERE id = {running}"], "table", "table {running}"),
    "seats miscounted": (["UPDATE tables_table SET seats = 6 WHERE id = {running}"], "table", "table {running}"),
    "another book": (["UPDATE tables_table SET book = 'club-points' WHERE id = {points}"], "table", "table {points}"),
    "another version of the book": (
        ["UPDATE tables_table SET book_version = 9 WHERE id = {points}"],
        "table",
        "table {points}",
    ),
    "another family": (["UPDATE tables_table SET family = 'pool' WHERE id = {points}"], "table", "table {points}"),
    "chips called another currency": (
        ["UPDATE tables_table SET currency = 'EUR' WHERE id = {points}"],
        "derived",
        "deal:",
    ),
    "closed while played": (
        ["UPDATE tables_table SET status = 'closed', closed_at = opened_at WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "open again after its end": (
        ["UPDATE tables_table SET status = 'open', closed_at = NULL WHERE id = {pool}"],
        "table",
        "table {pool}",
    ),
    "neither open nor closed": (
        ["UPDATE tables_table SET status = 'away' WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "closed at no time": (["UPDATE tables_table SET closed_at = NULL WHERE id = {pool}"], "date", "table {pool}"),
    "closed before it was opened": (
        ["UPDATE tables_table SET closed_at = '2001-01-01 00:00:00+00:00' WHERE id = {pool}"],
        "date",
        "table {pool}",
    ),
    "stopped for nothing": (["UPDATE tables_table SET fault = '' WHERE id = {stopped}"], "table", "table {stopped}"),
    "stopped for another reason": (
        ["UPDATE tables_table SET fault = 'Stopped by nobody: It rained' WHERE id = {stopped}"],
        "stop",
        "table {stopped}",
    ),
    "let go on by nobody": (
        ["UPDATE tables_table SET status = 'open', fault = '' WHERE id = {stopped}"],
        "stop",
        "table {stopped}",
    ),
    "stopped by staff in no act": (
        ["UPDATE tables_table SET status = 'frozen', fault = 'Stopped by nobody: It rained' WHERE id = {running}"],
        "stop",
        "table {running}",
    ),
    "another deal at hand": (
        ["UPDATE tables_table SET deal_id = {deal} WHERE id = {running}"],
        "table",
        "table {running}",
    ),
    "other terms": (
        ["UPDATE tables_table SET terms = (SELECT terms FROM tables_table o WHERE o.id = {running}) WHERE id = {pool}"],
        "snapshot",
        "table {pool}",
    ),
    "table vanished": (["DELETE FROM tables_table WHERE id = {stopped}"], "reference", "event"),
}
