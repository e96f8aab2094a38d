"""The check at every start that this process has the keys with which its database was sealed."""

from collections.abc import Iterator

from cryptography.exceptions import InvalidTag
from django.conf import settings
from django.db import connection, models, transaction
from django.utils import timezone

from wallet.keys.deriving import SHOWN, fingerprint
from wallet.keys.encryption import SEALED_COLUMNS, SealedColumn, secrets
from wallet.keys.models import Key

#: The id of the advisory lock in PostgreSQL; SQLite needs none, since only one transaction at a time writes.
_LOCK = 0x6B657973
#: How many of the latest rows of a column are tried: a single row may be corrupt for other reasons.
_TRIED = 20


def key_faults() -> list[str]:
    """Return why this process must not start with the keys that it has, in one sentence; empty where it may.

    Where it may, its keys are recorded in the database. A database without the table of keys is not checked.
    """
    if Key._meta.db_table not in connection.introspection.table_names():
        return []
    with transaction.atomic():
        rows = lock_keys()
        faults = list(_wrong(rows)) if rows else list(_opens_nothing())
        if not faults:
            record_keys(rows)
    return faults[:1]


def accept_present_key() -> None:
    """Record the present key as in use even if other processes may not know it: for when none of them runs."""
    with transaction.atomic():
        record_keys(lock_keys())


def lock_keys() -> dict[str, Key]:
    """Return the keys by fingerprint; no other transaction records or drops keys until this one ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    return {key.fingerprint: key for key in Key.objects.all()}


def missing_fingerprints() -> list[str]:
    """Return the shown fingerprints of keys that are needed and that this process does not have."""
    return [name[:SHOWN] for name in missing_keys({key.fingerprint: key for key in Key.objects.all()})]


def missing_keys(rows: dict[str, Key]) -> list[str]:
    """Return the fingerprints of keys that may have sealed stored content and that this process does not have."""
    own = {fingerprint(secret) for secret in secrets()}
    return sorted(name for name, key in rows.items() if key.activated_at and not key.retired_at and name not in own)


def wrong_keys() -> list[str]:
    """Return why what this database holds cannot be read with the keys of this process; records nothing."""
    rows = {key.fingerprint: key for key in Key.objects.all()}
    return list(_wrong(rows)) if missing_keys(rows) else []


def _wrong(rows: dict[str, Key]) -> Iterator[str]:
    name, own = settings.KEY_NAME, fingerprint(secrets()[0])
    missing = [each[:SHOWN] for each in missing_keys(rows)]
    if missing and own not in rows:
        yield (
            f"{name} holds another key (fingerprint {own[:SHOWN]}) than the one that this database was sealed with"
            f" ({', '.join(missing)}): put that one back from your copy of it."
        )
    elif missing:
        yield (
            f"This database holds what was sealed with a key that is not given here (fingerprint {', '.join(missing)}):"
            " give it in RUMMY_OLD_SECRET_KEYS if it is a former one, in RUMMY_NEXT_SECRET_KEY if it is the next."
        )
    elif own not in rows:
        yield (
            f"{name} holds a key (fingerprint {own[:SHOWN]}) that this database does not know: give it to every process"
            " as RUMMY_NEXT_SECRET_KEY first; or, while all of them are stopped, run `manage.py reseal`."
        )
    elif rows[own].retired_at:
        yield (
            f"{name} holds a former key (fingerprint {own[:SHOWN]}), with which nothing is sealed any more since"
            f" {rows[own].retired_at:%Y-%m-%d}: give the present one."
        )


def _opens_nothing() -> Iterator[str]:
    """Yield a fault for each column of which the keys open none of the latest rows.

    For a database that has no record of its keys yet.
    """
    for column in SEALED_COLUMNS:
        rows = list(column.rows().order_by("-pk")[:_TRIED])
        if rows and not any(_opens(column, row) for row in rows):
            yield (
                f"{settings.KEY_NAME} (fingerprint {fingerprint(secrets()[0])[:SHOWN]}) does not open what lies in this"
                " database: put back the key that it was sealed with from your copy of it."
            )


def _opens(column: SealedColumn, row: models.Model) -> bool:
    try:
        column.unseal(row)
    except InvalidTag:
        return False
    return True


def record_keys(rows: dict[str, Key]) -> None:
    """Record in the database every key of this process, and that the present one is in use."""
    now, own = timezone.now(), fingerprint(secrets()[0])
    coming = {fingerprint(secret) for secret in settings.NEXT_SECRET_KEYS}
    for name in dict.fromkeys(map(fingerprint, secrets())):
        # Content in a database without recorded keys may be sealed with any of them except the next.
        used = name == own or (not rows and name not in coming)
        key = rows.get(name)
        if key is None:
            Key.objects.create(fingerprint=name, activated_at=now if used else None)
        elif used and key.activated_at is None:
            Key.objects.filter(pk=name).update(activated_at=now)
