"""Measure the project."""

import json
from argparse import ArgumentParser
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from django.core.management.base import CommandError

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
    """Return the names of the modules of tests/benchmarks.

    They are found by name, since an installation may come without tests: then CommandError.
    """
    try:
        found = import_module("tests.benchmarks")
    except ModuleNotFoundError as error:
        raise CommandError("The benchmarks lie in the folder tests, which is not here.") from error
    return sorted(module.name for module in iter_modules(found.__path__) if not module.name.startswith("_"))
