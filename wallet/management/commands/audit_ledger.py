"""Recompute every balance, every pot and every total; name each difference."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from wallet.audit.audit import audit
from wallet.base.commands import OneLineCommand


class Command(OneLineCommand):
    help = "Recomputes the whole ledger from its transfers. Exit 1 where anything differs, naming each difference."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print exact JSON")
        parser.add_argument("--progress", action="store_true", help="tell on the other output which checks are done")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = audit(self._tell if options["progress"] or self.stderr.isatty() else None)
        except DatabaseError as error:
            # Books that cannot be read are not books that differ.
            raise CommandError(f"The ledger cannot be read: {error}", returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps({"clean": not report.differences, **asdict(report)}))
        else:
            for difference in report.differences:
                self.stdout.write(f"{difference.check}: {difference.subject} {difference.message}")
            size = f"{report.accounts} accounts, {report.postings} postings, {report.transfers} transfers"
            self.stdout.write(f"{size}: {len(report.differences) or 'no'} differences.")
        if report.differences:
            raise SystemExit(1)

    def _tell(self, done: int, of: int, check: str) -> None:
        self.stderr.write(f"{done} of {of}: {check}")
