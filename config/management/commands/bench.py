"""Measure the project."""

import json
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any

from django.core.management.base import CommandError

from wallet.base.commands import OneLineCommand

OPTIONS = (
    *("count", "connections", "tables", "seats", "mode", "interval", "seconds"),
    *("database", "redis", "webs", "spread", "beside", "seed", "deals"),
)


def positive(text: str) -> int:
    """Read a whole number above 0, else ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ArgumentTypeError(f"{text} is no whole number above 0")
    return int(text)


def numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers above 0 with commas between, else ArgumentTypeError."""
    return tuple(positive(part) for part in text.split(","))


def seconds(text: str) -> float:
    """Read a number above 0 and up to an hour, else ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 3_600:
        raise ArgumentTypeError(f"{text} is no number of seconds above 0 and up to 3600")
    return value


class Command(OneLineCommand):
    help = "Measure one part of the project and print one JSON line, with the floor beside every figure."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=benchmarks())
        parser.add_argument("--json", action="store_true", help="as it is anyway: one JSON line")
        parser.add_argument("--size", dest="count", type=positive, help="how many hands, moves, rows ...")
        parser.add_argument("--connections", type=positive, help="ledger: settle deals on so many at once (1)")
        parser.add_argument("--seed", type=positive, help="collusion: of all chance (1)")
        parser.add_argument("--deals", type=numbers, help="collusion: after so many common deals (50,200,1000)")
        load = parser.add_argument_group("load")
        load.add_argument("--tables", type=positive, help="tables that are played at the same time (33)")
        load.add_argument("--seats", type=int, choices=range(2, 7), help="players at each (6)")
        load.add_argument(
            "--mode",
            choices=("closed", "paced", "idle", "recover", "clocks", "tournament"),
            help="as fast as it goes (closed), as people play, nobody, that and a kill, all away, or an arena of them",
        )
        load.add_argument(
            "--beside",
            choices=("sign-in", "shared-deal", "export", "audit", "tournament", "tables"),
            help="as people play, without and beside this, in turns",
        )
        load.add_argument("--interval", type=seconds, help="seconds between two moves of a table, if paced (5)")
        load.add_argument("--seconds", type=seconds, help="how long the platform, and the floor, are measured (30)")
        load.add_argument("--database", help="a PostgreSQL that databases may be made on; without: the embedded one")
        load.add_argument("--redis", help="a Redis, with --database (redis://127.0.0.1:6379/0)")
        load.add_argument("--webs", type=positive, help="web processes, with --database (1)")
        spread = "the players of each table at different web processes"
        load.add_argument("--spread", action="store_true", default=None, help=spread)

    def handle(self, *, what: str, **options: Any) -> None:
        measure = import_module(f"tests.benchmarks.{what}").measure
        parameters = list(signature(measure).parameters)
        arguments = {name: value for name in OPTIONS if (value := options[name]) is not None}
        if strange := sorted(arguments.keys() - set(parameters)):
            raise CommandError(f"bench {what} takes no --{strange[0].replace('count', 'size')}.", returncode=2)
        signal.signal(signal.SIGTERM, _stop)
        self.stdout.write(json.dumps({"bench": what} | measure(**arguments)))


def _stop(number: int, _: object) -> None:
    """End, so that the processes and databases that were made to measure in are taken away, however often it is asked:
    `timeout` sends its signal to the process, and then to its group."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def benchmarks() -> list[str]:
    """Return the names of the modules of tests/benchmarks.

    They are found by name, since an installation may come without tests: then CommandError.
    """
    try:
        package = import_module("tests.benchmarks")
    except ModuleNotFoundError as error:
        raise CommandError("The benchmarks lie in the folder tests, which is not here.") from error
    return sorted(module.name for module in iter_modules(package.__path__) if not module.name.startswith("_"))
