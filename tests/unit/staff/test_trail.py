"""Staff actions are recorded once, with who, when, from where, why, before and after; the database keeps them
unchanged."""

import io
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import Error, connection, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.authtoken.models import Token

from lobby.accounts import rights
from lobby.backoffice import services as backoffice
from lobby.backoffice.roles import ROLES
from lobby.models import Note, Player, SignIn, Stake
from lobby.responsible_gaming import services as care
from tests.support.players import PASSWORD
from tests.support.staff import act, acts_of_staff, browser_of
from tests.support.stakes import StakeFactory
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, Actor
from wallet.base import triggers
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = pytest.mark.django_db
SQLITE = connection.vendor == "sqlite"


@pytest.fixture
def entries(asha: Player) -> None:
    """Add a row to each of the append-only tables."""
    backoffice.add_note(asha, "Calls often", PLATFORM)
    SignIn.objects.create(player=asha)
    responsible_gaming.exclude(user=asha, period="day")
    connection.check_constraints()


def refusal(sql: str) -> str:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    except Error as error:
        return str(error)
    return ""


@pytest.mark.databases
@pytest.mark.parametrize(
    "table", ["audit_log_auditentry", "lobby_signin", "lobby_note", "responsible_gaming_settingschange"]
)
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM {0}",
        "UPDATE {0} SET id = id + 1000",
        "UPDATE {0} SET id = id",
        "REPLACE INTO {0} SELECT * FROM {0}" if SQLITE else "TRUNCATE {0} CASCADE",
    ],
)
def test_the_database_refuses_to_change_what_was_written(entries: None, table: str, change: str) -> None:
    assert f"{table}: what was written stays" in refusal(change.format(table))


@pytest.mark.databases
def test_a_missing_trigger_is_reported(entries: None) -> None:
    assert triggers.missing(connection, triggers.append_only(*triggers.APPEND_ONLY)) == []
    triggers.remove(connection, triggers.append_only("audit_log_auditentry"))
    assert len(triggers.missing(connection, triggers.append_only(*triggers.APPEND_ONLY))) == 3
    assert not refusal("UPDATE audit_log_auditentry SET reason = 'x'")
    triggers.install(connection, triggers.append_only("audit_log_auditentry"))
    assert triggers.missing(connection, triggers.append_only(*triggers.APPEND_ONLY)) == []


def test_a_change_of_a_stake_is_recorded_with_reason_before_and_after(browser: Callable[[str], Client]) -> None:
    stake = StakeFactory()
    staff, address = browser("operations"), reverse("admin:lobby_stake_change", args=[stake.pk])
    form = staff.get(address).context["adminform"].form
    values = {name: "" if (value := form.get_initial_for_field(field, name)) is None else value
              for name, field in form.fields.items()}  # fmt: skip
    values = {name: value for name, value in values.items() if value is not False}
    assert staff.post(address, {**values, "fee_percent": 12}).status_code == 200
    assert not acts_of_staff().exists()
    assert (
        staff.post(address, {**values, "fee_percent": 12, "reason": "Costs"}, REMOTE_ADDR="9.9.9.9").status_code == 302
    )
    entry = acts_of_staff().get()
    assert (entry.action, entry.actor_name, entry.address, entry.reason) == (
        "stake.change",
        "the_operations",
        "9.9.9.9",
        "Costs",
    )
    assert (entry.before, entry.after) == ({"fee_percent": 10}, {"fee_percent": 12})


def filled_in(staff: Client, address: str) -> dict[str, Any]:
    """Return what the form at that address sends where nothing is changed in it."""
    form = staff.get(address).context["adminform"].form
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    values["groups"] = [group.pk for group in values.get("groups", ())]
    return {name: "" if value is None else value for name, value in values.items() if value is not False}


