"""Requests that take two people: who asks, and who decides, are not the same person."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record
from wallet.base.errors import WalletError
from wallet.base.requests import TwoPersonRequest

#: For this long whoever was given rights, a password or a code for one counts as the same person as who gave them, and
#: as others who have theirs from there.
DEPENDENT = timedelta(days=7)
#: The act by which somebody is given a code that sets a new password: whoever reads it out could use it.
CODE_GIVEN = "player.code"
#: The acts that let somebody in or let them ask and decide: a new password or a code for one, or a change of columns.
_GIVEN = Q(action__in=["player.password", CODE_GIVEN]) | Q(
    after__has_any_keys=["is_staff", "is_superuser", "groups", "user_permissions"]
)
Status = TwoPersonRequest.Status
Request = TypeVar("Request", bound=TwoPersonRequest)
#: Does what is asked for, and returns what the trail is to know of it beyond the reason.
Deed = Callable[[Request], Mapping[str, Any]]
#: Returns the rows that concern the player with that id.
Concerning = Callable[[int], QuerySet[Any]]
Row = TypeVar("Row", bound=Model)


def person(actor: Actor) -> AbstractBaseUser:
    """Return who acts. WalletError `no_person` for a command."""
    if actor.user is None:
        raise WalletError("no_person", "This is done by a person.")
    return actor.user


def check_not_concerned(actor: Actor, concerning: Concerning, pk: int) -> None:
    """Refuse somebody of the staff the row with that key if it concerns them as a player.

    WalletError `own_account`. A command and the platform are nobody.
    """
    if actor.user is not None and concerning(actor.user.pk).filter(pk=pk).exists():
        raise WalletError("own_account", "This concerns you as a player: somebody else does it.")


def without_concerned(by: AbstractBaseUser, concerning: Concerning, rows: "QuerySet[Row]") -> "QuerySet[Row]":
    """Return the rows that this person may act on: those that `check_not_concerned` does not refuse them."""
    return rows.exclude(pk__in=concerning(by.pk).values("pk"))


def are_dependent(first: int, second: int, at: datetime) -> bool:
    """Return whether the two count as one person at that moment: the rights of both come from one of them, or another.

    Where a superuser appoints two people, none of the three is another's second person for as long as `DEPENDENT`.
    """
    return not _behind(first, at).isdisjoint(_behind(second, at))


def _behind(person: int, at: datetime) -> set[int]:
    """Return the person and all from whom their rights come, each of whom gave within `DEPENDENT` before `at`.

    Somebody gave what others had given them by then: what they were given later is not passed on.
    """
    kind = get_user_model()._meta.label_lower
    recent = AuditEntry.objects.filter(_GIVEN, target_type=kind, at__gt=at - DEPENDENT).exclude(user_id=None)
    latest, unread = {person: at}, [person]
    while unread:
        given = unread.pop()
        gives = recent.filter(target_id=str(given), at__lte=latest[given]).order_by("at").values_list("user_id", "at")
        for giver, gave_at in dict(gives).items():
            if giver not in latest or latest[giver] < gave_at:
                latest[giver] = gave_at
                unread.append(giver)
    return set(latest)


def check_second_person(asked_by: int | None, actor: Actor) -> int:
    """Return the id of the actor, who decides what another asked for.

    WalletError `no_person`; `own_request` for the person who asked; `dependent` for whom `are_dependent` names.
    """
    decider = int(person(actor).pk)
    if decider == asked_by:
        raise WalletError("own_request", "You asked for this yourself: somebody else decides it.")
    if asked_by is not None and are_dependent(asked_by, decider, timezone.now()):
        message = (
            f"Within {DEPENDENT.days} days one of you gave the other their rights or a code to come in, or one person"
            " did so for both of you or for who did: somebody else decides this. So it is with the first people whom a"
            " superuser appoints: somebody whom a second superuser has appointed, made by manage.py createsuperuser,"
            " decides at once."
        )
        raise WalletError("dependent", message)
    return decider


@transaction.atomic
def ask(row: Request, actor: Actor, *, second: str, grant: Deed[Request], **facts: Any) -> None:
    """Record what the stored row asks for. `second` is why another person decides it: where empty, grant it at once."""
    asked = {name: getattr(row, name) for name in row.FACTS}
    record(actor, f"{row.NAME}.ask", row, reason=row.reason, after={**asked, **facts, "second_person": second})
    if not second:
        _conclude(row, Status.GRANTED, row.reason, actor, grant)


@transaction.atomic
def decide(row: Request, status: TwoPersonRequest.Status, reason: str, actor: Actor, do: Deed[Request]) -> Request:
    """Grant or refuse, as the second person, a request that waits; return it. `do` may refuse as well.

    Whoever has decided it like this before changes nothing. WalletError as `check_second_person`, `own_account`,
    `decided`.
    """
    rows: QuerySet[Request] = type(row)._default_manager.select_for_update(of=("self",))
    locked = rows.get(pk=row.pk)
    decider = check_second_person(locked.asked_by_id, actor)
    if decider == getattr(locked, "player_id", None):
        raise WalletError("own_account", "This is your own account: somebody else decides it.")
    if (locked.status, locked.decided_by_id) == (status, decider):
        return locked
    if locked.status != Status.ASKED:
        raise WalletError("decided", f"This is {locked.get_status_display()} already.")
    locked.decided_by_id, locked.decided_at, locked.decision_reason = decider, timezone.now(), reason.strip()[:500]
    _conclude(locked, status, locked.decision_reason, actor, do)
    return locked


def _conclude(row: Request, status: TwoPersonRequest.Status, reason: str, actor: Actor, do: Deed[Request]) -> None:
    after = do(row)
    row.status = status
    row.save()
    act = "grant" if status == Status.GRANTED else "refuse"
    record(actor, f"{row.NAME}.{act}", row, reason=reason, after=after)


def undecided(by: AbstractBaseUser, rows: "QuerySet[Request]") -> "QuerySet[Request]":
    """Return the requests that wait for a second person, as far as this one may decide them."""
    waiting = rows.filter(status=Status.ASKED)
    return second_for(by, waiting.exclude(player_id=by.pk) if hasattr(rows.model, "player_id") else waiting)


def second_for(by: AbstractBaseUser, rows: "QuerySet[Row]") -> "QuerySet[Row]":
    """Return the rows that nobody has asked for yet, or somebody for whom this person may be the second one."""
    now = timezone.now()
    askers = rows.exclude(asked_by=None).order_by().values_list("asked_by", flat=True).distinct()
    return rows.exclude(asked_by__in=[asker for asker in askers if are_dependent(asker, by.pk, now)])
