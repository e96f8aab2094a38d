"""Every page, action and API route in every role, against the checked-in matrix.txt.

A new address fails until it has a row. `RUMMY_WRITE_MATRIX=1` rewrites the file, to be reviewed before it is committed.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import URLResolver
from django.utils import timezone

from lobby.backoffice import services as backoffice
from lobby.collusion.models import Case
from lobby.daily import services as duplicates
from lobby.models import Note, Player, Report, SignIn, Stake, SupportRecovery
from lobby.stakes import services as stakes
from tables.daily.making import ensure_days, today
from tables.models import Deal, Entrant, Match, Seating, SharedDeal, Table, Template, Tournament
from tables.play.opening import open_table
from tables.staff.services import freeze_table
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory
from tests.support.tables import Client as AtTable
from tests.unit.lobby.puzzles.made import show, stored
from tests.unit.staff import walking
from wallet.adjustments import services as adjustments
from wallet.audit import acknowledgements
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, Actor
from wallet.models import Account, Acknowledgement, Adjustment, Posting, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bare_pages")]

#: Reached with a session but without a CSRF token, and why that does no harm.
NEEDS_NO_TOKEN = {
    "admin/<url>": "no such page",
    "favicon.ico": "a picture",
    "api/auth/token/": "answers to a name and a password only, not to the session",
}
#: Where a GET with a secret that is none is a failed try, and the table in which it is recorded as one.
RECORDED_ON_GET = dict.fromkeys(("account/email/<token>/", "login/forgotten/<uidb64>/<token>/"), "lobby_signin")
#: Made for nobody, and so kept by browsers.
SAME_FOR_EVERYBODY = ("manifest.webmanifest", "offline/", "language/<language>/words.js")
#: Signing in and out is open to everybody.
NO_STAFF_NEEDED = ("/admin/login/", "/admin/logout/")
#: Roles that are tried at the fast door; the others are with `--all`.
FAST = ("other", "support")
#: Nobody changes these by hand.
READ_ONLY = tuple(
    f"/admin/{path}/"
    for path in ("wallet/account", "wallet/posting", "wallet/transfer", "audit_log/auditentry",
                 "tables/table", "tables/seating", "tables/match", "tables/deal", "auth/group",
                 "tables/tournament", "tables/entrant")
)  # fmt: skip


@pytest.fixture
def bare_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what costs half of a page and says nothing of its status: the player in its head, pages of errors."""
    monkeypatch.setattr("lobby.context.SimpleLazyObject", lambda read: ())
    monkeypatch.setattr("config.errors.render", lambda request, template, status: HttpResponse(status=status))
    monkeypatch.setattr(
        URLResolver, "resolve_error_handler", lambda self, status: lambda request, **_: HttpResponse(status=status)
    )


@pytest.fixture
def samples(duel: tuple[AtTable, AtTable], staff: Mapping[str, Player]) -> dict[str, Any]:
    """Make one of everything: a table with a finished and a running deal, a stake, a private table, books and a
    trail."""
    first, _ = duel
    first.send("drop")
    finished = Deal.objects.get(status=Deal.Status.OVER)
    stake = StakeFactory()
    code = stakes.open_private(stake_id=stake.pk, user=staff["superuser"])
    asha = first.user
    note = backoffice.add_note(asha, "Calls often", PLATFORM)
    freeze_table(table_id=open_table(terms=stake.terms(), title="x", currency="FUN").pk,
                          reason="To have an entry", actor=PLATFORM)  # fmt: skip
    adjustment = adjustments.ask(
        request_id="one", player=asha, currency="FUN", amount=5_000, reason="Lost to a fault",
        actor=Actor("the_superuser", staff["superuser"]),
    )  # fmt: skip
    sign_in = SignIn.objects.filter(player=staff["superuser"]).first() or SignIn.objects.create(player=asha)
    share = SharedDeal.objects.create(deal=finished, user=asha, token="t" * 43, names_hidden=True)
    acknowledgement = acknowledgements.request_acknowledgement(
        check="drill", subject="x", message="y", reason="z", actor=Actor("the_superuser", staff["superuser"])
    )
    report = Report.objects.create(deal=finished, reporter=asha, about=Report.About.OTHER)
    complaint = Report.objects.create(reporter=asha, about=Report.About.ACCOUNT, text="My chips")
    one, other = sorted((asha, duel[1].user), key=lambda player: player.pk)
    case = Case.objects.create(one=one, other=other, evidence=5.0, deals=60, counted_at=timezone.now())
    recovery = SupportRecovery.objects.create(player=staff["finance"], asked_by=staff["support"], reason="Known")
    template = Template.objects.create(title="Evening", kind="knockout", book="standard-deals-6")
    tournament = Tournament.objects.create(
        template=template, title="Evening", kind="knockout", book="standard-deals-6", status="open", opens_ms=0
    )
    entrant = Entrant.objects.create(tournament=tournament, user=asha, name="asha")
    rows: dict[type, Any] = {
        Template: template.pk, Tournament: tournament.pk, Entrant: entrant.pk,
        Table: first.table, Seating: Seating.objects.earliest("pk").pk, Match: finished.match_id, Deal: finished.pk,
        Player: asha.pk, Stake: stake.pk, Group: Group.objects.earliest("pk").pk,
        AuditEntry: AuditEntry.objects.earliest("pk").pk,
        Account: Account.objects.earliest("pk").pk, Posting: Posting.objects.earliest("pk").pk,
        Transfer: Transfer.objects.earliest("pk").pk, Adjustment: adjustment.pk, Note: note.pk, SignIn: sign_in.pk,
        Report: report.pk, SupportRecovery: recovery.pk,
        Acknowledgement: acknowledgement.pk, Case: case.pk,
    }  # fmt: skip
    ensure_days()
    return {
        **{model._meta.label_lower: pk for model, pk in rows.items()},  # type: ignore[attr-defined]
        "table_id": first.table, "deal_id": finished.pk, "stake_id": stake.pk, "code": code, "id": asha.pk,
        "content_type_id": walking.content_type_of(Stake), "object_id": stake.pk, "app_label": "lobby",
        "url": "nothing/", "key": "standard-points", "token": share.token, "uidb64": "MQ", "family": "points",
        "match_id": finished.match_id, "invitation_id": 1, "player_id": asha.pk, "language": "hi",
        "tournament_id": tournament.pk, "report_id": complaint.pk, "day": f"{today(timezone.now())}",
        "match_code": duplicates.open_match(user=asha).code, "name": "tara", "file": "grammar.ebnf", "part": 1,
        "puzzle_id": stored(show())[0].pk, "run_id": 10**9,
    }  # fmt: skip


