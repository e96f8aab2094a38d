"""The frames a client may send, and nothing else: `contracts.md` section 3 as data."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from rules.cards import HAND_SIZE
from rules.game import moves
from tables.errors import TableError

#: Bytes of one client frame.
FRAME_LIMIT = 8 * 1024
#: Moves for which a version that is not current is refused.
VERSIONED = frozenset({"draw", "discard", "drop", "finish", "submit"})
#: Frames that the connection answers itself, without asking the table.
CONNECTION_FRAMES = frozenset({"sync", "ping"})

_MOVES = {move.name: move for move in moves.PLAYER_MOVES}
_LARGEST_AMOUNT = 2**53
_SEED = re.compile(r"[0-9a-f]{32}\Z")


@dataclass(frozen=True, slots=True)
class Frame:
    """A well-formed client frame: what is asked, under which id, seen from which version."""

    type: str
    id: str | int | None = None
    version: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


def parse(text: str) -> Frame:
    """The frame that `text` holds. TableError `bad_frame` or `unknown_type` says what is wrong with it."""
    if len(text.encode(errors="surrogatepass")) > FRAME_LIMIT:
        _refuse("A message may have 8 KiB at most.")
    return read(_object(text))


def read(content: dict[str, Any]) -> Frame:
    """The frame in an object that was already parsed. TableError as for `parse`."""
    content = dict(content)
    kind = content.pop("type", None)
    if not isinstance(kind, str):
        _refuse("A message needs a type.")
    if kind not in _FIELDS:
        raise TableError("unknown_type", "This server does not know that kind of message.", status=400)
    request_id, version = content.pop("id", None), content.pop("version", None)
    _check_id(request_id)
    if version is not None and not _is_whole(version):
        _refuse("The version must be a whole number.")
    return Frame(type=kind, id=request_id, version=version, fields=_checked_fields(kind, content))


def described() -> list[dict[str, Any]]:
    """Every frame type with its fields in words, for the page that tells programmers of them."""
    return [
        {"type": kind, "fields": fields, "versioned": kind in VERSIONED} for kind, fields in sorted(_FIELDS.items())
    ]


def to_move(frame: Frame, seat: int) -> moves.PlayerMove:
    """What the player of `seat` asks with this frame."""
    return _MOVES[frame.type](seat=seat, **{name: _as_value(name, value) for name, value in frame.fields.items()})


def _as_value(name: str, value: Any) -> Any:
    if name == "groups":
        return tuple(tuple(group) for group in value)
    return moves.Pile(value) if name == "pile" else value


def request_id(text: str) -> str | int | None:
    """The id of a message that could not be parsed, where it can be made out: errors are answered under it."""
    try:
        found = _object(text).get("id")
        _check_id(found)
    except TableError:
        return None
    return found


def _refuse(message: str) -> NoReturn:
    raise TableError("bad_frame", message, status=400)


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError):
        _refuse("The message is not valid JSON.")
    if not isinstance(content, dict):
        _refuse("A message must be a JSON object.")
    return content


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_AMOUNT


def _check_id(value: object) -> None:
    short_text = isinstance(value, str) and 0 < len(value) <= 64 and value.isprintable()
    if value is not None and not short_text and not _is_whole(value):
        _refuse("An id is a text of 1 to 64 characters.")


def _is_card(value: object) -> bool:
    return isinstance(value, str) and 2 <= len(value) <= 4 and value.isascii() and value.isalnum()


def _is_groups(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(group, list) and len(group) <= HAND_SIZE + 1 and all(map(_is_card, group)) for group in value
    )


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    accepts: Callable[[Any], bool]
    wants: str
    required: bool = True


_GROUPS: Callable[[bool], _Field] = lambda required: _Field(  # noqa: E731
    "groups", _is_groups, "a list of groups of cards", required
)
_ACCEPT = _Field("accept", lambda value: isinstance(value, bool), "true or false")
_CARD = _Field("card", _is_card, "a card such as 7H1")
_FINISH_CARD = _Field(
    "card", _is_card, "a card such as 7H1; none for a show before drawing, in books that allow it", False
)

_FIELDS: Mapping[str, tuple[_Field, ...]] = {
    "sync": (),
    "ping": (),
    "draw": (_Field("pile", lambda value: value in ("closed", "open"), '"closed" or "open"'),),
    "discard": (_CARD,),
    "drop": (),
    "auto_drop": (_Field("on", lambda value: isinstance(value, bool), "true or false"),),
    "finish": (_FINISH_CARD,),
    "arrange": (_GROUPS(True),),
    "sort": (),
    "submit": (_GROUPS(False),),
    "continue": (),
    "add_chips": (_Field("amount", lambda value: _is_whole(value) and value > 0, "a whole number above 0"),),
    "leave": (),
    "rejoin": (_ACCEPT,),
    "offer_split": (),
    "answer_split": (_ACCEPT,),
    "client_seed": (
        _Field("seed", lambda value: isinstance(value, str) and bool(_SEED.match(value)), "32 lower-case hex digits"),
    ),
}


def _checked_fields(kind: str, content: dict[str, Any]) -> Mapping[str, Any]:
    known = {each.name: each for each in _FIELDS[kind]}
    for name in content:
        if name not in known:
            _refuse(f"A {kind} message has no such field.")
    for each in known.values():
        if each.name not in content:
            if each.required:
                _refuse(f"A {kind} message needs {each.name}: {each.wants}.")
        elif not each.accepts(content[each.name]):
            _refuse(f"The field {each.name} must be {each.wants}.")
    return content
