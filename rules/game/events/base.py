"""What an event is: the fields of a completed act, who may see which of them, and what they make of the state.

An event carries everything its `fold` needs, secrets too. `public` names the fields everybody may see, `own` those
that only the player in `seat` sees besides; what is named nowhere is seen by nobody. An event of which a viewer may
see no field at all does not exist for them. Fields that depend on the pile or the book override `visible`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from rules.game.state import TableState

__all__ = ["EVENTS", "By", "Event"]


class By(StrEnum):
    """Who did it: the player, or the platform in their place."""

    PLAYER = "player"
    PLATFORM = "platform"


EVENTS: dict[str, type[Event]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The base of all events; `name` is the class name in snake case."""

    name: ClassVar[str] = ""
    public: ClassVar[tuple[str, ...]] = ()
    own: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        if Event not in cls.__bases__:
            return
        cls.name = re.sub(r"(?<!^)([A-Z])", r"_\1", cls.__name__).lower()
        EVENTS[cls.name] = cls

    def visible(self, viewer: int | None) -> tuple[str, ...]:
        """Return the names of the fields that `viewer` (a seat, None for one who watches) may see."""
        if self.own and viewer is not None and viewer == getattr(self, "seat", None):
            return self.public + self.own
        return self.public

    def fold(self, state: TableState) -> TableState:
        """Return the state after this event, its version untouched.

        Nothing else makes a new state out of an old one. The event is trusted: whether it may happen is decided before
        it is emitted.
        """
        raise NotImplementedError
