"""Celery tasks of play: the nudge when a clock ends, the sweep each second, and upkeep.

It does no harm if one of them runs early, late, twice or never.
"""

from celery import shared_task

from tables import daily
from tables.analysis import services as analysis
from tables.fairness import sums
from tables.log import upkeep
from tables.play import outages, services as play
from tables.tournaments import steps


@shared_task
def nudge(table_id: int) -> None:
    """Act on the end of a turn, extra-time, meld, result or prompt clock, and move for computer players."""
    play.tick_or_wait(table_id=table_id)


@shared_task
def sweep() -> None:
    """Once a second, act on every overdue clock, since its nudge may be lost, and make due steps of tournaments.

    Nothing is done while nobody serves. Sent as one task: a task that finds nothing to do costs more than what it looks
    at.
    """
    now = outages.served_now()
    if now is not None:
        play.sweep(now)
        steps.make_due_steps(now)


@shared_task
def release_seats() -> None:
    """Free the seats of players who have long been disconnected while their table waited for others.

    Close tables of friends at which nobody sits.
    """
    play.release_seats()
    play.close_idle_tables()


@shared_task
def prune() -> None:
    """Once a day, prune the states of tables long closed, and logs past their retention time."""
    upkeep.run_upkeep(upkeep.NIGHTLY)


@shared_task
def sum_fairness() -> None:
    """Once a day, add what has ended to the sums that the figures of fairness are made of."""
    sums.sum_up()


@shared_task
def pack() -> None:
    """Once an hour, pack the events of deals long over, and delete answers past their retention time."""
    upkeep.run_upkeep(upkeep.HOURLY)


@shared_task
def make_days() -> None:
    """Once an hour, make the deals of today and tomorrow, where nobody has."""
    daily.ensure_days()


@shared_task
def analyse() -> None:
    """Judge one decision of the analysis that has waited longest, in a process of its own."""
    analysis.go_on()


@shared_task
def analyses() -> None:
    """Every few seconds, go on with analyses whose task was lost."""
    analysis.mend_lost()
