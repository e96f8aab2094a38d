"""Give the platform's database role what it needs, and no right to rewrite the books."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import connection

from wallet.base.commands import OneLineCommand
from wallet.ledger.database_role import grant, why_unbound


class Command(OneLineCommand):
    help = (
        "PostgreSQL only; run it as the owner of the tables after every migration. Afterwards ROLE can serve the"
        " platform and has no privilege to change, delete or empty postings, transfers and the audit trail."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role")
        help = "ask for the password with which it may log in, or read it from standard input"
        parser.add_argument("--password", action="store_true", help=help)

    def handle(self, *, role: str, password: bool, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("Only PostgreSQL has roles; SQLite has its triggers alone.", returncode=2)
        if reason := why_unbound(connection, role):
            raise CommandError(f"{role} is {reason}, whom no privilege binds: serve as another role.", returncode=2)
        grant(connection, role, _read_password(role) if password else "")
        self.stdout.write(f"{role} can serve the platform and cannot rewrite the books.")


def _read_password(role: str) -> str:
    """Return the password with which the role may log in: typed unseen, or a line that another program writes."""
    if sys.stdin.isatty():
        return getpass.getpass(f"Password of {role}: ")
    line = sys.stdin.readline().rstrip("\n")
    if not line:
        raise CommandError("There is no password on standard input.", returncode=2)
    return line
