"""Every address of the site, with sample values, requested in each role."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

ROLES = ("anonymous", "player", "other", "support", "operations", "finance", "superuser")
FILE = Path(__file__).parent / "matrix.txt"
HEAD = f"""\
# Who may do what: every address of the site, and every bulk action of the admin, tried in every role.
#
# anonymous: not signed in. player: sits at the table and played the deal in question. other: another player.
# An entry is the status of the answer; "login": sent to the sign-in page; "asks": the action's page, which asks why;
# "none": the action does not exist for this role. GET and POST send sample values; a form that is shown again is 200.
#
# {"":<7}{"":<58}{" ".join(f"{role:<10}" for role in ROLES)}
""".rstrip()

Row = tuple[str, str]
#: A GET may write these: the session of the visitor, and who exported what.
OWN_BUSINESS = ("keys_storedsession", "wallet_exportrecord", "audit_log_auditentry")


@dataclass(frozen=True, slots=True)
class Address:
    """One pattern of the resolver and the path that its sample values make."""

    pattern: str
    path: str


def addresses(samples: dict[str, Any]) -> Iterator[Address]:
    """Yield every pattern, in the resolver's order; raise for a parameter without a sample value."""
    for parts in _walk(get_resolver().url_patterns, ()):
        text = "".join(_plain(str(part.pattern)) for part in parts)
        names = [name for part in parts for name in (*part.pattern.converters, *_groups(part.pattern))]
        values = {name: _sample(name, text, samples) for name in names}
        path = text
        for name, value in values.items():
            path = path.replace(f"<{name}>", str(value))
        yield Address(text, f"/{path}")


def _walk(patterns: list[Any], before: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, (*before, pattern))
        else:
            assert isinstance(pattern, URLPattern)
            yield (*before, pattern)


def _groups(pattern: Any) -> list[str]:
    return [name for name in ("app_label", "url") if f"(?P<{name}>" in str(pattern)]


def _plain(part: str) -> str:
    """Return `<int:table_id>` as `<table_id>`, and the admin's two regular expressions as paths."""
    if part.startswith("^(?P<app_label>"):
        return "<app_label>/"
    if part.startswith("(?P<url>"):
        return "<url>"
    out, rest = "", part
    while "<" in rest:
        head, _, tail = rest.partition("<")
        name, _, rest = tail.partition(">")
        out += f"{head}<{name.partition(':')[2] or name}>"
    return out + rest


def _sample(name: str, text: str, samples: dict[str, Any]) -> Any:
    if name == "object_id" and text.startswith("admin/") and "content_type_id" not in text:
        _, app, model, *_ = text.split("/")
        return samples.get(f"{app}.{model}", 1)
    return samples[name]


def actions() -> Iterator[tuple[str, str, Any]]:
    """Yield (app.model, action, model) of every bulk action of the admin, deletion included."""
    for model, model_admin in sorted(admin.site._registry.items(), key=lambda pair: pair[0]._meta.label_lower):
        verbs = [action.name for action in getattr(model_admin, "row_actions", ())]
        names = [action if isinstance(action, str) else action.__name__ for action in model_admin.actions or ()]
        for action in (*verbs, *names, "delete_selected"):
            yield model._meta.label_lower, action, model


def try_address(client: Client, method: str, address: Address, ids: str) -> str:
    """Return the answer to one request, after rolling back everything it did."""
    cache.clear()
    with transaction.atomic(), _same_session(client):
        if method == "GET":
            answer = client.get(address.path, {"ids": ids} if ids and _asks_why(address.pattern) else {})
        elif address.pattern.startswith("api/"):
            answer = client.post(address.path, json.dumps({}), content_type="application/json")
        else:
            answer = client.post(address.path, {"ids": ids, "reason": "The matrix tries it", "post": "yes"})
        transaction.set_rollback(True)
    return outcome_of(answer)


def _asks_why(pattern: str) -> bool:
    """Return whether this is the page of a staff action: admin/app/model/verb/."""
    parts = pattern.split("/")
    return len(parts) == 5 and "<" not in pattern and parts[3] not in ("add", "find")


def try_action(client: Client, label: str, action: str, pk: object) -> str:
    cache.clear()
    path = f"/admin/{label.replace('.', '/')}/"
    with transaction.atomic(), _same_session(client):
        answer = client.post(path, {"action": action, "_selected_action": [pk], "post": "yes"})
        transaction.set_rollback(True)
    if answer.status_code == 302 and f"/{action}/" in answer["Location"]:
        return "asks"
    outcome = outcome_of(answer)
    return "none" if outcome in ("302", "200") else outcome


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer to a form that came without its token, with nothing but the status."""
    return HttpResponse(status=403)


@contextmanager
def writes() -> Iterator[list[str]]:
    """Collect the statements of the block that change more than the visitor's own business."""
    statements: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")) and not any(table in sql for table in OWN_BUSINESS):
            statements.append(sql[:120])
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield statements


@contextmanager
def _same_session(client: Client) -> Iterator[None]:
    """Restore the session after a request that is rolled back, even if it signs out."""
    cookies = deepcopy(client.cookies)
    yield
    client.cookies = cookies


def outcome_of(answer: Any) -> str:
    if answer.status_code == 302 and "/login/" in answer["Location"]:
        return "login"
    return str(answer.status_code)


def content_type_of(model: type) -> int:
    return int(ContentType.objects.get_for_model(model).pk)


def read() -> dict[Row, list[str]]:
    """Return the checked-in expectations."""
    rows = {}
    for line in FILE.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            *address, rest = line.split(maxsplit=2)
            rows[(address[0], address[1])] = rest.split()
    return rows


def written(rows: dict[Row, dict[str, str]]) -> str:
    lines = []
    for (method, path), answers in rows.items():
        lines.append(f"  {method:<7}{path:<58}{' '.join(f'{answer:<10}' for answer in answers.values())}".rstrip())
    return "\n".join([HEAD, *lines, ""])
