"""Accounts with one of every kind of row, in a month that is closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta

import time_machine
from django.contrib.auth.models import Permission
from rest_framework.authtoken.models import Token

from config.health import heartbeats
from lobby.accounts.recovery import codes
from lobby.backoffice import recoveries
from lobby.models import Player
from tests.support.players import signed_up
from tests.support.staff import employ, enrol
from wallet.audit import nightly
from wallet.audit_log.services import Actor
from wallet.finance.months import services as months
from wallet.keys import key_registry
from wallet.responsible_gaming import services as responsible_gaming

#: When it happens, and when it is over, as months are counted in India; in a year to come, since the trail begins now.
OCTOBER, NOVEMBER = datetime(2030, 10, 20, tzinfo=UTC), datetime(2030, 11, 2, tzinfo=UTC)


@contextmanager
def a_month_of_the_office() -> Iterator[None]:
    """Close a month of staff work; in the block it is the third of November."""
    with time_machine.travel(OCTOBER, tick=True) as clock:
        key_registry.key_faults()
        first, second = (Actor(person.username, person) for person in (employ("finance"), employ("superuser")))
        asha = signed_up("asha")
        _access(asha, second)
        _care(asha, second)
        clock.move_to(NOVEMBER)
        assert nightly.run_nightly().differences == 0
        months.close_month(month=date(2030, 10, 1), actor=first)
        clock.move_to(NOVEMBER + timedelta(days=1))
        assert nightly.run_nightly().differences == 0
        heartbeats.record_heartbeats("sweep")
        yield


def _access(asha: Player, boss: Actor) -> None:
    Token.objects.create(user=asha)
    codes.new_codes(asha)
    assert isinstance(boss.user, Player)
    boss.user.user_permissions.add(Permission.objects.get(codename="view_dayhead"))
    enrol(boss.user)
    recoveries.ask(asha, "Known by her deals", Actor("the_support", employ("support")))


def _care(asha: Player, boss: Actor) -> None:
    ravi = signed_up("ravi")
    responsible_gaming.set_limit(user=asha, kind="entries", period="day", amount=5_000, currency="FUN")
    responsible_gaming.set_limit(user=asha, kind="entries", period="day", amount=9_000, currency="FUN")
    responsible_gaming.exclude(user=ravi, period="month", by=boss.user)
    responsible_gaming.lift(user=ravi, by=boss.user)
