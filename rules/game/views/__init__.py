"""Views: the only way by which facts of a state or an event reach a viewer.

A view is built in one pass from a state and the `Names` of its table: the public part once for all viewers, the own
part for each seat. It is built key by key, so a new field of the state is in no view until it is named in `shapes` and
here.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.game.state import TableState
from rules.game.views.names import NAMELESS, MoneyFormat, Names
from rules.game.views.own import own_facts, own_view
from rules.game.views.public import discard_views, public_view, seat_facts, seat_view, table_facts, table_view
from rules.game.views.redaction import redact
from rules.game.views.shapes import OwnView, PublicView, View

__all__ = [
    "NAMELESS",
    "MoneyFormat",
    "Names",
    "PublicView",
    "View",
    "discard_views",
    "own_facts",
    "own_view",
    "public_view",
    "redact",
    "seat_facts",
    "seat_view",
    "table_facts",
    "table_view",
    "view_for",
    "views_for",
    "whole",
]


def view_for(state: TableState, seat: int | None, now: int, names: Names = NAMELESS) -> View:
    """Return the whole view at `now` of the player in `seat`, or of an onlooker (None). Source: tables/PROTOCOL.md."""
    return views_for(state, (seat,), now, names)[seat]


def views_for(
    state: TableState, viewers: Iterable[int | None], now: int, names: Names = NAMELESS
) -> dict[int | None, View]:
    """Return the views of several viewers. The public parts are the same objects in each: only read them."""
    public = public_view(state, now, names)
    return {viewer: whole(public, own_view(state, viewer, public, names)) for viewer in viewers}


def whole(public: PublicView, own: OwnView) -> View:
    """Return the public view with a viewer's own parts added, or in place of public ones."""
    return {**public, "me": None, **own}
