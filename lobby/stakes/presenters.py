"""How the lobby's pages arrange what the selectors give: families, books, rows, limits."""

from collections.abc import Iterable
from typing import Any

from rules.books import BOOKS, Family, OpenShow, RuleBook
from rules.payouts import prize_pool
from tables.play.seating import USUAL_BUY_IN
from wallet.base.money import currency

FAMILY_NOTES = {
    Family.POINTS: "Each deal is settled at once: the winner is paid for every point the others hold.",
    Family.BLIND: "Points rummy without the open pile: discards stay face down.",
    Family.POOL: "Points add up from deal to deal. Reach the limit and you are out; the last one in takes the pool.",
    Family.DEALS: "A duel over a fixed number of deals. The lowest total takes the prize.",
}

#: Where a loser without a turn does not pay half.
OPEN_SHOW_FACTS = {
    OpenShow.FULL: "All counts on an early show",
    OpenShow.FLAT: "{book.open_show_flat} on an early show",
    OpenShow.DROP_SHOW: "Drop show",
}

#: The larger families first; the small ones share a line.
LOBBY_ORDER = (Family.POINTS, Family.POOL, Family.BLIND, Family.DEALS)

PHASE_TEXTS = {"waiting": "waiting", "starting": "starting", "over": "over"}


def sections(stakes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The stakes by family and, in it, by rule book, each in the order in which it first appears."""
    found: dict[Family, dict[str, list[dict[str, Any]]]] = {family: {} for family in LOBBY_ORDER}
    for stake in stakes:
        books = found[BOOKS[stake["book"]].family]
        books.setdefault(stake["book"], []).append(row(stake))
    return [
        {
            "family": family.value,
            "title": f"{family.value.capitalize()} rummy",
            "note": FAMILY_NOTES[family],
            "books": [book_card(BOOKS[key], rows) for key, rows in books.items()],
        }
        for family, books in found.items()
        if books
    ]


def book_card(book: RuleBook, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One book's card in the lobby; `computers` are the numbers of opponents that a practice table may have."""
    return {
        "key": book.key,
        "title": book.title,
        "for_points": book.per_point,
        "facts": facts(book),
        "stakes": rows,
        "computers": range(book.min_seats - 1, book.max_seats),
    }


def row(stake: dict[str, Any]) -> dict[str, Any]:
    """A stake as its row shows it: the prize of a full table, and the tables where somebody sits."""
    entry = stake["entry"]
    return {
        **stake,
        "prize": prize_pool(entry, stake["seats"], stake["fee_percent"]) if entry else None,
        "pips": range(stake["seats"]),
        "live_text": live_text(stake),
        "busy_tables": [table_line(table) for table in stake["tables"] if table["seated"]],
        "more_tables": stake["tables_open"] - len(stake["tables"]),
    }


def live_text(stake: dict[str, Any]) -> str:
    """`4 playing · 1 waiting`, without the part that is zero."""
    parts = ((stake["playing"], "playing"), (stake["waiting"], "waiting"))
    return " · ".join(f"{count} {what}" for count, what in parts if count)


def table_line(table: dict[str, Any]) -> dict[str, Any]:
    """An open table with the names of those who sit there."""
    names = ", ".join(place["name"] for place in table["seats"] if place["name"])
    return {**table, "names": names, "phase_text": PHASE_TEXTS.get(table["phase"], "playing")}


def practice_books() -> list[dict[str, Any]]:
    """Every rule book by family, for the choice of a practice table."""
    return [
        {"title": family.value.capitalize(), "books": [book for book in BOOKS.values() if book.family is family]}
        for family in Family
    ]


def facts(book: RuleBook) -> list[str]:
    """What tells this book from the others, in a few short phrases."""
    drops = f"Drop {book.first_drop} / {book.middle_drop}" if book.first_drop else "No drops"
    phrases = (
        (book.pool_limit, f"Out at {book.pool_limit}"),
        (book.deals, f"Best of {book.deals}"),
        (True, drops),
        (not book.open_pile, "No open pile"),
        (book.four_card_life, "A life of four cards"),
        (book.jokers_per_meld, f"{book.jokers_per_meld} joker a meld"),
        (book.tunnela, "Tunnela"),
        (book.open_show in OPEN_SHOW_FACTS, OPEN_SHOW_FACTS.get(book.open_show, "").format(book=book)),
        (book.misses_allowed, f"Out after {book.misses_allowed} misses"),
        (True, packs_text(book)),
    )
    return [phrase for holds, phrase in phrases if holds]


def packs_text(book: RuleBook) -> str:
    """The number of packs: '2 packs', or '2 packs, 3 from 5 players on'."""
    (at_most, packs), *more = book.packs
    return f"{packs} packs" if not more else f"{packs} packs, {more[0][1]} from {at_most + 1} players on"


def buy_in_range(stake: dict[str, Any], free: int, room: int | None = None) -> dict[str, Any]:
    """The limits of the buy-in for a player with that free balance, smallest units.

    `room` is what their own limits leave, None for anything.
    """
    least = stake["minimum"]
    most = min(bound for bound in (free, stake["maximum"], room) if bound is not None)
    return {
        "least": least,
        "most": most,
        "usual": max(least, min(most // 2, USUAL_BUY_IN * least)),
        "free": free,
        "whole": free // 10 ** currency(stake["currency"]).decimals,
        "room": room,
        "enough": free >= least,
        "within": room is None or room >= least,
    }
