"""An event as a viewer may see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import NoneType
from typing import Any, Final

from rules.game.events import Event
from rules.game.results import Row, ShareLine
from rules.game.state import Clock
from rules.game.views.names import outer_id
from rules.game.views.public import bare_clock, shared, shown_hand

_PLAIN: Final = frozenset({str, int, bool, NoneType})


def redact(event: Event, seat: int | None) -> dict[str, Any] | None:
    """Return the event as the player in `seat`, or an onlooker (None), may see it; None if they may not."""
    fields = event.visible(seat)
    if not fields:
        return None
    view: dict[str, Any] = {"type": event.name}
    for name in fields:
        value = getattr(event, name)
        view[name] = value if type(value) in _PLAIN else _open(value)
    if "deal_id" in view:
        view["deal_id"] = outer_id(view["deal_id"])
    return view


def is_own(event: Event, seat: int | None) -> bool:
    """Return whether it is an event of the player in `seat`: all others see what an onlooker sees."""
    return seat is not None and getattr(event, "seat", None) == seat


def _open(value: Any) -> Any:
    """Return a visible field as plain types; of a value inside it only the parts named here are shown."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_open(item) for item in value]
    show = next((show for kind, show in _SHOWN.items() if isinstance(value, kind)), None)
    assert show is not None, f"{type(value).__name__} is not meant to be seen"
    return show(value)


_SHOWN: Final[Mapping[type, Callable[[Any], Any]]] = {Row: shown_hand, ShareLine: shared, Clock: bare_clock}
