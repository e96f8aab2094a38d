"""The frames a client may send, and nothing else: PROTOCOL.md as data."""

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any, NoReturn, get_type_hints

from rules.cards import HAND_SIZE
from rules.game import moves
from tables.errors import TableError
from wallet.language import gettext as _, translatable

#: Bytes of one client frame.
FRAME_LIMIT = 8 * 1024
#: Moves that are refused when the client has seen only a stale version.
VERSIONED = frozenset({"draw", "discard", "drop", "finish", "submit"})
#: Frames that are not moves: the connection answers them.
CONNECTION_FRAMES = frozenset({"sync", "ping", "emote", "skip"})

#: Emotes with a picture in static/img/emotes.svg, by key: the text that is read aloud, translated where it is shown.
PICTURES: Mapping[str, str] = translatable(
    {
        "smile": "Smiles",
        "laugh": "Laughs",
        "wow": "Is amazed",
        "think": "Is thinking",
        "sad": "Is sad",
        "clap": "Claps",
        "thumb": "Thumbs up",
        "heart": "Loves it",
    }
)
PHRASES: Mapping[str, str] = translatable(
    {
        "hello": "Hello!",
        "luck": "Good luck!",
        "well_played": "Well played!",
        "lovely_show": "What a show!",
        "close": "That was close!",
        "lucky": "Lucky draw!",
        "thanks": "Thank you!",
        "sorry": "Sorry!",
        "moment": "One moment, please.",
        "again": "One more?",
        "bye": "Goodbye!",
    }
)
EMOTES: Mapping[str, str] = {**PICTURES, **PHRASES}

_MOVES = {move.name: move for move in moves.PLAYER_MOVES}
_LARGEST_AMOUNT = 2**53
_SEED = re.compile(r"[0-9a-f]{32}\Z")


@dataclass(frozen=True, slots=True)
class Frame:
    """A well-formed client frame: its type and fields, the request's id, and the version that the client saw."""

    type: str
    id: str | int | None = None
    version: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


def parse_frame(text: str) -> Frame:
    """Return the frame in `text`. TableError `bad_frame` or `unknown_type` says what is wrong with it."""
    if len(text.encode(errors="surrogatepass")) > FRAME_LIMIT:
        _refuse(_("A message may have 8 KiB at most."))
    return read_frame(_object(text))


def read_frame(content: dict[str, Any]) -> Frame:
    """Return the frame in an object that is already parsed from JSON. TableError as for `parse_frame`."""
    content = dict(content)
    kind = content.pop("type", None)
    if not isinstance(kind, str):
        _refuse(_("A message needs a type."))
    if kind not in _FIELDS:
        raise TableError("unknown_type", _("This server does not know that kind of message."), status=400)
    request_id, version = content.pop("id", None), content.pop("version", None)
    _check_id(request_id)
    if version is not None and not _is_whole(version):
        _refuse(_("The version must be a whole number."))
    return Frame(type=kind, id=request_id, version=version, fields=_checked_fields(kind, content))


def described() -> list[dict[str, Any]]:
    """Describe every frame type and its fields in words, for the programmers' page of the protocol."""
    return [
        {"type": kind, "fields": fields, "versioned": kind in VERSIONED} for kind, fields in sorted(_FIELDS.items())
    ]


def to_move(frame: Frame, seat: int) -> moves.PlayerMove:
    """Return the frame as a move of the player in `seat`."""
    fields = {
        spec.name: spec.kind.make(frame.fields[spec.name]) for spec in _FIELDS[frame.type] if spec.name in frame.fields
    }
    return _MOVES[frame.type](seat=seat, **fields)


def ack(version: int) -> dict[str, Any]:
    """Return the answer to a frame that was obeyed, at a table of that version."""
    return {"type": "ack", "version": version}


def request_id(text: str) -> str | int | None:
    """Return the id in a message that is no frame or comes too soon, for its refusal; None if no id can be read."""
    try:
        number = _object(text).get("id")
        _check_id(number)
    except TableError:
        return None
    return number


