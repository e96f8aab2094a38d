"""The Celery application: turn, extra-time, meld and result timers, and the one-second sweep."""

import os
import sys
import threading
from functools import partialmethod
from typing import Any

from celery import Celery, signals
from celery.app.amqp import AMQP
from celery.beat import Scheduler
from celery.worker.consumer import Consumer
from celery.worker.consumer.gossip import Gossip
from celery.worker.consumer.mingle import Mingle
from kombu.asynchronous.hub import Hub
from kombu.connection import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")

#: Seconds between two tries of worker and beat to reach a broker that is away.
RECONNECT_EVERY = 0.5
# Workers have nothing to tell each other: those at one broker would wait a second for the others before they begin, and
# tell each other every two seconds that they live. Who asks that reads it in the database (`config.health`).
Mingle.compatible_transports = Gossip.compatible_transports = frozenset()
Consumer.Blueprint.default_steps.remove("celery.worker.consumer.heart:Heart")
#: After ten timers the loop of a worker would wait up to a second for messages, although more timers are due.
Hub.fire_timers = partialmethod(Hub.fire_timers, min_delay=0.0)  # type: ignore[assignment, method-assign]
#: The beat would wake ten milliseconds before a task is due, and look at its whole schedule thirty times until it is.
Scheduler.adjust = partialmethod(Scheduler.adjust, drift=0.0)
#: Nor does anybody change its schedule while it runs, which it would compare with itself at each task.
Scheduler.schedules_equal = lambda self, former, present: True


class SteadyConnection(Connection):
    """Try steadily; by itself it waits two seconds longer after each failure, long after the broker is back."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        pauses = {"interval_start": RECONNECT_EVERY, "interval_step": 0, "interval_max": RECONNECT_EVERY}
        return super().ensure_connection(*args, **pauses | kwargs)  # type: ignore[no-untyped-call]


class Broker(AMQP):  # type: ignore[misc]
    """As the library's, with such connections, and with signed messages."""

    Connection = SteadyConnection

    def as_task_v2(self, *args: Any, **options: Any) -> Any:
        from config import signed_tasks

        message = super().as_task_v2(*args, **options)
        message.properties[signed_tasks.PROPERTY] = signed_tasks.message_signature(message.headers, message.body)
        return message


app = Celery("rummy", amqp=Broker, task_cls="config.signed_tasks:SignedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.celeryd_init.connect(weak=False)
@signals.beat_init.connect(weak=False)
def _run_preflight(**_: Any) -> None:
    """Start a worker or beat of its own only where it can work with others; the embedded ones are threads."""
    if threading.current_thread() is not threading.main_thread():
        return
    import django

    django.setup()
    from config.process import preflight

    faults = preflight.preflight_faults()
    if faults:
        # By now Celery has taken standard error of beat for its log, which is not set up yet.
        print(preflight.in_words(faults), file=sys.__stderr__, flush=True)
        raise SystemExit(1)


@signals.beat_init.connect(weak=False)
def _notify_ready(**_: Any) -> None:
    from config.health import systemd

    systemd.notify("READY=1")


@signals.worker_ready.connect(weak=False)
def _start_watchdog(sender: Any, **_: Any) -> None:
    from config.health import systemd

    systemd.notify("READY=1")
    systemd.Watchdog(sender).start()
