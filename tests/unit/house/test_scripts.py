"""The scripts of the pages: each is checked, their rooms have an order, and the checks detect planted faults."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from config.bootstrap import ROOT
from tests.javascript import HERE, commands, is_set_up, node

SCRIPTS = ROOT / "static/js"
#: What each room of the table's scripts may import besides what lies beside the rooms.
ROOMS = {"model": {"model"}, "net": {"net"}, "view": {"view", "model"}, "input": {"input", "view", "model"}}
PURE = {"model", "net"}
#: The scripts and styles, and what they and their unit tests load.
WHAT_SCRIPTS_READ = ("static/js", "static/css", "static/vendor", "tests/unit/rules/vectors")
IMPORTED = re.compile(r"^import [^;]*?\"(\.[^\"]+)\";", re.MULTILINE | re.DOTALL)
#: How an address within this site would begin in a script.
ADDRESS = re.compile(r"""["'`](/[a-z]{2,})""")
#: Written from the types of the view, and as long as these.
GENERATED = SCRIPTS / "shared/types.js"
#: What rooms without a page may use of what lies beside them, and of what all pages share.
NEEDS_NO_PAGE = {"cards.js", "language.js", "words.js"}


def test_every_script_is_checked() -> None:
    assert [path.name for path in _written() if not path.read_text().startswith("// @ts-check\n")] == []


def test_no_script_is_long() -> None:
    assert [path.name for path in _written() if len(path.read_text().splitlines()) > 300] == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_those_below(room: str) -> None:
    table = SCRIPTS / "table"
    for path in (table / room).rglob("*.js"):
        for imported in IMPORTED.findall(path.read_text()):
            target = (path.parent / imported).resolve()
            inside = target.relative_to(table).parts if target.is_relative_to(table) else ()
            if len(inside) > 1:
                assert inside[0] in ROOMS[room], f"{path.name} imports {target}"
            elif room in PURE:
                assert target.name in NEEDS_NO_PAGE, f"{path.name} imports {target}"


@pytest.mark.parametrize(
    ("script", "built"),
    [("go(`/tables/${table}/`)", ["/tables"]), ('fetch("/api/mutes/")', ["/api"]), ('go(addressOf("deal", 1))', [])],
)
def test_a_planted_address_is_found(script: str, built: list[str]) -> None:
    assert ADDRESS.findall(script) == built


def test_no_script_builds_an_address_of_this_site() -> None:
    """They come from the page, in `data-`, or with a frame."""
    built = {(path.name, found) for path in _written() for found in ADDRESS.findall(path.read_text())}
    labels = {("shuffle.js", "/toss"), ("shuffle.js", "/reshuffle")}
    assert built - labels == set()


def test_what_all_pages_share_needs_no_page() -> None:
    shared = SCRIPTS / "shared"
    imported = {(path.name, name) for path in shared.glob("*.js") for name in IMPORTED.findall(path.read_text())}
    assert {name for name in imported if not (shared / name[1]).resolve().is_relative_to(shared)} == set()


#: For each check, faults in the file, and how the check names each.
FAULTS = {
    "types": [
        ("js/table/model/arrangement.js", "export const one = nothing().groups.lenght;", "TS2551"),
        ("js/table/model/arrangement.js", 'export const two = groupOf(nothing(), "3H1");', "TS2345"),
    ],
    "style": [
        (
            "js/table/model/arrangement.js",
            "export function planted(unused) {}",
            "lint/correctness/noUnusedFunctionParam",
        ),
        ("js/table/model/calls.js", "export const   planted=1", "format"),
        ("css/table/hand.css", ".planted { margin: 0 }", "format"),
        ("css/table/seats.css", ".planted {\n  margin: 0;\n  margin: 1px;\n}", "lint/suspicious/noDuplicateProperties"),
    ],
}


@pytest.mark.slow
@pytest.mark.skipif(not is_set_up(), reason="the tools for the scripts are not here")
@pytest.mark.parametrize("check", FAULTS)
def test_each_planted_fault_is_found(tmp_path: Path, check: str) -> None:
    copy = _copy(tmp_path)
    assert _run(commands()[check], copy).returncode == 0
    for file, fault, _ in FAULTS[check]:
        planted = tmp_path / "static" / file
        planted.write_text(f"{planted.read_text()}\n{fault}\n")
    found = _run(commands()[check], copy)
    assert found.returncode != 0
    for file, fault, name in FAULTS[check]:
        assert re.search(rf"{re.escape(file)}\S*.*\b{name}", found.stdout + found.stderr), fault


@pytest.mark.slow
@pytest.mark.skipif(not node(), reason="no Node.js")
def test_a_planted_fault_fails_the_unit_tests(tmp_path: Path) -> None:
    """Those of the file in which it is: any that fails fails them all."""
    copy = _copy(tmp_path)
    command = [word for word in commands()["units"] if not word.endswith(".test.js") or "arrangement" in word]
    assert _run(command, copy).returncode == 0
    module = tmp_path / "static/js/table/model/arrangement.js"
    sound = "next.loose.push(...hand.filter((card) => !placed.has(card)));"
    assert sound in module.read_text()
    module.write_text(module.read_text().replace(sound, ""))
    assert _run(command, copy).returncode != 0


def _written() -> list[Path]:
    return [path for path in SCRIPTS.rglob("*.js") if path != GENERATED]


def _copy(to: Path) -> Path:
    for part in WHAT_SCRIPTS_READ:
        shutil.copytree(ROOT / part, to / part)
    folder = to / HERE.relative_to(ROOT)
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    return folder


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)
