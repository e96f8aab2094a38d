"""Let computer players of different strength, or of other people, play mirrored deals against each other."""

import json
import shlex
import shutil
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from rules.books import RuleBook, book
from rules.bots import Strength
from rules.errors import RulesError, quoted
from tables.simulation.ladder import Entered, Ladder, Played, play_contest, results_of, total_of
from wallet.base.commands import BadInput, OneLineCommand

#: So often a long run says how far it is.
_STEPS = 10


class Command(OneLineCommand):
    help = "Measure computer players: each shoe once with everybody in every seat. Same seed, same result anywhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--players", default="", metavar="NAME,NAME", help=f"of {', '.join(Strength)}")
        parser.add_argument(
            "--external",
            action="append",
            default=[],
            metavar="COMMAND",
            help="a program: a view a line in, a frame out",
        )
        parser.add_argument("--book", default="standard-points")
        parser.add_argument(
            "--seats", type=int, help="how many sit at the table, the players in turn; default: one each"
        )
        parser.add_argument("--deals", type=int, required=True, help="at least so many: whole shoes are played")
        parser.add_argument("--seed", type=int, required=True)
        parser.add_argument("--processes", type=int, default=1, help="the points are the same with any number")
        parser.add_argument("--json", action="store_true")

    def handle(self, **options: Any) -> None:
        contest = _contest(**options)
        if options["deals"] < 1 or options["processes"] < 1:
            raise BadInput("At least one deal must be played, by one process or more.")
        shoes = -(-options["deals"] // contest.deals_a_shoe)
        parts = list(self._with_progress(play_contest(contest, shoes, options["processes"]), shoes))
        told = results_of(contest, total_of(parts))
        self.stdout.write(json.dumps(told) if options["json"] else _as_text(told))

    def _with_progress(self, parts: Iterator[Played], shoes: int) -> Iterator[Played]:
        played = 0
        for part in parts:
            before, played = played, played + len(part.tallies)
            if played * _STEPS // shoes > before * _STEPS // shoes:
                self.stderr.write(f"{100 * played // shoes} %: {played} of {shoes} shoes")
            yield part


def _contest(*, players: str, external: Sequence[str], seats: int | None, seed: int, **options: Any) -> Ladder:
    entries = (*_strengths(players), *map(_program, external))
    if not entries:
        raise BadInput("Nobody plays: name --players, or an --external program.")
    rules, places = _book(options["book"]), len(entries) if seats is None else seats
    if not rules.min_seats <= places <= rules.max_seats or places < len(entries):
        raise BadInput(f"{rules.title} is for {rules.min_seats} to {rules.max_seats} players, and each needs a seat.")
    return Ladder(tuple(_named_apart(entries)), rules.key, places, seed)


def _strengths(players: str) -> Iterator[Entered]:
    for name in filter(None, players.split(",")):
        if name not in list(Strength):
            raise BadInput(f"Computer players are {', '.join(Strength)}.")
        yield Entered(name, Strength(name))


def _program(command: str) -> Entered:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"The command cannot be read: {error}") from error
    if not words:
        raise BadInput("The command of an external player is empty.")
    if shutil.which(words[0]) is None:
        raise BadInput(f"{quoted(words[0], 80)} is no program that can be run.")
    return Entered("external", command=command)


def _named_apart(entries: Sequence[Entered]) -> Iterator[Entered]:
    """Yield the entries, the second of a name as `sharp 2`."""
    names = [entry.name for entry in entries]
    for number, entry in enumerate(entries):
        nth = names[: number + 1].count(entry.name)
        yield entry if nth == 1 else Entered(f"{entry.name} {nth}", entry.strength, entry.command)


def _book(key: str) -> RuleBook:
    try:
        return book(key)
    except RulesError as error:
        raise BadInput(f"{error.message}.") from error


def _as_text(told: dict[str, Any]) -> str:
    head = (
        f"{told['book']}, {told['seats']} seats, seed {told['seed']}: {told['deals']} deals of {told['shoes']} shoes."
    )
    lines = [_line(player) for player in told["players"]]
    apart = [_apart(each) for each in told["differences"]]
    return "\n".join([head, *lines, *apart, f"Digest of all points: {told['digest']}"])


def _line(player: dict[str, Any]) -> str:
    time, faults = player["ms"], ", ".join(f"{count} {kind}" for kind, count in player["faults"].items())
    return (
        f"{player['player']:12} won {_in_words(player['deals_won_percent'])} % of deals, "
        f"{_in_words(player['points_a_deal'])} points a deal, lost {_in_words(player['lost_a_deal'])}; "
        f"{time['median']} ms a decision in the median, {time['p99']} at p99{faults and f'; no good answer: {faults}'}"
    )


def _apart(each: dict[str, Any]) -> str:
    return f"{each['player']} less {each['less']}: {_in_words(each['points_a_deal'])} points a deal"


def _in_words(interval: dict[str, Any]) -> str:
    if interval["low"] is None:
        return f"{interval['mean']:.2f}"
    return f"{interval['mean']:.2f} ({interval['low']:.2f} to {interval['high']:.2f})"
