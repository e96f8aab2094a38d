"""The state of a table from its log alone, without its snapshot."""

import json
from itertools import groupby

from rules import game
from rules.game import TableState, codec
from tables.log import reading
from tables.log.sealing import SNAPSHOTS
from tables.models import Table


def state_of(table: Table) -> TableState:
    """Return what the events of the table make of its terms. Whatever it raises says that they cannot be read, or do
    not follow from each other; TableError `no_longer_kept` where they have been pruned.
    """
    reading.check_kept(table)
    steps = (
        [entry.event() for entry in step]
        for _, step in groupby(reading.of_table(table), key=lambda entry: entry.version)
    )
    return game.rebuild(codec.load_terms(table.terms or {}), steps)


def is_told_by_its_log(table: Table) -> bool:
    """Return whether the table's snapshot holds just what its log makes; not so where either cannot be read."""
    try:
        return codec.load_state(json.loads(SNAPSHOTS.unseal(table))) == state_of(table)
    except Exception:
        return False
