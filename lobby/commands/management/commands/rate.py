"""Rate what has finished, or hold the stored ratings against it."""

import json
from argparse import ArgumentParser
from itertools import islice
from typing import Any, Final

from lobby.ratings import services as ratings
from wallet.base.commands import OneLineCommand

#: The most differences that are named.
_NAMED: Final = 20


class Command(OneLineCommand):
    help = "Rate what has finished; --check: reckon all ratings anew, exit 1 on a difference; --anew: and replace them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--check", action="store_true", help="change nothing; name what differs")
        how.add_argument("--anew", action="store_true", help="forget all ratings, and reckon them from the first match")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, check: bool, anew: bool, **options: Any) -> None:
        found = list(islice(ratings.differences(), _NAMED)) if check else []
        count = 0 if check else ratings.make_anew() if anew else ratings.take_up()
        if options["json"]:
            self.stdout.write(json.dumps({"differences": found} if check else {"rated": count}))
        elif check:
            self.stdout.write("\n".join(found) or "Every rating is what the finished matches say.")
        else:
            self.stdout.write(f"{count} rated.")
        if found:
            raise SystemExit(1)
