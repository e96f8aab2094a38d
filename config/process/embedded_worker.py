"""Celery's worker and beat as threads of this process, for the embedded default."""

import logging
import threading
from collections.abc import Callable

from celery.beat import Scheduler, Service
from celery.worker import WorkController, state as worker_state

from config.celery import app

log = logging.getLogger(__name__)

#: Threads that run nudges side by side.
CONCURRENCY = 4
#: Seconds until a worker or beat that died is replaced.
PAUSE = 1.0


class EmbeddedWorker:
    """The threads of worker and beat. One that dies is replaced: the sweep and computer players depend on both."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._ready = threading.Event()
        self._worker: WorkController | None = None
        self._beat: Service | None = None
        self._threads = [
            threading.Thread(target=self._keep, args=(run,), name=f"celery-{name}", daemon=True)
            for name, run in (("worker", self._run_worker), ("beat", self._run_beat))
        ]

    def start(self) -> None:
        """Start the worker, which takes tasks, and beat, which sends the sweep."""
        worker, beat = self._threads
        worker.start()
        self._ready.wait(20)
        beat.start()

    def stop(self) -> None:
        """Let both threads end by themselves, and wait for that: one that begins meanwhile sees it as well."""
        self._stopping.set()
        worker_state.should_stop = 0
        if self._beat is not None:
            self._beat.stop()
        for thread in self._threads:
            thread.join(10)

    def _keep(self, run: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                run()
            except BaseException:  # the worker leaves by SystemExit, too
                log.exception("%s ended", threading.current_thread().name)
            self._stopping.wait(PAUSE)

    def _run_worker(self) -> None:
        self._worker = app.WorkController(
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
        finally:
            worker_state.should_stop = worker_state.should_terminate = None

    def _run_beat(self) -> None:
        self._beat = Service(app, max_interval=1, scheduler_cls=Scheduler)
        if not self._stopping.is_set():
            self._beat.start()
