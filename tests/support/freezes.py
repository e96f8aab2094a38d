"""Two people of the staff who let settlement go on."""

from lobby.models import Player
from wallet.audit import nightly
from wallet.audit_log.services import Actor
from wallet.models import Freeze


def lift_by_two(note: str = "The books are right again") -> Freeze:
    """Lift the freeze as two people do; return it."""
    rights = {"is_staff": True, "is_superuser": True}
    people = (Player.objects.get_or_create(username=name, **rights)[0] for name in ("uma", "vik"))
    return [nightly.lift_freeze(Actor(person.username, person), note) for person in people][-1]
