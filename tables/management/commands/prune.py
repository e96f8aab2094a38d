"""Pack and prune data past its retention time."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from tables.log import upkeep
from wallet.base.commands import OneLineCommand

#: Seconds between two lines of progress.
EVERY = 2.0


class Command(OneLineCommand):
    help = (
        "Pack the events of finished deals and take away what is past its time, as the platform does by itself every"
        " hour and every night. Harmless under play, when run twice, and when stopped: it goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object instead of text")

    def handle(self, **options: Any) -> None:
        self._told = time.monotonic()
        done = upkeep.run_upkeep(upkeep.ALL, self._progress if not options["json"] else lambda kind, number: None)
        if options["json"]:
            self.stdout.write(json.dumps({kind.replace(" ", "_"): number for kind, number in done.items()}))
        else:
            self.stdout.write(", ".join(f"{number} {kind}" for kind, number in done.items()) + ".")

    def _progress(self, kind: str, done: int) -> None:
        if time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            self.stdout.write(f"{done} {kind}")
            self.stdout.flush()
