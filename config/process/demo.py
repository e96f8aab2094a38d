"""Demo data of a new installation: stakes for every rule book, tournaments, and accounts to try it with."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import Group
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from lobby.accounts import services as accounts
from lobby.models import Player, Stake
from lobby.puzzles import stock
from lobby.stakes import services as stakes
from lobby.stakes.models import UNHURRIED_RESULT_SECONDS
from rules.books import BOOKS
from rules.text import message
from tables.models import Template, TournamentKind
from tables.play import store
from tables.tournaments import offers


@dataclass(frozen=True, slots=True)
class DemoStake:
    """One demo stake: `price` is the point value or the entry, in smallest units."""

    book: str
    seats: int
    price: int
    maximum: int | None = None


STAKES = (
    DemoStake("standard-points", 2, 1),
    DemoStake("standard-points", 6, 1),
    DemoStake("standard-points", 2, 5),
    DemoStake("standard-points", 6, 10),
    DemoStake("classic-points", 2, 1),
    DemoStake("classic-points", 6, 5),
    DemoStake("lives-points", 2, 2),
    DemoStake("lives-points", 6, 2),
    DemoStake("lives-drop-points", 4, 2),
    DemoStake("flat20-points", 2, 2),
    DemoStake("flat20-points", 6, 2),
    DemoStake("club-points", 4, 2, maximum=4_000),
    DemoStake("club-points", 6, 10),
    DemoStake("standard-blind", 2, 1),
    DemoStake("standard-blind", 6, 5),
    DemoStake("standard-pool-61", 2, 50),
    DemoStake("standard-pool-61", 6, 100),
    DemoStake("standard-pool-101", 2, 100),
    DemoStake("standard-pool-101", 6, 200),
    DemoStake("standard-pool-201", 2, 250),
    DemoStake("standard-pool-201", 6, 500),
    DemoStake("club-pool-201", 4, 500),
    DemoStake("standard-deals-2", 2, 50),
    DemoStake("standard-deals-6", 2, 200),
    DemoStake("standard-deals-6", 6, 200),
    DemoStake("standard-deals-3", 2, 100),
    DemoStake("standard-deals-3", 2, 1_000),
)

#: Tournaments that are always offered: one for whoever is there now, one for chips, and an arena every half hour.
TEMPLATES: tuple[dict[str, Any], ...] = (
    {
        "title": message("Quick six"),
        "kind": TournamentKind.KNOCKOUT,
        "book": "standard-deals-6",
        "deals": 2,
        "least": 6,
        "most": 6,
        "computers_after": 30,
    },
    {
        "title": message("Nine for a hundred"),
        "kind": TournamentKind.KNOCKOUT,
        "book": "standard-deals-6",
        "deals": 3,
        "go_on": 3,
        "least": 9,
        "most": 9,
        "entry": 100,
        "fee_percent": 10,
        "prizes": [50, 30, 20],
    },
    {
        "title": message("Half-hour arena"),
        "kind": TournamentKind.ARENA,
        "book": "standard-points",
        "schedule": Template.Schedule.HALF_HOURLY,
        "minutes": 20,
        "least": 2,
        "most": 500,
    },
)

#: Name, password and purpose of each account. Published in the README, so never created in production.
ACCOUNTS = (
    ("asha", "play-thirteen", "a player"),
    ("ravi", "play-thirteen", "another player, for a second browser"),
    ("staff", "run-thirteen", "staff who may do everything, at /admin/"),
    ("support", "run-thirteen", "staff for players, reports and histories, at /admin/"),
    ("operations", "run-thirteen", "staff for stakes and tables, at /admin/"),
    ("finance", "run-thirteen", "staff for the books, at /finance/ and /admin/"),
)
#: The role of each staff account: one of lobby/backoffice/roles.py, or superuser.
_ROLES = {"staff": "superuser", "support": "support", "operations": "operations", "finance": "finance"}


@transaction.atomic
def ensure_stakes() -> None:
    """Create demo stakes where there has never been a stake."""
    if not Stake.objects.exists():
        for order, offer in enumerate(STAKES):
            _create_stake(offer, order)


@transaction.atomic
def ensure_tournaments() -> None:
    """Create demo templates where there has never been one, and the first tournaments of all."""
    if not Template.objects.exists():
        for rules in TEMPLATES:
            template = Template(**rules)
            template.full_clean()
            template.save()
    offers.ensure_offered(store.now_ms())


def _create_stake(offer: DemoStake, order: int) -> None:
    stake = Stake(book=offer.book, seats=offer.seats, maximum=offer.maximum, order=order)
    stake.result_seconds = UNHURRIED_RESULT_SECONDS
    if BOOKS[offer.book].per_point:
        stake.point_value = offer.price
    else:
        stake.entry = offer.price
    stake.full_clean()
    stake.save()


@transaction.atomic
def ensure_accounts() -> list[tuple[str, str, str]]:
    """Create missing demo accounts, each with its chips; return (name, password, purpose) of all.

    An account whose password was changed is left alone and not returned. ImproperlyConfigured in production.
    """
    if settings.SETTINGS_MODULE.endswith(".production"):
        raise ImproperlyConfigured("Demo accounts have published passwords: production must not have them.")
    # Hashing is slow by design, and these passwords are few and published, so accounts may share a hash.
    hash_of, matches = cache(make_password), cache(check_password)
    usable = []
    for name, password, purpose in ACCOUNTS:
        player = Player.objects.filter(username=name).first()
        if player is None:
            _create_account(name, hash_of(password))
        elif not matches(password, player.password):
            continue
        usable.append((name, password, purpose))
    return usable


def _create_account(name: str, password_hash: str) -> Player:
    player = accounts.sign_up_hashed(username=name, password_hash=password_hash)
    role = _ROLES.get(name, "")
    player.is_staff, player.is_superuser = bool(role), role == "superuser"
    player.save(update_fields=["is_staff", "is_superuser"])
    player.groups.set(Group.objects.filter(name=role))
    return player


def ensure_demo() -> list[tuple[str, str, str]]:
    """Create missing demo stakes, tables, tournaments and accounts.

    Return (name, password, purpose) of the accounts.
    """
    ensure_stakes()
    stakes.ensure_tables()
    ensure_tournaments()
    stock.ensure_stock()
    return ensure_accounts()
