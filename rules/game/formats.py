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

FORMAT: Final = 1


class RecordKind(StrEnum):
    STATE = "state"
    TERMS = "terms"
    EVENT = "event"


Record = dict[str, Any]
Step = Callable[[RecordKind, Record], Record]


#: By format: the function that turns its record into one of the next format. It gets a copy without `format`, and must
#: also convert the terms within a state and the values within both. Format 1 is that of version 1.0.0.
STEPS: dict[int, Step] = {}


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
