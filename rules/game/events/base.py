"""What happened at a table: frozen nouns of completed acts, and who may see which of their fields.

An event carries everything `folding.fold` needs, secrets too. `public` names the fields everybody may see, `own` those
that only the player in `seat` sees besides; what is named nowhere is seen by nobody. An event of which a viewer may
see no field at all does not exist for them. Fields that depend on the pile or the book override `visible`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


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
        """The names of the fields that `viewer` (a seat, None for one who watches) may see."""
        if self.own and viewer is not None and viewer == getattr(self, "seat", None):
            return self.public + self.own
        return self.public