def test_a_form_does_not_undo_what_another_has_done_since_it_was_opened(browser: Callable[[str], Client]) -> None:
    """A page that was open when a stake was withdrawn would offer it again."""
    stake, boss = StakeFactory(), browser("superuser")
    address = reverse("admin:lobby_stake_change", args=[stake.pk])
    sent = {**filled_in(boss, address), "reason": "Tidied up"}
    assert f'name="seen" value="{sent["seen"]}"' in boss.get(address).content.decode()
    assert boss.post(address, sent).status_code == 302
    act(browser("superuser"), "lobby_stake_withdraw", stake.pk)
    before = acts_of_staff().count()
    answer = boss.post(address, sent)
    assert (answer.status_code, acts_of_staff().count()) == (200, before)
    assert "Somebody has changed this since you opened it" in answer.content.decode()
    assert boss.post(address, {**filled_in(boss, address), "reason": "Seen"}).status_code == 302
    stake.refresh_from_db()
    assert not stake.active


def test_nobody_writes_a_note_about_themselves(browser: Callable[[str], Client], staff: Mapping[str, Player]) -> None:
    support = browser("support")
    act(support, "lobby_player_note", staff["support"].pk, reason="To be trusted")
    assert "This is your own account" in support.get("/admin/").content.decode()
    assert not Note.objects.exists() and not acts_of_staff().exists()


def test_a_form_of_a_player_neither_locks_nor_opens_the_account(browser: Callable[[str], Client], asha: Player) -> None:
    """That is done by an action alone, whatever a page sends that was opened before."""
    boss, address = browser("superuser"), reverse("admin:lobby_player_change", args=[asha.pk])
    sent = {**filled_in(boss, address), "reason": "Tidied up"}
    assert "is_active" not in sent and boss.post(address, sent).status_code == 302
    act(boss, "lobby_player_lock", asha.pk)
    assert boss.post(address, {**sent, "is_active": "on"}).status_code == 302
    asha.refresh_from_db()
    assert not asha.is_active


def test_a_bulk_action_leaves_one_entry_for_each_row(browser: Callable[[str], Client]) -> None:
    stakes = [StakeFactory().pk, StakeFactory().pk]
    act(browser("operations"), "lobby_stake_withdraw", *stakes, reason="Nobody plays them")
    assert not Stake.objects.filter(active=True).exists()
    entries = [(entry.target_id, entry.before, entry.after) for entry in acts_of_staff()]
    assert entries == [(str(pk), {"active": True}, {"active": False}) for pk in stakes]


def test_granted_rights_are_recorded_and_passwords_never(
    browser: Callable[[str], Client], asha: Player, staff: Mapping[str, Player]
) -> None:
    root = browser("superuser")
    group = staff["support"].groups.get().pk
    values = {"username": "asha", "is_active": "on", "is_staff": "on", "groups": [group], "reason": "New colleague"}
    assert root.post(reverse("admin:lobby_player_change", args=[asha.pk]), values).status_code == 302
    entry = AuditEntry.objects.get(action="player.change")
    assert entry.after == {"is_staff": True, "groups": ["support"]}
    new = {"password1": "fresh quiet cards", "password2": "fresh quiet cards", "usable_password": "true"}
    assert root.post(reverse("admin:auth_user_password_change", args=[asha.pk]), new).status_code == 302
    assert AuditEntry.objects.filter(action="player.password", target_id=str(asha.pk)).exists()
    written = str(list(AuditEntry.objects.values_list("before", "after")))
    assert "quiet cards" not in written
    assert "md5$" not in written
    assert "argon2" not in written


@pytest.mark.parametrize("page", ["/admin/password_change/", "/account/password/"])
def test_staff_who_change_their_own_password_are_in_the_trail(
    browser: Callable[[str], Client], staff: Mapping[str, Player], page: str
) -> None:
    support, token = browser("support"), Token.objects.create(user=staff["support"])
    form = {"old_password": PASSWORD, "new_password1": "fresh quiet decks", "new_password2": "fresh quiet decks"}
    assert support.post(page, {**form, "old_password": "wrong"}).status_code in (200, 400)
    assert not AuditEntry.objects.filter(action="player.password").exists()
    assert support.post(page, form).status_code == 302
    entry = AuditEntry.objects.get(action="player.password")
    assert (entry.user_id, entry.target_id) == (staff["support"].pk, str(staff["support"].pk))
    assert "quiet decks" not in str(AuditEntry.objects.values())
    assert not Token.objects.filter(pk=token.pk).exists()
    assert support.get("/admin/").status_code == 200


