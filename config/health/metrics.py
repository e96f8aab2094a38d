"""The metrics of the platform as a whole, read from the database; those of each process are in `tables.metrics`."""

from collections.abc import Iterable, Iterator

from django.db import DatabaseError, connection
from django.db.models import Count
from prometheus_client import REGISTRY, Gauge
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from config.health import report
from config.health.models import TaskCount
from lobby.reports import services as reports
from tables.models import Seating, Table
from tables.play import clocks
from tables.play.store import now_ms
from wallet.ledger import settlement_freeze

UP = Gauge("rummy_part_up", "1 where the part is well.", ("part",))
AGE = Gauge("rummy_part_age_seconds", "Since the part's last sign of life.", ("part",))
OVERDUE = Gauge("rummy_overdue_tables", "Open tables where a clock or a computer player is due.")
TABLES = Gauge("rummy_tables", "Tables that are not closed, by status and phase.", ("status", "phase"))
SEATED = Gauge("rummy_players_seated", "People who hold a seat.")
POSTINGS = Gauge("rummy_ledger_postings", "The number of the ledger's last posting.")
DIFFERENCES = Gauge("rummy_audit_differences", "What the last audit of the books found; -1 before the first.")
AUDITED = Gauge("rummy_audit_age_seconds", "Since the last audit of the books ended; -1 before the first.")
REPORTS = Gauge("rummy_reports_overdue", "Reports and complaints past the time within which they are due.")
FROZEN = Gauge("rummy_settlement_frozen", "1 while settlement stands still.")


class Tasks:
    """The metrics of the workers' tasks, read from the database, so that workers need no HTTP address of their own."""

    def __init__(self) -> None:
        self.rows: list[TaskCount] = []
        self.now_ms = 0

    def collect(self) -> Iterator[Metric]:
        ended = CounterMetricFamily("rummy_tasks", "Tasks that workers have ended.", labels=("task", "outcome"))
        busy = CounterMetricFamily("rummy_task_seconds", "How long tasks took.", labels=("task",))
        late = CounterMetricFamily("rummy_task_late_seconds", "How late tasks began.", labels=("task",))
        age = GaugeMetricFamily("rummy_task_age_seconds", "Since the task last ended.", labels=("task",))
        for row in self.rows:
            ended.add_metric((row.name, "done"), row.done)
            ended.add_metric((row.name, "failed"), row.failed)
            busy.add_metric((row.name,), row.busy_ms / 1000)
            late.add_metric((row.name,), row.late_ms / 1000)
            age.add_metric((row.name,), max(0, self.now_ms - row.at_ms) / 1000)
        return iter((ended, busy, late, age))


TASKS = Tasks()
REGISTRY.register(TASKS)


def refresh() -> None:
    """Set the gauges from the database; if it does not answer, set only those of the report, which say so."""
    show(report.report())
    try:
        _count_tables()
        _books()
        REPORTS.set(reports.count_overdue())
        TASKS.rows, TASKS.now_ms = list(TaskCount.objects.order_by("name")), now_ms()
    except DatabaseError:
        UP.labels("database").set(0)
    finally:
        if not connection.in_atomic_block:
            connection.close()


def show(parts: Iterable[report.Part]) -> None:
    """Set the gauges to the status of these parts."""
    for part in parts:
        UP.labels(part.name).set(part.ok)
        if part.age_ms is not None:
            AGE.labels(part.name).set(part.age_ms / 1000)


def _count_tables() -> None:
    OVERDUE.set(len(clocks.overdue_tables(now_ms())))
    SEATED.set(Seating.objects.filter(left_at=None).exclude(user=None).count())
    TABLES.clear()
    counted = Table.objects.exclude(status=Table.Status.CLOSED).values_list("status", "phase").annotate(Count("pk"))
    for status, phase, number in counted.order_by():
        TABLES.labels(status, phase).set(number)


def _books() -> None:
    books = settlement_freeze.books_status()
    POSTINGS.set(books.last_posting)
    FROZEN.set(books.frozen)
    DIFFERENCES.set(-1 if books.differences is None else books.differences)
    AUDITED.set(-1 if books.audit_age is None else books.audit_age)
