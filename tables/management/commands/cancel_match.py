"""Cancel a match that cannot go on."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from rules.commands.base import amount
from tables.staff import cancel_match
from wallet.audit_log.services import of_command
from wallet.base.commands import OneLineCommand
from wallet.base.errors import Refusal
from wallet.base.texts import visible


class Command(OneLineCommand):
    help = "Cancel a running match and refund it by the rules, once only."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("match_id", type=amount)
        parser.add_argument("--reason", required=True)
        parser.add_argument("--json", action="store_true")

    def handle(self, *, match_id: int, reason: str, **options: Any) -> None:
        if not (reason := visible(reason)):
            raise CommandError("A reason must be given.", returncode=2)
        try:
            cancel_match(match_id=match_id, reason=reason, actor=of_command("cancel_match"))
        except Refusal as error:
            raise CommandError(error.message, returncode=2) from error
        done = {"match": match_id, "cancelled": True}
        self.stdout.write(json.dumps(done) if options["json"] else f"Match {match_id} is cancelled and refunded.")
