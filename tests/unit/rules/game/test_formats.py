"""Stored data stays readable: samples of every format, and an alarm when the stored shape changes."""

import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from random import Random
from typing import Any, get_args, get_type_hints

import pytest

from config import env
from rules.books import BOOKS
from rules.game import codec
from rules.game.codec import FORMAT, BadRecord, RecordKind
from rules.game.events import EVENTS
from rules.game.state import Phase, TableState, Terms
from tables.simulation.run import SimulatedTable, SimulationReport, terms_of

STORED = Path(__file__).parent / "stored"
SHAPE = STORED / "shape.json"
_LOAD = {RecordKind.STATE: codec.load_state, RecordKind.TERMS: codec.load_terms, RecordKind.EVENT: codec.load_event}
_DUMP: dict[RecordKind, Any] = {
    RecordKind.STATE: codec.dump_state,
    RecordKind.TERMS: codec.dump_terms,
    RecordKind.EVENT: codec.dump_event,
}
#: So many matches of each book are sampled for events of every kind.
_MATCHES = 6


def samples(number: int) -> list[tuple[RecordKind, dict[str, Any]]]:
    lines = (STORED / f"format-{number}.jsonl").read_text().splitlines()
    return [(RecordKind(each["kind"]), each["record"]) for each in map(json.loads, lines)]


@pytest.mark.parametrize("number", range(1, FORMAT + 1))
def test_every_sample_of_every_format_is_read_and_stored_again_in_the_present_one(number: int) -> None:
    for kind, record in samples(number):
        assert record["format"] == number
        value = _LOAD[kind](record)
        again = _DUMP[kind](value)
        assert again["format"] == FORMAT
        assert _LOAD[kind](json.loads(codec.canonical(again))) == value
        if number == FORMAT:
            assert codec.canonical(again) == codec.canonical(record)


@pytest.mark.parametrize("number", range(1, FORMAT + 1))
def test_the_samples_show_every_phase_every_book_and_of_each_format_many_events(number: int) -> None:
    states = [codec.load_state(record) for kind, record in samples(number) if kind is RecordKind.STATE]
    assert {state.phase for state in states} == set(Phase)
    books = {state.terms.book for state in states}
    assert books == set(BOOKS) if number == FORMAT else books < set(BOOKS)
    kinds = {record["type"] for kind, record in samples(number) if kind is RecordKind.EVENT}
    assert len(kinds) >= 35 and (number < FORMAT or kinds <= set(EVENTS))


def test_the_stored_shape_changes_only_with_a_new_format() -> None:
    """If this fails: raise FORMAT, write the step in rules/game/codec.py, then RUMMY_WRITE_STORED=1 pytest here."""
    if env.flag("RUMMY_WRITE_STORED"):
        write()
    assert json.loads(SHAPE.read_text()) == {"format": FORMAT, "classes": shape()}


@pytest.mark.parametrize("number", [0, -1, FORMAT + 1, 99, None, "1", 1.5, [1]])
def test_an_unknown_format_is_refused(number: object) -> None:
    kind, record = samples(FORMAT)[0]
    with pytest.raises(BadRecord, match="not known"):
        _LOAD[kind]({**record, "format": number})


