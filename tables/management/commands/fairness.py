"""What finished deals gave beside what a fair shuffle gives, counted anew from the deals themselves."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tables.fairness.deals import BadExport, sums_of_files
from tables.fairness.published import answer_of
from tables.fairness.sums import by_key, counted_deals, differing_days, summed
from wallet.base.commands import BadInput, OneLineCommand, shorten
from wallet.base.errors import WalletError
from wallet.finance.periods import FIRST_DAY, LAST_DAY, Period


class Command(OneLineCommand):
    help = "Count finished deals, and hold them against a fair shuffle; --check: hold the stored sums against them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="first", type=_day, metavar="DAY", help="first day, in the report zone")
        parser.add_argument("--to", dest="last", type=_day, metavar="DAY", help="last day, included")
        parser.add_argument(
            "--file",
            dest="files",
            type=Path,
            nargs="+",
            metavar="EXPORT",
            help="count the deals in these files instead",
        )
        parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a stored sum differs")
        parser.add_argument("--json", action="store_true", help="print exact JSON")

    def handle(self, *, check: bool, **options: Any) -> None:
        if check:
            self._check(as_json=options["json"])
            return
        answer = _of_files(options) if options["files"] else _of_days(options)
        self.stdout.write(json.dumps(answer) if options["json"] else "\n".join(_lines(answer)))

    def _check(self, *, as_json: bool) -> None:
        days = [str(day) for day in differing_days()]
        words = "\n".join(f"{day}: the stored sums are not those of its deals." for day in days)
        self.stdout.write(json.dumps({"differing": days}) if as_json else words or "Every sum is that of its deals.")
        if days:
            raise SystemExit(1)


def _of_files(options: Mapping[str, Any]) -> dict[str, Any]:
    if options["first"] or options["last"]:
        raise BadInput("files have no days: give either days or files")
    try:
        return answer_of(sums_of_files(options["files"])) | {"gone": 0}
    except BadExport as error:
        raise BadInput(shorten(str(error), 300)) from error


def _of_days(options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        since, until = Period(first=options["first"] or FIRST_DAY, last=options["last"] or LAST_DAY).bounds
    except WalletError as error:
        raise BadInput(str(error.message)) from error
    found = summed(counted_deals(since=since, until=until))
    return answer_of(by_key(found.sums)) | {"gone": found.gone.total()}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError("a day is written as 2026-11-01") from error


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    gone = f", {answer['gone']} no longer kept" if answer["gone"] else ""
    yield f"{sum(answer['deals'].values())} deals, {answer['void']} void{gone}."
    yield f"{answer['tested']} figures tested, {answer['outside']} outside 95 %, {answer['beyond']} beyond chance."
    for figure in answer["figures"]:
        seat = "" if figure["seat"] is None else f", seat {figure['seat'] + 1}"
        expected = "" if figure["expected"] is None else f", expected {figure['expected']:.4f}"
        chance = "" if figure["p"] is None else f", p {figure['p']:.3g}, corrected {figure['p_corrected']:.3g}"
        yield (
            f"{figure['book'] or 'all'}, {figure['holders']}{seat}: {figure['measure']} {figure['observed']:.4f}"
            f" in {figure['count']}{expected}{chance}: {figure['verdict']}"
        )
