"""What a player may do with a tournament: enter, withdraw, step away, come back."""

from typing import Any

from tables.models import Entrant


def enter(*, tournament_id: int, user: Any) -> Entrant:
    """Enter the user and take the entry; called again, return the same entry.

    TableError `not_found`, `entry_closed`, `tournament_full`, `already_entered` for somebody who had to leave it;
    InsufficientBalance, CareRefusal.
    """
    raise NotImplementedError


def withdraw_entry(*, tournament_id: int, user: Any) -> None:
    """Take the user out before the start, with the whole entry back; called again, do nothing.

    TableError `not_found`, `not_entered`, `entry_closed` once it has begun.
    """
    raise NotImplementedError


def step_away(*, tournament_id: int, user: Any) -> Entrant:
    """Stop pairing the user in an arena until they come back. TableError as for `come_back`."""
    raise NotImplementedError


def come_back(*, tournament_id: int, user: Any) -> Entrant:
    """Pair the user again in an arena; in a knock-out end that they are dropped at each deal.

    TableError `not_found`, `not_entered`, `not_running` for a tournament or an entry that is over.
    """
    raise NotImplementedError
