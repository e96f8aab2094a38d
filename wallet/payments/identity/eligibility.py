"""Who may play for money. Checked in the transaction in which money enters play or is paid in."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from wallet.base import money
from wallet.base.errors import WalletError
from wallet.language import worded
from wallet.models import Posting
from wallet.payments.identity.jurisdictions import named
from wallet.payments.models import Identity


class NotEligible(WalletError):
    """This player may not play for money, or not yet."""

    status = 403


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A reason why not: `code` for programs, `message` for the player; `their_turn` if they can remove it."""

    code: str
    message: str
    their_turn: bool


def check(user: AbstractBaseUser, currency: str) -> None:
    """Raise NotEligible with the first obstacle, where the currency is real money and there is one."""
    if money.currency(currency).real and (reason := obstacle(user)):
        raise NotEligible(reason.code, reason.message)


def admit(user: AbstractBaseUser, currency: str, key: str) -> None:
    """Check as `check` does, unless `key` was posted already: then nothing more enters play."""
    if money.currency(currency).real and (reason := obstacle(user)) and not Posting.objects.filter(key=key).exists():
        raise NotEligible(reason.code, reason.message)


def obstacle(user: AbstractBaseUser) -> Obstacle | None:
    """Return the first obstacle to this player's play for money; None without one."""
    if not settings.REAL_MONEY:
        return _money_off()
    return _obstacle_of(Identity.objects.filter(player_id=user.pk).first())


def barred(user_ids: Collection[int], currency: str) -> dict[int, NotEligible]:
    """Return the users who may not go on playing for money, each with the reason; empty for play money."""
    if not user_ids or not money.currency(currency).real:
        return {}
    if not settings.REAL_MONEY:
        off = _money_off()
        return {user_id: NotEligible(off.code, off.message) for user_id in user_ids}
    declared = {each.player_id: each for each in Identity.objects.filter(player_id__in=user_ids)}
    obstacles = {user_id: _obstacle_of(declared.get(user_id)) for user_id in user_ids}
    return {user_id: NotEligible(each.code, each.message) for user_id, each in obstacles.items() if each}


def _money_off() -> Obstacle:
    return Obstacle("money_off", worded("This platform plays for fun chips only."), their_turn=False)


def _obstacle_of(declared: Identity | None) -> Obstacle | None:
    if declared is None:
        return Obstacle(
            "not_declared", worded("Please tell us first where you live and when you were born."), their_turn=True
        )
    return _place(declared) or _too_young(declared) or _terms(declared) or _proof(declared)


def years(born: date, on: date) -> int:
    """Return the age in whole years of a person born on that day; a birthday on 29 February counts as 1 March."""
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


def today() -> date:
    """Return today's date in the operator's zone."""
    return timezone.now().astimezone(ZoneInfo(settings.REPORT_ZONE)).date()


def _place(declared: Identity) -> Obstacle | None:
    if declared.jurisdiction in settings.MONEY_JURISDICTIONS:
        return None
    where = worded(
        "You live in {jurisdiction}, where we may not offer play for money.", jurisdiction=named(declared.jurisdiction)
    )
    return Obstacle(
        "not_permitted_there", worded("{where} Fun chips are for everybody.", where=where), their_turn=False
    )


def _too_young(declared: Identity) -> Obstacle | None:
    if years(declared.birth_date, today()) >= settings.MONEY_MINIMUM_AGE:
        return None
    message = worded(
        "Play for money begins at {money_minimum_age}. Fun chips are for everybody.",
        money_minimum_age=settings.MONEY_MINIMUM_AGE,
    )
    return Obstacle("too_young", message, their_turn=False)


def _terms(declared: Identity) -> Obstacle | None:
    if declared.terms == settings.MONEY_TERMS:
        return None
    return Obstacle(
        "terms_not_accepted", worded("Our terms have changed. Please read and accept them first."), their_turn=True
    )


def _proof(declared: Identity) -> Obstacle | None:
    if declared.verified_at is not None:
        return None
    message = worded("Our staff have yet to verify your age and where you live. Until then fun chips are for you.")
    return Obstacle("not_verified", message, their_turn=False)
