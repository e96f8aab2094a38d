"""Make puzzles, check them, or take the stock into the database."""

import json
import secrets
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lobby.puzzles import stock
from lobby.puzzles.making.candidates import Candidate
from lobby.puzzles.making.making import from_computers
from lobby.puzzles.making.worth import why_refused
from lobby.puzzles.models import PuzzleKind
from wallet.base.commands import BadInput, OneLineCommand

#: Samples of each answer with which a file is checked.
_CHECKING = 300


class Command(OneLineCommand):
    help = (
        "Make puzzles from deals of computer players: same seed, same puzzles. Without --out they are stored. "
        "--check FILE: play on anew, exit 1 naming each that does not stand. --load: take in the stock."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--kind", choices=PuzzleKind.values)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--count", type=int, default=10)
        parser.add_argument("--out", type=Path, help="append them to this file, one a line")
        parser.add_argument("--check", type=Path, metavar="FILE", help="check the puzzles of a file")
        parser.add_argument("--samples", type=int, default=_CHECKING)
        parser.add_argument("--load", action="store_true", help="take the stock of the product into the database")
        parser.add_argument("--json", action="store_true")

    def handle(self, **options: Any) -> None:
        if options["load"]:
            self._say({"loaded": stock.load_stock()}, "{loaded} puzzles loaded.", **options)
        elif options["check"]:
            self._check(**options)
        else:
            self._make(**options)

    def _make(self, *, kind: str | None, seed: int, count: int, out: Path | None, **options: Any) -> None:
        if kind is None or count < 1:
            raise BadInput("Name a --kind and a --count of one or more.")
        made = 0
        for candidate in islice(from_computers(kind, seed), count):
            made += _append(out, candidate) if out else stock.add_puzzles([candidate])
        self._say({"made": made}, "{made} puzzles made.", **options)

    def _check(self, *, check: Path, samples: int, **options: Any) -> None:
        if not check.exists():
            raise BadInput(f"There is no file {check}.")
        if not 2 <= samples <= 1_000:
            raise BadInput("From 2 to 1000 samples are possible.")
        puzzles, _ = stock.read_stock(check)
        refused = refusals(puzzles, secrets.token_bytes(16), samples)
        words = [f"{key}: {why}" for key, why in refused.items()]
        told = {"checked": len(puzzles), "refused": refused}
        self._say(told, "\n".join([*words, f"{len(puzzles)} checked, {len(refused)} refused."]), **options)
        if refused:
            raise SystemExit(1)

    def _say(self, told: dict[str, Any], words: str, **options: Any) -> None:
        self.stdout.write(json.dumps(told, sort_keys=True) if options["json"] else words.format(**told))


def refusals(puzzles: Sequence[Candidate], seed: bytes, samples: int) -> dict[str, str]:
    """Return why each puzzle that does not stand is refused, by its key."""
    found = {each.key: why_refused(each, seed=seed, samples=samples) for each in puzzles}
    return {key: why for key, why in found.items() if why}


def _append(out: Path, candidate: Candidate) -> int:
    with out.open("a") as file:
        file.write(stock.as_line(candidate) + "\n")
    return 1
