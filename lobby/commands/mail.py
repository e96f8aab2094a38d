"""E-mail from commands: sent at once, since no worker may run; the person at the terminal sees where it fails."""

from collections.abc import Callable

from django.core.management.base import BaseCommand

from lobby.accounts.mail import FAILURES, is_configured


def deliver_here(command: BaseCommand, send: Callable[..., None], *arguments: str) -> None:
    """Call `send` with the arguments if e-mail is configured; a failure is written to stderr, and undoes nothing."""
    if is_configured():
        try:
            send(*arguments)
        except FAILURES as fault:
            command.stderr.write(f"No e-mail about it could be sent: {fault}")
