"""Closing an account for good, at its player's own wish, and the check that closed ones are as they were closed.

Fun chips are forfeited. The deals, the books, the trail and a break from play stay; names and everything else that
identifies the player are removed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from lobby.accounts import access, services as accounts
from lobby.accounts.models import PasswordCode, Player
from lobby.accounts.names import CLOSED, marks_of
from lobby.friends.friends import forget_relations
from lobby.reports.services import forget_addresses
from lobby.two_factor import services as two_factor
from tables.history.sharing import forget_names
from tables.language import translated_title
from tables.play import services as play
from tables.play.seating import unfreed_seatings
from tables.tournaments import services as tournaments
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import of_request, record
from wallet.base import money
from wallet.base.errors import Refusal
from wallet.base.findings import ALTERED, Differences, Finding, register
from wallet.base.retry import retried
from wallet.language import gettext as _
from wallet.ledger import selectors as ledger
from wallet.play_money.recovery import forfeit, forfeited
from wallet.responsible_gaming import admission


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A thing to do before the account can close, in a sentence, and where to do it."""

    text: str
    href: str = ""


class ClosingRefused(Refusal):
    """The account stays open: `not_yet`, with what has to be done first."""


def unfinished(player: Player) -> list[Unfinished]:
    """Return what has to be done before the account can close, except at tables."""
    return list(_of_staff(player))


@retried
def close_account(player: Player, request: HttpRequest) -> None:
    """Close the account for good. The caller has checked who it is, and that they want it.

    ClosingRefused; nothing has changed then, except that seats which cost nothing to leave may be free, and entries to
    tournaments that have not begun back. Of two requests at once the later one does nothing.
    """
    _refuse(unfinished(player))
    play.leave_if_idle(user_id=player.pk)
    tournaments.withdraw_all(player)
    with transaction.atomic():
        tournaments.lock_running(player)
        # Buying in, taking a seat and refills take the same lock, and check under it that the account is open.
        admission.lock_player_row(player.pk)
        fresh = Player.objects.select_for_update().get(pk=player.pk)
        if fresh.closed_at is not None:
            return
        _refuse([*unfinished(fresh), *_at_tables(fresh)])
        chips, names = forfeit(fresh), marks_of(fresh)
        _forget_person(fresh)
        actor = of_request(request, fresh)
        record(actor, CLOSED, fresh, after={"closed_at": fresh.closed_at, "chips": chips, "names": names})
        accounts.sign_out_everywhere(fresh)


def closed_name(player_id: int) -> str:
    """Return the beginning of the name of a closed account; such names are reserved."""
    return f"closed-{player_id}"


def _refuse(reasons: list[Unfinished]) -> None:
    if reasons:
        raise ClosingRefused("not_yet", reasons[0].text)


def _of_staff(player: Player) -> Iterator[Unfinished]:
    if player.is_staff or player.is_superuser:
        yield Unfinished(_("An account of our staff is not closed here."))


def _at_tables(player: Player) -> Iterator[Unfinished]:
    for seating in unfreed_seatings(player.pk):
        yield _still_playing(seating.table.title, reverse("tables:table", args=[seating.table_id]))
    for tournament in tournaments.to_play_on(player):
        yield _still_playing(tournament.title, reverse("lobby:tournament", args=[tournament.pk]))
    for balance in ledger.balances(player):
        if balance["in_play"]:
            amount = money.display(balance["in_play"], balance["currency"])
            yield Unfinished(_("{amount} of yours are still in a game that is not over.", amount=amount))


def _still_playing(title: str, href: str) -> Unfinished:
    text = _(
        "You are still in the game at {title}. Leave, or play it to its end, and come back.",
        title=translated_title(title),
    )
    return Unfinished(text, href)


def _forget_person(player: Player) -> None:
    """Remove everything that identifies the player from the account. The caller holds its lock."""
    player.username = _free_name(player.pk)
    for name in ("display_name", "first_name", "last_name", "email", "avatar", "language"):
        setattr(player, name, "")
    player.password = make_password(None)
    player.is_active, player.is_guest, player.hides_presence = False, False, True
    player.shares_deals = False
    player.closed_at, player.last_login = timezone.now(), None
    player.save()
    player.groups.clear()
    player.user_permissions.clear()
    PasswordCode.objects.filter(player=player).delete()
    access.codes_changed(player)
    forget_relations(player)
    forget_addresses(player)
    two_factor.forget_authenticator(player)
    forget_names(player)


def _free_name(player_id: int) -> str:
    """Return a free name for the closed account; one like it may have been taken before such names were reserved."""
    name = closed_name(player_id)
    while Player.objects.filter(username__iexact=name).exclude(pk=player_id).exists():
        name += "-"
    return name


@register
def closed_accounts() -> Differences:
    """Find accounts that were closed by no act or are open again, and forfeits that differ from the trail."""
    acts = AuditEntry.objects.filter(target_type=Player._meta.label_lower, action=CLOSED).values_list(
        "target_id", "after"
    )
    closing_acts = {int(pk): after or {} for pk, after in acts}
    closed = {player.pk: player for player in Player.objects.exclude(closed_at=None)}
    for pk in sorted(closing_acts.keys() | closed.keys()):
        if wrong := _wrong(pk, closed.get(pk), closing_acts.get(pk)):
            yield Finding("closed account", f"player {pk}", ALTERED, *wrong)
    forfeited_chips = forfeited()
    due = {pk: after["chips"] for pk, after in closing_acts.items() if after.get("chips")}
    for pk in sorted(due.keys() | forfeited_chips.keys()):
        if due.get(pk, 0) != forfeited_chips.get(pk, 0):
            expected = f"{due.get(pk, 0)} forfeited, as the trail tells"
            yield Finding("closed account", f"player {pk}", ALTERED, expected, f"{forfeited_chips.get(pk, 0)}")


def _wrong(pk: int, player: Player | None, closing_act: dict[str, object] | None) -> tuple[str, str] | None:
    """Return what was expected of the account, and what was found; None where it is as the trail tells."""
    if player is None:
        return "a closed account, as the trail tells", "an open one"
    if closing_act is None:
        return "the act in the trail that closed it", f"none, and closed at {player.closed_at}"
    closed_at = json.loads(json.dumps(player.closed_at, cls=DjangoJSONEncoder))
    if closed_at != closing_act.get("closed_at"):
        return f"closed at {closing_act.get('closed_at')}, as the trail tells", f"{closed_at}"
    access = (player.is_active, player.is_staff, player.has_usable_password(), player.username)
    if any(access[:3]) or not player.username.startswith(closed_name(pk)):
        return "nothing that opens it", "active {}, staff {}, password {}, name {}".format(*access)
    return None
