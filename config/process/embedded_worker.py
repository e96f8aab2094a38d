"""Celery's worker and beat as threads of this process, for the embedded default."""

import logging
import threading

from celery import current_app
from celery.beat import EmbeddedService
from celery.worker import WorkController
from celery.worker import state as worker_state

log = logging.getLogger(__name__)

#: Threads that run nudges side by side.
CONCURRENCY = 4
#: Seconds until a worker that died is replaced.
PAUSE = 1.0


class EmbeddedWorker:
    """The threads of worker and beat. A worker that dies is replaced: the sweep and computer players depend on it."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._ready = threading.Event()
        self._worker: WorkController | None = None
        self._thread = threading.Thread(target=self._run, name="celery-worker", daemon=True)
        self._beat = EmbeddedService(current_app, thread=True, max_interval=1, scheduler_cls="celery.beat:Scheduler")

    def start(self) -> None:
        """Start the worker, which takes tasks, and beat, which sends the sweep."""
        self._thread.start()
        self._ready.wait(20)
        self._beat.start()

    def stop(self) -> None:
        """Stop both threads, and wait for their end."""
        self._stopping.set()
        self._beat.stop()
        if self._worker is not None:
            self._worker.stop()
        self._thread.join(10)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._worker = current_app.WorkController(
                pool_cls="threads",
                concurrency=CONCURRENCY,
                hostname="embedded@play",
                without_heartbeat=True,
                without_mingle=True,
                without_gossip=True,
                ready_callback=lambda consumer: self._ready.set(),
            )
            try:
                self._worker.start()
            except BaseException:  # the worker leaves by SystemExit, too
                log.exception("the embedded worker ended")
            worker_state.should_stop = worker_state.should_terminate = None
            self._stopping.wait(PAUSE)
