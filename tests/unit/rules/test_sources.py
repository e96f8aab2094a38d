"""Every rule of the five rule documents is covered.

`sources/` lists every rule of every document in our own words, each with the tests that prove it (`->`) or with the
words of RULES.md that settle it (`§ heading: words`). These tests check the lists themselves: no number is missing,
every test exists, every heading is one of RULES.md.
"""

import importlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent / "sources"

ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"]

# What each document holds: how many sentences under each number, then its lettered points (28 i, 28 ii and so on).
# 0 are the words before the first number. The last four documents have no numbers of their own: their sentences count.
SENTENCES = {
    "000-points": "2 2 2 2 2 1 3 2 4 1 2 3 1 2 1 2 2 1 3 1 1 1 1 1 1 1 1 2 0 0 2 1",
    "000-blind": "2 2 2 2 2 1 2 2 4 1 2 3 1 2 1 2 2 1 3 1 1 1 1 1 1 1 1 2 0 2 1",
    "000-pool": "2 2 1 1 2 2 1 3 2 4 1 2 2 1 2 1 2 2 1 3 1 1 1 1 1 1 1 1 2 0 1 0 3",
    "000-deal": "3 2 1 1 1 2 1 3 2 4 3 1 1 1 1 1 2 1 3 1 1 1 1 1 1 1 1 2 0 0",
    "001": "1 " * 36,
    "002": "1 " * 48,
    "003": "1 " * 44,
    "004": "1 " * 39,
}
POINTS = {
    "000-points": {21: 1, 22: 2, 23: 2, 24: 2, 28: 13, 29: 3},
    "000-blind": {21: 1, 22: 2, 23: 2, 24: 2, 28: 13},
    "000-pool": {22: 1, 23: 2, 24: 2, 25: 2, 29: 14, 31: 1},
    "000-deal": {21: 1, 22: 2, 23: 1, 24: 1, 28: 13, 29: 3},
}
EXAMPLES = {"000-points": ["28.iii.a"], "000-blind": ["28.iii.a"], "000-pool": ["29.iv.a"], "000-deal": ["28.iii.a"]}
TOTALS = {"000-points": 75, "000-blind": 71, "000-pool": 74, "000-deal": 66, "001": 35, "002": 47, "003": 43, "004": 38}

HEADINGS = {
    "Words",
    "Cards",
    "Melds",
    "Score of a loser who stayed to the end",
    "The books",
    "Clocks",
    "Points and blind: money",
    "Pool: money, elimination, rejoin, split",
    "Deals, best of three: money and end",
    "Packs and limits",
    "Where the seeds are silent or disagree",
}
PARTS = {
    "hand": "tests.unit.rules.test_",
    "game": "tests.unit.rules.game.test_",
    "tables": "tests.unit.tables.test_",
    "lobby": "tests.unit.lobby.test_",
    "wallet": "tests.unit.wallet.test_",
    "browser": "tests.system.browser.test_",
}


@dataclass
class Rule:
    text: str
    tests: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)


def read(document: str) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    number = ""
    for line in (FOLDER / f"{document}.txt").read_text().splitlines():
        kind, _, words = line.strip().partition(" ")
        if kind == "->":
            rules[number].tests.append(words.strip())
        elif kind == "§":
            rules[number].decisions.append(words.strip())
        else:
            number = kind
            assert number not in rules, f"{document} {number} stands there twice"
            rules[number] = Rule(words.strip())
    return rules


def numbers(document: str) -> list[str]:
    """Return every number in the document, in its order."""
    if document not in POINTS:
        return [str(number) for number in range(1, len(SENTENCES[document].split()))]
    expected: list[str] = []
    for number, sentences in enumerate(map(int, SENTENCES[document].split())):
        expected += [f"{number}.{place}" for place in range(1, sentences + 1)]
        for letter in ROMAN[: POINTS[document].get(number, 0)]:
            expected.append(f"{number}.{letter}")
            expected += [example for example in EXAMPLES[document] if example == f"{number}.{letter}.a"]
    return expected


DOCUMENTS = sorted(SENTENCES)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_rule_is_missing(document: str) -> None:
    assert list(read(document)) == numbers(document)
    assert len(read(document)) == TOTALS[document]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_rule_is_proven_or_decided(document: str) -> None:
    for number, rule in read(document).items():
        assert rule.text.endswith("."), f"{document} {number} is no sentence"
        assert rule.tests or rule.decisions, f"{document} {number} has neither test nor decision"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_test_is_there(document: str) -> None:
    for number, rule in read(document).items():
        for reference in rule.tests:
            assert fault(reference) is None, f"{document} {number}: {fault(reference)}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_decision_has_a_heading_of_the_rules(document: str) -> None:
    for number, rule in read(document).items():
        for decision in rule.decisions:
            heading = next((title for title in HEADINGS if decision.startswith(f"{title}: ")), None)
            assert heading is not None, f"{document} {number}: no such heading: {decision}"
            assert decision.removeprefix(f"{heading}: "), f"{document} {number} quotes nothing"


@pytest.mark.parametrize(
    "reference",
    [
        "game.nowhere::test_a_first_drop_costs",
        "game.books_in_play::test_nothing",
        "game.books_in_play::three",
        "game.turns::TestDrops.test_nothing",
        "game.books_in_play::test_a_first_drop_costs[no-such-book]",
        "game.books_in_play::test_a_first_drop_costs[standard-points][no-such-book]",
    ],
)
def test_a_reference_to_nothing_is_found(reference: str) -> None:
    assert fault(reference)


def fault(reference: str) -> str | None:
    """Return what is wrong with `part.module::Class.test[id][id]`, or None if that test exists with all these ids."""
    matched = re.fullmatch(r"(\w+)\.(\w+)::([\w.]+)((?:\[[^]]+\])*)", reference)
    if matched is None:
        return f"not written as a test: {reference}"
    part, module, path, ids = matched.groups()
    try:
        target: object = importlib.import_module(PARTS[part] + module)
    except ModuleNotFoundError:
        return f"no module for {reference}"
    for name in path.split("."):
        target = getattr(target, name, None)
    if isinstance(target, ModuleType) or not callable(target) or not path.split(".")[-1].startswith("test_"):
        return f"no test {reference}"
    unknown = [one for one in re.findall(r"\[([^]]+)\]", ids) if one not in ids_of(target)]
    return f"{reference} is not played with {unknown}" if unknown else None


def ids_of(test: object) -> set[str]:
    """Return the ids of the test's parametrized cases, and their values that are strings."""
    ids: set[str] = set()
    for mark in getattr(test, "pytestmark", []):
        for value in mark.args[1] if mark.name == "parametrize" else ():
            ids.add(str(getattr(value, "id", None) or value))
    return ids
