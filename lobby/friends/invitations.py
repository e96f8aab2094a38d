"""Invitations: of friends to a private table, and of the players of a match to its rematch."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from lobby.accounts.models import Player
from lobby.friends import friends
from lobby.friends.models import Block, Invitation, Rematch
from lobby.stakes import services as stakes
from lobby.stakes.open_tables import BEFORE_A_DEAL
from lobby.stakes.private_tables import check_welcome, host_table, is_welcome
from rules.books import BOOKS
from rules.game import codec
from tables.errors import TableError
from tables.models import DealSeat, Match, Seating, Table
from tables.play import services as play
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.base.retry import retried
from wallet.language import gettext as _

INVITATIONS = RateLimit("invitations", 60, 3600)
#: How long an invitation is valid, and how long after a match its players may play it again.
VALID_FOR = timedelta(minutes=10)


def open_invitations(player: Player) -> QuerySet[Invitation]:
    """Return the invitations that the player can still accept, each with its table; the newest first."""
    fresh = Invitation.objects.filter(player=player, sent_at__gt=timezone.now() - VALID_FOR)
    possible = fresh.filter(table__status=Table.Status.OPEN, table__seated__lt=F("table__seats"))
    unstarted = possible.filter(table__phase__in=BEFORE_A_DEAL)
    welcome = unstarted.exclude(by__in=friends.blocked_by(player))
    own_tables = Seating.objects.filter(user=player, left_at=None).values("table_id")
    welcome = welcome.exclude(table__hosted__player__in=Block.objects.filter(blocked=player).values("player_id"))
    return welcome.exclude(table__in=own_tables).select_related("by", "table").order_by("-sent_at")


def invite(*, player: Player, friend: Player, code: str) -> None:
    """Invite a friend to the private table of that code; one whom its host has blocked is told nothing.

    TableError `not_found`, `bad_friend`, `rate_limited`.
    """
    table = stakes.private_table(code)
    if not friends.are_friends(player, friend):
        raise TableError("bad_friend", _("You can invite friends only. Send the link to others."), status=403)
    if not rate_limits.count_tries([(INVITATIONS, INVITATIONS.key(player.pk))]):
        raise TableError("rate_limited", _("You have sent many invitations. Please wait a while."), status=429)
    if is_welcome(table.pk, friend.pk):
        _send(player, [friend], table, is_rematch=False)


def decline(*, player: Player, invitation_id: int) -> None:
    """Delete the invitation without notifying its sender."""
    Invitation.objects.filter(pk=invitation_id, player=player).delete()


def forget_invitations() -> int:
    """Delete the invitations that are not valid any more, and return how many there were."""
    deleted, _by_model = Invitation.objects.filter(sent_at__lte=timezone.now() - VALID_FOR).delete()
    return deleted


def rematch_of(table: Table, user_id: int) -> Match | None:
    """Return the match at the table that the user may play again; None where there is none, as in a tournament."""
    if table.practice_for_id is not None or table.tournament_id is not None or BOOKS[table.book].per_point:
        return None
    ended = Match.objects.filter(table=table, status=Match.Status.SETTLED, ended_at__gt=timezone.now() - VALID_FOR)
    return ended.filter(deals__seats__user_id=user_id).order_by("-pk").first()


@retried
def sit_for_rematch(*, player: Player, match_id: int) -> Seating:
    """Seat the player at the table of the rematch; the first player to call opens it and invites the others.

    It has the terms and the stake of the match, and a code. TableError `not_found` for a match that the player did not
    play or that ended too long ago; the refusals of `tables.play.services.sit`. After a refusal no table was opened.
    """
    match = Match.objects.select_related("table").filter(pk=match_id).first()
    playable = rematch_of(match.table, player.pk) if match is not None else None
    if playable is None or playable.pk != match_id:
        raise TableError("not_found", _("There is no match of yours to play again."), status=404)
    try:
        with transaction.atomic():
            table_id, is_first = _table_of(playable, player)
            check_welcome(table_id, player.pk)
            seating = play.sit(table_id=table_id, user=player)
            if is_first:
                _send(player, _others(playable, player), seating.table, is_rematch=True)
    except IntegrityError:
        # Two players have called at the same moment: both sit at the table that the first has opened.
        table_id = Rematch.objects.get(match=playable).table_id
        check_welcome(table_id, player.pk)
        seating = play.sit(table_id=table_id, user=player)
    Invitation.objects.filter(player=player, table=seating.table_id).delete()
    return seating


def _table_of(match: Match, player: Player) -> tuple[int, bool]:
    rematch = Rematch.objects.filter(match=match).first()
    if rematch is not None:
        return rematch.table_id, False
    former = match.table
    if former.stake_id is not None:
        stakes.offered_stake(former.stake_id)
    terms = codec.load_terms(former.terms or {})
    table = host_table(player, terms=terms, title=former.title, currency=former.currency, stake_id=former.stake_id)
    Rematch.objects.create(match=match, table=table)
    return int(table.pk), True


def _others(match: Match, player: Player) -> list[Player]:
    """Return the other players of the match, except where either of the two has blocked the other."""
    seats = DealSeat.objects.filter(deal__match=match, user__isnull=False).exclude(user=player)
    players = Player.objects.filter(pk__in=seats.values("user_id"), is_active=True)
    players = players.exclude(pk__in=friends.blocked_by(player))
    return [other for other in players if not friends.is_blocked(player, by=other)]


def _send(by: Player, players: Iterable[Player], table: Table, *, is_rematch: bool) -> None:
    for player in players:
        values = {"by": by, "is_rematch": is_rematch}
        Invitation.objects.update_or_create(player=player, table=table, defaults=values)
        friends.push_news(player, unless_blocked=by)
