"""The ledger of a period as a file, with control totals."""

import getpass
import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from wallet.base.commands import OneLineCommand, exit_code, shorten
from wallet.base.errors import WalletError
from wallet.base.schema import why_unread
from wallet.finance.exports import FORMATS, export
from wallet.finance.periods import Period

WIDTH = 32


class Command(OneLineCommand):
    help = (
        "Writes every transfer of a period to a file: CSV, a workbook, JSON lines, or CSV for Excel (`excel`: the same"
        " with the mark of UTF-8). In CSV a text that a spreadsheet would calculate or turn into another number has an"
        " apostrophe before it. Days are those of REPORT_ZONE."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--from", dest="first", required=True, metavar="DAY", help="first day, as 2026-11-01")
        parser.add_argument("--to", dest="last", required=True, metavar="DAY", help="last day, included")
        parser.add_argument("--currency", default="", metavar="CODE", help="only this currency; all without it")
        parser.add_argument("--format", required=True, metavar="|".join(FORMATS))
        parser.add_argument(
            "--as-of",
            type=int,
            metavar="TRANSFER",
            help="without the transfers after that one: a period still open comes out as it did then",
        )
        parser.add_argument("--out", required=True, metavar="FILE", help="written whole, or not at all")
        parser.add_argument("--json", action="store_true", help="print exact JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        # It takes the place of what is there: of a file that a link leads to, and of no device.
        out = Path(os.path.realpath(options["out"]))
        try:
            if out.exists() and not out.is_file():
                what = "a folder" if out.is_dir() else "no file"
                raise CommandError(f"{shorten(str(out))} is {what}.", returncode=2)
            period = Period(first=_day(options["first"]), last=_day(options["last"]))
            with export(
                period=period,
                currency=options["currency"],
                format=options["format"],
                as_of=options["as_of"],
                by=None,
                via=f"command, {getpass.getuser()}",
                folder=out.parent,
                progress=_bar if sys.stderr.isatty() else None,
            ) as (path, record):
                path.chmod(0o640)
                path.replace(out)
        except WalletError as error:
            raise CommandError(error.message, returncode=2) from error
        except (OSError, DatabaseError) as error:
            reason = error.strerror if isinstance(error, OSError) else why_unread(error)
            sentence = f"Nothing was written to {shorten(str(out))}: {reason}"
            raise CommandError(sentence, returncode=exit_code(error)) from error
        answer = {"rows": record.rows, "as_of_transfer": record.as_of, "sha256": record.digest, "file": str(out)}
        text = f"{record.rows} rows up to transfer {record.as_of} in {out}. SHA-256 {record.digest}"
        self.stdout.write(json.dumps(answer) if options["json"] else text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise WalletError("invalid_period", f"{shorten(text)!r} is no day; write it as 2026-11-21.") from None


def _bar(done: int, total: int) -> None:
    full = WIDTH * done // total if total else WIDTH
    end = "\n" if done == total else ""
    print(f"\r{'█' * full}{'░' * (WIDTH - full)} {done:,} of {total:,} rows", end=end, file=sys.stderr, flush=True)
