"""Sealing everything again with the present key, and then dropping the former keys.

It is safe while people play: each row is sealed under its lock, and a row that is locked by another transaction is
tried again later. A run that was stopped can be started again: finished rows stay finished.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidTag
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Substr
from django.utils import timezone

from wallet.base.retry import is_passing
from wallet.keys import key_registry, signing
from wallet.keys.deriving import SESSION, SHOWN, fingerprint
from wallet.keys.encryption import BEGIN, SEALED_COLUMNS, SealedColumn, is_current, secrets
from wallet.keys.models import Key

#: Rows that are read at a time, and sealed again in one transaction: few enough to block others only briefly.
BATCH = 100
#: The most passes over all rows, until one finds nothing to do, and the seconds between two passes.
ROUNDS, PAUSE = 40, 0.5

#: Called with the column, the number of its rows read, and the number of all rows sealed again.
Tell = Callable[[str, int, int], None]


@dataclass(slots=True)
class ResealResult:
    """The result of a run."""

    resealed: int = 0
    #: Rows that no key of this process opens, as column and id. They stay unchanged.
    unreadable: dict[str, None] = field(default_factory=dict)
    #: Rows that in the last pass were still locked by others, or sealed with another key.
    waiting: int = 0
    #: Fingerprints of the keys that are no longer needed.
    retired: list[str] = field(default_factory=list)


def count_other_sessions() -> int:
    """Return how many sessions of processes that seal with another key are open; always 0 on SQLite."""
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


def reseal(tell: Tell = lambda *progress: None, *, leave_unreadable: bool = False) -> ResealResult:
    """Seal all content that can be opened again with the present key; then retire the other keys that were in use.

    Nothing is retired while rows wait, or are unreadable unless `leave_unreadable`. Call it once every process seals
    with the present key.
    """
    result = ResealResult()
    for _ in range(ROUNDS):
        result.waiting = sum(_go_through(column, result, tell) for column in SEALED_COLUMNS)
        if not result.waiting:
            break
        time.sleep(PAUSE)
    if not result.waiting and (leave_unreadable or not result.unreadable):
        result.retired = _retire()
    return result


def _go_through(column: SealedColumn, result: ResealResult, tell: Tell) -> int:
    """Go through the column once; return how many rows were stale, which the next pass checks again."""
    rows = column.model._default_manager.order_by("pk").annotate(begin=Substr(column.field, 1, BEGIN))
    at, passed, waiting = 0, 0, 0
    while batch := list(rows.filter(pk__gt=at).values_list("pk", "begin")[:BATCH]):
        stale = [pk for pk, begin in batch if _is_stale(begin) and column.name(pk) not in result.unreadable]
        if stale:
            _seal_anew(column, stale, result)
        at, passed, waiting = batch[-1][0], passed + len(batch), waiting + len(stale)
        tell(column.label, passed, result.resealed)
    return waiting


def _is_stale(begin: bytes | memoryview) -> bool:
    """Return whether the seal is not current; an empty column has no seal."""
    return bool(begin) and not is_current(begin)


def _lock_free_rows(rows: Any) -> Any:
    return rows.select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked)


def _seal_anew(column: SealedColumn, stale: list[int], result: ResealResult) -> None:
    """Seal again those of the rows that no other transaction has locked.

    If the database aborts the transaction because of others, nothing has changed.
    """
    rows: Any = column.model._default_manager.filter(pk__in=stale).order_by("pk")
    unreadable: dict[str, None] = {}
    resealed = 0
    try:
        with transaction.atomic():
            for row in _lock_free_rows(rows):
                try:
                    anew = column.seal(row, column.unseal(row))
                except InvalidTag:
                    unreadable[column.name(row.pk)] = None
                    continue
                column.model._default_manager.filter(pk=row.pk).update(**{column.field: anew})
                resealed += 1
    except DatabaseError as error:
        if not is_passing(error):
            raise
        return
    result.resealed += resealed
    result.unreadable |= unreadable


@transaction.atomic
def _retire() -> list[str]:
    """Drop the former keys, which are no longer needed to open seals; keep the keys that check their signatures."""
    rows, own = key_registry.lock_keys(), secrets()[0]
    key_registry.record_keys(rows)
    secrets_by_name = {fingerprint(secret): secret for secret in secrets()}
    retired = []
    for key in Key.objects.exclude(activated_at=None).exclude(pk=fingerprint(own)):
        if key.verifiers is not None:
            key.verifiers = signing.resealed_verifiers(key)
        elif key.pk in secrets_by_name:
            key.verifiers = signing.verifiers(secrets_by_name[key.pk], key.pk)
        if key.retired_at is None:
            key.retired_at = timezone.now()
            retired.append(key.pk)
        key.save()
    signing.former_keys.cache_clear()
    return retired
