"""The page of the boards."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lobby.accounts.sign_in import signed_in_player
from lobby.ratings import boards
from lobby.ratings.api import board_of
from lobby.ratings.boards import BoardOrder, BoardPeriod
from lobby.ratings.reckoning import FEW
from lobby.ratings.skill import BASE, DAYS, HALVES_AFTER, LEAST_MATCHES, NEWCOMER, SCALE
from lobby.stakes.presenters import FAMILY_TITLES, LOBBY_ORDER
from rules.books import Family
from wallet.base import report_zone
from wallet.base.report_zone import format_moment
from wallet.language import gettext as _, gettext_lazy

PERIOD_TITLES = {
    BoardPeriod.ALL: gettext_lazy("All time"),
    BoardPeriod.DAY: gettext_lazy("Today"),
    BoardPeriod.WEEK: gettext_lazy("This week"),
    BoardPeriod.MONTH: gettext_lazy("This month"),
}
BY_TITLES = {
    BoardOrder.RATING: gettext_lazy("Rating"),
    BoardOrder.WON: gettext_lazy("Rating won"),
    BoardOrder.SHOWS: gettext_lazy("Shows"),
    BoardOrder.ARENA: gettext_lazy("Places in arenas"),
}


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show a board: of a family, of a period, by what the query asks; anything else is the usual board."""
    asked = request.GET
    family = asked.get("family", "")
    family = family if family in {each.value for each in Family} else Family.POINTS.value
    period = asked.get("period", "")
    period = period if period in {each.value for each in BoardPeriod} else BoardPeriod.ALL.value
    by = asked.get("by", "")
    board = board_of(family, period, by if by in {each.value for each in BoardOrder} else "")
    skip = int(number) if (number := asked.get("cursor", "")).isascii() and number.isdigit() and len(number) < 7 else 0
    lines, more = boards.board_rows(board, skip=skip)
    player = signed_in_player(request) if request.user.is_authenticated else None
    own = None if player is None else boards.own_line(board, player)
    context = {
        "board": board,
        "lines": lines,
        "own": own,
        "name_hidden": player is not None and boards.hides_name(board, player),
        "own_shown": own is not None and own.player in {line.player for line in lines},
        "next": skip + len(lines) if more else None,
        "since": format_moment(board.since) if board.since is not None else "",
        "zone": report_zone.zone_in_words(),
        "families": [(each.value, _(FAMILY_TITLES[each])) for each in LOBBY_ORDER],
        "periods": [(each.value, title) for each, title in PERIOD_TITLES.items()],
        "kinds": [
            (each.value, title)
            for each, title in BY_TITLES.items()
            if each is not BoardOrder.RATING or period == BoardPeriod.ALL
        ],
        "by_title": BY_TITLES[board.by],
        "facts": {
            "base": BASE,
            "scale": SCALE,
            "least": LEAST_MATCHES,
            "halves": HALVES_AFTER,
            "few": FEW,
            "days": DAYS,
            "newcomer": NEWCOMER,
        },
    }
    return render(request, "lobby/boards.html", context)
