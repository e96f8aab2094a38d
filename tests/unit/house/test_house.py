"""Pages and docstrings are true: the paths that they name exist, and the names in backticks are there."""

import ast
import importlib.util
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from config.bootstrap import ROOT
from tests.fleet.__main__ import harnesses

APPS = ("config", "lobby", "tables", "wallet", "rules")
FOLDERS = ("", *APPS, "config/deploy", "config/locale", "rules/notation", "tests", "tests/benchmarks")
#: The pages for people who carry this on; those of third parties are theirs.
PAGES = sorted(path for app in FOLDERS for path in (ROOT / app).glob("*.md"))
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for app in APPS
    for path in sorted((ROOT / app).rglob("*.py"))
    if "migrations" not in path.parts
}
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)*)`")
#: Found in every module with a comment that names something.
MAY_NAME = re.compile(r"#.*(`|\.md\b)")
CITED_PAGE = re.compile(r"[\w./-]*\w\.md\b")
Named = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_in_a_page_exists(page: Path) -> None:
    text = page.read_text()
    named = set(re.findall(r"`([\w/.-]+(?:/|\.py))`", text)) | set(re.findall(r"\]\(([\w/.-]+)\)", text))
    named -= {name for name in named if name.startswith("/")}
    missing = {name for name in named if not any((base / name).exists() for base in (page.parent, ROOT))}
    assert missing == set()


def test_the_fleets_that_the_page_lists_are_those_that_run() -> None:
    listed = re.search(r"^Fleets: .*?\n\n", (ROOT / "tests/README.md").read_text(), re.M | re.S)
    assert listed and sorted(re.findall(r"`(\w+)`", listed[0])) == harnesses()


def test_what_docstrings_and_comments_name_is_there() -> None:
    missing = []
    for module, path in MODULES.items():
        told = read(module).told
        missing += [f"{module}: {name}" for name in NAME.findall(told) if not is_there(name, module)]
        missing += [f"{module}: {page}" for page in CITED_PAGE.findall(told) if not is_page(page, path)]
    assert missing == []


@pytest.mark.parametrize("name", ["no_such_name", "rules.no_such_name", "rules.cards.no_such_name", "no_module.Card"])
def test_a_name_that_is_gone_is_found(name: str) -> None:
    assert not is_there(name, "rules.cards")


@pytest.mark.parametrize("name", ["Card", "cards.Card", "rules.cards", "rules.cards.Card", "json.loads", "melds"])
def test_a_name_that_is_there_is_found(name: str) -> None:
    assert is_there(name, "rules.cards")


def is_there(name: str, module: str) -> bool:
    """Return whether the module holds the name, or a place that the name itself tells.

    A name of several parts is that of another module of ours, with or without what is in it, of what a class has, or of
    the standard library. One part may also be what any module defines, or a text: the code of a refusal, of an address.
    """
    if all(part in words_of(module) for part in name.split(".")):
        return True
    if "." not in name:
        return name in everywhere() or is_module(name)
    path, last = name.rsplit(".", 1)
    ours = any(last in words_of(each) for each in modules_named(path)) or {path, last} <= everywhere()
    return is_module(name) or ours or of_library(path, last)


def is_module(name: str) -> bool:
    return bool(modules_named(name))


@cache
def modules_named(name: str) -> list[str]:
    """Return the modules whose path is, or ends with, this one."""
    return [module for module in MODULES if f".{module}".endswith(f".{name}")]


def of_library(path: str, last: str) -> bool:
    if path.split(".")[0] not in sys.stdlib_module_names:
        return False
    return importlib.util.find_spec(path) is not None and hasattr(importlib.import_module(path), last)


def is_page(page: str, module: Path) -> bool:
    return any((base / page).exists() for base in module.parents if base.is_relative_to(ROOT))


@dataclass(frozen=True)
class Read:
    """What a module tells in docstrings and comments, the names in its code, what it defines, and its texts."""

    told: str
    names: frozenset[str]
    defined: frozenset[str]
    texts: frozenset[str]

    @cached_property
    def words(self) -> frozenset[str]:
        return self.names | frozenset(re.findall(r"\w+", " ".join(self.texts)))


@cache
def read(module: str) -> Read:
    source = MODULES[module].read_text()
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    docstrings = {id(docstring): docstring.value for docstring in docstrings_in(nodes)}
    comments = [
        token.string
        for token in (tokenize.generate_tokens(io.StringIO(source).readline) if MAY_NAME.search(source) else ())
        if token.type == tokenize.COMMENT
    ]
    return Read(
        "\n".join([*docstrings.values(), *comments]),
        names_in(nodes),
        frozenset(node.name for node in nodes if isinstance(node, Named)),
        frozenset(
            node.value
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
        ),
    )


def words_of(module: str) -> frozenset[str]:
    """Return the names in a module's code, and the words of its texts."""
    return read(module).words


@cache
def everywhere() -> frozenset[str]:
    """Return what the modules define, and their texts."""
    return frozenset().union(*(read(module).defined | read(module).texts for module in MODULES))


def docstrings_in(nodes: list[ast.AST]) -> Iterator[ast.Constant]:
    for node in nodes:
        match getattr(node, "body", None):
            case [ast.Expr(value=ast.Constant(value=str()) as text), *_] if isinstance(node, ast.Module | Named):
                yield text


def names_in(nodes: list[ast.AST]) -> frozenset[str]:
    names: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.update(name.split("."), [other] if other else [])
            case ast.ImportFrom(module=str(name)):
                names.update(name.split("."))
    return frozenset(names)
