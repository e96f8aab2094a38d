"""A process whose embedded worker and beat end in every way there is; it prints what goes on after each."""

import threading
import time
from collections.abc import Callable
from typing import Any

import django
from celery import shared_task
from celery.beat import Scheduler
from celery.exceptions import WorkerShutdown, WorkerTerminate
from celery.worker import WorkController, state as worker_state

from config.celery import app
from config.process.embedded_worker import EmbeddedWorker

#: Seconds for each step.
PATIENCE = 60

ran = threading.Event()


@shared_task(name="tests.note_that_it_ran")
def note_that_it_ran() -> None:
    ran.set()


def raising(error: BaseException, place: Any, name: str) -> Callable[[], None]:
    """Return what lets the function of that name raise the error once, and waits until it has."""

    def end() -> None:
        function, raised = getattr(place, name), threading.Event()

        def fail(*arguments: Any, **named: Any) -> Any:
            setattr(place, name, function)
            raised.set()
            raise error

        setattr(place, name, fail)
        assert raised.wait(PATIENCE), name

    return end


ENDS = {
    "is told to stop": raising(WorkerShutdown(0), worker_state, "maybe_shutdown"),
    "is terminated": raising(WorkerTerminate(1), worker_state, "maybe_shutdown"),
    "fails": raising(RuntimeError("in the loop"), worker_state, "maybe_shutdown"),
    "beat fails": raising(RuntimeError("in beat"), Scheduler, "tick"),
    "beat leaves": raising(SystemExit(1), Scheduler, "tick"),
}


def end_and_not_begin() -> None:
    """Let the worker end, and the one that replaces it fail at once."""
    begins = raising(RuntimeError("at the beginning"), WorkController, "setup_queues")
    ENDS["fails"]()
    begins()


def runs() -> bool:
    """Return whether a task that beat sends runs from now on."""
    ran.clear()
    return ran.wait(PATIENCE)


def main() -> None:
    """Print a line for each end: whether tasks ran again, in another worker or beat where one has ended."""
    django.setup()
    app.conf.update(CELERY_BEAT_SCHEDULE={"ran": {"task": "tests.note_that_it_ran", "schedule": 0.1}})
    embedded = EmbeddedWorker()
    embedded.start()
    print("at first:", runs(), flush=True)
    for name, end in {**ENDS, "cannot begin": end_and_not_begin}.items():
        parts = embedded._worker, embedded._beat
        end()
        give_up = time.monotonic() + PATIENCE
        while parts == (embedded._worker, embedded._beat) and time.monotonic() < give_up:
            time.sleep(0.05)
        print(f"{name}:", runs(), flush=True)
    embedded.stop()
    print("left over:", [thread.name for thread in embedded._threads if thread.is_alive()], flush=True)


if __name__ == "__main__":
    main()
