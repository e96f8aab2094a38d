"""Keep deals in Rummy Deal Notation for study."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.db import transaction

from rules.errors import quoted
from rules.notation import NotationError, read
from tables.notation import add_study_deal, content_of
from wallet.base.commands import BadInput, OneLineCommand


class Command(OneLineCommand):
    help = "Keep files in Rummy Deal Notation as deals to study, each once; if one is bad, none is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="-: standard input")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, files: list[str], **options: Any) -> None:
        new = 0
        with transaction.atomic():
            for file in files:
                try:
                    new += add_study_deal(read(content_of(file)))
                except NotationError as error:
                    raise BadInput(f"{quoted(Path(file).name, 80)}: {error.message}") from error
        if options["json"]:
            self.stdout.write(json.dumps({"deals": len(files), "new": new}))
        else:
            self.stdout.write(f"{new} of {len(files)} deals are new; the others were there already.")
