"""Write a finished deal in Rummy Deal Notation."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from rules.commands.base import amount
from rules.errors import quoted
from rules.notation import write
from tables.errors import TableError
from tables.history.selectors import open_deals
from tables.models import Deal
from tables.notation import deal_in_notation
from wallet.base.commands import BadInput, OneLineCommand, exit_code, store_whole


class Command(OneLineCommand):
    help = "Write a finished deal in Rummy Deal Notation (rules/notation/README.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("deal_id", type=amount)
        parser.add_argument("--anonymous", action="store_true", help="number the players, leave out all times")
        parser.add_argument(
            "--out", required=True, metavar="FILE.rdn", help="written whole, or not at all; -: standard output"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *, deal_id: int, anonymous: bool, out: str, **options: Any) -> None:
        deal = Deal.objects.select_related("match__table").filter(pk=deal_id).first()
        if deal is None:
            raise BadInput(f"There is no deal {deal_id}.")
        if deal.ended_at is None:
            raise BadInput(f"Deal {deal_id} has not ended: it is told afterwards.")
        if not open_deals().filter(pk=deal_id).exists():
            raise BadInput(f"Deal {deal_id} is not open yet: others may still play its shoe.")
        try:
            told = deal_in_notation(deal, anonymous=anonymous)
        except TableError as refusal:
            raise BadInput(f"Deal {deal_id}: {refusal.message}") from refusal
        text = write(told)
        if out != "-":
            _store(Path(out), text)
        answer = {"deal": deal_id, "moves": len(told.moves), "out": out}
        if out == "-":
            self.stdout.write(json.dumps(answer | {"rdn": text}) if options["json"] else text, ending="")
        else:
            self.stdout.write(
                json.dumps(answer) if options["json"] else f"Deal {deal_id}: {len(told.moves)} moves in {out}"
            )


def _store(file: Path, text: str) -> None:
    try:
        store_whole(file, text)
    except OSError as error:
        reason = f"{quoted(str(file), 80)} cannot be written: {error.strerror}"
        raise CommandError(reason, returncode=exit_code(error)) from error
