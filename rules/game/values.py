"""Frozen values: with some of their fields changed, and under which names they are stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")

#: In the metadata of a field: the name that it has in what is stored, where it was renamed since.
STORED_AS = "stored_as"


def replace(value: T, **changes: Any) -> T:
    """Return the same frozen value with these fields changed: `dataclasses.replace` for two fields or more.

    Folding does this for every event several times, and the fields are read here in one step instead of one by one.
    """
    kind: Any = type(value)
    names, read = _fields(kind)
    new: T = kind(**(dict(zip(names, read(value), strict=True)) | changes))
    return new


@cache
def _fields(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)
