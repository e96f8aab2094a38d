"""A player's friends, their news, and the company at a table, as pages and API show them."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from lobby.accounts import presence
from lobby.accounts.models import Player
from lobby.company import friends, invitations
from lobby.company.models import Friendship, Invitation
from tables.history import open_tables
from tables.models import Seating, Table
from tables.play.presence import may_watch
from wallet.language import worded

#: The most requests, and the most invitations, in a player's news.
MOST_NEWS = 3


@dataclass(frozen=True, slots=True)
class ShownFriend:
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
            return worded("Not online")
        if self.table is None:
            return worded("Online")
        if self.table.practice_for_id is not None:
            return worded("At a practice table")
        if self.table.private_code:
            return worded("At a private table")
        return worded(
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


def friends_shown(player: Player) -> list[ShownFriend]:
    """Return the player's friends: those to join first, then those online, each by name; hidden ones as not online."""
    found = list(friends.friends_of(player))
    visible = [each.pk for each in found if not each.hides_presence]
    seatings = list(Seating.objects.select_related("table").filter(user__in=visible, left_at=None).order_by("pk"))
    present = presence.online(visible, seatings)
    places: defaultdict[int, list[Table]] = defaultdict(list)
    for each in seatings:
        places[each.user_id or 0].append(each.table)
    joinable = open_tables.joinable_among([each.table_id for each in seatings])
    shown = [_shown(each, each.pk in present, places[each.pk], joinable, player) for each in found]
    return sorted(shown, key=lambda each: (not each.can_join, not each.online))


def news_for(player: Player) -> News:
    """Return the news of the player: at most MOST_NEWS requests and MOST_NEWS invitations."""
    return News(
        requests=list(friends.requests_to(player)[:MOST_NEWS]),
        invitations=list(invitations.open_invitations(player)[:MOST_NEWS]),
    )


def _shown(friend: Player, is_online: bool, tables: list[Table], joinable: set[int], reader: Player) -> ShownFriend:
    if not is_online:
        return ShownFriend(friend)
    table = min(tables, key=lambda each: each.pk not in joinable, default=None)
    if table is None:
        return ShownFriend(friend, online=True)
    can_join = table.pk in joinable and table.stake_id is not None
    return ShownFriend(friend, True, table, can_join, not can_join and may_watch(table, reader.pk))


def company_at(table: Table, reader: Player) -> list[dict[str, Any]]:
    """Return the holders of the table's seats as the API shows them to the reader."""
    seatings = list(Seating.objects.filter(table=table, freed_at=None).order_by("seat"))
    others = [each.user_id for each in seatings if each.user_id is not None]
    players = Player.objects.in_bulk(others)
    muted = set(friends.muted_by(reader).filter(muted__in=others))
    friendships = _friendships(reader, others)
    return [
        {
            "seat": each.seat,
            "player": each.user_id,
            "name": each.name,
            "avatar": players[each.user_id].avatar_url if each.user_id is not None else "",
            "muted": each.user_id in muted,
            "friendship": friendships.get(each.user_id or 0, ""),
        }
        for each in seatings
    ]


def _friendships(reader: Player, others: Collection[int]) -> dict[int, str]:
    """Return the friendship of the reader with each of the others, in the words of the API; without one, no entry."""
    found: dict[int, str] = {}
    rows = Friendship.objects.filter(Q(asker=reader, asked__in=others) | Q(asked=reader, asker__in=others))
    hidden = set(friends.blocked_by(reader))
    for row in rows:
        is_mine = row.asker_id == reader.pk
        other = row.asked_id if is_mine else row.asker_id
        if row.status == Friendship.Status.ACCEPTED:
            found[other] = "friends"
        elif is_mine and row.status != Friendship.Status.WITHDRAWN:
            found[other] = "asked"
        elif row.status == Friendship.Status.ASKED and other not in hidden:
            found[other] = "asks"
    return found