@pytest.fixture
def clients(duel: tuple[AtTable, AtTable], staff: Mapping[str, Player]) -> dict[str, Client]:
    return {
        "anonymous": Client(),
        "player": browser_of(duel[0].user),
        "other": browser_of(signed_up("tara")),
        **{role: browser_of(person) for role, person in staff.items()},
    }


def ids_for(pattern: str, samples: dict[str, Any]) -> str:
    parts = pattern.split("/")
    return str(samples.get(".".join(parts[1:3]), "")) if parts[0] == "admin" and len(parts) > 3 else ""


def answers_by_address(
    samples: dict[str, Any], clients: dict[str, Client], roles: Sequence[str]
) -> dict[walking.Row, list[str]]:
    """Return the answers to each role; fail if a GET changes anything."""
    rows, wrote = {}, {}
    for address in walking.addresses(samples):
        for method in ("GET", "POST"):
            ids = ids_for(address.pattern, samples)
            with walking.writes() as written:
                rows[(method, f"/{address.pattern}")] = [
                    walking.try_address(clients[role], method, address, ids) for role in roles
                ]
            written = [each for each in written if RECORDED_ON_GET.get(address.pattern) not in each.split('"')]
            if method == "GET" and written:
                wrote[address.pattern] = written
    assert wrote == {}
    for label, action, model in walking.actions():
        pk = samples.get(label) or model.objects.values_list("pk", flat=True).first()
        rows[("ACTION", f"{label}:{action}")] = [walking.try_action(clients[role], label, action, pk) for role in roles]
    return rows


@pytest.mark.parametrize(
    "roles", [FAST, pytest.param([role for role in walking.ROLES if role not in FAST], marks=pytest.mark.slow)]
)
def test_every_address_and_action_answers_each_role_as_the_matrix_says_and_no_get_changes_anything(
    roles: Sequence[str], samples: dict[str, Any], clients: dict[str, Client]
) -> None:
    if os.environ.get("RUMMY_WRITE_MATRIX") and roles is FAST:
        walking.FILE.write_text(walking.written(answers_by_address(samples, clients, walking.ROLES)))
    tried = answers_by_address(samples, clients, roles)
    expected = {row: dict(zip(walking.ROLES, answers, strict=True)) for row, answers in walking.read().items()}
    assert sorted(tried.keys() - expected.keys()) == [], "not in the matrix"
    assert sorted(expected.keys() - tried.keys()) == [], "in the matrix, but no longer on the site"
    different = {
        (row, role): f"expected {expected[row][role]}, got {answer}"
        for row, answers in tried.items()
        for role, answer in zip(roles, answers, strict=True)
        if answer != expected[row][role]
    }
    assert different == {}


def test_no_answer_to_somebody_signed_in_is_kept(samples: dict[str, Any], clients: dict[str, Client]) -> None:
    """Of players and, at the addresses of staff, of staff; also of refusals, which say who was there."""
    kept = {}
    for address in walking.addresses(samples):
        of_staff = address.pattern.startswith(("admin/", "finance/", "api/finance/"))
        client = clients["superuser" if of_staff else "player"]
        cache.clear()
        answer = client.get(address.path)
        if "no-store" not in answer.headers.get("Cache-Control", "") and address.pattern not in SAME_FOR_EVERYBODY:
            kept[address.pattern] = answer.headers.get("Cache-Control")
    assert kept == {}


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
