"""Whom a player may name by number: whom they know. So nobody goes through the numbers to collect names."""

from django.db.models import DateTimeField, Exists, OuterRef, Q, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils import timezone

from lobby.accounts.models import Player
from lobby.friends.models import Block, Friendship, Invitation, Mute
from tables.models import Seating


def known_player(player: Player, number: int) -> Player:
    """Return the player with that number if `player` knows them; Http404 as for a number that nobody has.

    Known is whom one has sat at a table with, who sits at a table that anybody may watch, whom one has asked, blocked
    or muted, and who has asked or invited one.
    """
    other = Player.objects.filter(pk=number).first()
    if other is None or not (other == player or _is_related(player, other) or _has_met(player, other)):
        raise Http404
    return other


def _is_related(player: Player, other: Player) -> bool:
    return (
        Friendship.objects.filter(Q(asker=player, asked=other) | Q(asker=other, asked=player)).exists()
        or Block.objects.filter(player=player, blocked=other).exists()
        or Mute.objects.filter(player=player, muted=other).exists()
        or Invitation.objects.filter(player=player, by=other).exists()
    )


def _has_met(player: Player, other: Player) -> bool:
    stays = Seating.objects.annotate(
        until=Coalesce("freed_at", Value(timezone.now(), output_field=DateTimeField())),
    )
    at_once = stays.filter(
        user=player, table=OuterRef("table"), until__gte=OuterRef("taken_at"), taken_at__lte=OuterRef("until")
    )
    shown_to_all = Q(freed_at=None, table__private_code="", table__practice_for=None)
    return other.is_active and stays.filter(Q(Exists(at_once)) | shown_to_all, user=other).exists()
