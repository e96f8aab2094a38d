"""Faults in the rows of matches."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

MATCHES: Mapping[str, Fault] = {
    "settled match called cancelled": (
        ["UPDATE tables_match SET status = 'cancelled' WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "settled match called open": (
        ["UPDATE tables_match SET status = 'open', ended_at = NULL WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "cancelled for another reason": (
        ["UPDATE tables_match SET reason = 'Nobody knows' WHERE id = {cancelled}"],
        "match",
        "match {cancelled}",
    ),
    "match that ended at no time": (
        ["UPDATE tables_match SET ended_at = NULL WHERE id = {match}"],
        "date",
        "match {match}",
    ),
    "match that ended before it began": (
        ["UPDATE tables_match SET ended_at = '2001-01-01 00:00:00+00:00' WHERE id = {match}"],
        "date",
        "match {match}",
    ),
    "match by another book": (
        ["UPDATE tables_match SET book = 'club-points' WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "match by another version": (
        ["UPDATE tables_match SET book_version = 9 WHERE id = {match}"],
        "match",
        "match {match}",
    ),
    "match vanished": (["DELETE FROM tables_match WHERE id = {match}"], "reference", "deal {deal}"),
    "match of nobody": (
        [
            "INSERT INTO tables_match (id, table_id, book, book_version, status, started_at, ended_at, reason)"
            " SELECT 9001, table_id, book, book_version, 'settled', started_at, ended_at, '' FROM tables_match m"
            " WHERE id = {match}"
        ],
        "match",
        "match 9001",
    ),
    "match at another table": (
        ["UPDATE tables_match SET table_id = {stopped} WHERE id = {match}"],
        "match",
        "match {match}",
    ),
}