def _refuse(message: str) -> NoReturn:
    raise TableError("bad_frame", message, status=400)


def _object(text: str) -> dict[str, Any]:
    try:
        content = _DECODER.decode(text)
    except (ValueError, RecursionError):
        _refuse(_("The message is not valid JSON."))
    if not isinstance(content, dict):
        _refuse(_("A message must be a JSON object."))
    return content


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key stands twice")
    return content


#: Made once: `json.loads` would make one for each message.
_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_AMOUNT


def _check_id(value: object) -> None:
    short_text = isinstance(value, str) and 0 < len(value) <= 64 and value.isprintable()
    if value is not None and not short_text and not _is_whole(value):
        _refuse(_("An id is a text of 1 to 64 characters."))


def _is_card(value: object) -> bool:
    return isinstance(value, str) and 2 <= len(value) <= 4 and value.isascii() and value.isalnum()


def _is_groups(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(group, list) and len(group) <= HAND_SIZE + 1 and all(map(_is_card, group)) for group in value
    )


@dataclass(frozen=True, slots=True)
class _Kind:
    """One type of move field in frames: the check, its description in words, the conversion to the move's value."""

    accepts: Callable[[Any], bool]
    wants: str
    make: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: _Kind
    required: bool

    @property
    def wants(self) -> str:
        return self.kind.wants


_A_CARD = "a card such as 7H1"
_GROUPS = _Kind(_is_groups, "a list of groups of cards", lambda groups: tuple(map(tuple, groups)))

#: By the type of a move's field.
_KINDS: Mapping[Any, _Kind] = {
    bool: _Kind(lambda value: isinstance(value, bool), "true or false"),
    moves.Pile: _Kind(lambda value: value in tuple(moves.Pile), '"closed" or "open"', moves.Pile),
    moves.CardText: _Kind(_is_card, _A_CARD),
    moves.CardText | None: _Kind(_is_card, f"{_A_CARD}; none for a show before drawing, in books that allow it"),
    moves.TextGroups: _GROUPS,
    moves.TextGroups | None: _GROUPS,
    moves.Amount: _Kind(lambda value: _is_whole(value) and value > 0, "a whole number above 0"),
    moves.SeedText: _Kind(
        lambda value: isinstance(value, str) and bool(_SEED.match(value)), "32 lower-case hex digits"
    ),
}


def _fields_of(move: type[moves.PlayerMove]) -> tuple[_Field, ...]:
    """Return the fields of the move's frame; the seat is known from the connection."""
    hints = get_type_hints(move, include_extras=True)
    return tuple(
        _Field(attribute.name, _KINDS[hints[attribute.name]], required=attribute.default is MISSING)
        for attribute in dataclasses.fields(move)
        if attribute.name != "seat"
    )


_EMOTE = _Kind(lambda value: isinstance(value, str) and value in EMOTES, "one of " + ", ".join(EMOTES))

_FIELDS: Mapping[str, tuple[_Field, ...]] = {
    **dict.fromkeys(CONNECTION_FRAMES, ()),
    "emote": (_Field("emote", _EMOTE, required=True),),
    **{move.name: _fields_of(move) for move in moves.PLAYER_MOVES},
}


def _checked_fields(kind: str, content: dict[str, Any]) -> Mapping[str, Any]:
    known = {spec.name: spec for spec in _FIELDS[kind]}
    for name in content:
        if name not in known:
            _refuse(_("A {kind} message has no such field.", kind=kind))
    for spec in known.values():
        if spec.name not in content:
            if spec.required:
                _refuse(_("A {kind} message needs {name}: {wants}.", kind=kind, name=spec.name, wants=spec.wants))
        elif not spec.kind.accepts(content[spec.name]):
            _refuse(_("The field {name} must be {wants}.", name=spec.name, wants=spec.wants))
    return content
