"""What a player declares about themselves, and how staff come to believe it. Every step enters the trail."""

from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record
from wallet.base.errors import WalletError
from wallet.base.report_zone import format_moment
from wallet.language import worded
from wallet.payments.identity.eligibility import NotEligible, Obstacle, today, years
from wallet.payments.identity.jurisdictions import choices, named
from wallet.payments.models import Identity

OLDEST = 120
#: What is verified: whoever declares anew, be it the same, has it verified as it is then.
DECLARED = ("jurisdiction", "birth_date", "declared_at")
#: What the trail keeps of each step.
FACTS = ("jurisdiction", "birth_date", "terms", "verified_at", "verified_by_id")


@transaction.atomic
def declare(*, player: AbstractBaseUser, jurisdiction: str, birth_date: date, actor: Actor) -> Identity:
    """Note where the player says they live and when they were born, and that they accept the terms as they are today.

    Where they say anything else than before, they are unverified again. WalletError `unknown_place`, `bad_birth_date`.
    """
    if jurisdiction not in dict(choices(settings.MONEY_JURISDICTIONS)):
        raise WalletError("unknown_place", worded("Choose where you live from the list."))
    if not 0 <= years(birth_date, today()) <= OLDEST or birth_date > today():
        raise WalletError("bad_birth_date", worded("This cannot be the day on which you were born."))
    now = timezone.now()
    said = {"jurisdiction": jurisdiction, "birth_date": birth_date}
    fresh = {**said, "terms": settings.MONEY_TERMS, "terms_at": now, "declared_at": now}
    declared, created = _lock_or_create(player, fresh)
    before = None if created else _facts(declared)
    if not created:
        same = all(getattr(declared, name) == value for name, value in said.items())
        for name, value in (fresh if same else {**fresh, "verified_at": None, "verified_by": None}).items():
            setattr(declared, name, value)
        declared.save()
    record(actor, "identity.declare", declared, before=before, after=_facts(declared))
    return declared


def check_proved(player: AbstractBaseUser) -> None:
    """Pass for whom staff have verified once, whatever became of it since; else NotEligible: see `unproved`."""
    if found := unproved(player):
        raise NotEligible(found.code, found.message)


def unproved(player: AbstractBaseUser) -> Obstacle | None:
    """Return what keeps this player from being paid out: that staff have never verified who it is.

    None where they have.

    Being paid out is no play. Who has moved to another place, has said something else about themselves, has not
    accepted new terms or was found out may not play any more, but what is in their balance is theirs, also where real
    money is switched off by now. Whom it is paid to, two people of finance look at in each case; they see how the
    player stands.
    """
    declared = Identity.objects.filter(player_id=player.pk).first()
    if declared is None:
        return Obstacle(
            "not_declared", worded("Please tell us first where you live and when you were born."), their_turn=True
        )
    if declared.proved_at is None:
        message = worded("Our staff have yet to verify who you are. What is in your balance is kept until then.")
        return Obstacle("not_verified", message, their_turn=False)
    return None


def former_declarations(identity: Identity) -> list[str]:
    """Return, newest first, what the player declared before, other than now, in words, from the audit trail."""
    now, found = (identity.jurisdiction, identity.birth_date.isoformat()), []
    acts = AuditEntry.objects.filter(
        kind=identity._meta.label_lower, object_id=str(identity.pk), what="identity.declare"
    )
    for act in acts.order_by("-pk"):
        said = act.after or {}
        before = said.get("jurisdiction", ""), said.get("birth_date", "")
        if before != now:
            now = before
            found.append(
                worded(
                    "{before}, born {before2}, on {at}",
                    before=named(before[0]),
                    before2=before[1],
                    at=format_moment(act.at),
                )
            )
    return found


@transaction.atomic
def verify(identity: Identity, reason: str, actor: Actor) -> None:
    """Note that staff have seen it proved: the player may play for money, and be paid out for ever.

    WalletError `own_identity`, `too_young`, `no_person`, `verified`, `changed`.
    """
    declared, person = _lock_identity(identity, actor)
    if declared.verified_at is not None:
        raise WalletError("verified", worded("This is verified already."))
    if any(getattr(declared, name) != getattr(identity, name) for name in DECLARED):
        raise WalletError("changed", worded("The player has declared something else since. Look again."))
    if years(declared.birth_date, today()) < settings.MONEY_MINIMUM_AGE:
        raise WalletError(
            "too_young",
            worded("The player is younger than {money_minimum_age}.", money_minimum_age=settings.MONEY_MINIMUM_AGE),
        )
    _set(declared, timezone.now(), person, "identity.verify", reason, actor)


@transaction.atomic
def unverify(identity: Identity, reason: str, actor: Actor) -> None:
    """Let the player play no longer for money until they are verified anew; what they have they may withdraw.

    WalletError `own_identity`, `not_verified`.
    """
    declared, _ = _lock_identity(identity, actor)
    if declared.verified_at is None:
        raise WalletError("not_verified", worded("This is not verified."))
    _set(declared, None, None, "identity.unverify", reason, actor)


def _set(declared: Identity, at: Any, by: int | None, what: str, reason: str, actor: Actor) -> None:
    before = _facts(declared)
    declared.verified_at, declared.verified_by_id = at, by
    declared.proved_at = declared.proved_at or at
    declared.save(update_fields=["verified_at", "verified_by", "proved_at"])
    record(actor, what, declared, reason=reason, before=before, after=_facts(declared))


def _lock_or_create(player: AbstractBaseUser, fresh: dict[str, Any]) -> tuple[Identity, bool]:
    return Identity.objects.select_for_update(of=("self",)).get_or_create(player_id=player.pk, defaults=fresh)


def _lock_identity(identity: Identity, actor: Actor) -> tuple[Identity, int]:
    if actor.user is None:
        raise WalletError("no_person", worded("A player is verified by a person."))
    if actor.user.pk == identity.player_id:
        raise WalletError("own_identity", worded("Nobody verifies themselves."))
    return Identity.objects.select_for_update(of=("self",)).get(pk=identity.pk), actor.user.pk


def _facts(declared: Identity) -> dict[str, Any]:
    return {name: getattr(declared, name) for name in FACTS}
