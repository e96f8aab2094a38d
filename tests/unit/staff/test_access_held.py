"""What opens an account is held against the trail: what plain SQL opened, shut or exchanged is named by the audit."""

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.utils import timezone

from lobby.accounts import guests, services
from lobby.accounts.acts import access
from lobby.accounts.recovery import codes
from lobby.backoffice import services as backoffice
from lobby.backoffice.access_held import access_of_people
from lobby.backoffice.rights_held import rights_of_people
from lobby.models import PasswordCode, Player
from lobby.two_factor import services as two_factor
from lobby.two_factor.models import Authenticator, RecoveryCode
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import employ, enrol, from_the_app
from wallet.audit import nightly
from wallet.audit_log import state
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM
from wallet.keys import known, resealing, signing

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def found() -> list[tuple[str, str]]:
    return [(each.subject, each.message.removesuffix(" than by any act in the trail")) for each in access_of_people()]


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0, statement


@pytest.fixture
def people(settings: Any) -> dict[str, Player]:
    """A player with codes, one who is locked, a guest, and two of the staff with authenticators. Nothing is amiss."""
    settings.STAFF_TOTP = True
    asha, bela, guest = signed_up("asha"), signed_up("bela"), guests.create_guest()
    helper, boss = employ("support"), employ("superuser")
    codes.new_codes(asha)
    codes.temporary_code(bela)
    backoffice.lock_player(bela, "Asked us to", PLATFORM)
    enrol(helper)
    enrol(boss)
    assert found() == []
    return {"asha": asha, "bela": bela, "guest": guest, "helper": helper, "boss": boss}


PASSWORD_SET, CODES = "has another password", "has other recovery codes"
FACTOR, FACTOR_CODES = "has another authenticator", "has other codes instead of the authenticator"
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
        "UPDATE lobby_player SET is_active = TRUE WHERE id = {bela}", "bela", "is open, or is locked, otherwise",
    ),
    "an account locked": (
        "UPDATE lobby_player SET is_active = FALSE WHERE id = {asha}", "asha", "is open, or is locked, otherwise",
    ),
    "an address given": (
        "UPDATE lobby_player SET email = 'me@example.org' WHERE id = {asha}", "asha", "has another e-mail address",
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
        "UPDATE guard_authenticator SET confirmed_at = NULL WHERE player_id = {boss}", "boss", FACTOR,
    ),
    "an authenticator exchanged": (
        "UPDATE guard_authenticator SET sealed_secret = (SELECT sealed_secret FROM guard_authenticator"
        " WHERE player_id = {helper}) WHERE player_id = {boss}", "boss", FACTOR,
    ),
    "a token said to be given for a code": (
        "UPDATE guard_authenticator SET token_digest = 'ff' WHERE player_id = {boss}", "boss", FACTOR,
    ),
    "a code instead of the authenticator": (
        "INSERT INTO guard_recoverycode (authenticator_id, digest) SELECT id, 'ff' FROM guard_authenticator"
        " WHERE player_id = {boss}", "boss", FACTOR_CODES,
    ),
}  # fmt: skip


def test_what_plain_sql_exchanges_is_named(people: dict[str, Player]) -> None:
    names = {name: person.pk for name, person in people.items()}
    for tried, (statement, whose, words) in TRIED.items():
        with transaction.atomic():
            execute(statement.format(hash=f"'{make_password('known to me')}'", **names))
            assert (f"player {names[whose]}", words) in found(), tried
            assert {subject for subject, _ in found()} == {f"player {names[whose]}"}, tried
            transaction.set_rollback(True)


def test_an_account_that_vanished_is_named(people: dict[str, Player]) -> None:
    made = Player.objects.create(username="soon", password=make_password("gone again"))
    execute(f"DELETE FROM lobby_player WHERE id = {made.pk}")
    assert found() == [(f"player {made.pk}", "is in the trail and is not there any more")]


