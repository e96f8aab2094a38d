"""Every page and API response during a deal, as each kind of visitor gets it, and the stored rows."""

import json
import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from asgiref.sync import async_to_sync
from django.apps import apps
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from tables.models import Table
from tests.fleet.leak.knowledge import Viewer
from tests.fleet.leak.oracle import Oracle
from tests.unit.staff import walking

_APPS = {"wallet", "trail", "tables", "lobby", "authtoken", "keys"}
#: What of the addresses is asked at every look; all of them are at a thorough one.
_NEAR = ("table_id", "deal_id", "admin/tables/table/<object_id>/change", "admin/tables/deal/<object_id>/change",
         "admin/tables/match/<object_id>/change", "admin/tables/seating/<object_id>/change", "api/history",
         "api/lobby", "history/")  # fmt: skip
#: What is told there of cards is about the game, the same for everybody at any time, or of positions for practice; and
#: what is no page of ours.
_ABOUT_THE_GAME = ("how-to-play/", "api/socket/", "api/notation/", "api/puzzles/", "api/schema/", "api/docs/", "<url>")

#: What a reader finds in bytes: three letters of what is sealed may look like a card by chance, a dozen do not.
_READABLE = re.compile(rb"[ -~]{12,}")


class Samples(dict[str, Any]):
    """Values for the parameters of the addresses; those that do not concern the present table are 1."""

    def __missing__(self, name: str) -> Any:
        return 1


class Visitors:
    """The visitors, each with the seat whose knowledge they may be shown."""

    def __init__(self, staff: Client, stranger: Client) -> None:
        self._others: list[tuple[str, Client]] = [("anonymous", Client()), ("stranger", stranger), ("staff", staff)]

    def all(self, seated: Mapping[int, Client]) -> Iterator[tuple[str, Viewer, Client]]:
        yield from ((name, None, client) for name, client in self._others)
        yield from (("player", seat, client) for seat, client in seated.items())


def request_pages(
    oracle: Oracle, row: Table, visitors: Visitors, seated: Mapping[int, Client], *, thorough: bool
) -> None:
    """Let every visitor request all addresses of the table, or with `thorough` of the whole site."""
    samples = Samples({"table_id": row.pk, "deal_id": row.deal_id, "tables.table": row.pk, "tables.deal": row.deal_id,
                       "tables.match": row.deal.match_id if row.deal else 1, "code": "NOCODE", "key": row.book,
                       "app_label": "tables", "url": "nothing/"})  # fmt: skip
    for address in walking.addresses(samples):
        near = any(part in address.pattern for part in _NEAR)
        if not (near or thorough) or any(part in address.pattern for part in _ABOUT_THE_GAME):
            continue
        for name, viewer, client in visitors.all(seated):
            for method in ("GET", "POST") if address.pattern.startswith("api/") else ("GET",):
                oracle.text(f"{name}'s {method} {address.pattern}", viewer, _response(client, method, address))


def _response(client: Client, method: str, address: walking.Address) -> str:
    """Return the response with its headers, after rolling back what the request changed."""
    cache.clear()
    client.raise_request_exception = False
    with transaction.atomic(), walking._same_session(client):
        if method == "GET":
            answer: Any = client.get(address.path)
        else:
            answer = client.post(address.path, json.dumps({}), content_type="application/json")
        body = _streamed(answer) if answer.streaming else answer.content
        if answer.get("Content-Type") == "application/zip":
            body = _unpacked(body)
        transaction.set_rollback(True)
    return "\n".join([*(f"{name}: {value}" for name, value in answer.items()), body.decode(errors="replace")])


def _streamed(answer: Any) -> bytes:
    async def collected() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    return async_to_sync(collected)() if answer.is_async else b"".join(answer.streaming_content)


def _unpacked(archive: bytes) -> bytes:
    """Return the names and contents of all files in a ZIP."""
    with ZipFile(BytesIO(archive)) as files:
        return b"\n".join(part for name in files.namelist() for part in (name.encode(), files.read(name)))


def newest() -> dict[str, Any]:
    """Return the newest key of each model: rows added later belong to the present table."""
    return {model._meta.label: _last(model) for model in _models()}


def check_new_rows(oracle: Oracle, since: Mapping[str, Any]) -> None:
    """Return every row added since then, as in a dump of the database."""
    for model in _models():
        names = [each.attname for each in model._meta.concrete_fields]
        rows = (
            model._default_manager.filter(pk__gt=since[model._meta.label]) if _counts(model) else model._default_manager
        )
        for row in rows.values_list(*names):
            oracle.text(f"rows of {model._meta.label}", None, " | ".join(map(_written, row)))


def _models() -> list[Any]:
    return [model for model in apps.get_models() if model._meta.app_label in _APPS]


def _counts(model: Any) -> bool:
    return "Integer" in model._meta.pk.get_internal_type() or "AutoField" in model._meta.pk.get_internal_type()


def _last(model: Any) -> Any:
    newest = model._default_manager.order_by("-pk").values_list("pk", flat=True).first()
    return (newest or 0) if _counts(model) else None


def _written(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return b" ".join(_READABLE.findall(bytes(value))).decode()
    return json.dumps(value) if isinstance(value, dict | list) else str(value)