def test_a_field_that_is_renamed_and_one_that_is_added_take_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example of the next step: this code stores `most` where the next one stores `maximum`, and knows `deals`."""

    def step(kind: RecordKind, record: codec.Record) -> codec.Record:
        if kind is RecordKind.STATE:
            return {**record, "terms": step(RecordKind.TERMS, record["terms"])}
        if kind is RecordKind.TERMS:
            record = {**record, "deals": None}
            record["maximum"] = record.pop("most")
        return record

    def before(terms: codec.Record) -> codec.Record:
        former = {**terms, "most": terms["maximum"]}
        del former["deals"], former["maximum"]
        return former

    number, samples_now = FORMAT, samples(FORMAT)
    monkeypatch.setattr(codec, "FORMAT", number + 1)
    monkeypatch.setitem(codec.STEPS, number, step)
    for kind, record in samples_now:
        if kind is RecordKind.TERMS and record["deals"] is None:
            assert codec.load_terms(before(record)) == codec.load_terms({**record, "format": number + 1})
        elif kind is RecordKind.STATE and record["terms"]["deals"] is None:
            stored = {**record, "terms": before(record["terms"])}
            assert codec.load_state(stored) == codec.load_state({**record, "format": number + 1})


def test_steps_lead_from_any_former_format_to_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "FORMAT", 4)
    monkeypatch.setattr(codec, "STEPS", {number: _adds(number) for number in (1, 2, 3)})
    assert codec.present(RecordKind.TERMS, {"format": 2}) == {"step 2": "terms", "step 3": "terms"}
    assert codec.present(RecordKind.EVENT, {"format": 4, "a": 1}) == {"a": 1}


def test_a_step_that_stumbles_over_nonsense_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "FORMAT", 2)
    monkeypatch.setattr(codec, "STEPS", {1: lambda kind, record: {**record, "seats": record["places"]}})
    with pytest.raises(BadRecord, match="no state of format 1"):
        codec.present(RecordKind.STATE, {"format": 1})


def _adds(number: int) -> codec.CodecStep:
    return lambda kind, record: {**record, f"step {number}": kind.value}


# --- what is stored now ---------------------------------------------------------------------------------------------


def shape() -> dict[str, dict[str, str]]:
    """Return every class that is stored, with its fields and their types."""
    shapes: dict[str, dict[str, str]] = {}
    for kind in (TableState, Terms, *EVENTS.values()):
        _collect(kind, shapes)
    return dict(sorted(shapes.items()))


def _collect(kind: Any, shapes: dict[str, dict[str, str]]) -> None:
    if is_dataclass(kind) and isinstance(kind, type) and kind.__name__ not in shapes:
        hints = get_type_hints(kind)
        shapes[kind.__name__] = {each.name: _type_name(hints[each.name]) for each in fields(kind)}
        for each in fields(kind):
            _collect(hints[each.name], shapes)
    for inner in get_args(kind):
        _collect(inner, shapes)


def _type_name(hint: Any) -> str:
    """Name the type, wherever the class stands: a class that moves is stored as before."""
    whole = isinstance(hint, type) and not get_args(hint)
    return hint.__name__ if whole else re.sub(r"\brules\.(\w+\.)*", "", str(hint))


def write() -> None:
    """Write the shape and the samples of the present format by this code."""
    SHAPE.write_text(json.dumps({"format": FORMAT, "classes": shape()}, indent=1) + "\n")
    lines = [json.dumps({"kind": kind.value, "record": record}, sort_keys=True) for kind, record in _sampled()]
    (STORED / f"format-{FORMAT}.jsonl").write_text("\n".join(lines) + "\n")


def _sampled() -> list[tuple[RecordKind, dict[str, Any]]]:
    """Return a state of each phase of each book, an event of each kind, and the terms of each book."""
    import hashlib

    states: dict[tuple[str, str], dict[str, Any]] = {}
    events: dict[str, dict[str, Any]] = {}
    terms = {}
    for key, book in BOOKS.items():
        offered = terms_of(book, book.max_seats)
        terms[key] = codec.dump_terms(offered)
        report = SimulationReport(book=key, players=book.max_seats, seed=1)
        for match in range(_MATCHES):
            table = _Sampling(offered, Random(match), report, hashlib.sha256(), vandal=False)
            table.states, table.events = states, events
            table.play(report.matches + 1)
    return [
        *((RecordKind.TERMS, record) for record in terms.values()),
        *((RecordKind.STATE, record) for record in states.values()),
        *((RecordKind.EVENT, record) for _, record in sorted(events.items())),
    ]


class _Sampling(SimulatedTable):
    states: dict[tuple[str, str], dict[str, Any]] = {}
    events: dict[str, dict[str, Any]] = {}

    def _take(self, transition: Any) -> None:
        super()._take(transition)
        after = transition.after
        self.states.setdefault((after.terms.book, after.phase.value), codec.dump_state(after))
        for event in transition.events:
            self.events.setdefault(event.name, codec.dump_event(event))
