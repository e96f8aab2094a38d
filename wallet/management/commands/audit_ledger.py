"""Recompute every balance, every pot and every total; name each difference. Give out the heads of days."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from wallet.audit import heads
from wallet.audit.audit import audit
from wallet.base.commands import BadInput, OneLineCommand, shorten
from wallet.base.errors import WalletError
from wallet.base.schema import why_unread
from wallet.keys import key_registry


class Command(OneLineCommand):
    help = "Recomputes the whole ledger from its transfers. Exit 1 where anything differs, naming each difference."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print exact JSON")
        parser.add_argument("--progress", action="store_true", help="tell on the other output which checks are done")
        parser.add_argument(
            "--replay-all", action="store_true", help="replay also the logs that have not changed since they were"
        )
        parser.add_argument(
            "--processes",
            type=int,
            choices=range(65),
            metavar="N",
            help="others that read logs meanwhile; by default one for each core",
        )
        parser.add_argument(
            "--heads", metavar="FILE", help="hold the books against heads of days that were kept elsewhere"
        )
        parser.add_argument(
            "--print-heads", action="store_true", help="audit nothing; print the head of each day, to be kept elsewhere"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["print_heads"]:
            self.stdout.write("\n".join(heads.head_lines()))
            return
        published = _read_copy(options["heads"]) if options["heads"] else []
        try:
            self.stderr.writelines(key_registry.wrong_keys())
            progress = self._report if options["progress"] or self.stderr.isatty() else None
            report = audit(progress, processes=options["processes"], replay_all=options["replay_all"])
            report.differences.extend(heads.compare_heads(published))
        except DatabaseError as error:
            # Books that cannot be read are not books that differ.
            raise CommandError(f"The ledger cannot be read: {why_unread(error)}", returncode=2) from error
        if options["json"]:
            content = {"clean": not report.differences, "verdict": report.verdict, **asdict(report)}
            del content["to_state"]
            self.stdout.write(json.dumps(content))
        else:
            for difference in report.new:
                self.stdout.write(str(difference))
            for known in report.known:
                people = f"{known.asked_by} and {known.acknowledged_by}"
                self.stdout.write(f"{known.finding} [acknowledged by {people}: {known.reason}]")
            size = f"{report.accounts} accounts, {report.postings} postings, {report.transfers} transfers"
            self.stdout.write(f"{size}: {report.verdict}.")
        if report.differences:
            raise SystemExit(1)

    def _report(self, finished: int, total: int, check: str) -> None:
        self.stderr.write(f"{finished} of {total}: {check}")


def _read_copy(file: str) -> list[heads.PublishedHead]:
    try:
        return heads.read_heads(Path(file).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The heads in {shorten(file)} cannot be read: {error}") from error
    except WalletError as error:
        raise BadInput(f"{shorten(file)}: {error}") from error
