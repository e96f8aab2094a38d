"""The look of a process at all that its sockets depend on: one statement, however many they are.

It reads the clock of the database, the heartbeat, the rows of the tables where something has changed or is due, the
seats of those whose version is not as expected, and a digest of the rows that the credentials rest on; on PostgreSQL it
notes the heartbeat as well. Rows come as JSON, all at once: the ORM would take ten times as long. The text of the
statement never changes, so PostgreSQL plans it once a connection.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone
from rest_framework.authtoken.models import Token

from tables.models import Outage, Seating, ServerHeartbeat, Table
from tables.play import outages
from tables.play.store import clock_in_sql
from wallet.keys import api_tokens
from wallet.keys.session_store import SessionStore
from wallet.ledger.writing import preparing_cursor

#: The columns of a table and of a seat that are read, the last one of the account of who holds it.
TABLE = ("id", "version", "status", "deadline_ms", "computer_due_ms", "last_outage", "phase")
SEAT = (
    *("table_id", "id", "seat", "user_id", "connection", "connection_number", "seen_ms", "left_at"),
    "forbids_watching",
)
#: The version expected of a table whose seats must be read.
UNKNOWN = -1
#: A table is read while its clock has at most this many ms left.
SOON = 2_500
#: The members of an object, the items of a list, a list of values, one of many rows, values to be digested, and the
#: digest of many, in whatever order: on PostgreSQL of hashes, since texts of so many rows would cost most of the look.
_WORDS = {
    "postgresql": {
        "members": "json_each_text(%s::json)",
        "items": "json_array_elements_text(%s::json)",
        "row": "json_build_array",
        "rows": "json_agg",
        "line": "ROW",
        "digest": "bit_xor(hash_record_extended(line, 0))",
        "noted": """noted AS (UPDATE {heartbeat} SET at_ms = {clock}
            WHERE refused_ms IS NULL AND {clock} - at_ms >= {beat} AND {clock} - at_ms < %s RETURNING at_ms)""",
    },
    "sqlite": {
        "members": "json_each(%s)",
        "items": "json_each(%s)",
        "row": "json_array",
        "rows": "json_group_array",
        "line": "json_array",
        "digest": "MD5(CAST(json_group_array(line) AS text))",
        "noted": "noted AS (SELECT NULL AS at_ms WHERE %s < 0)",
    },
}
_LOOK = """WITH {noted}, looked_at AS (
    SELECT {of_table}, expected FROM {table}
    JOIN (SELECT CAST(key AS bigint) AS pk, CAST(value AS bigint) AS expected FROM {members}) AS e ON id = pk)
SELECT {clock},
    (SELECT CAST({row}(id, COALESCE((SELECT at_ms FROM noted), at_ms), refused_ms) AS text) FROM {heartbeat}),
    (SELECT MAX(id) FROM {outage}),
    (SELECT CAST({rows}({row}({of_table})) AS text) FROM looked_at WHERE version <> expected OR status <> 'open'
        OR computer_due_ms IS NOT NULL OR deadline_ms <= {clock} + {soon}
        OR last_outage < (SELECT MAX(id) FROM {outage})),
    (SELECT CAST({rows}({row}({of_seat})) AS text) FROM (SELECT s.*, a.forbids_watching FROM {seating} AS s
        JOIN looked_at AS t ON s.table_id = t.id AND t.version <> t.expected
        LEFT JOIN {account} AS a ON a.id = s.user_id
        WHERE s.freed_at IS NULL ORDER BY s.id) AS seats),
    (SELECT {digest} FROM (SELECT {line}(id, password, is_staff, is_superuser) AS line
        FROM {account} WHERE is_active AND id IN (SELECT CAST(value AS bigint) FROM {items})) AS accounts),
    (SELECT {digest} FROM (SELECT {line}(key, user_id) AS line
        FROM {token} WHERE created > %s AND key IN (SELECT value FROM {items})) AS tokens),
    (SELECT {digest} FROM (SELECT {line}(session_key, session_data) AS line
        FROM {session} WHERE expire_date > %s AND session_key IN (SELECT value FROM {items})) AS sessions)"""


@dataclass(frozen=True, slots=True)
class Keys:
    """What credentials name, each as a list in JSON: the ids of users, the keys of tokens, and those of sessions."""

    users: str = "[]"
    tokens: str = "[]"
    sessions: str = "[]"


@dataclass(frozen=True, slots=True)
class Look:
    """What one look has found."""

    #: The database clock, in ms since 1970 UTC.
    now: int
    #: The heartbeat, None where none was ever noted, and the id of the last outage, 0 where there was none.
    heartbeat: ServerHeartbeat | None
    last_outage: int
    #: The versions that were expected.
    expected: Mapping[int, int]
    #: The TABLE columns of each table that is not open and as expected, or where something is due soon or an outage has
    #: moved a clock; and the SEAT columns of each seat of those that are not as expected.
    tables: Sequence[list[Any]]
    seats: Sequence[list[Any]]
    #: A digest of the rows of accounts, tokens and sessions: where it is the same, so are they.
    digest: str


def look(expected: Mapping[int, int], keys: Keys = Keys(), heartbeat_within: int = 0) -> Look:
    """Look at the tables with these ids, each with the version expected of it, and at the rows with these keys.

    On PostgreSQL note the heartbeat as well where it was noted at most `heartbeat_within` ms ago; whatever else may be
    the case with it, see `outages.note_heartbeat`.
    """
    versions = "{" + ",".join([f'"{pk}":{version}' for pk, version in expected.items()]) + "}"
    oldest, now = map(connection.ops.adapt_datetimefield_value, (api_tokens.oldest(), timezone.now()))
    with preparing_cursor() as cursor:
        statement = _statement(connection.vendor, clock_in_sql())
        cursor.execute(statement, [heartbeat_within, versions, keys.users, oldest, keys.tokens, now, keys.sessions])
        clock, heartbeat, last_outage, tables, seats, *digests = cursor.fetchone()
    return Look(
        now=int(clock),
        heartbeat=ServerHeartbeat(**dict(zip(("id", "at_ms", "refused_ms"), orjson.loads(heartbeat), strict=True)))
        if heartbeat
        else None,
        last_outage=last_outage or 0,
        expected=expected,
        tables=orjson.loads(tables or "[]"),
        seats=orjson.loads(seats or "[]"),
        digest=" ".join(map(str, digests)),
    )


def as_list(values: Iterable[int | str]) -> str:
    """Return the values, each once, as a list in JSON."""
    return orjson.dumps(sorted(set(values))).decode()


@lru_cache(maxsize=1)
def _statement(vendor: str, clock: str) -> str:
    models = {"table": Table, "seating": Seating, "heartbeat": ServerHeartbeat, "outage": Outage, "token": Token}
    tables = {name: model._meta.db_table for name, model in models.items()}
    words = {**_WORDS[vendor]}
    noted = words.pop("noted").format(heartbeat=tables["heartbeat"], clock=clock, beat=outages.BEAT_MS)
    return _LOOK.format(
        noted=noted,
        clock=clock,
        soon=SOON,
        of_table=", ".join(TABLE),
        of_seat=", ".join(SEAT),
        account=get_user_model()._meta.db_table,
        session=SessionStore.get_model_class()._meta.db_table,
        **tables,
        **words,
    )
