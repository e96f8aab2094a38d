"""Make puzzles, check them, or take the stock into the database."""

import json
import secrets
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lobby.puzzles import stock
from lobby.puzzles.making.hands import CHECKED
from lobby.puzzles.making.making import SEARCHES, from_computers
from lobby.puzzles.making.worth import why_refused
from lobby.puzzles.questions import Candidate
from lobby.puzzles.stock import COUNTS, as_line, missing, read_stock, with_path
from wallet.base.commands import BadInput, OneLineCommand, store_whole


class Command(OneLineCommand):
    help = (
        "Make puzzles from deals of computer players: same seed, same puzzles. --search NAME: store so many of that "
        "search. --stock FILE: make the whole stock, or go on with what is in the file. --check FILE: play on anew, "
        "exit 1 naming each that does not stand. --load: take in the stock."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--search", choices=SEARCHES)
        parser.add_argument("--seed", type=int, default=stock.SEED)
        parser.add_argument("--count", type=int, default=10)
        parser.add_argument("--stock", type=Path, metavar="FILE", help="make the whole stock into this file")
        parser.add_argument("--check", type=Path, metavar="FILE", help="check the puzzles of a file")
        parser.add_argument("--samples", type=int, default=CHECKED, help="of each answer in a check")
        parser.add_argument("--load", action="store_true", help="take the stock of the product into the database")
        parser.add_argument("--json", action="store_true")

    def handle(self, **options: Any) -> None:
        if options["load"]:
            self._say({"loaded": stock.load_stock()}, "{loaded} puzzles loaded.", **options)
        elif options["check"]:
            self._check(**options)
        elif options["stock"]:
            self._make_stock(**options)
        else:
            self._make(**options)

    def _make(self, *, search: str | None, seed: int, count: int, **options: Any) -> None:
        if search is None or count < 1:
            raise BadInput("Name a --search and a --count of one or more.")
        made = sum(stock.add_puzzles([puzzle]) for _, puzzle in islice(from_computers(search, seed), count))
        self._say({"made": made}, "{made} puzzles made.", **options)

    def _make_stock(self, *, stock: Path, seed: int, search: str | None, **options: Any) -> None:
        """Make what the file lacks, of one search or of all; each is kept at once, for it takes minutes."""
        made = read_stock(stock)
        for name in [search] if search else COUNTS:
            for each in missing(name, seed, made):
                made.append(each)
                with stock.open("a") as file:
                    file.write(as_line(each) + "\n")
        store_whole(stock, "".join(as_line(each) + "\n" for each in with_path(made)))
        self._say({"stock": len(made)}, "{stock} puzzles in the file.", **options)

    def _check(self, *, check: Path, samples: int, **options: Any) -> None:
        if not check.exists():
            raise BadInput(f"There is no file {check}.")
        if not 2 <= samples <= 1_000:
            raise BadInput("From 2 to 1000 samples are possible.")
        puzzles = [each.puzzle for each in read_stock(check)]
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
