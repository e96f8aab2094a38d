"""Measure the project."""

import json
from argparse import ArgumentParser
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import tests.benchmarks
from tables.management.commands._common import OneLineCommand


class Command(OneLineCommand):
    help = "Measure one part of the project and print one JSON line, with the floor beside every figure."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=benchmarks())
        parser.add_argument("--size", type=int, help="how many hands, moves, rows ...; the benchmark has a default")

    def handle(self, *, what: str, size: int | None = None, **options: Any) -> None:
        measured = import_module(f"tests.benchmarks.{what}").measure(*([size] if size else []))
        self.stdout.write(json.dumps({"bench": what} | measured))


def benchmarks() -> list[str]:
    """Every module of tests/benchmarks: a new one needs no line here."""
    names = (module.name for module in iter_modules(tests.benchmarks.__path__))
    return sorted(name for name in names if not name.startswith("_"))
