"""Hashing of passwords in a lane of its own: however many sign in at once, moves have processors and connections.

A hash takes tens of ms of a processor and 19 MiB of memory, by design. So this process makes only a few at a time, in
threads of their own, and holds no database connection meanwhile. All who hash come through here: these are the hashers
of the settings.
"""

import os
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.hashers import Argon2PasswordHasher, PBKDF2PasswordHasher, make_password
from django.db import connection

from lobby.accounts.passwords import normalize
from wallet.base.errors import TooBusy
from wallet.base.rate_limits import place_left

#: Hashes at a time in this process: one core is always left for moves.
AT_A_TIME = max(1, (os.cpu_count() or 1) - 1)
#: How many may wait for their turn, and for how many seconds; then they are told to try again. Who waits takes nothing
#: from moves, and who is refused at once asks again at once: so the queue is as long as people's patience.
WAITING, PATIENCE = 128, 6.0


class HashingLane:
    """A few threads that hash, in the order in which people come, and a short queue before them."""

    def __init__(self, threads: int, waiting: int, patience: float) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="hashing")
        self._places = threading.BoundedSemaphore(threads + waiting)
        self._patience = patience

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run the work in the lane and return its answer. TooBusy where the queue is full, or too slow.

        The caller's connection goes back to the pool meanwhile, except within a transaction: hash before one begins.
        """
        if not self._places.acquire(blocking=False):
            raise TooBusy
        try:
            if not connection.in_atomic_block:
                connection.close()
            answer = self._threads.submit(work, *arguments)
            with place_left():
                try:
                    # Not all at the same moment: those who came together would come back together.
                    return answer.result(self._patience * random.uniform(0.5, 1))  # noqa: S311  a pause, not a secret
                except TimeoutError:
                    if answer.cancel():
                        raise TooBusy from None
                    return answer.result()
        finally:
            self._places.release()


_LANE = HashingLane(AT_A_TIME, WAITING, PATIENCE)
#: A password and its hash, for code that hashes within a transaction.
_ahead: ContextVar[tuple[str, str] | None] = ContextVar("ahead", default=None)


@contextmanager
def ahead(password: str) -> Iterator[None]:
    """Hash a new password before a transaction: Django's own forms, which hash within theirs, find it made."""
    made = _ahead.set((normalize(password), make_password(normalize(password))) if password else None)
    try:
        yield
    finally:
        _ahead.reset(made)


class Argon2InLane(Argon2PasswordHasher):
    """Argon2id at OWASP's minimum (Password Storage Cheat Sheet): 19 MiB, two passes, one thread.

    Django's own takes eight times the time and five times the memory. A hash with other costs is made anew at the next
    sign-in; until then a wrong password for that name takes as long as the old hash does. That tells no more than the
    sign-up, which says of each name whether it is taken.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        made = _ahead.get()
        if made and made[0] == password:
            _ahead.set(None)
            return made[1]
        encoded: str = _LANE.run(super().encode, password, salt)
        return encoded

    def verify(self, password: str, encoded: str) -> bool:
        return bool(_LANE.run(super().verify, password, encoded))


class Pbkdf2InLane(PBKDF2PasswordHasher):
    """Hashes from before Argon2, which are made anew at the next sign-in."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        # Its own `verify` comes through here as well.
        encoded: str = _LANE.run(super().encode, password, salt, iterations)
        return encoded
