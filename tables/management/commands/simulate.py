"""Let computer players play whole matches through the pure engine, with every check on."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import Any

from django.core.management.base import CommandError

from rules.books import BOOKS, RuleBook, book
from rules.errors import RulesError
from rules.game import Broken
from tables.simulation import fleet
from tables.simulation.checks import CheckFailed
from tables.simulation.run import SimulationReport, run
from wallet.base.commands import OneLineCommand

#: So often a long run says how far it is.
_STEPS = 10


class Command(OneLineCommand):
    help = "Simulate matches: same seed, same digest of all events, on any machine. Exit 1 if a check fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--book")
        what.add_argument("--all", action="store_true", help="every book and every number of players, with a vandal")
        parser.add_argument("--players", type=int)
        parser.add_argument("--matches", type=int, required=True)
        parser.add_argument("--seed", type=int, required=True)
        parser.add_argument("--vandal", action="store_true", help="also try illegal, stale and malformed moves")
        parser.add_argument("--jobs", type=int, default=1, help="with --all: so many processes; the digest is the same")
        parser.add_argument("--json", action="store_true")

    def handle(self, **options: Any) -> None:
        if options["matches"] < 1 or options["jobs"] < 1:
            raise CommandError("At least one match must be played, by one process or more.", returncode=2)
        try:
            self._all(**options) if options["all"] else self._one(**options)
        except (CheckFailed, Broken) as fault:
            raise CommandError(f"Seed {options['seed']}: {fault}") from fault

    def _one(self, *, players: int | None, matches: int, seed: int, vandal: bool, **options: Any) -> None:
        rules = _book(options["book"])
        if players is None or not rules.min_seats <= players <= rules.max_seats:
            raise CommandError(f"{rules.title} is for {rules.min_seats} to {rules.max_seats} players.", returncode=2)
        began = perf_counter()
        report = run(book=rules, players=players, matches=matches, seed=seed, vandal=vandal)
        told = _as_dict(report, perf_counter() - began)
        self.stdout.write(json.dumps(told, sort_keys=True) if options["json"] else _as_text(told))

    def _all(self, *, matches: int, seed: int, jobs: int, **options: Any) -> None:
        began, runs = perf_counter(), fleet.tasks(matches, seed)
        reports = list(self._with_progress(fleet.play_matches(runs, jobs), len(runs)))
        whole = _as_dict(fleet.total(reports, seed=seed), perf_counter() - began)
        books = [_of_book(key, reports, seed) for key in BOOKS]
        if options["json"]:
            self.stdout.write(json.dumps(whole | {"jobs": jobs, "books": books}, sort_keys=True))
            return
        for each in books:
            self.stdout.write(_line(each))
        self.stdout.write(_as_text(whole))

    def _with_progress(self, reports: Iterator[SimulationReport], runs: int) -> Iterator[SimulationReport]:
        played = 0
        for number, report in enumerate(reports, start=1):
            played += report.matches
            if number * _STEPS // runs > (number - 1) * _STEPS // runs:
                self.stderr.write(f"{100 * number // runs} %: {played} matches")
            yield report


def _book(key: str) -> RuleBook:
    try:
        return book(key)
    except RulesError as error:
        raise CommandError(f"{error.message}.", returncode=2) from error


def _of_book(key: str, reports: Sequence[SimulationReport], seed: int) -> dict[str, Any]:
    of_book = fleet.total((report for report in reports if report.book == key), seed=seed, book=key)
    return _as_dict(of_book, of_book.seconds)


def _as_dict(report: SimulationReport, seconds: float) -> dict[str, Any]:
    """Return the report with its speeds as a dictionary; for many runs at once, `seconds` is wall time."""
    told = asdict(report) | {"happened": dict(report.happened)}
    engine = told.pop("engine_seconds")
    told["seconds"] = round(seconds, 3)
    told["matches_per_second"] = round(report.matches / seconds, 1) if seconds else 0.0
    told["moves_per_second"] = round(report.moves / seconds, 1) if seconds else 0.0
    told["engine_moves_per_second"] = round(report.moves / engine, 1) if engine else 0.0
    return told


def _line(told: dict[str, Any]) -> str:
    return (
        f"{told['book']:20} {told['matches']:6} matches {told['deals']:6} deals {told['moves']:8} moves, a core does "
        f"{told['matches_per_second']:.1f} matches/s, {told['moves_per_second']:.0f} moves/s with every check"
    )


def _as_text(told: dict[str, Any]) -> str:
    who = f", {told['players']} players" if told["players"] else ""
    return (
        f"{told['book']}{who}, seed {told['seed']}: {told['matches']} matches, {told['deals']} deals, "
        f"{told['moves']} moves in {told['seconds']:.0f} s, {told['moves_per_second']:.0f} moves/s with every check, "
        f"{told['engine_moves_per_second']:.0f} moves/s in the engine alone.\n"
        f"Every check held; {told['refused']} moves were refused. Digest of all events: {told['digest']}"
    )
