"""Every page, action and API route in every role, against the checked-in matrix.txt.

A new address fails until it has a row. `RUMMY_WRITE_MATRIX=1` rewrites the file, to be reviewed before it is committed.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLResolver

from lobby.models import Player
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.unit.staff import walking

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon", "bare_pages")]

#: Reached with a session but without a CSRF token, and why that does no harm.
NEEDS_NO_TOKEN = {
    "admin/<url>": "no such page",
    "favicon.ico": "a picture",
    "api/auth/token/": "answers to a name and a password only, not to the session",
}
#: Where a GET with a secret that is none is a failed try, and the table in which it is recorded as one.
RECORDED_ON_GET = dict.fromkeys(("account/email/<token>/", "login/forgotten/<uidb64>/<token>/"), "lobby_signin")
#: Signing in and out is open to everybody.
NO_STAFF_NEEDED = ("/admin/login/", "/admin/logout/")
#: Pages of the staff. The fast door tries support at these, and another player elsewhere; `--all` tries all roles.
OF_STAFF = ("/admin/", "/finance/", "/api/finance/")
#: Nobody changes these by hand.
READ_ONLY = tuple(
    f"/admin/{path}/"
    for path in ("wallet/account", "wallet/posting", "wallet/transfer", "audit_log/auditentry",
                 "tables/table", "tables/seating", "tables/match", "tables/deal", "auth/group",
                 "tables/tournament", "tables/entrant")
)  # fmt: skip


@pytest.fixture
def bare_pages(bare_heads: None, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Leave out what costs half of a page and says nothing of its status: the player in its head, pages of errors."""
    settings.CSRF_FAILURE_VIEW = "tests.unit.staff.walking.forged"
    monkeypatch.setattr("config.errors.render", lambda request, template, status: HttpResponse(status=status))
    monkeypatch.setattr(
        URLResolver, "resolve_error_handler", lambda self, status: lambda request, **_: HttpResponse(status=status)
    )


def ids_for(pattern: str, samples: dict[str, Any]) -> str:
    parts = pattern.split("/")
    return str(samples.get(".".join(parts[1:3]), "")) if parts[0] == "admin" and len(parts) > 3 else ""


def answers_by_address(
    samples: dict[str, Any], clients: dict[str, Client], roles: Callable[[bool], Sequence[str]]
) -> dict[walking.Row, dict[str, str]]:
    """Return the answers by role, to the roles for pages of the staff or for others; fail if a GET changes anything."""
    rows, wrote = {}, {}
    for address in walking.addresses(samples):
        path, ids = f"/{address.pattern}", ids_for(address.pattern, samples)
        for method in ("GET", "POST"):
            with walking.writes() as written:
                rows[(method, path)] = {
                    role: walking.try_address(clients[role], method, address, ids)
                    for role in roles(path.startswith(OF_STAFF))
                }
            written = [each for each in written if RECORDED_ON_GET.get(address.pattern) not in each.split('"')]
            if method == "GET" and written:
                wrote[address.pattern] = written
    assert wrote == {}
    for label, action, model in walking.actions():
        pk = samples.get(label) or model.objects.values_list("pk", flat=True).first()
        rows[("ACTION", f"{label}:{action}")] = {
            role: walking.try_action(clients[role], label, action, pk) for role in roles(True)
        }
    return rows


@pytest.mark.parametrize("fast", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_every_address_and_action_answers_each_role_as_the_matrix_says_and_no_get_changes_anything(
    fast: bool, samples: dict[str, Any], clients: dict[str, Client]
) -> None:
    if os.environ.get("RUMMY_WRITE_MATRIX") and fast:
        walking.FILE.write_text(walking.written(answers_by_address(samples, clients, lambda _: walking.ROLES)))

    def roles(of_staff: bool) -> list[str]:
        usual = "support" if of_staff else "other"
        return [role for role in walking.ROLES if (role == usual) == fast]

    tried = answers_by_address(samples, clients, roles)
    expected = {row: dict(zip(walking.ROLES, answers, strict=True)) for row, answers in walking.read().items()}
    assert sorted(tried.keys() - expected.keys()) == [], "not in the matrix"
    assert sorted(expected.keys() - tried.keys()) == [], "in the matrix, but no longer on the site"
    different = {
        (row, role): f"expected {expected[row][role]}, got {answer}"
        for row, answers in tried.items()
        for role, answer in answers.items()
        if answer != expected[row][role]
    }
    assert different == {}


def test_a_write_is_seen_and_a_visitors_session_is_none() -> None:
    with walking.writes() as statements:
        browser_of(signed_up("tara"))
    assert any('"lobby_player"' in statement for statement in statements)
    assert not any("keys_storedsession" in statement for statement in statements)


def test_the_matrix_itself_lets_nobody_in_by_mistake() -> None:
    """What any matrix must say, whatever the requests were."""
    for (method, path), answers in walking.read().items():
        by_role = dict(zip(walking.ROLES, answers, strict=True))
        if path.startswith("/admin/") and path not in NO_STAFF_NEEDED:
            assert {by_role[role] for role in ("anonymous", "player", "other")} == {"login"}, (method, path)
        if path.startswith(READ_ONLY):
            changes = "/add/" in path or "/delete/" in path or (method == "POST" and "/change/" in path)
            assert not changes or {by_role[role] for role in walking.ROLES[3:]} == {"403"}, (method, path)
        if path.endswith(":delete_selected"):
            assert set(answers) <= {"login", "none", "403", "405"}, path
        assert "500" not in answers, path


def test_no_post_with_a_session_works_without_its_csrf_token(
    samples: dict[str, Any], staff: Mapping[str, Player]
) -> None:
    forger = Client(enforce_csrf_checks=True)
    forger.force_login(staff["superuser"])
    let_through = {}
    for address in walking.addresses(samples):
        answer = walking.try_address(forger, "POST", address, ids_for(address.pattern, samples))
        if answer not in ("403", "405") and address.pattern not in NEEDS_NO_TOKEN:
            let_through[address.pattern] = answer
    assert let_through == {}
