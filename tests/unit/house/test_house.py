"""What makes the project easy to find one's way in: small rooms, one meaning for a name, READMEs that hold."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.bootstrap import ROOT

APPS = ("config", "lobby", "tables", "wallet", "rules")
#: More modules than this in one folder, and nobody finds anything in it.
MOST_MODULES = 16
READMES = sorted(path for app in ("", *APPS, "config/deploy", "tests") for path in (ROOT / app).glob("README.md"))
#: Classes of several meanings that are still to be renamed: this list may only become shorter.
STILL_DOUBLE: set[str] = set()


def modules() -> Iterator[Path]:
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            if "migrations" not in path.parts:
                yield path


def test_no_folder_is_crowded() -> None:
    crowds = Counter(path.parent.relative_to(ROOT) for path in modules() if path.name != "__init__.py")
    assert {str(folder): count for folder, count in crowds.items() if count > MOST_MODULES} == {}


def test_a_class_has_one_meaning() -> None:
    names = Counter(
        node.name
        for path in modules()
        if "commands" not in path.parts or path.name.startswith("_")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} == STILL_DOUBLE


@pytest.mark.parametrize("readme", READMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_readme_names_is_there(readme: Path) -> None:
    told = readme.read_text()
    named = set(re.findall(r"`([\w/.-]+(?:/|\.py))`", told)) | set(re.findall(r"\]\(([\w/.-]+)\)", told))
    named -= {name for name in named if name.startswith("/")}
    missing = {name for name in named if not any((base / name).exists() for base in (readme.parent, ROOT))}
    assert missing == set()
