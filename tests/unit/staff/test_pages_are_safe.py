"""Every address: its headers, nothing inline, no user text taken for markup, no internals shown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, models, transaction
from django.http import HttpResponseBase
from django.test import Client

from lobby.models import Player
from tests.support.sampling import one_of_each
from tests.unit.staff import walking

pytestmark = pytest.mark.django_db

#: Made for nobody, and so kept by browsers.
SAME_FOR_EVERYBODY = ("manifest.webmanifest", "offline/", "language/<language>/words.js")
PAYLOAD = "\"'><script>alert(1)</script><img src=x>{{7*7}}"
#: Texts that a program reads: with anything else in them nothing works, whatever is escaped.
MEANT_FOR_PROGRAMS = {
    "password", "book", "currency", "status", "phase", "family", "kind", "name", "codename", "key", "digest", "model",
    "app_label", "session_key", "session_data", "private_code", "reference", "commitment", "signature", "connection",
    "request_id", "sealed_secret", "format", "what", "object_id", "outcome", "username", "how", "seal", "language",
    "target_id",
}  # fmt: skip
WITHOUT_SECRETS = re.compile(r"Traceback \(most recent|/site-packages/|DJANGO_SETTINGS_MODULE|SECRET_KEY")
INLINE = {
    "a style element": re.compile(r"<style[\s>]", re.I),
    "a style attribute": re.compile(r"<[a-z][^>]*\sstyle\s*=", re.I),
    "a script without src": re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*type=\"application/json\")[^>]*>", re.I),
    "a handler": re.compile(r"<[a-z][^>]*\son[a-z]+\s*=", re.I),
    "a javascript address": re.compile(r"(?:href|src|action)\s*=\s*[\"']?\s*javascript:", re.I),
}


def answers(
    clients: Mapping[str, Client], samples: Mapping[str, Any], user: str
) -> Iterator[tuple[walking.Address, str, HttpResponseBase]]:
    """Yield the answers to a GET of every address of this user that does not sign out, to them and to a stranger: those
    for staff are the superuser's, the others the player's."""
    for address in walking.addresses(dict(samples)):
        of_staff = address.pattern.startswith(("admin/", "finance/", "api/finance/"))
        if of_staff == (user == "superuser") and "logout" not in address.path:
            for role in ("anonymous", user):
                yield address, role, clients[role].get(address.path, secure=True)


def text(answer: HttpResponseBase) -> str:
    """Return the page's HTML, or nothing if it is no page."""
    if answer.streaming or not answer.get("Content-Type", "").startswith("text/html"):
        return ""
    return bytes(answer.content).decode()  # type: ignore[attr-defined]


def write_everywhere() -> int:
    """Write the payload into every text that people write, in every row that can be changed; return the number of
    rows."""
    written = 0
    for model in apps.get_models():
        fields = [
            field for field in model._meta.concrete_fields
            if isinstance(field, models.CharField | models.TextField) and field.name not in MEANT_FOR_PROGRAMS
            and not field.choices and not field.unique and not field.primary_key
        ]  # fmt: skip
        for field in fields:
            shortened = PAYLOAD[: field.max_length or len(PAYLOAD)]
            try:
                with transaction.atomic():
                    written += model._default_manager.update(**{field.attname: shortened})
            except DatabaseError:
                continue
    return written


@pytest.mark.parametrize("user", ["player", pytest.param("superuser", marks=pytest.mark.slow)])
def test_every_answer_has_its_headers_nothing_inline_and_nothing_written_is_taken_for_markup(
    clients: Mapping[str, Client], samples: Mapping[str, Any], settings: Any, user: str
) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000
    assert write_everywhere() > 20
    Player.objects.filter(username="asha").update(display_name="<script>alert(3)")
    checked, faults = 0, []
    for address, role, answer in answers(clients, samples, user):
        page = text(answer)
        checked += "&lt;script&gt;" in page
        problems = [*missing_headers(answer), *(problem for problem, pattern in INLINE.items() if pattern.search(page))]
        if re.search(r"<script>alert|<img src=x|'><scr|\"'>", page) or ">49<" in page:
            problems.append("what was written is markup")
        if answer.status_code >= 500 or WITHOUT_SECRETS.search(page):
            problems.append(f"{answer.status_code}")
        if role != "anonymous" and is_kept(answer) and address.pattern not in SAME_FOR_EVERYBODY:
            problems.append(f"may be kept by a browser: {answer.get('Cache-Control')}")
        faults += [f"{role} {address.path}: {fault}" for fault in problems]
    assert faults == []
    assert checked > 5, "the payload must have been on some pages"