def test_a_used_code_that_opens_once_more_is_named(people: dict[str, Player], rf: Any) -> None:
    mine = codes.new_codes(people["asha"])
    codes.reset_password(rf.post("/"), username="asha", code=mine[0], password="fourteen louder cards")
    instead = two_factor.new_recovery_codes(people["boss"], _next_code(people["boss"]), PLATFORM)
    two_factor.check_code(people["boss"], instead[0])
    assert found() == []
    execute("UPDATE lobby_passwordcode SET used_at = NULL WHERE used_at IS NOT NULL")
    execute("UPDATE guard_recoverycode SET used_at = NULL WHERE used_at IS NOT NULL")
    assert found() == [(f"player {people['asha'].pk}", CODES), (f"player {people['boss'].pk}", FACTOR_CODES)]


def _next_code(person: Player) -> str:
    """The app's code for a moment later: the one of now was used."""
    Authenticator.objects.filter(player=person).update(last_step=0)
    return from_the_app(person)


def by_the_platform(people: dict[str, Player]) -> list[Callable[[], object]]:
    asha, guest, boss = people["asha"], people["guest"], people["boss"]
    return [
        lambda: services.change_password(player=asha, password="fourteen louder cards"),
        lambda: backoffice.unlock_player(people["bela"], "Called us", PLATFORM),
        lambda: guests.name_guest(guest=guest, username="nila", password=PASSWORD),
        lambda: two_factor.token_of(boss),
        lambda: two_factor.reset(boss, "Lost the telephone", PLATFORM),
        lambda: codes.new_codes(asha),
        lambda: Player.objects.create_user("given", email="given@example.org", password=PASSWORD),
    ]


def test_what_the_platform_does_is_an_act_and_tells_no_secret(people: dict[str, Player]) -> None:
    for act in by_the_platform(people):
        before = AuditEntry.objects.filter(what=access.CHANGED).count()
        act()
        assert found() == []
        assert AuditEntry.objects.filter(what=access.CHANGED).count() > before
    told = str(list(AuditEntry.objects.values_list()))
    secrets = [
        *Player.objects.values_list("password", flat=True),
        *PasswordCode.objects.values_list("digest", flat=True),
        *RecoveryCode.objects.values_list("digest", flat=True),
        "given@example.org",
    ]
    assert [each for each in secrets if each in told] == []


def test_saving_a_name_makes_no_act_of_what_came_past_the_platform_and_undoes_no_lock(
    people: dict[str, Player],
) -> None:
    asha = Player.objects.get(pk=people["asha"].pk)
    assert Player.objects.filter(pk=asha.pk).update(is_active=False, is_superuser=True)
    asha.display_name = "Asha R"
    asha.save()
    Player.objects.get(pk=asha.pk).save()
    employed = Player.objects.get(pk=asha.pk)
    employed.is_staff = True
    employed.save()
    assert (employed.is_active, employed.is_superuser, employed.display_name) == (False, True, "Asha R")
    assert found() == [(f"player {asha.pk}", "is open, or is locked, otherwise")]
    assert [each.message.partition(" ")[0] for each in rights_of_people()] == ["may"]


def test_marks_outlive_the_key_that_made_them(people: dict[str, Player], settings: Any) -> None:
    first, second = str(settings.SECRET_KEY), "another key of this installation, which is long enough for it"
    known.key_faults()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = second, [first]
    assert found() == []
    resealing.reseal()
    settings.SECRET_KEY_FALLBACKS = []
    signing.former.cache_clear()
    assert found() == []


def test_an_upgrade_tells_of_everybody_and_waits_a_day_for_software_of_before() -> None:
    with pytest.MonkeyPatch.context() as before:
        before.setattr(access, "_write", lambda *_: None)
        asha, boss = signed_up("asha"), employ("superuser")
        codes.new_codes(asha)
        enrol(boss)
        assert {subject for subject, _ in found()} == {f"player {asha.pk}", f"player {boss.pk}"}
        import_module("lobby.migrations.0010_access_known").known(apps, None)
        services.change_password(player=asha, password="set by software of before")
    assert found() == []
    nightly.run_nightly()
    with time_machine.travel(timezone.now() + state.GRACE + timedelta(hours=1)):
        assert found() == []
        Player.objects.filter(pk=asha.pk).update(is_active=False)
        assert len(found()) == 1
