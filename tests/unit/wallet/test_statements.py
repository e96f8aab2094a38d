"""The trail states amounts and rows, and two people known differences: changes behind the platform's back are named."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from lobby.accounts.sign_in import note_attempt
from lobby.backoffice import services as backoffice
from lobby.models import SignIn
from tables.models import Outage
from tests.support.database import rolled_back
from tests.support.freezes import lift_by_two
from tests.support.players import signed_up
from tests.support.staff import browser_of
from tests.unit.audit.busy import an_alarm
from wallet import adjustments
from wallet.audit import audit, nightly, records, requests
from wallet.audit.requests import request_acknowledgement
from wallet.audit.transfers import aborted
from wallet.audit_log.services import PLATFORM, STATEMENT, Actor, record, statements_of
from wallet.base import triggers
from wallet.base.errors import WalletError
from wallet.base.findings import ALTERED, REGISTERED_CHECKS, Finding, register
from wallet.ledger import settlement_freeze
from wallet.ledger.amounts import AMOUNTS
from wallet.ledger.triggers import TRIGGERS
from wallet.models import Acknowledgement, Freeze, Posting, Transfer
from wallet.play_money import refills, services as play_money
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
#: What the drill finds.
WRONG = Finding("drill", "nothing", ALTERED, "something", "nothing")


Person = Callable[[str], Any]
#: Copies an entry, with another place in the chain.
_COPIED = "at, actor_name, action, target_type, target_id, target_label, reason, after"
COPIED = (
    f"INSERT INTO audit_log_auditentry (id, {_COPIED}, previous_hash, hash)"
    f" SELECT 9000000, {_COPIED}, {{}} FROM audit_log_auditentry t WHERE id = {{}}"
)


def checks_with_findings(check: Callable[[], Any]) -> list[str]:
    return [f"{each.subject}: {each.message}" for each in check()]


def change(sql: str, *values: Any, table: str = "audit_log_auditentry") -> None:
    """Run SQL as the owner of the database, whom no trigger stops."""
    connection.check_constraints()
    is_kept = table in triggers.APPEND_ONLY
    triggers.remove(connection, triggers.append_only(table))
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        assert cursor.rowcount > 0
    triggers.install(connection, triggers.append_only(table) if is_kept else ())


# --- amounts


def test_welcome_chips_and_refills_are_held_against_the_settings_of_their_time(settings: Any) -> None:
    signed_up("asha")
    settings.SIGN_UP_CHIPS = 500
    bela = signed_up("bela")
    refills.refill(bela)
    assert [(entry.after or {})["SIGN_UP_CHIPS"] for entry in statements_of(AMOUNTS)] == [10_000, 500]
    assert checks_with_findings(records.grants) == []
    play_money.grant(user=bela, amount=700, key="signup:77", reason="sign_up")  # type: ignore[arg-type]
    [wrong] = checks_with_findings(records.grants)
    assert wrong.startswith(f"transfer {Transfer.objects.latest('pk').pk} ")
    assert "expected: 500 or 10000, as was in force; found: 700" in wrong


def test_a_refill_fills_up_to_the_level_and_not_beyond() -> None:
    dina = signed_up("dina")
    play_money.grant(user=dina, amount=1, key=f"refill:{dina.pk}:2026-01-01", reason="refill")  # type: ignore[arg-type]
    assert "at most 10000, as was in force; found: 10001" in checks_with_findings(records.grants)[0]


def test_grants_of_before_any_amounts_were_written_down_are_nobodys_fault() -> None:
    signed_up("asha")
    after = Posting.objects.latest("pk").pk
    change("DELETE FROM audit_log_auditentry")
    signed_up("bela")
    assert [(entry.after or {})["posting"] for entry in statements_of(AMOUNTS)] == [after]
    assert checks_with_findings(records.grants) == []


FORGERIES = {
    "altered": ("UPDATE audit_log_auditentry SET target_id = 'other' WHERE id = {first}", "{first}", "is not signed"),
    "dated back": (
        "UPDATE audit_log_auditentry SET at = '2001-01-01 00:00:00+00:00' WHERE id = {first}",
        "{first}",
        "is not signed",
    ),
    "of other facts": ("UPDATE audit_log_auditentry SET after = '{{}}' WHERE id = {first}", "{first}", "is not signed"),
    "vanished": ("DELETE FROM audit_log_auditentry WHERE id = {first}", "", "is missing"),
    "made up": (COPIED.format("hash, 'ff'", "{second}"), "9000000", "is not signed"),
    "put there again": (COPIED.format("previous_hash, hash", "{first}"), "9000000", "is duplicated"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_statement_cannot_be_changed_taken_or_made_up(name: str, settings: Any) -> None:
    signed_up("asha")
    settings.SIGN_UP_CHIPS = 500
    signed_up("bela")
    assert checks_with_findings(records.trail) == []
    first, second = statements_of(AMOUNTS).values_list("pk", flat=True)
    sql, subject, message = FORGERIES[name]
    change(sql.format(first=first, second=second))
    named = checks_with_findings(records.trail)
    assert any(f"entry {subject.format(first=first, second=second)}" in each and message in each for each in named)


def test_what_a_night_stated_cannot_be_cut_off() -> None:
    backoffice.add_note(signed_up("asha"), "Calls often", PLATFORM)
    assert nightly.run_nightly().differences == 0
    change(
        "DELETE FROM audit_log_auditentry"
        " WHERE id = (SELECT MAX(id) FROM audit_log_auditentry t WHERE action = 'rows.seal')"
    )
    assert "is missing" in checks_with_findings(records.trail)[0]


def test_staff_see_acts_and_no_statements(person: Person) -> None:
    signed_up("asha")
    assert statements_of(AMOUNTS).exists()
    listed = browser_of(person("omar")).get(reverse("admin:audit_log_auditentry_changelist")).context["cl"].queryset
    assert listed.exists()
    assert not listed.filter(target_type=STATEMENT).exists()


# --- rows


#: Changes of the same day of rows that are only added, by the table, and what is said of the row.
SAME_DAY = {
    "note rewritten": ("lobby_note", "UPDATE lobby_note SET text = 'Nothing'", "is altered"),
    "note of another": ("lobby_note", "UPDATE lobby_note SET author_id = player_id", "is altered"),
    "note gone": ("lobby_note", "DELETE FROM lobby_note", "is missing"),
    "note made up": (
        "lobby_note",
        "INSERT INTO lobby_note (id, player_id, at, text) SELECT 9000000, player_id, at, 'x' FROM lobby_note n",
        "is not signed",
    ),
    "sign-ins emptied": ("lobby_signin", "DELETE FROM lobby_signin", "is missing"),
    "sign-in from elsewhere": ("lobby_signin", "UPDATE lobby_signin SET address = '9.9.9.9'", "is altered"),
    "outage moved": ("tables_outage", "UPDATE tables_outage SET began_ms = 0", "is altered"),
    "outage made up": (
        "tables_outage",
        "INSERT INTO tables_outage (id, began_ms, ended_ms) VALUES (9000000, 1, 2)",
        "is not signed",
    ),
    "adjustment asked for earlier": (
        "wallet_adjustment",
        "UPDATE wallet_adjustment SET asked_at = '2001-01-01 00:00:00+00:00'",
        "is altered",
    ),
    "change of limits rewritten": (
        "responsible_gaming_settingschange",
        "UPDATE responsible_gaming_settingschange SET text = 'x'",
        "is altered",
    ),
}


def test_rows_that_are_only_added_are_sealed_as_they_are_written(person: Person) -> None:
    asha, fina = signed_up("asha"), person("fina")
    backoffice.add_note(asha, "Calls often", PLATFORM)
    note_attempt(None, asha.pk, how=SignIn.How.SESSION)
    Outage.objects.create(began_ms=1, ended_ms=2)
    responsible_gaming.exclude(user=asha, period="day")
    asked = {"request_id": "a", "player": asha, "currency": "FUN", "amount": 10_000, "reason": "A gift"}
    adjustments.ask(**asked, actor=Actor("fina", fina))
    assert audit.audit().differences == []
    for name, (table, sql, fault) in SAME_DAY.items():
        with rolled_back():
            change(sql, table=table)
            named = checks_with_findings(records.finished_rows_are_unchanged)
        assert named, name
        assert all(each.startswith(f"{table.rpartition('_')[2]} ") and fault in each for each in named), name


def test_a_made_up_row_is_named_although_another_has_gone() -> None:
    asha = signed_up("asha")
    for number in range(3):
        backoffice.add_note(asha, f"Calls {number}", PLATFORM)
    change("DELETE FROM lobby_note WHERE text = 'Calls 1'", table="lobby_note")
    change("INSERT INTO lobby_note (id, player_id, at, text) SELECT 9000000, player_id, at, 'x' FROM lobby_note n"
           " WHERE text = 'Calls 2'", table="lobby_note")  # fmt: skip
    gone, made_up = checks_with_findings(records.finished_rows_are_unchanged)
    assert "is missing" in gone
    assert made_up.startswith("note 9000000: is not signed")


# --- known differences


@pytest.fixture
def alarm() -> Iterator[None]:
    register(an_alarm)
    yield
    REGISTERED_CHECKS.remove(an_alarm)


@pytest.fixture
def person(db: None) -> Person:
    def made(name: str) -> Any:
        return get_user_model().objects.create_superuser(username=name, password="a long one")

    return made


def ask(user: Any, message: str = WRONG.message) -> Acknowledgement:
    return request_acknowledgement(
        check="drill", subject="nothing", message=message, reason="It is a drill", actor=Actor(str(user), user)
    )


def test_a_known_difference_freezes_settlement_no_more_and_stays_in_sight(
    alarm: None, person: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    fina, omar = person("fina"), person("omar")
    nightly.run_nightly()
    lift_by_two("We know what it is")
    requests.grant(ask(fina), "So it is", Actor("omar", omar))
    run = nightly.run_nightly()
    assert (run.differences, settlement_freeze.is_frozen(), settlement_freeze.books_status().differences) == (
        1,
        False,
        0,
    )
    assert run.findings[0]["acknowledged"] == Acknowledgement.objects.get().pk
    with pytest.raises(SystemExit) as status:
        call_command("audit_ledger")
    output = capsys.readouterr().out
    assert status.value.code == 1
    assert f"{WRONG} [acknowledged by fina and omar: It is a drill]" in output
    assert "clean except 1 acknowledged" in output
    # The night after still finds nothing wrong with itself.
    assert nightly.run_nightly().differences == 1
    assert Freeze.objects.count() == 1


def test_of_two_who_count_as_one_no_new_acknowledgement_is_taken_and_an_old_one_holds_and_is_named(
    alarm: None, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    fina, omar = person("fina"), person("omar")
    record(Actor("fina", fina), "player.change", omar, reason="New", after={"is_superuser": True})
    asked = ask(fina)
    with pytest.raises(WalletError, match="their rights"):
        requests.grant(asked, "So it is", Actor("omar", omar))
    with monkeypatch.context() as before_the_rule:
        before_the_rule.setattr("wallet.backoffice.requests.DEPENDENT", timedelta(0))
        requests.grant(asked, "So it is", Actor("omar", omar))
    found = nightly.run_nightly().findings
    assert [(each["check"], each.get("acknowledged")) for each in found] == [
        ("second person", None),
        ("drill", asked.pk),
    ]
    assert not settlement_freeze.is_frozen()


def test_what_is_no_money_is_named_and_stops_no_settlement() -> None:
    asha = signed_up("asha")
    backoffice.add_note(asha, "Calls often", PLATFORM)
    change("UPDATE lobby_note SET text = 'Never calls'", table="lobby_note")
    run = nightly.run_nightly()
    assert (run.differences, settlement_freeze.books_status().differences, settlement_freeze.is_frozen()) == (
        1,
        1,
        False,
    )
    change("UPDATE wallet_posting SET key = 'signup:99'", table="wallet_posting")
    assert nightly.run_nightly().findings[-1]["check"] == "finished row", "money stands first"
    assert settlement_freeze.is_frozen()
    assert {each.check for each in audit.audit().differences}.isdisjoint({"freeze", "audit run"})


def test_a_difference_that_grows_is_a_new_one(alarm: None, person: Person) -> None:
    fina, omar = person("fina"), person("omar")
    requests.grant(ask(fina, "is a little wrong"), "So it is", Actor("omar", omar))
    assert nightly.run_nightly().differences == 1
    assert settlement_freeze.is_frozen()


REWRITTEN = {
    "a note": ("lobby_note", "UPDATE lobby_note SET text = '{0}'"),
    "an act": ("audit_log_auditentry", "UPDATE audit_log_auditentry SET reason = '{0}' WHERE action = 'player.note'"),
    "a limit": ("responsible_gaming_limit", "UPDATE responsible_gaming_limit SET amount = {1}"),
    "the key of a posting": ("wallet_posting", "UPDATE wallet_posting SET key = 'signup:99{1}'"),
}


def test_an_acknowledgement_covers_what_the_row_said_and_nothing_else(person: Person) -> None:
    fina, omar = person("fina"), Actor("omar", person("omar"))
    asha = signed_up("asha")
    backoffice.add_note(asha, "Calls often", PLATFORM)
    responsible_gaming.set_limit(user=asha, kind="entries", period="day", amount=5_000, currency="FUN")
    connection.check_constraints()
    for name, (table, sql) in REWRITTEN.items():
        protecting = [each for each in (*TRIGGERS, *triggers.append_only(*triggers.APPEND_ONLY)) if each.table == table]
        with rolled_back(), connection.cursor() as cursor:
            triggers.remove(connection, protecting)
            cursor.execute(sql.format("Calls often.", 6))
            for each in audit.audit().new:
                asked = request_acknowledgement(**each.row, reason="A full stop", actor=Actor("fina", fina))
                requests.grant(asked, "So it is", omar)
            assert audit.audit().new == [], name
            cursor.execute(sql.format("Never calls, and owes us money", 7))
            assert cursor.rowcount > 0, name
            assert audit.audit().new != [], name


def test_an_acknowledgement_that_the_trail_does_not_take_is_not_asked_for(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    fina = person("fina")

    def full(*arguments: Any, **more: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("wallet.backoffice.requests.record", full)
    with pytest.raises(OSError):
        ask(fina)
    assert not Acknowledgement.objects.exists()


def test_nobody_acknowledges_alone_twice_or_without_a_reason(person: Person) -> None:
    fina, omar = Actor("fina", person("fina")), Actor("omar", person("omar"))
    acknowledgement = ask(fina.user)
    assert ask(omar.user) == acknowledgement
    for refused, code in (
        (lambda: requests.grant(acknowledgement, "yes", fina), "own_request"),
        (lambda: requests.grant(acknowledgement, "yes", Actor("a command")), "no_person"),
        (lambda: request_acknowledgement(check="a", subject="b", message="c", reason=" ", actor=fina), "no_reason"),
        (lambda: request_acknowledgement(**aborted("a", KeyError()).row, reason="old", actor=fina), "broke_off"),
    ):
        with pytest.raises(WalletError) as refusal:
            refused()
        assert refusal.value.code == code
    assert requests.acknowledged_differences() == {}
    requests.refuse(acknowledgement, "Put it right", omar)
    with pytest.raises(WalletError, match="refused"):
        requests.grant(acknowledgement, "yes", omar)
    with pytest.raises(WalletError, match="refused"):
        ask(omar.user)
    assert requests.acknowledged_differences() == {}


def test_an_acknowledgement_made_up_in_the_database_counts_for_nothing(alarm: None, person: Person) -> None:
    fina, omar = person("fina"), person("omar")
    ask(fina)
    Acknowledgement.objects.update(
        status="granted", decided_by=omar, decided_at=datetime.now(UTC), decision_reason="So it is"
    )
    assert [each.check for each in audit.audit().new] == ["acknowledgement", "drill"]
    confirmed = Acknowledgement.objects.get()
    Acknowledgement.objects.update(status="asked", decided_by=None, decided_at=None)
    requests.grant(confirmed, "So it is", Actor("omar", omar))
    assert audit.audit().new == []
    Acknowledgement.objects.update(subject="everything")
    assert WRONG in audit.audit().new


def test_staff_ask_and_decide_in_the_admin(alarm: None, person: Person) -> None:
    nightly.run_nightly()
    fina, omar = browser_of(person("fina")), browser_of(person("omar"))
    add = reverse("admin:wallet_acknowledgement_add")
    assert str(WRONG) in fina.get(add).content.decode()
    digest = requests.finding_digest("drill", "nothing", WRONG.message)
    assert fina.post(add, {"difference": digest, "reason": "It is a drill"}).status_code == 302
    acknowledgement = Acknowledgement.objects.get()

    def decide(browser: Client) -> None:
        page = reverse("admin:wallet_acknowledgement_grant")
        seen = browser.get(page, {"ids": acknowledgement.pk}).context["seen"]
        sent = {"ids": acknowledgement.pk, "reason": "So it is", "seen": seen}
        assert browser.post(page, sent).status_code == 302
        acknowledgement.refresh_from_db()

    decide(fina)
    assert acknowledgement.status == "asked"
    decide(omar)
    assert acknowledgement.status == "granted"
    content = omar.get(reverse("admin:wallet_acknowledgement_change", args=[acknowledgement.pk])).content.decode()
    assert "It is a drill" in content
    assert f'value="{digest}"' not in fina.get(add).content.decode()
