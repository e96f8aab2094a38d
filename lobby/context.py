"""The template context of every page: the player's balances, seats and news, and what is switched on."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from lobby.about import operator
from lobby.backoffice import work_queue
from lobby.friends import selectors as friends
from lobby.reports import services as reports
from lobby.tournaments import selectors as tournaments
from tables.history import selectors as history
from wallet.base import money
from wallet.ledger import selectors as ledger


def player(request: HttpRequest) -> dict[str, object]:
    """Return the context of every page; values that need a query are read only when a template uses them.

    Of the player: `own_balances`, `own_seats`, whether they may take one more (`has_free_hand`), `own_news`,
    `own_friends`, `own_answers`, whether they are in a tournament that is to begin or runs (`is_in_tournament`); for
    staff how much waits, `staff_waiting`. `computer_players` says whether these are offered, `operator` who runs the
    place.
    """
    user = getattr(request, "user", None)
    offered = {"computer_players": settings.COMPUTER_PLAYERS, "operator": SimpleLazyObject(operator)}
    if user is None or not user.is_authenticated:
        return {**offered, "own_balances": (), "own_seats": ()}
    seats = SimpleLazyObject(lambda: history.seats_of(user))
    return {
        **offered,
        "own_balances": SimpleLazyObject(lambda: _balances(user)),
        "own_seats": seats,
        "has_free_hand": SimpleLazyObject(lambda: history.has_free_hand(seats)),
        "own_news": SimpleLazyObject(lambda: friends.news_for(user)),
        "own_friends": SimpleLazyObject(lambda: friends.friend_list(user)),
        "is_in_tournament": SimpleLazyObject(lambda: tournaments.takes_part(user)),
        "own_answers": SimpleLazyObject(lambda: reports.unread_answers(user)),
        "staff_waiting": SimpleLazyObject(lambda: work_queue.count_for(user)),
    }


def _balances(user: Any) -> list[dict[str, Any]]:
    """Return the player's balance in every currency, fun chips first."""
    balances = {balance["currency"]: balance for balance in ledger.balances(user)}
    if user.is_guest and not balances:
        return []
    return [_balance(code, **balances.get(code, {"free": 0, "in_play": 0})) for code in money.CURRENCIES]


def _balance(code: str, *, free: int, in_play: int, **_: Any) -> dict[str, Any]:
    return {
        "currency": code,
        "amount": free,
        "title": money.currency(code).title.capitalize(),
        "free": money.figure(free, code),
        "in_play": money.display(in_play, code) if in_play else "",
    }
