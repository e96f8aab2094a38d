"""A person who is excluded, or plays for money already, cannot play for money under another name."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.test import Client, override_settings
from django.utils import timezone

from lobby.personal import closing
from tests.support.payments import declare, pan_of
from tests.support.players import PASSWORD, signed_up
from tests.support.staff import act, browser_of, employ
from wallet.audit import audit
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor
from wallet.base.errors import WalletError
from wallet.keys import signing
from wallet.payments.identity import eligibility, verification
from wallet.payments.models import Identity
from wallet.responsible_gaming import services as responsible_gaming

pytestmark = pytest.mark.django_db


def close(player: AbstractBaseUser) -> None:
    """Close the account as the player does, on their own page."""
    answer = browser_of(player).post("/account/close/", {"password": PASSWORD, "sure": "on"})
    assert answer.status_code == 302, answer.content.decode()


def verified_anew(by: Actor, pan: str, name: str = "bela") -> str:
    """Verify a new player with that PAN; return the code of the refusal, or nothing."""
    before = Identity.objects.exclude(verified_at=None).count()
    try:
        verification.verify(declare(signed_up(name)), "Seen the card", by, pan=pan)
    except WalletError as refused:
        assert Identity.objects.exclude(verified_at=None).count() == before
        return refused.code
    return ""


def no_more(asha: AbstractBaseUser) -> None:
    responsible_gaming.exclude(user=asha, period="month")


BEFORE: dict[str, tuple[Callable[[AbstractBaseUser], Any], ...]] = {
    "excluded": (no_more,),
    "excluded, and closed": (no_more, close),
}


@pytest.mark.parametrize("name", BEFORE)
def test_an_excluded_person_is_not_verified_under_another_name(name: str, asha: AbstractBaseUser, first: Actor) -> None:
    for step in BEFORE[name]:
        step(asha)
    assert verified_anew(first, pan_of(asha)) == "excluded_elsewhere"
    bela = Identity.objects.get(player__username="bela")
    assert [each.player_id for each in verification.excluded_like(bela)] == [asha.pk]
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert verified_anew(first, pan_of(asha), "chand") == ("" if name.endswith("closed") else "has_account")
        assert audit.audit().differences == []


def test_one_person_plays_for_money_in_one_account(asha: AbstractBaseUser, first: Actor) -> None:
    assert verified_anew(first, pan_of(asha)) == "has_account"
    assert verified_anew(first, "ZZZPZ9999Z", "chand") == ""
    with pytest.raises(IntegrityError), transaction.atomic():
        mark = Identity.objects.get(player_id=asha.pk).pan
        Identity.objects.filter(player__username="chand").update(pan=mark)


def test_a_closed_account_allows_a_new_one(asha: AbstractBaseUser, first: Actor) -> None:
    close(asha)
    declared = Identity.objects.get(player_id=asha.pk)
    assert (declared.verified_at, declared.proved_at is not None) == (None, True)
    assert verified_anew(first, pan_of(asha)) == ""
    assert audit.audit().differences == []


def test_the_same_person_is_found_with_a_new_key(asha: AbstractBaseUser, first: Actor, settings: Any) -> None:
    with override_settings(SECRET_KEY="another key of sixty characters, as long as a key has to be.",
                           SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):  # fmt: skip
        assert verified_anew(first, pan_of(asha)) == "has_account"


def test_no_pan_is_anywhere_only_its_mark(asha: AbstractBaseUser) -> None:
    declared = Identity.objects.get(player_id=asha.pk)
    assert declared.pan == signing.sign(signing.PAN, pan_of(asha))
    assert pan_of(asha) not in str(list(AuditEntry.objects.values()))
    Identity.objects.filter(pk=declared.pk).update(pan="")
    assert [each.message for each in audit.audit().differences] == ["its pan is not that of the trail"]


def test_support_gives_the_pan_and_reads_why_not(asha: AbstractBaseUser) -> None:
    no_more(asha)
    bela = declare(signed_up("bela"))
    support: Client = browser_of(employ("support"))
    page = support.get("/admin/gateways/identity/verify/", {"ids": bela.pk}).content.decode()
    assert "PAN" in page and f"asha, number {asha.pk}" in page
    for wrong in ("ABCDE1234F", "ABCPE1234"):
        assert act(support, "gateways_identity_verify", bela.pk, pan=wrong).status_code == 400
    answer = act(support, "gateways_identity_verify", bela.pk, pan=pan_of(asha).lower())
    content = support.get(answer["Location"]).content.decode()
    assert "excluded from play until" in content and f"as asha, number {asha.pk}" in content
    assert eligibility.obstacle(bela.player) is not None


def test_two_whose_proof_shows_no_pan_are_both_verified() -> None:
    support: Client = browser_of(employ("support"))
    for name in ("bela", "chand"):
        declared = declare(signed_up(name))
        act(support, "gateways_identity_verify", declared.pk)
        declared.refresh_from_db()
        assert declared.verified_at is not None and declared.pan == ""
        assert eligibility.obstacle(declared.player) is None


def test_identities_of_the_excluded_are_kept_until_that_ends(asha: AbstractBaseUser, settings: Any) -> None:
    settings.IDENTITIES_KEPT_DAYS = -1
    no_more(asha), close(asha)
    assert closing.forget_identities() == 0
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert closing.forget_identities() == 1
