"""The keys that a database knows, refusals at the start, and the change of keys."""

from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import models

from lobby.two_factor import services as two_factor
from lobby.two_factor.models import SECRETS, Authenticator
from tests.support.players import signed_up
from wallet.audit import records
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import PLATFORM, record
from wallet.keys import key_registry, key_rotation, signing
from wallet.keys.deriving import fingerprint
from wallet.keys.encryption import SEALED_COLUMNS, Cipher
from wallet.keys.models import Key

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

A, B, C = (letter * 3 + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" for letter in "ABC")


class Keys:
    """The keys of the process that asks next."""

    def __init__(self, settings: Any) -> None:
        self.settings = settings

    def __call__(self, present: str, *, following: str = "", former: str = "") -> None:
        self.settings.SECRET_KEY = present
        self.settings.NEXT_SECRET_KEYS = [following] if following else []
        self.settings.SECRET_KEY_FALLBACKS = [each for each in (following, former) if each]


@pytest.fixture
def keys(settings: Any) -> Keys:
    keys = Keys(settings)
    keys(A)
    return keys


@pytest.fixture
def authenticator(keys: Keys) -> Authenticator:
    two_factor.pending_secret(signed_up("asha"))
    return Authenticator.objects.get()


def test_an_audit_with_another_key_says_so_before_all_that_differs(keys: Keys) -> None:
    key_registry.key_faults()
    record(PLATFORM, "drill", signed_up("asha"))
    keys(B)
    out, said = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit_ledger", stdout=out, stderr=said)
    assert ended.value.code == 1
    assert "holds another key" in said.getvalue() and "altered" in out.getvalue()
    keys(A)
    out, said = StringIO(), StringIO()
    call_command("audit_ledger", stdout=out, stderr=said)
    assert "no differences" in out.getvalue() and said.getvalue() == ""


def test_a_key_changes_in_two_steps_and_no_shorter_way(keys: Keys) -> None:
    assert key_registry.key_faults() == []
    keys(B, former=A)
    assert "does not know: give it to every process as RUMMY_NEXT_SECRET_KEY first" in key_registry.key_faults()[0]
    keys(A, following=B)
    assert key_registry.key_faults() == []
    keys(A)
    assert key_registry.key_faults() == [], "nobody seals with the next one yet: who does not have it may go on"
    keys(B, former=A)
    assert key_registry.key_faults() == []
    keys(A, following=B)
    assert key_registry.key_faults() == [], "both steps run side by side"
    keys(A)
    assert "sealed with a key that is not given here" in key_registry.key_faults()[0]
    keys(B)
    assert fingerprint(A)[:8] in key_registry.key_faults()[0]


def test_another_key_and_a_retired_one_are_refused_and_nothing_is_changed(keys: Keys) -> None:
    assert key_registry.key_faults() == []
    rows = list(Key.objects.values())
    keys(C)
    [fault] = key_registry.key_faults()
    assert fault.startswith(f"RUMMY_SECRET_KEY holds another key (fingerprint {fingerprint(C)[:8]})")
    assert fingerprint(A)[:8] in fault and A not in fault and C not in fault
    assert list(Key.objects.values()) == rows
    keys(A, following=B)
    key_registry.key_faults()
    keys(B, former=A)
    assert key_registry.key_faults() == []
    assert key_rotation.reseal().retired == [fingerprint(A)]
    keys(A, following=B)
    assert "a former key" in key_registry.key_faults()[0]
    keys(B)
    assert key_registry.key_faults() == []


def test_a_column_that_holds_nothing_sealed_tells_nothing_of_keys(authenticator: Authenticator, keys: Keys) -> None:
    Authenticator.objects.update(sealed_secret=b"")
    keys(B)
    assert key_registry.key_faults() == []


def test_a_database_from_before_its_keys_were_known_is_tried(authenticator: Authenticator, keys: Keys) -> None:
    keys(B)
    assert "does not open what lies in this database" in key_registry.key_faults()[0]
    assert not Key.objects.exists()
    keys(B, former=A)
    assert key_registry.key_faults() == [], "what was sealed before opens"
    assert {key.fingerprint for key in Key.objects.exclude(activated_at=None)} == {fingerprint(A), fingerprint(B)}
    keys(B)
    assert "not given here" in key_registry.key_faults()[0]


def test_a_secret_cannot_be_copied_from_one_person_to_another(authenticator: Authenticator) -> None:
    two_factor.pending_secret(signed_up("ravi"))
    other = Authenticator.objects.exclude(pk=authenticator.pk).get()
    other.sealed_secret = authenticator.sealed_secret
    with pytest.raises(InvalidTag):
        SECRETS.unseal(other)


@pytest.mark.parametrize("change", ["content", "place", "version", "form", "key", "cut", "nothing"])
def test_a_seal_opens_in_its_place_alone(keys: Keys, change: str) -> None:
    cipher = Cipher("tests")
    sealed = bytearray(cipher.seal(b"a hand of cards", "row", 7, 3))
    place = {"place": ("row", 8, 3), "version": ("row", 7, 4)}.get(change, ("row", 7, 3))
    if change in ("content", "form", "key"):
        sealed[{"content": 20, "form": 0, "key": 2}[change]] ^= 1
    if change == "cut":
        sealed = sealed[:12]
    if change == "nothing":
        assert cipher.unseal(bytes(sealed), *place) == b"a hand of cards"
        assert b"hand" not in sealed
        return
    with pytest.raises(InvalidTag):
        cipher.unseal(bytes(sealed), *place)


def test_every_column_that_holds_something_sealed_is_sealed_anew() -> None:
    known_columns = {(column.label, column.field) for column in SEALED_COLUMNS} | {("keys.Key", "verifiers")}
    binary = {
        (model._meta.label, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.BinaryField)
    }
    assert binary - known_columns == set(), "a new column of bytes: is it sealed? Then it belongs into SEALED_COLUMNS"


def test_after_a_change_the_former_key_is_needed_no_more(authenticator: Authenticator, keys: Keys) -> None:
    key_registry.key_faults()
    secret = SECRETS.unseal(authenticator)
    entry = record(PLATFORM, "test.act", authenticator)
    keys(A, following=B)
    key_registry.key_faults()
    keys(B, former=A)
    assert key_registry.key_faults() == []
    assert SECRETS.unseal(authenticator) == secret
    output = StringIO()
    call_command("reseal", stdout=output)
    assert fingerprint(A)[:8] in output.getvalue() and "RUMMY_OLD_SECRET_KEYS can be emptied" in output.getvalue()
    keys(B)
    signing.former_keys.cache_clear()
    authenticator.refresh_from_db()
    assert SECRETS.unseal(authenticator) == secret
    assert list(records.trail()) == []
    assert AuditEntry.objects.filter(action="key.retire").count() == 1
    # A second change carries on what checks the signatures of the first key.
    keys(B, following=C)
    key_registry.key_faults()
    keys(C, former=B)
    assert key_registry.key_faults() == []
    assert key_rotation.reseal().retired == [fingerprint(B)]
    keys(C)
    signing.former_keys.cache_clear()
    assert list(records.trail()) == []
    assert signing.is_signed(signing.TRAIL, "another content", entry.hash) is False


def test_unreadable_content_is_named_and_keeps_the_former_key(authenticator: Authenticator, keys: Keys) -> None:
    key_registry.key_faults()
    keys(A, following=B)
    key_registry.key_faults()
    keys(B, former=A)
    assert key_registry.key_faults() == []
    Authenticator.objects.update(sealed_secret=b"nothing that was sealed")
    output = StringIO()
    with pytest.raises(CommandError, match="1 rows open with no key"):
        call_command("reseal", stdout=output)
    assert f"two_factor.Authenticator {authenticator.pk}" in output.getvalue()
    assert not Key.objects.exclude(retired_at=None).exists()
    call_command("reseal", "--leave-unreadable", stdout=output)
    assert Key.objects.get(pk=fingerprint(A)).retired_at is not None


def test_nothing_is_sealed_anew_without_all_keys(authenticator: Authenticator, keys: Keys) -> None:
    key_registry.key_faults()
    keys(B)
    with pytest.raises(CommandError, match="sealed with keys that are not given here"):
        call_command("reseal")
    assert list(Key.objects.values_list("pk", flat=True)) == [fingerprint(A)]


def test_with_everything_stopped_the_command_alone_changes_the_key(authenticator: Authenticator, keys: Keys) -> None:
    key_registry.key_faults()
    secret = SECRETS.unseal(authenticator)
    keys(B, former=A)
    assert key_registry.key_faults(), "not without the two steps, while others may run"
    call_command("reseal", stdout=StringIO())
    keys(B)
    assert key_registry.key_faults() == []
    assert SECRETS.unseal(Authenticator.objects.get()) == secret


def test_days_stay_signed_after_the_key_is_retired(keys: Keys) -> None:
    content = f"{datetime(2026, 2, 3, tzinfo=UTC):%Y-%m-%d} 4 5 6"
    signed = signing.sign(signing.TRAIL, content)
    keys(B)
    assert not signing.is_signed(signing.TRAIL, content, signed)
    keys(B, former=A)
    Key.objects.create(fingerprint=fingerprint(A), activated_at=datetime.now(UTC))
    assert key_rotation.reseal().retired == [fingerprint(A)]
    keys(B)
    assert signing.is_signed(signing.TRAIL, content, signed)
    assert not signing.is_signed(signing.TRAIL, content + "7", signed)
