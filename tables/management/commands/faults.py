"""Let the platform suffer what it must survive, as long as one likes."""

import json
from argparse import ArgumentParser
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from django.core.management.base import CommandError

import tests.faults
from tables.management.commands._common import OneLineCommand


class Command(OneLineCommand):
    help = "Run one harness of tests/faults with a seed and print its figures as JSON; exit 1 on any fault."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=harnesses())
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--size", type=int, help="how many games, frames, kills ...; the harness has a default")
        parser.add_argument("--seconds", type=float, help="for how long, where the harness measures by the clock")

    def handle(self, *, what: str, seed: int, size: int | None, seconds: float | None, **options: Any) -> None:
        harness = import_module(f"tests.faults.{what}")
        if seconds is not None and not hasattr(harness, "SECONDS"):
            raise CommandError(f"{what} goes by its size alone")
        by_the_clock = {} if seconds is None else {"seconds": seconds}
        figures = harness.run(seed=seed, size=size or harness.SIZE, **by_the_clock)
        self.stdout.write(json.dumps({"harness": what, "seed": seed} | figures))
        if figures["faults"]:
            raise CommandError(f"{len(figures['faults'])} faults found", returncode=1)


def harnesses() -> list[str]:
    """Every package or module of tests/faults that is one: a new one needs no line here."""
    names = (module.name for module in iter_modules(tests.faults.__path__))
    return sorted(name for name in names if not name.startswith(("test_", "_", "conftest")))
