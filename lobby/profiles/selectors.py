"""Profile pages: what they show of a player to others, and who is found by name.

Names are those that others see; nobody is found by the name they sign in with where they show another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from django.db.models import Count, QuerySet, Sum

from lobby.accounts.models import Player, shown_as
from lobby.accounts.names import typed
from lobby.accounts.services import no_such_player
from lobby.friends import friends
from lobby.ratings import boards
from lobby.ratings.models import RatedResult
from tables.errors import TableError
from tables.history import selectors as history
from tables.models import Entrant, SharedDeal, Tournament
from wallet.base import rate_limits
from wallet.base.rate_limits import RateLimit
from wallet.language import gettext as _

#: Searches of one player, and the most names that one of them finds, by so many letters at least.
SEARCHES = RateLimit("player-search", 30, 60)
MOST_FOUND, LEAST_LETTERS = 20, 2
#: The most places in tournaments, friends in common, and deals on a page.
MOST_PLACES, MOST_FRIENDS, MOST_DEALS = 5, 24, 5


class FamilyMatches(TypedDict):
    family: str
    matches: Annotated[int, "Rated ones."]
    shows: Annotated[int, "Valid ones, in rated matches."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A profile as one reader sees it; None stands for what is hidden from them. `hidden` is what only they see."""

    player: Player
    is_own: bool
    ratings: list[boards.FamilyRating] | None
    matches: list[FamilyMatches] | None
    places: list[Entrant] | None
    friends: list[Player] | None
    deals: list[SharedDeal] | None
    hidden: frozenset[str]


def profile_of(name: str, reader: Player) -> Profile:
    """Return the profile of the player of that name. TableError `not_found`, as where nobody has the name."""
    player = _named(name)
    if player is None or not (player == reader or player.has_page):
        raise no_such_player()
    is_own = player == reader
    hidden = frozenset(part for part, column in _HIDING.items() if getattr(player, column))

    def shown(part: str, read: Callable[..., Any], *of: Player) -> Any:
        return read(*of) if is_own or part not in hidden else None

    return Profile(
        player=player,
        is_own=is_own,
        ratings=shown("ratings", boards.family_ratings, player, reader),
        matches=shown("matches", _matches, player),
        places=shown("places", _best_places, player),
        friends=None if is_own else shown("friends", _friends_in_common, player, reader),
        deals=shown("deals", _last_deals, player),
        hidden=hidden,
    )


def find_players(beginning: str, reader: Player) -> list[Player]:
    """Return at most MOST_FOUND players who wish to be found and whose shown name begins so, by name.

    Nobody for fewer letters than LEAST_LETTERS. TableError `rate_limited`.
    """
    if not rate_limits.count_tries([(SEARCHES, SEARCHES.key(reader.pk))]):
        raise TableError("rate_limited", _("You have searched very often. Please wait a minute."), status=429)
    wanted = typed(beginning)
    if len(wanted) < LEAST_LETTERS:
        return []
    found = players_beginning(wanted).exclude(pk=reader.pk).order_by("username")
    return sorted(found[:MOST_FOUND], key=lambda each: each.shown_name)


def players_beginning(wanted: str) -> QuerySet[Player]:
    """Return who wishes to be found and whose shown name begins so, in any case."""
    findable = Player.objects.filter(is_findable=True, is_active=True, is_guest=False)
    return findable.filter(shown_as("istartswith", wanted))


#: The parts of a profile that can be hidden, each with the column that says so.
_HIDING = {
    "ratings": "hides_rating",
    "matches": "hides_matches",
    "places": "hides_places",
    "friends": "hides_friends",
    "deals": "hides_deals",
}


def _named(name: str) -> Player | None:
    wanted = typed(name)
    return Player.objects.filter(shown_as("iexact", wanted), is_guest=False).first() if wanted else None


def _matches(player: Player) -> list[FamilyMatches]:
    """Return by family how many rated matches the player has played, and with how many valid shows."""
    rows = RatedResult.objects.filter(player=player).order_by("family").values("family")
    counted = rows.annotate(matches=Count("pk"), shows=Sum("shows"))
    return [{"family": row["family"], "matches": row["matches"], "shows": row["shows"]} for row in counted]


def _best_places(player: Player) -> list[Entrant]:
    placed = Entrant.objects.filter(user=player, place__isnull=False, tournament__status=Tournament.Status.OVER)
    placed = placed.exclude(status__in=(Entrant.Status.WITHDRAWN, Entrant.Status.REMOVED))
    return list(placed.select_related("tournament").order_by("place", "-tournament__entered", "-pk")[:MOST_PLACES])


def _friends_in_common(player: Player, reader: Player) -> list[Player]:
    """Return who is a friend of both, without those who hide whose friends they are."""
    common: QuerySet[Player] = friends.friends_of(player).filter(hides_friends=False)
    return list(common.filter(pk__in=friends.friends_of(reader).order_by().values("pk"))[:MOST_FRIENDS])


def _last_deals(player: Player) -> list[SharedDeal]:
    """Return the last deals of open tables that the player shares with everybody's name, the newest first."""
    links = SharedDeal.objects.filter(user=player, revoked_at=None, names_hidden=False)
    links = links.filter(deal__in=history.open_deals())
    links = links.filter(deal__match__table__private_code="", deal__match__table__practice_for=None)
    return list(links.select_related("deal__match__table").order_by("-deal__ended_at", "-pk")[:MOST_DEALS])