def test_a_player_who_changes_their_password_is_not_in_the_trail(asha: Player) -> None:
    form = {"old_password": PASSWORD, "new_password1": "fresh quiet decks", "new_password2": "fresh quiet decks"}
    assert browser_of(asha).post("/account/password/", form).status_code == 302
    assert not AuditEntry.objects.filter(action="player.password").exists()


def test_support_locks_and_opens_an_account_and_writes_notes(browser: Callable[[str], Client], asha: Player) -> None:
    support = browser("support")
    session = Client()
    session.force_login(asha)
    act(support, "lobby_player_note", asha.pk, reason="Shares a phone with Ravi")
    act(support, "lobby_player_lock", asha.pk, reason="Asked us to")
    asha.refresh_from_db()
    assert not asha.is_active
    assert session.get("/account/").status_code == 302
    page = support.get(reverse("admin:lobby_player_change", args=[asha.pk])).content.decode()
    assert "Shares a phone with Ravi" in page
    assert "Asked us to" in page
    assert "10,000 chips" in page
    act(support, "lobby_player_unlock", asha.pk, reason="Wants to play again")
    asha.refresh_from_db()
    assert asha.is_active
    assert [e.action for e in acts_of_staff()] == ["player.note", "player.lock", "player.unlock"]
    assert Note.objects.get().author is not None


def test_the_trail_shows_notes_only_to_whom_the_page_of_the_player_shows_them(
    browser: Callable[[str], Client], staff: Mapping[str, Player], asha: Player
) -> None:
    support = Actor("the_support", staff["support"])
    backoffice.add_note(asha, "Shares a phone with Ravi", support)
    backoffice.lock_player(asha, "Asked us to", support)
    note, lock = (AuditEntry.objects.get(action=f"player.{name}").pk for name in ("note", "lock"))
    trail = reverse("admin:audit_log_auditentry_changelist")
    for role in ("finance", "operations"):
        reader = browser(role)
        shown = reader.get(trail, {"q": str(asha.pk)}).content.decode()
        assert "player.lock" in shown and f"/{note}/change/" not in shown, role
        assert reader.get(reverse("admin:audit_log_auditentry_change", args=[lock])).status_code == 200
        assert (
            "phone"
            not in reader.get(reverse("admin:audit_log_auditentry_change", args=[note]), follow=True).content.decode()
        )
    assert (
        "phone" in browser("superuser").get(reverse("admin:audit_log_auditentry_change", args=[note])).content.decode()
    )


def test_support_touches_no_staff_account_and_nobody_their_own(staff: Mapping[str, Player]) -> None:
    support = Actor("the_support", staff["support"])
    root = Actor("the_superuser", staff["superuser"])
    acts = (
        backoffice.lock_player,
        backoffice.unlock_player,
        backoffice.end_shared_links,
        partial(care.exclude_by_staff, "month"),
        care.lift,
    )
    for target, actor in (("superuser", support), ("finance", support), ("superuser", root)):
        for each in acts:
            with pytest.raises(rights.StaffRefusal, match=r"superuser acts|your own"):
                each(staff[target], "For fun", actor)
    assert not AuditEntry.objects.filter(action__startswith="player.e").exists()
    backoffice.lock_player(staff["finance"], "Has left", root)
    assert not Player.objects.get(pk=staff["finance"].pk).is_active


@pytest.mark.databases
def test_every_sign_in_is_recorded_with_time_address_and_client(asha: Player, browser: Callable[[str], Client]) -> None:
    visitor = Client(REMOTE_ADDR="8.8.4.4", headers={"user-agent": "Lynx <b>"})
    visitor.post("/login/", {"username": "asha", "password": "wrong"})
    assert [sign_in.succeeded for sign_in in asha.sign_ins.all()] == [False]
    visitor.post("/login/", {"username": "asha", "password": PASSWORD})
    entry = asha.sign_ins.get(succeeded=True)
    assert (entry.address, entry.client) == ("8.8.4.4", "Lynx <b>")
    page = browser("support").get(reverse("admin:lobby_player_change", args=[asha.pk])).content.decode()
    assert page.count("8.8.4.4") == 2
    assert "failed" in page
    assert "Lynx &lt;b&gt;" in page


