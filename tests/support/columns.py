"""The list of columns, and which check names a change of each."""

from collections.abc import Iterator

from config.bootstrap import ROOT

LISTED = ROOT / "tests" / "unit" / "audit" / "columns.txt"


def lines() -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield table, columns, and the checks that cover them; no checks where the file says why."""
    for line in LISTED.read_text().splitlines():
        if line and not line.startswith("#"):
            names, _, why = line.partition(" by: ")
            free, _, reason = names.partition(" free: ")
            table, *columns = free.split()
            assert why.split() or reason.strip(), f"{line!r} says neither what covers it nor why nothing needs to"
            yield table, columns, why.split()


#: Those that point at others first, so that nothing points at a table that is not there.
STRIPPED = (
    "tables_answer", "tables_event", "tables_pack", "tables_dealseat", "wallet_transfer", "wallet_posting",
    "wallet_account", "wallet_adjustment", "wallet_freeze", "wallet_auditrun", "wallet_exportrecord",
    "wallet_dayhead", "wallet_daysum", "wallet_placesum", "wallet_feesum",
    "wallet_closing", "audit_log_auditentry", "wallet_acknowledgement",
    "lobby_signin", "lobby_note", "lobby_report", "responsible_gaming_settingschange", "tables_outage",
    "tables_attempt", "tables_seating", "tables_deal", "tables_match", "tables_table", "tables_shoe", "tables_series",
    "tables_entrant", "tables_round", "tables_tournament",
)  # fmt: skip

#: What the list says of the tables that can be changed here at will, and in which something has happened.
COVERED = [
    (table, column, checks)
    for table, columns, checks in lines()
    for column in columns
    if checks and table in STRIPPED and table != "tables_pack"
]
