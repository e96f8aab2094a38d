"""What the lobby does by itself, through Celery."""

from celery import shared_task

from lobby import services


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def keep_tables_open() -> None:
    """Where the last free table of a stake has filled or started, another one opens."""
    services.ensure_tables()