@pytest.mark.databases
def test_roles_are_restored_whenever_the_database_is_migrated(staff: Mapping[str, Player]) -> None:
    group = staff["support"].groups.get()
    group.permissions.add(Permission.objects.get(codename="change_player"))
    call_command("migrate", verbosity=0)
    permissions = {f"{row.content_type.app_label}.{row.codename}" for row in group.permissions.all()}
    assert permissions == set(ROLES["support"])


def test_every_permission_of_a_role_exists() -> None:
    rows = Permission.objects.select_related("content_type")
    existing = {f"{row.content_type.app_label}.{row.codename}" for row in rows}
    assert {name for names in ROLES.values() for name in names} <= existing


@pytest.mark.databases
def test_search_accepts_any_text(browser: Callable[[str], Client], asha: Player) -> None:
    support = browser("support")
    for words in ("ash", "table 1", "7", "signup", "'; DROP TABLE", "<script>", "9" * 40, "²", "ash\0a"):
        assert support.get(reverse("admin:lobby_player_names"), {"q": words}).status_code == 200, words
        answer = support.get(reverse("admin:lobby_player_find"), {"q": words})
        assert answer.status_code == 200, words
        assert "<script>" not in answer.content.decode().split("content-main")[1], words


@pytest.mark.databases
def test_search_finds_players_and_postings_by_right(browser: Callable[[str], Client], asha: Player) -> None:
    def found(role: str, words: str) -> list[Any]:
        return [
            text for text, _ in browser(role).get(reverse("admin:lobby_player_find"), {"q": words}).context["found"]
        ]

    assert found("support", "ASH") == [f"Player asha (number {asha.pk})"]
    assert found("finance", f"signup:{asha.pk}") == [f"Posting signup:{asha.pk}"]
    assert found("support", f"signup:{asha.pk}") == []


def test_commands_that_create_and_change_accounts_are_in_the_trail(
    asha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long enough one")
    call_command("createsuperuser", "--noinput", "--username", "boss", "--email", "boss@example.org", verbosity=0)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.target_id) == ("player.superuser", str(Player.objects.get(username="boss").pk))
    assert entry.actor_name.startswith("manage.py createsuperuser, run by ")
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "another long one")
    call_command("changepassword", "asha", stdout=io.StringIO())
    changed = AuditEntry.objects.latest("pk")
    assert (changed.action, changed.target_id, changed.after) == (
        "player.password",
        str(asha.pk),
        {"password": "(set)"},
    )
    assert "another long one" not in str(AuditEntry.objects.values())
    assert Player.objects.get(pk=asha.pk).check_password("another long one")


def test_a_password_command_notifies_by_mail_and_ends_sessions(asha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    Player.objects.filter(pk=asha.pk).update(is_superuser=True, email="asha@example.com")
    Token.objects.create(user=asha)
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long enough one")
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "another long one")
    call_command("createsuperuser", "--noinput", "--username", "boss", "--email", "boss@example.org", verbosity=0)
    call_command("changepassword", "asha", stdout=io.StringIO())
    assert [(each.to, each.subject) for each in mail.outbox] == [
        (["asha@example.com"], "Thirteen: a superuser was made"),
        (["asha@example.com"], "Thirteen: your password was set anew"),
    ]
    assert "boss" in mail.outbox[0].body
    assert not Token.objects.exists()


def test_a_command_says_that_a_mail_did_not_go_out_and_has_done_its_work(
    asha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError("no server there")

    Player.objects.filter(pk=asha.pk).update(email="asha@example.com")
    monkeypatch.setattr("lobby.accounts.mail.send_mail", away)
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "another long one")
    output = io.StringIO()
    call_command("changepassword", "asha", stdout=io.StringIO(), stderr=output)
    assert "no server there" in output.getvalue()
    assert Player.objects.get(pk=asha.pk).check_password("another long one")


@pytest.mark.databases
def test_a_command_that_fails_leaves_no_account_and_no_entry(asha: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    before = AuditEntry.objects.count()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long enough one")
    with pytest.raises(CommandError):
        call_command("createsuperuser", "--noinput", "--username", "asha", "--email", "x@example.org", verbosity=0)
    assert AuditEntry.objects.count() == before
    assert not Player.objects.get(pk=asha.pk).is_superuser
