"""One web process of several: pages, API and sockets. Clocks and computer players run in Celery's worker and beat."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from config.health import systemd
from config.process import listening, preflight, serve
from wallet.base.commands import OneLineCommand


class Command(OneLineCommand):
    help = "Run one web process, for installations with several; SIGTERM or Ctrl-C stops it."

    #: Players wait for a process that starts again: what a release has wrong, its tests have told.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=serve.port_number, default=listening.PORT)
        parser.add_argument("--host", default=listening.HOST)

    def handle(self, *, port: int, host: str, **options: Any) -> None:
        faults = preflight.preflight_faults()
        if faults:
            raise CommandError(preflight.in_words(faults), returncode=1)
        serve.check_port(host, port)
        serve.serve(host, port, lambda: self._greet(host, port))

    def _greet(self, host: str, port: int) -> None:
        self.stdout.write(f"Serving on {serve.origin(host, port)}/")
        self.stdout.flush()
        systemd.notify("READY=1")
        systemd.notify_from_loop()
