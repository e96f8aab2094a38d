"""Let computer players play whole matches through the pure engine, with every check on."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rules.books import RuleBook, book
from rules.errors import RulesError
from rules.game.engine import Broken
from tables.simulation.checks import CheckFailed
from tables.simulation.run import Report, run


class Command(BaseCommand):
    help = "Simulate matches: same seed, same digest of all events, on any machine. Exit 1 if a check fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--book", required=True)
        parser.add_argument("--players", type=int, required=True)
        parser.add_argument("--matches", type=int, required=True)
        parser.add_argument("--seed", type=int, required=True)
        parser.add_argument("--vandal", action="store_true", help="also try illegal, stale and malformed moves")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, seed: int, **options: Any) -> None:
        rules = _book(options["book"])
        if not rules.min_seats <= options["players"] <= rules.max_seats:
            raise CommandError(f"{rules.title} is for {rules.min_seats} to {rules.max_seats} players.", returncode=2)
        if options["matches"] < 1:
            raise CommandError("At least one match must be played.", returncode=2)
        began = perf_counter()
        try:
            report = run(
                book=rules,
                players=options["players"],
                matches=options["matches"],
                seed=seed,
                vandal=options["vandal"],
            )
        except (CheckFailed, Broken) as fault:
            raise CommandError(f"Seed {seed}: {fault}") from fault
        told = _as_json if options["json"] else _as_text
        self.stdout.write(told(report, report.moves / (perf_counter() - began)))


def _book(key: str) -> RuleBook:
    try:
        return book(key)
    except RulesError as error:
        raise CommandError(f"{error.message}.", returncode=2) from error


def _as_json(report: Report, speed: float) -> str:
    told = asdict(report)
    engine = report.moves / told.pop("engine_seconds")
    told |= {"moves_per_second": round(speed, 1), "engine_moves_per_second": round(engine, 1)}
    return json.dumps(told, sort_keys=True)


def _as_text(report: Report, speed: float) -> str:
    return (
        f"{report.book}, {report.players} players, seed {report.seed}: {report.matches} matches, {report.deals} deals, "
        f"{report.moves} moves, {speed:.0f} moves/s with every check, "
        f"{report.moves / report.engine_seconds:.0f} moves/s in the engine alone.\n"
        f"Every check held; {report.refused} moves were refused. Digest of all events: {report.digest}"
    )
