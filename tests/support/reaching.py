"""What a function can bring about: the functions of the product that it mentions, and those that these mention.

It reads the source: a name counts as mentioned wherever it is read, called, passed on or put into a table of a module;
a field that bears the name of a function mentions nothing.
Methods are found by `self` in their class and its bases; of other objects, by the name of the method, where the
classes of one module alone have it. So more may be found than ever happens, and hardly less.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from config.bootstrap import ROOT

APPS = ("config", "lobby", "tables", "wallet")
#: Names of methods that many objects have, of Django and of Python; by these nothing is found.
COMMON = frozenset({"get", "save", "filter", "create", "update", "delete", "add", "order_by", "first", "row", "close"})


@lru_cache(maxsize=1)
def mentions() -> dict[str, set[str]]:
    """Return, by the dotted name of each function, class and table of the product, what it mentions."""
    sources = {_module(path): ast.parse(path.read_text()) for path in _paths()}
    found: dict[str, set[str]] = defaultdict(set)
    known: dict[str, dict[str, str]] = {}
    methods: dict[str, set[str]] = defaultdict(set)
    for module, tree in sources.items():
        known[module] = _names(module, tree, sources)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                        methods[part.name].add(f"{module}.{node.name}.{part.name}")
    for module, tree in sources.items():
        for name, node, owner in _parts(module, tree):
            found[name] |= set(_mentioned(node, known[module], owner, methods, sources))
    return dict(found)


def reached(start: str) -> set[str]:
    """Return everything that the function or class of that dotted name can bring about, itself included."""
    graph, seen, next_ones = mentions(), set(), [start]
    while next_ones:
        name = next_ones.pop()
        if name not in seen:
            seen.add(name)
            next_ones += graph.get(name, ())
    return seen


def who_mentions(name: str) -> set[str]:
    """Return what mentions it itself."""
    return {each for each, of in mentions().items() if name in of}


def _paths() -> Iterator[Path]:
    for app in APPS:
        yield from (path for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _names(module: str, tree: ast.Module, sources: dict[str, ast.Module]) -> dict[str, str]:
    """Return the dotted names of what the names in this module stand for: its own and imported ones."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in APPS:
            names |= {(each.asname or each.name): f"{node.module}.{each.name}" for each in node.names}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = f"{module}.{node.name}"
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            if isinstance(target, ast.Name):
                names[target.id] = f"{module}.{target.id}"
    return names


def _parts(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield the dotted name of each function, class, method and table of the module, its tree, and its class."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            own = f"{module}.{node.name}"
            yield own, ast.Tuple(elts=[*node.bases, *node.decorator_list]), own
            for part in node.body:
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                    # A method is a part of its class, which Django and Channels call by itself.
                    yield own, ast.Name(id=f"{own}.{part.name}"), own
                    yield f"{own}.{part.name}", part, own
                else:
                    yield own, part, own
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{module}.{node.name}", node, ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in getattr(node, "targets", [getattr(node, "target", None)]):
                if isinstance(target, ast.Name) and node.value is not None:
                    yield f"{module}.{target.id}", node.value, ""


def _mentioned(
    node: ast.AST, names: dict[str, str], owner: str, methods: dict[str, set[str]], sources: dict[str, ast.Module]
) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(getattr(part, "ctx", None), ast.Store):
            yield names.get(part.id, part.id if "." in part.id else "")
        elif isinstance(part, ast.Attribute):
            base = names.get(part.value.id, "") if isinstance(part.value, ast.Name) else ""
            if base in sources:
                yield f"{base}.{part.attr}"
            elif isinstance(part.value, ast.Name) and part.value.id in ("self", "cls") and owner:
                yield f"{owner}.{part.attr}"
            elif part.attr not in COMMON and len({each.rsplit(".", 2)[0] for each in methods.get(part.attr, ())}) == 1:
                yield from methods[part.attr]
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.startswith("lobby.tasks."):
            yield part.value
