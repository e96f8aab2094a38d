"""Lifting the database's time limits for a transaction that nobody waits for."""

from django.db import connection


def lift_timeouts() -> None:
    """Let the running transaction take as long as it needs, within and between its statements."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL lock_timeout = 0")
