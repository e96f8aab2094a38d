"""Django's PostgreSQL, with some connections of a process kept for play.

However many pages and calls are answered at once, and however slowly, moves find a connection.
"""

import threading
from typing import Any

from django.db.backends.postgresql import base

from config.settings.databases import CONNECTIONS, KEPT_FOR_PLAY, POOL_WAIT

#: The connections of all threads that are in no executor of play.
_OTHERS = threading.BoundedSemaphore(CONNECTIONS - KEPT_FOR_PLAY)


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection; a thread outside of play waits for its turn at those that are not kept."""

    _counted = False

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection of the pool. OperationalError where none was free in time."""
        from tables.play.executors import in_executor

        if self.pool is None or in_executor():
            return super().get_new_connection(conn_params)
        if not _OTHERS.acquire(timeout=POOL_WAIT):
            raise self.Database.OperationalError(f"couldn't get a connection after {POOL_WAIT:.2f} sec")
        try:
            connection = super().get_new_connection(conn_params)
        except BaseException:
            _OTHERS.release()
            raise
        self._counted = True
        return connection

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            if self._counted:
                self._counted = False
                _OTHERS.release()
