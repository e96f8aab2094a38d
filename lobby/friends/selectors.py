"""A player's friends, their news, the company at a table, and whom a player may name by number.

Those are people they know, so that nobody goes through the numbers to collect names.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from django.db.models import DateTimeField, Exists, Max, OuterRef, Q, Value
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils import timezone

from lobby.accounts.models import Player
from lobby.friends import friends, invitations
from lobby.friends.models import Block, Friendship, Invitation, Mute
from lobby.stakes import open_tables
from tables.language import translated_name
from tables.models import Seating, Table
from tables.play import presence
from tables.play.presence import may_watch
from wallet.language import gettext as _

#: The most requests, and the most invitations, in a player's news.
MOST_NEWS = 3


@dataclass(frozen=True, slots=True)
class FriendStatus:
    """A friend as the player sees them: whether they are online, and where; `table` is one of their tables."""

    player: Player
    online: bool = False
    table: Table | None = None
    can_join: bool = False
    can_watch: bool = False

    @property
    def place(self) -> str:
        """Where the friend is, in words."""
        if not self.online:
            return _("Not online")
        if self.table is None:
            return _("Online")
        if self.table.practice_for_id is not None:
            return _("At a practice table")
        if self.table.private_code:
            return _("At a private table")
        return _(
            "At {title}, {seated} of {seats} seats taken",
            title=self.table.title,
            seated=self.table.seated,
            seats=self.table.seats,
        )


@dataclass(frozen=True, slots=True)
class News:
    """The requests and invitations that wait for the player's answer."""

    requests: list[Player]
    invitations: list[Invitation]

    def __bool__(self) -> bool:
        return bool(self.requests or self.invitations)


def friend_list(player: Player) -> list[FriendStatus]:
    """Return the player's friends: those to join first, then those online, each by name; hidden ones as not online."""
    own_friends = list(friends.friends_of(player))
    visible = [friend.pk for friend in own_friends if not friend.hides_presence]
    seatings = list(Seating.objects.select_related("table").filter(user__in=visible, left_at=None).order_by("pk"))
    present = presence.online(visible, seatings)
    tables: defaultdict[int, list[Table]] = defaultdict(list)
    for seating in seatings:
        tables[seating.user_id or 0].append(seating.table)
    joinable = open_tables.joinable_among([seating.table_id for seating in seatings])
    statuses = [_status(friend, friend.pk in present, tables[friend.pk], joinable, player) for friend in own_friends]
    return sorted(statuses, key=lambda status: (not status.can_join, not status.online))


def news_for(player: Player) -> News:
    """Return the news of the player: at most MOST_NEWS requests and MOST_NEWS invitations.

    Every page asks for them. Mostly nothing waits, and to ask whether anything does takes a fifth of the time.
    """
    is_asked = player.friendships_offered.filter(status=Friendship.Status.ASKED).exists()
    return News(
        requests=list(friends.requests_to(player)[:MOST_NEWS]) if is_asked else [],
        invitations=list(invitations.open_invitations(player)[:MOST_NEWS]) if player.invitations.exists() else [],
    )


def _status(friend: Player, is_online: bool, tables: list[Table], joinable: set[int], reader: Player) -> FriendStatus:
    if not is_online:
        return FriendStatus(friend)
    table = min(tables, key=lambda candidate: candidate.pk not in joinable, default=None)
    if table is None:
        return FriendStatus(friend, online=True)
    can_join = table.pk in joinable and table.stake_id is not None
    return FriendStatus(friend, True, table, can_join, not can_join and may_watch(table, reader.pk))


FriendshipShown = Literal["", "asked", "asks", "friends"]


class SeatCompany(TypedDict):
    seat: int
    player: Annotated[int | None, "Null for a computer player."]
    name: str
    avatar: Annotated[str, "The address of a picture; empty for none."]
    muted: Annotated[bool, "By you: leave out what they say."]
    friendship: Annotated[FriendshipShown, "`asks`: they wait for you."]


def company_at(table: Table, reader: Player) -> list[SeatCompany]:
    """Return the holders of the table's seats as the API shows them to the reader.

    Who has left a table that they may not watch is told of those who were there before: they may still look on, and
    mute somebody. Http404 for others without a seat there, and where the player who has opened it has blocked the
    reader.
    """
    held = Seating.objects.filter(table=table, freed_at=None)
    if not (may_watch(table, reader.pk) or held.filter(user=reader, left_at=None).exists()):
        stays = Seating.objects.filter(table=table, user=reader).exclude(table__hosted__player__blocks__blocked=reader)
        left = stays.aggregate(at=Max("left_at"))["at"]
        if left is None:
            raise Http404
        held = held.filter(taken_at__lt=left)
    seatings = list(held.order_by("seat"))
    player_ids = [seating.user_id for seating in seatings if seating.user_id is not None]
    players = Player.objects.in_bulk(player_ids)
    muted = set(friends.muted_by(reader).filter(muted__in=player_ids))
    friendships = _friendships(reader, player_ids)
    return [
        {
            "seat": seating.seat,
            "player": seating.user_id,
            "name": translated_name(seating.name),
            "avatar": players[seating.user_id].avatar_url if seating.user_id is not None else "",
            "muted": seating.user_id in muted,
            "friendship": friendships.get(seating.user_id or 0, ""),
        }
        for seating in seatings
    ]


def _friendships(reader: Player, other_ids: Collection[int]) -> dict[int, FriendshipShown]:
    """Return the friendship of the reader with each of the others, in the words of the API; without one, no entry."""
    friendships: dict[int, FriendshipShown] = {}
    rows = Friendship.objects.filter(Q(asker=reader, asked__in=other_ids) | Q(asked=reader, asker__in=other_ids))
    hidden = set(friends.blocked_by(reader))
    for row in rows:
        is_asker = row.asker_id == reader.pk
        other = row.asked_id if is_asker else row.asker_id
        if row.status == Friendship.Status.ACCEPTED:
            friendships[other] = "friends"
        elif is_asker and row.status != Friendship.Status.WITHDRAWN:
            friendships[other] = "asked"
        elif row.status == Friendship.Status.ASKED and other not in hidden:
            friendships[other] = "asks"
    return friendships


def known_player(player: Player, number: int) -> Player:
    """Return the player with that number if `player` knows them; Http404 as for a number that nobody has.

    Known to one: who has sat at a table with them, sits where anybody may watch, has asked or invited them, or was
    asked, blocked or muted by them.
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
    stays = Seating.objects.annotate(until=Coalesce("freed_at", Value(timezone.now(), output_field=DateTimeField())))
    at_once = stays.filter(
        user=player, table=OuterRef("table"), until__gte=OuterRef("taken_at"), taken_at__lte=OuterRef("until")
    )
    shown_to_all = Q(freed_at=None, table__private_code="", table__practice_for=None)
    return other.is_active and stays.filter(Q(Exists(at_once)) | shown_to_all, user=other).exists()
