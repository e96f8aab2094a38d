"""The site of the role matrix, with one of everything, and tables."""

from tests.unit.staff.conftest import (
    browser,
    client_of,
    clock,
    duel,
    fresh_counts,
    nudges,
    player,
    sent,
    staff,
    table,
)
from tests.unit.staff.test_matrix import clients, samples

__all__ = [
    "browser", "client_of", "clients", "clock", "duel", "fresh_counts", "nudges", "player", "samples", "sent", "staff",
    "table",
]  # fmt: skip
