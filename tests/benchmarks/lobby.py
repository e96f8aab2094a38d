"""The lobby with many open tables of one stake, beside the same lobby with ten.

The page and the API are requested through the whole of Django, by a player who is signed in. The two sizes take turns:
all tables but ten are closed, and opened again.
"""

from collections.abc import Mapping
from statistics import median
from time import perf_counter
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from config.process import demo
from lobby.stakes import selectors, services
from tables.models import Seating, Table
from tests.benchmarks.ledger import scratch_database
from wallet.play_money.services import open_wallet

FEW, SEATED = 10, 2
TURNS, REPEATS = 5, 5
ADDRESSES = {"page": "/", "api": "/api/lobby/"}
#: Bytes and milliseconds of one address.
Figures = dict[str, float]


def measure(count: int = 1_000) -> dict[str, Any]:
    """Return bytes and milliseconds of the lobby with `count` open tables of one stake, and with FEW."""
    with scratch_database():
        client, tables = _player(), _open_tables(count)
        many, few = _in_turns(client, tables)
    return {
        "what": f"the lobby with {count} open tables of one stake, on {connection.vendor}",
        "unit": "ms",
        "count": count,
        **many,
        "floor": {"what": f"the same with {FEW}", **few},
        "ratio": {name: round(many[name]["median"] / few[name]["median"], 2) for name in ADDRESSES},
    }


def _in_turns(client: Client, tables: list[int]) -> tuple[dict[str, Figures], dict[str, Figures]]:
    few: list[dict[str, Figures]] = []
    many: list[dict[str, Figures]] = []
    for _ in range(TURNS):
        for status, runs in ((Table.Status.CLOSED, few), (Table.Status.OPEN, many)):
            Table.objects.filter(pk__in=tables[FEW:]).update(status=status)
            runs.append({name: _figures(client, address) for name, address in ADDRESSES.items()})
    return _medians(many), _medians(few)


def _medians(runs: list[dict[str, Figures]]) -> dict[str, Figures]:
    return {
        name: {figure: round(median(run[name][figure] for run in runs), 2) for figure in runs[0][name]}
        for name in ADDRESSES
    }


def _figures(client: Client, address: str) -> Figures:
    size = len(_content(client, address))
    return {"bytes": size, "median": median(_milliseconds(client, address) for _ in range(REPEATS))}


def _milliseconds(client: Client, address: str) -> float:
    start = perf_counter()
    _content(client, address)
    return (perf_counter() - start) * 1000


def _content(client: Client, address: str) -> bytes:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address} answers {answer.status_code}"
    return answer.content


def _player() -> Client:
    user = get_user_model()._default_manager.create_user(username="bench", password=None)
    open_wallet(user)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client


def _open_tables(count: int) -> list[int]:
    """Open a table of every stake and `count` in all of the first one, where SEATED play; return those of the first."""
    demo.ensure_stakes()
    services.ensure_tables()
    table = Table.objects.get(stake_id=selectors.offered()[0]["id"])
    columns: Mapping[str, Any] = {field.attname: getattr(table, field.attname) for field in Table._meta.fields}
    copied = {**columns, "id": None, "seated": SEATED, "phase": "playing"}
    opened = Table.objects.bulk_create(Table(**copied) for _ in range(count - 1))
    seatings = (Seating(table=each, seat=seat, name=f"player{seat}") for each in opened for seat in range(SEATED))
    Seating.objects.bulk_create(seatings)
    return [table.pk, *(each.pk for each in opened)]
