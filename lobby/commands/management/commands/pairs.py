"""Count what has ended and judge all pairs now, as each night does; name the cases."""

import json
from argparse import ArgumentParser
from typing import Any

from lobby.collusion import services as collusion
from lobby.collusion.explained import signal_lines
from lobby.collusion.models import Case, CountedUntil
from wallet.base.commands import OneLineCommand


class Command(OneLineCommand):
    help = "Count what has ended, judge all pairs of players with enough common deals, and name the cases."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true")

    def handle(self, **options: Any) -> None:
        counted = collusion.nightly()
        done = CountedUntil.objects.get(pk=1)
        cases = [_told(case, done) for case in Case.objects.select_related("one", "other").order_by("-evidence", "pk")]
        if options["json"]:
            self.stdout.write(json.dumps({"counted": counted, "pairs": done.pairs, "cases": cases}))
            return
        self.stdout.write(f"{counted} deals counted, {done.pairs} pairs judged, {len(cases)} cases.")
        for case in cases:
            players = " and ".join(case["players"])
            self.stdout.write(f"case {case['case']}: {players}, {case['deals']} deals, evidence {case['evidence']}")
            for line in case["signals"]:
                self.stdout.write(f"  {line['what']} {line['counted']}; expected {line['expected']} ({line['chance']})")


def _told(case: Case, done: CountedUntil) -> dict[str, Any]:
    lines = signal_lines(case.signals, (str(case.one), str(case.other)), done.figures)
    return {
        "case": case.pk,
        "players": [str(case.one), str(case.other)],
        "state": case.state,
        "deals": case.deals,
        "evidence": case.evidence,
        "signals": [
            {"what": line.text, "counted": line.counted, "expected": line.expected, "chance": line.chance}
            for line in lines
        ],
        "circumstances": [each["text"] for each in case.circumstances],
        "deals_that_tell": [deal for _, deal in case.deals_that_tell],
    }
