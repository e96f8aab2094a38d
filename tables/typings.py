"""The types of views and events in JavaScript terms, for the protocol page and the typedefs of the page's scripts.

They are read from the annotations, so that the description of a view cannot differ from it.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final, Literal, get_args, get_origin, is_typeddict

from rules import game
from rules.game import events
from rules.game.events.base import EVENTS
from rules.game.views import shapes

_PLAIN: Final = {"int": "number", "str": "string", "bool": "boolean", "Any": "any"}
#: How what an event holds is called once it is shown.
_SHOWN_AS: Final = {"Clock": "BareClockView", "Row": "ShownHandView", "ShareLine": "ShareView", "deal_id": "DealId"}
_LINE: Final = 120
#: Where the types are found that annotations name.
_NAMESPACES: Final = (shapes, game, *{sys.modules[kind.__module__] for kind in EVENTS.values()})


@dataclass(frozen=True, slots=True)
class FieldType:
    """One key of a shape: its name, its type in JavaScript terms, and whether it may be missing for some viewers."""

    name: str
    type: str
    may_lack: bool = False


@dataclass(frozen=True, slots=True)
class ShapeType:
    """One shape: its name, description and keys; `event` is the type of the event that it describes."""

    name: str
    about: str
    fields: tuple[FieldType, ...]
    event: str = ""


#: What the socket sends. The answers are made where they are given: `tables.play.services` and the consumer.
FRAMES: Final = (
    ShapeType(
        name="StateFrame",
        about="On joining, after every change and on `sync`: what just happened, and the view, whole every time. "
        "`away_ms` is how long the platform was away, for who comes back after that.",
        fields=(
            FieldType("type", '"state"'),
            FieldType("version", "number"),
            FieldType("now", "number"),
            FieldType("away_ms", "number", may_lack=True),
            FieldType("events", "TableEvent[]"),
            FieldType("view", "View"),
        ),
    ),
    ShapeType(
        name="AnswerFrame",
        about="The answer to a frame, under its `id`. An error has changed nothing.",
        fields=(
            FieldType("type", '"ack" | "error" | "pong"'),
            FieldType("version", "number"),
            FieldType("id", "number | string", may_lack=True),
            FieldType("now", "number", may_lack=True),
            FieldType("code", "string", may_lack=True),
            FieldType("message", "string", may_lack=True),
        ),
    ),
)


def views() -> tuple[ShapeType, ...]:
    """Return every shape that a view is made of, the whole view last."""
    kinds = [kind for _, kind in vars(shapes).items() if is_typeddict(kind) and kind.__module__ == shapes.__name__]
    return tuple(_shape(kind) for kind in kinds if kind not in (shapes.PublicView, shapes.OwnView))


def event_types() -> tuple[ShapeType, ...]:
    """Return every event that some viewer may see, with the fields that are ever shown."""
    return tuple(_event(kind) for _, kind in sorted(EVENTS.items()) if kind.public or kind.own)


def names() -> dict[str, str]:
    """Return the names of types that occur inside shapes, with their meanings."""
    used: dict[str, str] = {}
    for shape in (*views(), *event_types()):
        for field in shape.fields:
            used |= _meanings(field.type)
    return dict(sorted(used.items()))


def script() -> str:
    """Return all typedefs as a JavaScript module, which is stored in `static/js/shared/types.js`."""
    aliases = [f"/** @typedef {{{meaning}}} {name} */" for name, meaning in names().items()]
    blocks = [_typedef(shape.name, shape.about, shape.fields) for shape in (*views(), _any_event(), *FRAMES)]
    head = "// What the server sends, key by key: written from rules/game/views/shapes.py, not by hand."
    return "\n\n".join([head, "\n".join(aliases), *blocks, "export {};\n"])


def _shape(kind: Any) -> ShapeType:
    hints = kind.__annotations__
    keys = (
        FieldType(name, _words(hint), may_lack=_text(hint).startswith("NotRequired[")) for name, hint in hints.items()
    )
    return ShapeType(kind.__name__, _about(kind), tuple(keys))


def _event(kind: type[events.Event]) -> ShapeType:
    visible = kind.public + kind.own
    types_by_name = {field.name: field.type for field in fields(kind)}
    types = ((name, _words(_SHOWN_AS.get(name, str(types_by_name[name])))) for name in visible)
    return ShapeType(
        name=kind.__name__,
        about=_about(kind),
        fields=tuple(FieldType(name, words, may_lack=name in kind.own) for name, words in types),
        event=kind.name,
    )


def _any_event() -> ShapeType:
    """Return the shape of any event as a script reads it: the fields of all events, each of them optional."""
    types: dict[str, set[str]] = {}
    for shape in event_types():
        for field in shape.fields:
            types.setdefault(field.name, set()).update(field.type.split(" | "))
    kinds = " | ".join(f'"{shape.event}"' for shape in event_types())
    return ShapeType(
        name="TableEvent",
        about="What has just happened, as its viewer may see it.",
        fields=(
            FieldType("type", kinds),
            FieldType("text", "string", may_lack=True),
            *(FieldType(name, " | ".join(sorted(words)), may_lack=True) for name, words in sorted(types.items())),
        ),
    )


def _typedef(name: str, about: str, keys: Iterable[FieldType]) -> str:
    comment = textwrap.wrap(about, width=_LINE - 3)
    lines = [f" * @property {{{key.type}}} {f'[{key.name}]' if key.may_lack else key.name}" for key in keys]
    return "\n".join(
        ["/**", *(f" * {line}" for line in comment), " *", f" * @typedef {{Object}} {name}", *lines, " */"]
    )


def _about(kind: type) -> str:
    """Return the docstring in one line; empty for a dataclass without one, where Python puts the signature."""
    text = inspect.cleandoc(kind.__doc__ or "")
    return "" if text.startswith(f"{kind.__name__}(") else " ".join(text.split())


# --- annotations in words of JavaScript ---


def _words(hint: Any) -> str:
    return _of(ast.parse(_text(hint), mode="eval").body)


def _text(hint: Any) -> str:
    return hint if isinstance(hint, str) else str(hint.__forward_arg__)


def _of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return _PLAIN.get(name) or _named(name)
        case ast.Constant(value=None):
            return "null"
        case ast.BinOp(left=left, right=right):
            return f"{_of(left)} | {_of(right)}"
        case ast.Subscript(value=ast.Name(id=outer), slice=inner):
            return _generic(outer, inner)
        case _:
            raise TypeError(f"there is no word for {ast.unparse(node)}")


def _generic(outer: str, inner: ast.expr) -> str:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if outer == "NotRequired":
        return _of(inner)
    if outer == "Literal":
        return " | ".join(f'"{ast.literal_eval(part)}"' for part in parts)
    if outer == "list" or (outer == "tuple" and isinstance(parts[-1], ast.Constant)):
        item = _of(parts[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if outer == "tuple":
        return f"[{', '.join(_of(part) for part in parts)}]"
    return f"Record<{', '.join(_of(part) for part in parts)}>"


def _named(name: str) -> str:
    type_name = _SHOWN_AS.get(name, name)
    _resolved(type_name)
    return type_name


def _resolved(name: str) -> Any:
    """Return the type of this name in the rules. AttributeError if there is none."""
    for module in _NAMESPACES:
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"{name} is not known to the rules")


def _meanings(words: str) -> Mapping[str, str]:
    """Return the meanings of the names in a type, except those that are shapes themselves."""
    type_names = {name for name in _identifiers(words) if name[0].isupper() and name != "Record"}
    return {name: _meaning(_resolved(name)) for name in type_names if not is_typeddict(_resolved(name))}


def _identifiers(words: str) -> set[str]:
    plain = "".join(char if char.isalnum() or char in '_"' else " " for char in words)
    return {word for word in plain.split() if not word.startswith('"')}


def _meaning(value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, StrEnum):
        return " | ".join(f'"{each.value}"' for each in value)
    if get_origin(value) is Literal:
        return " | ".join(f'"{each}"' for each in get_args(value))
    if get_origin(value) is tuple:
        inner, _ = get_args(value)
        return f"{_meaning(inner)}[]"
    if get_args(value):
        return " | ".join(_meaning(each) for each in get_args(value))
    return _PLAIN[value.__name__]
