"""What the lobby does by itself, through Celery."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from lobby.accounts import guests
from lobby.stakes import services as stakes


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def keep_tables_open() -> None:
    """Where the last free table of a stake has filled or started, another one opens."""
    stakes.ensure_tables()


@shared_task(name="lobby.tasks.forget_guests", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_guests() -> None:
    """Once a day: guests who looked in once and never finished a deal."""
    guests.forget_guests()


@shared_task(name="lobby.tasks.forget_sessions", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_sessions() -> None:
    """Once a day: sessions that have ended leave nothing behind."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
