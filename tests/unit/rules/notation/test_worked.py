"""The worked files: each is read, replayed and written again byte for byte."""

import re
from pathlib import Path

import pytest

from rules.books import BOOKS
from rules.game import events
from rules.notation import read, replay, write
from tests.support.notations import points
from tests.support.worked import EXAMPLES, FOLDER

FILES = sorted(FOLDER.glob("*"))
README = FOLDER.parent / "README.md"


def test_there_is_a_file_of_every_book_and_of_every_example() -> None:
    assert [file.stem for file in FILES] == sorted(EXAMPLES) and len(FILES) >= 20
    assert {read(file.read_bytes()).book.key for file in FILES} == set(BOOKS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_worked_file_is_what_is_written_again(file: Path) -> None:
    notation = read(file.read_bytes())
    told = [step.event for step in replay(notation)]
    assert write(notation).encode() == file.read_bytes()
    assert points(told) == (None if notation.result is None else dict(notation.result))
    dealt = next(event for event in told if isinstance(event, events.CardsDealt))
    assert dealt.order[0] == notation.first and dealt.deal_id == notation.deal


def test_the_page_names_every_header_and_every_action() -> None:
    page, grammar = README.read_text(), (FOLDER.parent / "grammar.ebnf").read_text()
    headers = {re.sub(r"\d", "", name) for file in FILES for name in re.findall(r"^\[(\w+)", file.read_text(), re.M)}
    actions = {move.action for file in FILES for move in read(file.read_bytes()).moves}
    for text in (page.partition("## Header lines")[2].partition("## Moves")[0], grammar):
        assert {name for name in headers if name not in text} == set()
    for text in (page.partition("## Moves")[2].partition("## Reading")[0], grammar):
        assert {action for action in actions if action not in text} == set()
    assert len(actions) == 6
