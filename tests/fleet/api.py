"""All operations of the HTTP API, called by all roles with values from the schema and with hostile ones.

No request may be answered with a 500, and every refusal must be `{code, message, fields?}`.
"""

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from rest_framework.authtoken.models import Token

from config.process import demo
from lobby.backoffice.roles import ensure_roles
from lobby.models import Player
from tests.fleet.progress import progress
from tests.support.database import Figures, on_its_own
from wallet.audit.audit import audit
from wallet.keys.api_tokens import token_text
from wallet.play_money import services as play_money

#: Requests.
SIZE = 20_000
ROLES = ("anonymous", "player", "other", "support", "operations", "finance", "superuser")
METHODS = ("get", "post", "put", "patch", "delete", "options", "head")
_KIND = "application/json"
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 10**400, 1e308, float("nan"), float("inf"), 0.1, "",
    " ", "0", "-1", "1e5", "٣", "１", "NaN", "\x00", "a\x00b", "\ud800", "\u202e", "é" * 300, "x" * 10_000, "' OR 1 --",
    "<script>", "../../etc/passwd", "%00", "{{7*7}}", "2026-02-30", "2026-01-01T00:00:00+99:99", "9999-12-31", [], {},
    [1], {"a": 1}, [[[[]]]], "EUR", "FUN", "standard-points",
)  # fmt: skip
BODIES = (
    b"", b"{", b"null", b"[]", b'"x"', b"1", b"[" * 3_000, b'{"a":' * 3_000, b"\xff\xfe", b'{"a":1,"a":2}',
    b'{"username":"\\ud800","password":"\\ud800"}', b"NaN", b'{"stake":1e999}', b"x" * 100_000, b'{"__proto__":1}',
    b"1" * 5_000, b'{"buy_in":' + b"9" * 5_000 + b"}",
)  # fmt: skip
KINDS = (
    _KIND,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    "application/xml",
)


@dataclass(frozen=True, slots=True)
class Operation:
    """An address and method of the schema: its parameters by place, and the fields of its body."""

    method: str
    path: str
    parameters: tuple[Mapping[str, Any], ...]
    fields: Mapping[str, Any]


def run(*, seed: int, size: int) -> Figures:
    """Send `size` requests to a platform with a database of its own."""
    return on_its_own("api", play, seed, size)


def operations() -> list[Operation]:
    """Return the operations of the published schema."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    operations = []
    for path, methods in schema["paths"].items():
        for method, description in methods.items():
            operations.append(
                Operation(method, path, tuple(description.get("parameters", ())), _fields(schema, description))
            )
    return operations


def _fields(schema: Mapping[str, Any], description: Mapping[str, Any]) -> Mapping[str, Any]:
    content = description.get("requestBody", {}).get("content", {}).get(_KIND, {}).get("schema", {})
    reference = str(content.get("$ref", "")).rsplit("/", 1)[-1]
    fields: Mapping[str, Any] = schema["components"]["schemas"].get(reference, content).get("properties", {})
    return fields


def play(seed: int, size: int) -> Figures:
    chance, statuses, faults = random.Random(seed), Counter[str](), []
    published = operations()
    clients, keys, people = _people()
    for number in range(size):
        if number % 200 == 0:
            cache.clear()
            progress(number, size, "requests")
        role, operation = chance.choice(ROLES), published[number % len(published)]
        request = _request(chance, operation)
        fault, status = _ask(clients[role], keys.get(role) if chance.random() < 0.5 else None, request)
        statuses[str(status)] += 1
        if status == 401 or "/auth/" in operation.path:
            _sign_in(role, clients, keys, people)
        if fault:
            faults.append(f"{role} {request['method']} {request['path'][:120]} {request['body'][:80]!r}: {fault}")
    books = audit().differences
    faults += [f"the books: {difference}" for difference in books]
    return {
        "requests": size,
        "operations": len(published),
        "answers": dict(sorted(statuses.items())),
        "faults": faults[:50],
    }


def _people() -> tuple[dict[str, Client], dict[str, str], dict[str, Player]]:
    ensure_roles()
    demo.ensure_stakes()
    clients: dict[str, Client] = {}
    keys: dict[str, str] = {}
    people: dict[str, Player] = {}
    for role in ROLES[1:]:
        player = Player.objects.create_user(f"the.{role}"[:20], password="a horse at the table 9")
        play_money.open_wallet(player)
        player.is_staff = role not in ("player", "other")
        player.is_superuser = role == "superuser"
        player.save()
        player.groups.set(Group.objects.filter(name=role))
        people[role] = player
    for role in ROLES:
        _sign_in(role, clients, keys, people)
    return clients, keys, people


def _sign_in(role: str, clients: dict[str, Client], keys: dict[str, str], people: Mapping[str, Player]) -> None:
    """Sign in the role's browser and program, whatever a request did to their sessions."""
    clients[role] = Client(raise_request_exception=False)
    if role in people:
        clients[role].force_login(people[role])
        keys[role] = token_text(Token.objects.get_or_create(user=people[role])[0])


