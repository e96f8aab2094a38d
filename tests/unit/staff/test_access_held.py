"""Access to accounts is audited against the trail: whatever plain SQL opened, locked or replaced is named."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction

from lobby.accounts import access, guests, services
from lobby.accounts.recovery import codes
from lobby.backoffice import services as backoffice
from lobby.backoffice.audit import access_of_people, rights_of_people
from lobby.models import PasswordCode, Player
from lobby.two_factor import services as two_factor
from lobby.two_factor.models import Authenticator, RecoveryCode
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import employ, enrol, from_the_app
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM
from wallet.keys import key_registry, key_rotation, signing

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def access_findings() -> list[tuple[str, str]]:
    findings = access_of_people()
    return [(row.subject, row.expected.removesuffix(" as the acts in the trail made it")) for row in findings]


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0, statement


@pytest.fixture
def people(settings: Any) -> dict[str, Player]:
    """Make a player with codes, a locked one, a guest, and two of the staff with authenticators; nothing is amiss."""
    settings.STAFF_TOTP = True
    asha, bela, guest = signed_up("asha"), signed_up("bela"), guests.create_guest()
    helper, boss = employ("support"), employ("superuser")
    codes.new_codes(asha)
    codes.temporary_code(bela)
    backoffice.lock_player(bela, "Asked us to", PLATFORM)
    enrol(helper)
    enrol(boss)
    assert access_findings() == []
    return {"asha": asha, "bela": bela, "guest": guest, "helper": helper, "boss": boss}


PASSWORD_SET, CODES = "the password", "the recovery codes"
FACTOR, FACTOR_CODES = "the authenticator", "the codes instead of the authenticator"
#: What is tried, whose account it is about, and what is said of it.
TRIED: dict[str, tuple[str, str, str]] = {
    "a password exchanged": ("UPDATE lobby_player SET password = {hash} WHERE id = {asha}", "asha", PASSWORD_SET),
    "another's password": (
        "UPDATE lobby_player SET password = (SELECT password FROM lobby_player WHERE id = {asha}) WHERE id = {boss}",
        "boss", PASSWORD_SET,
    ),
    "a password removed": ("UPDATE lobby_player SET password = '!' WHERE id = {asha}", "asha", PASSWORD_SET),
    "a guest with a password": ("UPDATE lobby_player SET password = {hash} WHERE id = {guest}", "guest", PASSWORD_SET),
    "an account opened": (
        "UPDATE lobby_player SET is_active = TRUE WHERE id = {bela}", "bela", "the account open or locked",
    ),
    "an account locked": (
        "UPDATE lobby_player SET is_active = FALSE WHERE id = {asha}", "asha", "the account open or locked",
    ),
    "an address given": (
        "UPDATE lobby_player SET email = 'me@example.org' WHERE id = {asha}", "asha", "the e-mail address",
    ),
    "a recovery code put there": (
        "INSERT INTO lobby_passwordcode (player_id, digest, made_at) SELECT {boss}, 'ff', made_at"
        " FROM lobby_passwordcode LIMIT 1", "boss", CODES,
    ),
    "a recovery code exchanged": (
        "UPDATE lobby_passwordcode SET digest = 'ff' WHERE id = (SELECT MIN(id) FROM lobby_passwordcode)",
        "asha", CODES,
    ),
    "a code of support that works for longer": (
        "UPDATE lobby_passwordcode SET expires_at = '2099-01-01 00:00:00+00:00' WHERE expires_at IS NOT NULL",
        "bela", CODES,
    ),
    "a code of support that works for ever": (
        "UPDATE lobby_passwordcode SET expires_at = NULL WHERE expires_at IS NOT NULL", "bela", CODES,
    ),
    "recovery codes removed": ("DELETE FROM lobby_passwordcode WHERE player_id = {asha}", "asha", CODES),
    "an authenticator removed": (
        "UPDATE two_factor_authenticator SET confirmed_at = NULL WHERE player_id = {boss}", "boss", FACTOR,
    ),
    "an authenticator exchanged": (
        "UPDATE two_factor_authenticator SET sealed_secret = (SELECT sealed_secret FROM two_factor_authenticator"
        " WHERE player_id = {helper}) WHERE player_id = {boss}", "boss", FACTOR,
    ),
    "a token said to be given for a code": (
        "UPDATE two_factor_authenticator SET token_digest = 'ff' WHERE player_id = {boss}", "boss", FACTOR,
    ),
    "a code instead of the authenticator": (
        "INSERT INTO two_factor_recoverycode (authenticator_id, digest) SELECT id, 'ff' FROM two_factor_authenticator"
        " WHERE player_id = {boss}", "boss", FACTOR_CODES,
    ),
}  # fmt: skip


def test_changes_by_plain_sql_are_reported(people: dict[str, Player]) -> None:
    names = {name: person.pk for name, person in people.items()}
    for tried, (statement, whose, words) in TRIED.items():
        with transaction.atomic():
            execute(statement.format(hash=f"'{make_password('known to me')}'", **names))
            assert (f"player {names[whose]}", words) in access_findings(), tried
            assert {subject for subject, _ in access_findings()} == {f"player {names[whose]}"}, tried
            transaction.set_rollback(True)


def test_a_deleted_account_is_reported(people: dict[str, Player]) -> None:
    player = Player.objects.create(username="soon", password=make_password("gone again"))
    execute(f"DELETE FROM lobby_player WHERE id = {player.pk}")
    assert access_findings() == [(f"player {player.pk}", "the account of which the trail tells")]


def test_a_used_code_made_valid_again_is_reported(people: dict[str, Player], rf: Any) -> None:
    recovery_codes = codes.new_codes(people["asha"])
    codes.reset_password(rf.post("/"), username="asha", code=recovery_codes[0], password="fourteen louder cards")
    with time_machine.travel(time.time(), tick=False):
        factor_codes = two_factor.new_recovery_codes(people["boss"], _next_code(people["boss"]), rf.post("/"))
    two_factor.check_code(people["boss"], factor_codes[0], rf.post("/"))
    assert access_findings() == []
    execute("UPDATE lobby_passwordcode SET used_at = NULL WHERE used_at IS NOT NULL")
    execute("UPDATE two_factor_recoverycode SET used_at = NULL WHERE used_at IS NOT NULL")
    assert access_findings() == [(f"player {people['asha'].pk}", CODES), (f"player {people['boss'].pk}", FACTOR_CODES)]


def _next_code(person: Player) -> str:
    """Return the app's code for a later moment: the present one was used."""
    Authenticator.objects.filter(player=person).update(last_step=0)
    return from_the_app(person)


