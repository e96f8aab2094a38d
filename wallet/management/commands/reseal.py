"""Seal everything anew with the present key, so that former keys can be retired."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import of_command, record
from wallet.base.commands import OneLineCommand
from wallet.keys import key_registry, key_rotation
from wallet.keys.deriving import SHOWN
from wallet.keys.models import RETIRE_KEY, Key

#: Seconds between two lines of progress.
EVERY = 2.0


class Command(OneLineCommand):
    help = (
        "Seal everything anew with RUMMY_SECRET_KEY, while games go on. Run it once every process has the new key there"
        " and the former one in RUMMY_OLD_SECRET_KEYS; when it is done the former one can be taken away. Stopped in the"
        " middle, it goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
        parser.add_argument(
            "--leave-unreadable", action="store_true", help="retire former keys although some rows open with none"
        )

    def handle(self, *, leave_unreadable: bool, **options: Any) -> None:
        self._told = time.monotonic()
        if missing := key_registry.missing_fingerprints():
            raise CommandError(
                f"Something was sealed with keys that are not given here ({', '.join(missing)}): give them in"
                " RUMMY_OLD_SECRET_KEYS. Nothing was changed.",
                returncode=2,
            )
        if others := key_rotation.count_other_sessions():
            raise CommandError(
                f"Processes that seal with another key are still running ({others} sessions in the database): bring"
                " them to the present key first. Nothing was changed.",
                returncode=2,
            )
        key_registry.accept_present_key()
        result = key_rotation.reseal(self._progress if not options["json"] else lambda *progress: None,
                                leave_unreadable=leave_unreadable)  # fmt: skip
        # Also those of a run that was stopped right before this.
        told = AuditEntry.objects.filter(action=RETIRE_KEY).values("target_id")
        for key in Key.objects.exclude(retired_at=None).exclude(pk__in=told):
            record(of_command("reseal"), RETIRE_KEY, key, after={"retired_at": key.retired_at})
        self._report(result, as_json=options["json"])

    def _progress(self, column: str, seen: int, resealed: int) -> None:
        if time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            self.stdout.write(f"{column}: {seen} rows looked at; {resealed} sealed anew in all")
            self.stdout.flush()

    def _report(self, result: key_rotation.ResealResult, *, as_json: bool) -> None:
        unreadable, retired = list(result.unreadable), [each[:SHOWN] for each in result.retired]
        if as_json:
            answer = {"resealed": result.resealed, "waiting": result.waiting, "unreadable": unreadable}
            self.stdout.write(json.dumps({**answer, "retired": retired}))
        else:
            self.stdout.write(f"{result.resealed} sealed anew.")
            for name in unreadable[:20]:
                self.stdout.write(f"  opens with no key: {name}")
        if result.waiting:
            raise CommandError(
                f"{result.waiting} rows were held by others, or sealed with another key, all the time: see that every"
                " process has the present key, and run it again. The former key is still needed.",
                returncode=1,
            )
        if unreadable and not result.retired:
            raise CommandError(
                f"{len(unreadable)} rows open with no key that is given here: look for the key that they were sealed"
                " with, or run it with --leave-unreadable. The former key is still needed.",
                returncode=1,
            )
        if not as_json:
            sentence = f"Keys no longer needed: {', '.join(retired)}." if retired else "No former key was in use."
            self.stdout.write(f"{sentence} RUMMY_OLD_SECRET_KEYS can be emptied.")
