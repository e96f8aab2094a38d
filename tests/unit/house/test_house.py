"""The shape of the project: small rooms, one meaning for a name, pages that are true."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.bootstrap import ROOT

APPS = ("config", "lobby", "tables", "wallet", "rules")
#: The pages for people who carry this on; those of third parties are theirs.
PAGES = sorted(path for app in ("", *APPS, "config/deploy", "tests") for path in (ROOT / app).glob("*.md"))
#: Modules that are called alike in every room: outside they go by the room's name.
IN_EVERY_ROOM = {"services", "selectors", "views", "api", "forms", "schemas", "models", "admin"}
#: Classes of several meanings that are still to be renamed: this list may only become shorter.
STILL_DOUBLE: set[str] = set()

#: Functions that do the same in several rooms: staff's acts on what waits for them, and what a player asks of the
#: lobby, the table, the wallet and the engine in turn; what is done with a deal in any form.
SAME_MEANING = {
    *("approve", "ask", "cancel", "confirm", "refuse", "verify", "in_words", "register", "standing_guards", "today"),
    *("add_chips", "buy_in", "grant", "play", "prepare_deal", "rebuild", "rejoin", "sit", "why_not", "current"),
    *("write", "replay"),
    *("lift", "overview", "set_limit", "changes", "balances", "currencies", "snapshot", "admit", "barred", "state_of"),
}
#: What the rows and what the postings make of the same event stands under its name in both modules.
OF_ONE_EVENT = {"_match_cancelled"}
#: Where functions go by the name of an address, of a task or of a tag: these are asked for by that name.
NAMED_OUTSIDE = {"views.py", "tasks.py"}


def modules() -> Iterator[Path]:
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            if "migrations" not in path.parts:
                yield path


def test_a_class_has_one_meaning() -> None:
    names = Counter(
        node.name
        for path in modules()
        if "commands" not in path.parts or path.name.startswith("_")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} == STILL_DOUBLE


def test_a_function_has_one_meaning() -> None:
    names = Counter(
        node.name
        for path in modules()
        if path.name not in NAMED_OUTSIDE and not {"commands", "templatetags"} & set(path.parts)
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} <= SAME_MEANING


def test_a_private_function_has_one_meaning_within_its_room() -> None:
    """Private functions of other rooms do not matter: nobody meets them."""
    names = Counter(
        (path.parent, node.name)
        for path in modules()
        if "commands" not in path.parts
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("_")
    )
    assert {name for (_room, name), count in names.items() if count > 1} <= OF_ONE_EVENT


def test_a_module_goes_by_its_own_name_or_by_its_room() -> None:
    misnamed = [
        f"{path.relative_to(ROOT)}: {node.module}.{each.name} as {each.asname}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module and is_ours(node.module)
        for each in node.names
        if (ROOT / node.module.replace(".", "/") / f"{each.name}.py").exists()
        if not named_plainly(path, node.module, each)
    ]
    assert misnamed == []


def is_ours(module: str) -> bool:
    return module.split(".")[0] in APPS and not module.startswith("rules")


def named_plainly(path: Path, package: str, imported: ast.alias) -> bool:
    """Check that a module goes by its own name, or by its room's if every room has a module of that name."""
    room, name = package.split(".")[-1], imported.asname or imported.name
    outside = ".".join(path.relative_to(ROOT).parent.parts) != package and "." in package
    if imported.name in IN_EVERY_ROOM and outside:
        return name in {room, f"{room}_{imported.name}"} or name.endswith(f"_{room}")
    return name in {imported.name, room}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_in_a_page_exists(page: Path) -> None:
    text = page.read_text()
    named = set(re.findall(r"`([\w/.-]+(?:/|\.py))`", text)) | set(re.findall(r"\]\(([\w/.-]+)\)", text))
    named -= {name for name in named if name.startswith("/")}
    missing = {name for name in named if not any((base / name).exists() for base in (page.parent, ROOT))}
    assert missing == set()
