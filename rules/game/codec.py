"""State and events to plain JSON types and back: the only serialiser of the game.

Coders are built once per class from the type hints, so a new field needs no code here. A stored value names its
`format`; an older one is converted step by step. A value of an unknown format, or with unknown or missing keys, is
refused, never guessed.

To change the stored form (a field of a class, the name of an event): raise FORMAT by one, add the step from the former
format, and add a sample of the former to tests/unit/rules/game/stored. So a match that began before an upgrade
continues after it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from rules.errors import RulesError
from rules.game.events import EVENTS, Event
from rules.game.state import TableState, Terms

FORMAT: Final = 1


class RecordKind(StrEnum):
    STATE = "state"
    TERMS = "terms"
    EVENT = "event"


Record = dict[str, Any]
CodecStep = Callable[[RecordKind, Record], Record]


#: By format: the function that turns its record into one of the next format. It gets a copy without `format`, and must
#: also convert the terms within a state and the values within both. Format 1 is that of version 1.0.0.
STEPS: dict[int, CodecStep] = {}


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


T = TypeVar("T")

Coder = Callable[[Any], Any]
Types = list[tuple[str, tuple[type, ...]]]

_PLAIN = (int, str, bool)
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def dump_state(state: TableState) -> dict[str, Any]:
    """Return the state as plain JSON types, including secrets: only for storage."""
    return {"format": FORMAT, **dump(state)}


def load_state(record: Mapping[str, Any]) -> TableState:
    """Read the state that `dump_state` wrote. Raises BadRecord."""
    return load(TableState, present(RecordKind.STATE, record))


def dump_terms(terms: Terms) -> dict[str, Any]:
    """Return the terms as plain JSON types."""
    return {"format": FORMAT, **dump(terms)}


def load_terms(record: Mapping[str, Any]) -> Terms:
    """Read the terms that `dump_terms` wrote. Raises BadRecord."""
    return load(Terms, present(RecordKind.TERMS, record))


def dump_event(event: Event) -> dict[str, Any]:
    """Return the whole event as plain JSON types, including secrets: only for storage."""
    return {"format": FORMAT, "type": event.name, **dump(event)}


def load_event(record: Mapping[str, Any]) -> Event:
    """Read the event that `dump_event` wrote. Raises BadRecord."""
    rest = present(RecordKind.EVENT, record)
    kind = EVENTS.get(rest.pop("type", ""))
    if kind is None:
        raise BadRecord(f"No event is called {record.get('type')!r}.")
    return load(kind, rest)


def canonical(record: Any) -> bytes:
    """Return the one byte form of plain JSON types: keys sorted, no spaces, UTF-8."""
    return _CANONICAL.encode(record).encode()


def dump(value: Any) -> Any:
    """Return one of the game's frozen values as plain JSON types."""
    kind: Any = type(value)
    return _dumper(kind)(value)


def load(kind: type[T], record: Any) -> T:
    """Read the frozen value of class `kind` that `dump` wrote. Raises BadRecord."""
    hint: Any = kind
    try:
        value: T = _loader(hint)(record)
    except (TypeError, ValueError, KeyError) as error:
        raise BadRecord(f"This is no {kind.__name__}: {error}") from error
    return value


@cache
def _dumper(hint: Any) -> Coder:
    """Return the function that turns a value of this type hint into plain JSON types."""
    if get_origin(hint) in (Union, UnionType):
        inner = _dumper(_without_none(hint))
        return lambda value: None if value is None else inner(value)
    if get_origin(hint) is tuple:
        return _tuple_coder(get_args(hint), _dumper, list)
    if is_dataclass(hint):
        return _dataclass_dumper(hint)
    if issubclass(hint, Enum):
        return attrgetter("value")
    return _plain(hint)


@cache
def _loader(hint: Any) -> Any:
    """Return the function that turns plain JSON types into a value of this type hint."""
    if get_origin(hint) in (Union, UnionType):
        inner = _loader(_without_none(hint))
        return lambda record: None if record is None else inner(record)
    if get_args(hint) == (str, ...):
        # Of each card there is one text in a process: thousands of tables take less memory, and are compared faster.
        return lambda values: tuple(map(sys.intern, values))
    if get_origin(hint) is tuple:
        return _tuple_coder(get_args(hint), _loader, tuple)
    if is_dataclass(hint):
        return _dataclass_loader(hint)
    return {each.value: each for each in hint}.__getitem__ if issubclass(hint, Enum) else _plain(hint)


def _dataclass_dumper(kind: Any) -> Coder:
    """Return the dumper of a dataclass: it reads all fields in one step, and only checks the type of plain ones."""
    hints = _hints(kind)
    names, read = tuple(hints), attrgetter(*hints)
    plain, coded = _parted(hints, _dumper)

    def coder(value: Any) -> Any:
        fields_of = read(value)
        record = dict(zip(names, fields_of if len(names) > 1 else (fields_of,), strict=True))
        _check(record, plain)
        for name, each in coded:
            record[name] = each(record[name])
        return record

    return coder


def _dataclass_loader(kind: Any) -> Coder:
    hints = _hints(kind)
    plain, coded = _parted(hints, _loader)

    def coder(record: Any) -> Any:
        if record.keys() != hints.keys():
            raise ValueError(f"{kind.__name__} with other keys: {sorted(record.keys() ^ hints.keys())}")
        _check(record, plain)
        return kind(**(record | {name: each(record[name]) for name, each in coded}))

    return coder


def _parted(hints: Mapping[str, Any], coder_of: Callable[[Any], Coder]) -> tuple[Types, list[tuple[str, Coder]]]:
    """Separate the fields of plain types, with these types, from the fields that need a coder."""
    plain = [(name, kinds) for name, hint in hints.items() if (kinds := _plain_kinds(hint))]
    return plain, [(name, coder_of(hint)) for name, hint in hints.items() if not _plain_kinds(hint)]


def _plain_kinds(hint: Any) -> tuple[type, ...]:
    """Return the types of a plain value, including NoneType if it is optional; empty for all other values."""
    if get_origin(hint) in (Union, UnionType):
        inner = _plain_kinds(_without_none(hint))
        return (*inner, NoneType) if inner else ()
    return (hint,) if hint in _PLAIN else ()


def _check(record: Mapping[str, Any], plain: Types) -> None:
    for name, kinds in plain:
        if type(record[name]) not in kinds:
            raise ValueError(f"{name} is {record[name]!r}, which is no {kinds[0].__name__}")


def _tuple_coder(items: tuple[Any, ...], coder_of: Callable[[Any], Coder], make: Callable[[Any], Any]) -> Coder:
    if items[-1] is Ellipsis:
        each = coder_of(items[0])
        return make if items[0] is str else lambda values: make(map(each, values))
    coders = [coder_of(item) for item in items]
    return lambda values: make(coder(value) for coder, value in zip(coders, values, strict=True))


def _plain(kind: type) -> Coder:
    if kind not in _PLAIN:
        raise TypeError(f"{kind!r} has no plain form")

    def coder(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{value!r} is no {kind.__name__}")
        return value

    return coder


def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _without_none(hint: Any) -> Any:
    (inner,) = (item for item in get_args(hint) if item is not NoneType)
    return inner
