"""The base of events: their fields, the viewers of each field, and the change that they make to the state.

An event carries everything its `fold` needs, secrets too. `public` names the fields that everybody may see, `own` those
that the player in `seat` sees as well; nobody sees a field that is named in neither. A viewer who may see no field of
an event never learns of it. An event whose visible fields depend on the pile or the book overrides `visible`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from rules.game.state import TableState

__all__ = ["EVENTS", "By", "Event"]


class By(StrEnum):
    """Who acted: the player, or the platform in their place; a declarer who leaves makes a wrong show by leaving."""

    PLAYER = "player"
    PLATFORM = "platform"
    LEAVING = "leaving"


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
        """Return the names of the fields that `viewer` (a seat, None for an onlooker) may see."""
        if self.own and viewer is not None and viewer == getattr(self, "seat", None):
            return self.public + self.own
        return self.public

    def fold(self, state: TableState) -> TableState:
        """Return the state after this event, with the version unchanged.

        Only folds make new states. They trust the event: its legality is checked before it is emitted.
        """
        raise NotImplementedError
