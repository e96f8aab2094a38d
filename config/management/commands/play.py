"""The whole platform in one process: web, sockets, timers, computer players, on SQLite and the memory layer."""

import fcntl
import logging
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from config import env
from config.process import demo, embedded_database, exits, listening, serve
from config.process.embedded_worker import EmbeddedWorker
from config.settings import mail, operator
from wallet.base.commands import OneLineCommand
from wallet.keys import key_registry

log = logging.getLogger(__name__)


class Command(OneLineCommand):
    help = "Run the whole platform; Ctrl-C stops it, and started again it carries on with every running table."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=serve.port_number, default=listening.PORT)
        parser.add_argument("--host", default=listening.HOST)
        parser.add_argument("--data", type=Path, help="where the database lives (default: var/ beside manage.py)")

    def handle(self, *, port: int, host: str, data: Path | None, **options: Any) -> None:
        _restart_in_folder(data)
        if settings.PRODUCTION:
            raise CommandError("play is the embedded trial; production runs `manage.py serve` and Celery.")
        with embedded_database.explaining_damage(connection):
            lock = _lock_folder(settings.DATA_DIR)
            serve.check_port(host, port)
            embedded_database.check_database(connection)
            call_command("migrate", verbosity=0)
            if wrong := key_registry.key_faults():
                raise CommandError(wrong[0], returncode=exits.SETTING)
            accounts = demo.ensure_demo()
        settings.EMAIL_SITE = settings.EMAIL_SITE or serve.origin(host, port)
        worker = EmbeddedWorker()
        worker.start()
        try:
            serve.serve(host, port, lambda: self._greet(host, port, accounts))
        finally:
            worker.stop()
            lock.close()
        self.stdout.write("Stopped. Every table waits where it was.")

    def _greet(self, host: str, port: int, accounts: list[tuple[str, str, str]]) -> None:
        self.stdout.write(self.style.SUCCESS(f"\nThe tables are open: {serve.origin(host, port)}/\n"))
        self.stdout.write("Sign up for an account of your own, or sign in as one of these:")
        for name, password, purpose in accounts:
            self.stdout.write(f"  {name:<10} {password:<22} {purpose}")
        if settings.EMAIL_BACKEND == mail.IN_FILES:
            self.stdout.write(f"\nE-mail is kept in {settings.EMAIL_FILE_PATH}, a file each.")
        if missing := [name for name in operator.NEEDED if not settings.OPERATOR.get(operator.VARIABLES[name])]:
            self.stdout.write("\nThe pages say that this is a trial, which nobody runs. Before others play, set")
            self.stdout.write(f"{', '.join(missing)}: see config/deploy/README.md.")
        self.stdout.write(f"\nData: {settings.DATA_DIR}   Ctrl-C stops.\n")
        self.stdout.flush()


def _restart_in_folder(data: Path | None) -> None:
    """Start the process over where manage.py did not see the folder: the settings have read RUMMY_DATA by now."""
    if data is not None and data.resolve() != Path(settings.DATA_DIR):
        environment = env.of_a_child({"RUMMY_DATA": str(data.resolve())})
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)  # noqa: S606


def _lock_folder(data: Path) -> IO[str]:
    """Lock the folder: two processes on one embedded database would not get each other's messages."""
    lock = (Path(data) / "play.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise CommandError(
            f"Another platform already runs on {data}. Stop it first, or give another --data.", returncode=exits.SETTING
        ) from error
    return lock
