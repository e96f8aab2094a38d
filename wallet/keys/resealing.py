"""Everything sealed anew, with the present key and bound to its place; then the former keys are needed no more.

Safe under play: a row is sealed anew under its lock, and one that somebody else holds is come back to. Whoever stops
it goes on later: what is done is done.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cryptography.fernet import InvalidToken
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Substr
from django.utils import timezone

from wallet.base.retry import is_passing
from wallet.keys import known, signing
from wallet.keys.columns import COLUMNS, SealedColumn
from wallet.keys.deriving import SESSION, SHOWN, fingerprint
from wallet.keys.encryption import BEGIN, is_current, secrets
from wallet.keys.models import Key

#: So many rows are looked at, and sealed anew in one transaction: nobody waits for it longer than a blink.
BATCH = 100
#: Times that all is gone through until nothing is found that is left to do, and seconds between two.
ROUNDS, PAUSE = 40, 0.5

#: What hangs on a former key and cannot be sealed anew, a sentence each: apps add what they have.
REMARKS: list[Callable[[], Iterator[str]]] = []

#: Hears the column, how many of its rows were looked at, and how many rows were sealed anew in all.
Tell = Callable[[str, int, int], None]


@dataclass(slots=True)
class Done:
    """What a run has come to."""

    resealed: int = 0
    #: Rows that no key here opens, as column and id. They stay as they are.
    unreadable: dict[str, None] = field(default_factory=dict)
    #: Rows that others held, or went on to seal with another key, to the last.
    waiting: int = 0
    #: Fingerprints of the keys that are no longer needed.
    dropped: list[str] = field(default_factory=list)


def others() -> int:
    """Return how many sessions of processes that seal with another key are open; 0 where the database cannot tell."""
    if connection.vendor != "postgresql":
        return 0
    own = SESSION + fingerprint(secrets()[0])[:SHOWN]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND starts_with(application_name, %s) AND application_name <> %s",
            [SESSION, own],
        )
        return int(cursor.fetchone()[0])


def reseal(tell: Tell = lambda *told: None, *, leave_unreadable: bool = False) -> Done:
    """Seal all that can be opened with the present key; `waiting` says how much cannot.

    Then the other keys that were in use are dropped, and seals that are bound to no place open no more; not so while
    something waits, or is unreadable and not to be left so. Call it once every process seals with the present key.
    """
    done = Done()
    for _ in range(ROUNDS):
        done.waiting = sum(_go_through(column, done, tell) for column in COLUMNS)
        if not done.waiting:
            break
        time.sleep(PAUSE)
    if not done.waiting and (leave_unreadable or not done.unreadable):
        done.dropped = _drop()
    return done


def _go_through(column: SealedColumn, done: Done, tell: Tell) -> int:
    """Go once through the column; return how many rows were not as they are to be, and are looked at once more."""
    rows = column.model._default_manager.order_by("pk").annotate(begin=Substr(column.field, 1, BEGIN))
    at, seen, found = 0, 0, 0
    while batch := list(rows.filter(pk__gt=at).values_list("pk", "begin")[:BATCH]):
        stale = [pk for pk, begin in batch if _is_stale(begin) and column.name(pk) not in done.unreadable]
        if stale:
            _seal_anew(column, stale, done)
        at, seen, found = batch[-1][0], seen + len(batch), found + len(stale)
        tell(column.label, seen, done.resealed)
    return found


def _is_stale(begin: bytes | memoryview) -> bool:
    """Return whether it is sealed with another key; what is empty holds nothing that is sealed."""
    return bool(begin) and not is_current(begin)


def _lock_free_rows(rows: Any) -> Any:
    return rows.select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked)


def _seal_anew(column: SealedColumn, stale: list[int], done: Done) -> None:
    """Seal those of the rows anew that nobody else has locked.

    A transaction that the database ends is one that was not begun.
    """
    rows: Any = column.model._default_manager.filter(pk__in=stale).order_by("pk")
    unreadable: dict[str, None] = {}
    resealed = 0
    try:
        with transaction.atomic():
            for row in _lock_free_rows(rows):
                try:
                    anew = column.seal(row, column.unseal(row))
                except InvalidToken:
                    unreadable[column.name(row.pk)] = None
                    continue
                column.model._default_manager.filter(pk=row.pk).update(**{column.field: anew})
                resealed += 1
    except DatabaseError as error:
        if not is_passing(error):
            raise
        return
    done.resealed += resealed
    done.unreadable |= unreadable


@transaction.atomic
def _drop() -> list[str]:
    """Former keys open nothing that is needed; what checks their signatures is kept."""
    rows, own = known.lock_keys(), secrets()[0]
    known.take_up(rows)
    held = {fingerprint(secret): secret for secret in secrets()}
    dropped = []
    for key in Key.objects.exclude(used_at=None).exclude(pk=fingerprint(own)):
        if key.checkers is not None:
            key.checkers = signing.checkers_anew(key)
        elif key.pk in held:
            key.checkers = signing.checkers(held[key.pk], key.pk)
        if key.dropped_at is None:
            key.dropped_at = timezone.now()
            dropped.append(key.pk)
        key.save()
    Key.objects.filter(unbound=True).update(unbound=False)
    signing.former.cache_clear()
    return dropped
