"""What the lobby does by itself, through Celery."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

from lobby.accounts import guests
from lobby.stakes import services as stakes


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def keep_tables_open() -> None:
    """Open another table where the last free one of a stake has filled or started."""
    stakes.ensure_tables()


@shared_task(name="lobby.tasks.forget_guests", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_guests() -> None:
    """Forget, once a day, guests who looked in once and never finished a deal."""
    guests.forget_guests()


@shared_task(name="lobby.tasks.forget_sessions", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_sessions() -> None:
    """Forget, once a day, sessions that have ended."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
