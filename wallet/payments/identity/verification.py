"""Declarations of players about themselves, and their verification by staff. Every step enters the trail."""

from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record
from wallet.base.errors import WalletError
from wallet.base.report_zone import format_moment
from wallet.keys import signing
from wallet.language import worded
from wallet.payments.identity.eligibility import NotEligible, Obstacle, today, years
from wallet.payments.identity.jurisdictions import choices, named
from wallet.payments.models import Identity
from wallet.responsible_gaming import services as responsible_gaming

OLDEST = 120
#: The facts that staff verify. `declared_at` is one of them: staff must have seen the latest declaration.
DECLARED = ("jurisdiction", "birth_date", "declared_at")
#: The fields that the trail stores at each step.
FACTS = ("jurisdiction", "birth_date", "terms", "verified_at", "verified_by_id", "pan")


@transaction.atomic
def declare(*, player: AbstractBaseUser, jurisdiction: str, birth_date: date, actor: Actor) -> Identity:
    """Store where the player lives and when they were born, and that they accept the present terms.

    A declaration that differs from the former one is unverified. WalletError `unknown_place`, `bad_birth_date`.
    """
    if jurisdiction not in dict(choices(settings.MONEY_JURISDICTIONS)):
        raise WalletError("unknown_place", worded("Choose where you live from the list."))
    if not 0 <= years(birth_date, today()) <= OLDEST or birth_date > today():
        raise WalletError("bad_birth_date", worded("This cannot be the day on which you were born."))
    now = timezone.now()
    declaration = {"jurisdiction": jurisdiction, "birth_date": birth_date}
    fresh = {**declaration, "terms": settings.MONEY_TERMS, "terms_at": now, "declared_at": now}
    declared, created = _lock_or_create(player, fresh)
    before = None if created else _facts(declared)
    if not created:
        same = all(getattr(declared, name) == value for name, value in declaration.items())
        for name, value in (fresh if same else {**fresh, "verified_at": None, "verified_by": None}).items():
            setattr(declared, name, value)
        declared.save()
    record(actor, "identity.declare", declared, before=before, after=_facts(declared))
    return declared


def check_proved(player: AbstractBaseUser) -> None:
    """Raise NotEligible with `unproved` unless staff have ever verified the player, even if that no longer holds."""
    if reason := unproved(player):
        raise NotEligible(reason.code, reason.message)


def unproved(player: AbstractBaseUser) -> Obstacle | None:
    """Return why this player may not be paid out: staff have never verified who they are.

    None where they have.

    A payout is not play. Players who have moved, changed their declaration, not accepted new terms or lost their
    verification may not play any more, but may withdraw their balance, even with real money switched off. Two people
    of finance check each payment, and see whether the player is eligible.
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


def former_declarations(identity: Identity) -> list[tuple[str, str, datetime]]:
    """Return the player's differing former declarations, newest first: place, date of birth, time of declaration.

    They are read from the audit trail.
    """
    now, former = (identity.jurisdiction, identity.birth_date.isoformat()), []
    acts = AuditEntry.objects.filter(
        kind=identity._meta.label_lower, object_id=str(identity.pk), what="identity.declare"
    )
    for act in acts.order_by("-pk"):
        facts = act.after or {}
        before = facts.get("jurisdiction", ""), facts.get("birth_date", "")
        if before != now:
            now = before
            former.append((named(before[0]), before[1], act.at))
    return former


@transaction.atomic
def verify(identity: Identity, reason: str, actor: Actor, *, pan: str = "") -> None:
    """Record that staff have seen proof: the player may play for money, and may be paid out for good.

    `pan` is empty where the proof shows no PAN; then no other account of the same person is found.

    WalletError `own_identity`, `too_young`, `no_person`, `verified`, `changed`; `excluded_elsewhere` where the person
    is excluded in another account, even a closed one, and `has_account` where they play for money in another one.
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
    marks = signing.every_signature(signing.PAN, pan) if pan else []
    _check_other_accounts(declared, marks)
    try:
        with transaction.atomic():
            _set(declared, timezone.now(), person, marks[0] if marks else "", "identity.verify", reason, actor)
    except IntegrityError as error:
        raise WalletError("has_account", "Somebody else has just verified the person of this PAN.") from error


@transaction.atomic
def unverify(identity: Identity, reason: str, actor: Actor) -> None:
    """Bar the player from play for money until they are verified again; they may still withdraw their balance.

    WalletError `own_identity`, `not_verified`.
    """
    declared, _ = _lock_identity(identity, actor)
    if declared.verified_at is None:
        raise WalletError("not_verified", worded("This is not verified."))
    _set(declared, None, None, declared.pan, "identity.unverify", reason, actor)


@transaction.atomic
def forget_identity(identity: Identity, reason: str, actor: Actor) -> None:
    """Delete the declaration and record that in the trail, which still has its content."""
    record(actor, "identity.forget", identity, reason=reason)
    identity.delete()


def close_identity(player: AbstractBaseUser, actor: Actor) -> None:
    """End the verification of a player who closes their account.

    A declaration that was never verified is deleted: no payment needs it.
    """
    reason = "The account was closed."
    for identity in Identity.objects.select_for_update(of=("self",)).filter(player_id=player.pk):
        if identity.proved_at is None:
            forget_identity(identity, reason, actor)
        elif identity.verified_at is not None:
            _set(identity, None, None, identity.pan, "identity.unverify", reason, actor)


def excluded_like(identity: Identity) -> list[Identity]:
    """Return the declarations of other players who were born on the same day, and are excluded from play now."""
    others = Identity.objects.filter(birth_date=identity.birth_date).exclude(pk=identity.pk).select_related("player")
    by_player = {each.player_id: each for each in others.order_by("pk")}
    return [by_player[player_id] for player_id in responsible_gaming.exclusion_ends(by_player)]


def _check_other_accounts(declared: Identity, marks: list[str]) -> None:
    others = Identity.objects.filter(pan__in=marks).exclude(pk=declared.pk).select_related("player").order_by("pk")
    ends = responsible_gaming.exclusion_ends([each.player_id for each in others])
    for other in others:
        name = f"{other.player}, number {other.player_id}"
        if other.player_id in ends:
            until = ends[other.player_id]
            how_long = f"until {format_moment(until)}" if until else "for good"
            message = f"The person of this PAN is excluded from play {how_long}, as {name}."
            raise WalletError("excluded_elsewhere", message)
        if other.verified_at is not None:
            raise WalletError("has_account", f"The person of this PAN plays for money as {name}: one account each.")


def _set(declared: Identity, at: Any, by: int | None, pan: str, what: str, reason: str, actor: Actor) -> None:
    before = _facts(declared)
    declared.verified_at, declared.verified_by_id, declared.pan = at, by, pan
    declared.proved_at = declared.proved_at or at
    declared.save(update_fields=["verified_at", "verified_by", "proved_at", "pan"])
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
