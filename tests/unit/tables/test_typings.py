"""The view's types as JavaScript typedefs: the page's scripts are checked against what the server sends.

`python -m tests.unit.tables.test_typings` rewrites the typedefs.
"""

import re
from pathlib import Path

from tables import typings
from tests.unit.rules.game.hands import GOOD, PURE
from tests.unit.rules.game.play import deal

TYPEDEFS = Path(__file__).parents[3] / "static/js/shared/types.js"


def test_the_typedefs_are_those_of_the_view() -> None:
    assert TYPEDEFS.read_text() == typings.script(), "written anew by python -m tests.unit.tables.test_typings"


def test_every_part_of_a_view_is_described_key_by_key() -> None:
    shapes = {shape.name: {field.name: field.type for field in shape.fields} for shape in typings.views()}
    view = deal("standard-points", [GOOD, PURE], cut="9S").view(0)
    assert set(shapes["View"]) == set(view) and set(shapes["MeView"]) == set(view["me"])
    assert shapes["View"]["deal"] == "DealView | null" and shapes["MeView"]["groups"] == "Card[][]"
    assert shapes["MeView"]["fault_without"] == "Record<Card, string | null> | null"
    assert shapes["ClockView"].keys() - shapes["BareClockView"].keys() == {"remaining_ms"}


def test_every_name_in_a_type_has_its_meaning() -> None:
    known = {shape.name for shape in (*typings.views(), *typings.FRAMES)} | set(typings.names())
    for shape in (*typings.views(), *typings.event_types()):
        for field in shape.fields:
            assert set(re.findall(r"[A-Z]\w+", field.type)) <= known | {"Record"}, (shape.name, field)
    assert typings.names()["Pile"] == '"closed" | "open"' and typings.names()["Groups"] == "string[][]"


def test_of_an_event_is_described_what_is_ever_shown_and_nothing_else() -> None:
    events = {each.event: {field.name: field.may_lack for field in each.fields} for each in typings.event_types()}
    assert events["card_drawn"] == {"seat": False, "pile": False, "by": False, "card": True}
    assert events["cards_dealt"] == {"deal_id": False, "number": False, "order": False}
    assert not any({"seed", "closed", "hands", "clients"} & set(fields) for fields in events.values())


if __name__ == "__main__":
    TYPEDEFS.write_text(typings.script())
