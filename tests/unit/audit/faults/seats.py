"""Faults in the rows of seatings."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

SEATS: Mapping[str, Fault] = {
    "left, and not": (["UPDATE tables_seating SET left_at = NULL WHERE id = {gone}"], "date", "seating {gone}"),
    "freed, and not": (["UPDATE tables_seating SET freed_at = NULL WHERE id = {gone}"], "date", "seating {gone}"),
    "freed while they sit": (
        ["UPDATE tables_seating SET freed_at = taken_at, left_at = taken_at WHERE id = {seating}"],
        "freed seats",
        "seating {seating}",
    ),
    "left while they sit": (
        ["UPDATE tables_seating SET left_at = taken_at WHERE id = {seating}"],
        "date",
        "seating {seating}",
    ),
    "left before they came": (
        ["UPDATE tables_seating SET left_at = '2001-01-01 00:00:00+00:00' WHERE id = {gone}"],
        "date",
        "seating {gone}",
    ),
    "seat of another player": (
        ["UPDATE tables_seating SET user_id = {dina} WHERE id = {seating_running}"],
        "derived",
        "seating:",
    ),
    "computer in place of a player": (
        ["UPDATE tables_seating SET user_id = NULL WHERE id = {seating_running}"],
        "log",
        "table {running}",
    ),
    "seating vanished": (["DELETE FROM tables_seating WHERE id = {seating_running}"], "log", "table {running}"),
    "seating of nobody": (
        [
            "INSERT INTO tables_seating (id, table_id, seat, user_id, name, taken_at, left_at, freed_at, connection,"
            " seen_ms) SELECT 9001, table_id, seat, user_id, name, taken_at, taken_at, taken_at, '', 0"
            " FROM tables_seating s WHERE id = {gone}"
        ],
        "seating",
        "table {points}",
    ),
    "moved to another seat": (
        ["UPDATE tables_seating SET seat = 5 WHERE id = {seating_running}"],
        "log",
        "table {running}",
    ),
    "moved to another table": (
        ["UPDATE tables_seating SET table_id = {pool} WHERE id = {seating_running}"],
        "log",
        "table {running}",
    ),
}