def is_kept(answer: HttpResponseBase) -> bool:
    """Return whether a browser may keep the answer; even a refusal says who was there."""
    return "no-store" not in answer.get("Cache-Control", "")


def missing_headers(answer: HttpResponseBase) -> Iterator[str]:
    """Yield what is wrong with the headers of an answer."""
    expected = {
        "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin", "Strict-Transport-Security": "max-age=31536000",
    }  # fmt: skip
    for name, value in expected.items():
        if not answer.get(name, "").startswith(value):
            yield f"{name} is {answer.get(name)}"
    policy = answer.get("Content-Security-Policy", "")
    if "default-src 'self'" not in policy or "unsafe" in policy or "*" in policy:
        yield f"the policy is {policy!r}"


@pytest.mark.parametrize(
    "query", one_of_each(["q", "next", "family", "min", "code", "from", "cursor", "step", "ids", "currency", "_popup"])
)
def test_nothing_in_a_query_comes_back_as_markup(clients: Mapping[str, Client], query: str) -> None:
    pages = ["/", "/login/", "/signup/", "/private/find/", "/wallet/", "/history/", "/admin/lobby/player/find/",
             "/admin/lobby/player/", "/finance/", "/finance/entries/", "/api/docs/", "/nothing/"]  # fmt: skip
    for path in pages:
        for role in ("anonymous", "superuser"):
            answer = clients[role].get(path, {query: PAYLOAD})
            assert "<script>alert" not in text(answer), path
            assert answer.status_code < 500, path
            assert "\n" not in answer.get("Location", "")


@pytest.mark.parametrize("digits", [30, 5_000])
def test_a_number_of_any_length_is_answered(clients: Mapping[str, Client], digits: int) -> None:
    number, ids = "9" * digits, {"ids": "9" * digits, "reason": "A wish"}
    for path in (f"/history/{number[:30]}/", f"/report/{number[:30]}/", f"/api/deals/{number[:30]}/"):
        assert clients["player"].get(path).status_code == 404, path
    assert clients["player"].post(f"/report/{number[:30]}/read/").status_code == 302
    assert clients["player"].post("/private/", {"stake": number}).status_code < 500
    assert clients["superuser"].post("/admin/lobby/stake/withdraw/", ids).status_code == 302


@pytest.mark.parametrize("field", ["groups", "user_permissions"])
def test_a_right_of_no_number_is_refused(clients: Mapping[str, Client], samples: Mapping[str, Any], field: str) -> None:
    page = f"/admin/lobby/player/{samples['id']}/change/"
    for number in ("0", "-1", f"{2**31}", f"{2**63}", "9" * 5_000, "x", "\0"):
        answer = clients["superuser"].post(page, {"username": "asha", "reason": "A wish", field: ["1", number]})
        assert answer.status_code == 200, number
        assert field in answer.context["adminform"].form.errors, number


@pytest.mark.parametrize(
    ("what", "page"),
    [
        ("a style element", "<p><style>p{}</style>"),
        ("a style attribute", '<p class="x" style="color:red">'),
        ("a script without src", '<script type="module">x()</script>'),
        ("a handler", '<img src="x" onerror="y()">'),
        ("a javascript address", '<a href=" javascript:x()">'),
    ],
)
def test_the_check_finds_inline_script_and_style(what: str, page: str) -> None:
    assert [name for name, pattern in INLINE.items() if pattern.search(page)] == [what]
    assert not INLINE[what].search('<script src="/static/x.js"></script><p data-on="1">style= onx</p>')