def by_the_platform(people: dict[str, Player]) -> list[Callable[[], object]]:
    asha, guest, boss = people["asha"], people["guest"], people["boss"]
    return [
        lambda: services.change_hash(player=asha, password_hash=services.new_hash("fourteen louder cards")),
        lambda: backoffice.unlock_player(people["bela"], "Called us", PLATFORM),
        lambda: guests.name_guest(guest=guest, username="nila", password=PASSWORD),
        lambda: two_factor.token_of(boss),
        lambda: two_factor.reset(boss, "Lost the telephone", PLATFORM),
        lambda: codes.new_codes(asha),
        lambda: Player.objects.create_user("given", email="given@example.org", password=PASSWORD),
    ]


def test_changes_by_the_platform_are_acts_without_secrets(people: dict[str, Player]) -> None:
    for act in by_the_platform(people):
        before = AuditEntry.objects.filter(action=access.CHANGED).count()
        act()
        assert access_findings() == []
        assert AuditEntry.objects.filter(action=access.CHANGED).count() > before
    entries = str(list(AuditEntry.objects.values_list()))
    secrets = [
        *Player.objects.values_list("password", flat=True),
        *PasswordCode.objects.values_list("digest", flat=True),
        *RecoveryCode.objects.values_list("digest", flat=True),
        "given@example.org",
    ]
    assert [secret for secret in secrets if secret in entries] == []


def test_saving_a_name_records_no_outside_change_and_undoes_no_lock(people: dict[str, Player]) -> None:
    asha = Player.objects.get(pk=people["asha"].pk)
    assert Player.objects.filter(pk=asha.pk).update(is_active=False, is_superuser=True)
    asha.display_name = "Asha R"
    asha.save()
    Player.objects.get(pk=asha.pk).save()
    employed = Player.objects.get(pk=asha.pk)
    employed.is_staff = True
    employed.save()
    assert (employed.is_active, employed.is_superuser, employed.display_name) == (False, True, "Asha R")
    assert access_findings() == [(f"player {asha.pk}", "the account open or locked")]
    assert [finding.found for finding in rights_of_people()] == ["True"]


def test_what_was_read_again_is_what_a_change_is_measured_by(people: dict[str, Player]) -> None:
    asha = Player.objects.get(pk=people["asha"].pk)
    before, asha.avatar = asha.display_name, "rose"
    Player.objects.filter(pk=asha.pk).update(display_name="Asha R")
    asha.refresh_from_db(fields=["display_name"])
    asha.display_name = before
    asha.save()
    assert Player.objects.values_list("display_name", "avatar").get(pk=asha.pk) == (before, "rose")


def test_marks_outlive_the_key_that_made_them(people: dict[str, Player], settings: Any) -> None:
    first, second = str(settings.SECRET_KEY), "another key of this installation, which is long enough for it"
    key_registry.key_faults()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = second, [first]
    assert access_findings() == []
    key_rotation.reseal()
    settings.SECRET_KEY_FALLBACKS = []
    signing.former_keys.cache_clear()
    assert access_findings() == []
