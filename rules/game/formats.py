"""Every format in which states, terms and events were ever stored, and the step from each to the next.

To change the stored form (a field of a class, the name of an event): raise FORMAT by one, add the step from the former
format, and add a sample of the former to tests/unit/rules/game/stored. So a match that began before an upgrade
continues after it. An unknown format is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from rules.errors import RulesError

FORMAT: Final = 4


class RecordKind(StrEnum):
    STATE = "state"
    TERMS = "terms"
    EVENT = "event"


Record = dict[str, Any]
Step = Callable[[RecordKind, Record], Record]


def _remembering_discards(kind: RecordKind, record: Record) -> Record:
    """Convert 1 to 2: reshuffled discards remain visible. Those that format 1 had already dropped stay unknown."""
    if kind is RecordKind.STATE and record["deal"] is not None:
        discards = [{**entry, "reshuffled": False} for entry in record["deal"]["discards"]]
        return {**record, "deal": {**record["deal"], "discards": discards}}
    if kind is RecordKind.EVENT and record["type"] == "closed_deck_reshuffled":
        return {**record, "remembered": False}
    return record


def _with_own_number_of_deals(kind: RecordKind, record: Record) -> Record:
    """Convert 2 to 3: terms may name the number of deals. Before, each table had the number of its book."""
    if kind is RecordKind.TERMS:
        return {**record, "deals": None}
    if kind is RecordKind.STATE:
        return {**record, "terms": {**record["terms"], "deals": None}}
    return record


def _of_no_tournament(kind: RecordKind, record: Record) -> Record:
    """Convert 3 to 4: terms say whether the table is part of a tournament. Before, there were none."""
    if kind is RecordKind.TERMS:
        return {**record, "tournament": False}
    if kind is RecordKind.STATE:
        return {**record, "terms": {**record["terms"], "tournament": False}}
    return record


#: By format: the function that turns its record into one of the next format. It gets a copy without `format`, and must
#: also convert the terms within a state and the values within both.
STEPS: dict[int, Step] = {1: _remembering_discards, 2: _with_own_number_of_deals, 3: _of_no_tournament}


class BadRecord(RulesError):
    """A stored value that this version cannot read."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_record", message)


def present(kind: RecordKind, stored: Mapping[str, Any]) -> Record:
    """Return the record in the current format, without its number. Raises BadRecord for an unknown format."""
    record = dict(stored)
    number = record.pop("format", None)
    while number != FORMAT:
        step = STEPS.get(number) if type(number) is int else None
        if step is None:
            raise BadRecord(f"Format {stored.get('format')!r} is not known; the present one is {FORMAT}.")
        try:
            record = step(kind, record)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise BadRecord(f"This is no {kind} of format {number}: {error!r}") from error
        number += 1
    return record