def _request(chance: random.Random, operation: Operation) -> dict[str, Any]:
    path, query = operation.path, {}
    for parameter in operation.parameters:
        value = _value(chance, parameter.get("schema", {}))
        text = value if isinstance(value, str) else json.dumps(value)
        text = text.encode("utf-8", "replace").decode()[:500]
        if parameter["in"] == "path":
            path = path.replace("{" + parameter["name"] + "}", quote(text, safe="") or "0")
        elif chance.random() < 0.7:
            query[parameter["name"]] = text
    if chance.random() < 0.1:
        query[chance.choice(["cursor", "page", "format", "limit", "x\x00"])] = str(chance.choice(HOSTILE))[:50]
    body = json.dumps(
        {name: _value(chance, schema) for name, schema in operation.fields.items() if chance.random() < 0.9}
    )
    raw = chance.choice(BODIES) if chance.random() < 0.1 else body.encode()
    return {
        "method": operation.method if chance.random() < 0.95 else chance.choice(METHODS),
        "path": path + (f"?{urlencode(query, errors='replace')}" if query else ""),
        "body": raw,
        "kind": _KIND if chance.random() < 0.95 else chance.choice(KINDS),
    }


def _value(chance: random.Random, schema: Mapping[str, Any]) -> Any:
    """Return a value: two in three fit the schema, the others are hostile."""
    if chance.random() < 0.34:
        return chance.choice(HOSTILE)
    if schema.get("enum"):
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "integer":
            return chance.choice(
                [0, 1, 2, 3, schema.get("minimum", 1), schema.get("maximum", 100), chance.randrange(50)]
            )
        case "boolean":
            return chance.random() < 0.5
        case "array":
            return [_value(chance, schema.get("items", {})) for _ in range(chance.randrange(3))]
    if schema.get("format") in ("date", "date-time"):
        return chance.choice(["2026-01-01", "2026-11-21T10:00:00Z", "2020-02-29"])
    return chance.choice(["asha", "standard-points", "standard-pool-101", "FUN", "ABCD2345", "x", "day", "jsonl"])


def _ask(client: Client, key: str | None, request: Mapping[str, Any]) -> tuple[str, int]:
    """Return what is wrong with the answer, empty if nothing is, and its status."""
    headers = {"authorization": f"Token {key}"} if key else {}
    answer = client.generic(
        request["method"].upper(), request["path"], request["body"], content_type=request["kind"], headers=headers
    )
    content = async_to_sync(_whole)(answer) if answer.streaming else answer.content
    if answer.status_code >= 500:
        return f"{answer.status_code} {content[:80]!r}", answer.status_code
    if answer.status_code >= 400 and request["method"] not in ("head", "options"):
        try:
            error = json.loads(content)
        except ValueError:
            return f"{answer.status_code} is no JSON: {content[:60]!r}", answer.status_code
        if not {"code", "message"} <= set(error):
            return f"{answer.status_code} has no code and message: {content[:60]!r}", answer.status_code
    return "", answer.status_code


async def _whole(answer: Any) -> bytes:
    return b"".join([part async for part in answer])
