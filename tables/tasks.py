"""Celery's part: a nudge when something is due and the one-second sweep. Early, late, twice or never does no harm."""

from celery import shared_task

from tables.log import upkeep
from tables.play import clocks
from tables.play import services as play


@shared_task(name="tables.tasks.nudge")
def nudge(table_id: int) -> None:
    """Turn, extra-time, meld, result and prompt clocks, and the moves of computer players."""
    play.tick_or_wait(table_id=table_id)
    clocks.nudge_again(table_id)


@shared_task(name="tables.tasks.sweep")
def sweep() -> None:
    """Do, once a second, whatever is overdue because its nudge was lost."""
    play.sweep()


@shared_task(name="tables.tasks.release_seats")
def release_seats() -> None:
    """Seats of players who wait for company and are long gone."""
    play.release_seats()


@shared_task(name="tables.tasks.prune")
def prune() -> None:
    """Prune, once a day, states of tables long closed, and logs past their time."""
    upkeep.run_upkeep(upkeep.NIGHTLY)


@shared_task(name="tables.tasks.pack")
def pack() -> None:
    """Pack, once an hour, the events of deals that are long over, and drop answers that nobody asks for any more."""
    upkeep.run_upkeep(upkeep.HOURLY)
