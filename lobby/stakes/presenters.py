"""The values of the selectors arranged for the lobby's pages: families, books, rows, limits."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lobby.stakes.models import Stake
from lobby.stakes.open_tables import OpenTable
from lobby.stakes.selectors import StakeAnswer
from rules.books import BOOKS, Family, OpenShow, RuleBook
from rules.payouts import prize_pool
from rules.text import translatable
from tables.play.seating import USUAL_BUY_IN
from wallet.base.money import currency, display
from wallet.language import gettext as _, gettext_lazy

FAMILY_NOTES = {
    Family.POINTS: gettext_lazy("Each deal is settled at once: the winner is paid for every point the others hold."),
    Family.BLIND: gettext_lazy("Points rummy without the open pile: discards stay face down."),
    Family.POOL: gettext_lazy(
        "Points add up from deal to deal. Reach the limit and you are out; the last one in takes the pool."
    ),
    Family.DEALS: gettext_lazy("A fixed number of deals. The lowest total takes the prize, or the most chips."),
}

#: One line for each game on the players it suits.
FOR_WHOM = {
    "standard-points": gettext_lazy("For a quick game: one deal, settled at once, and you may get up after it."),
    "standard-blind": gettext_lazy("For those who know points rummy and want more to guess: nobody sees the discards."),
    "standard-pool-61": gettext_lazy("For a short pool: points add up, and the last one under 61 takes it."),
    "standard-pool-101": gettext_lazy(
        "For a longer sitting: points add up, and the last one under 101 takes the pool."
    ),
    "standard-pool-201": gettext_lazy("For patient players: as pool 101, with time to recover from a bad hand."),
    "standard-deals-2": gettext_lazy("For two with little time: two deals, no drops, and each deal won takes chips."),
    "standard-deals-3": gettext_lazy(
        "For two who want to measure themselves: three deals, no drops, the lower total wins."
    ),
    "standard-deals-6": gettext_lazy(
        "For those who like to win deals: six of them, and the most chips take the prize."
    ),
    "classic-points": gettext_lazy("For those who show early: whoever is caught then pays all, turn or no turn."),
    "lives-points": gettext_lazy("For experts: a life of four cards, one joker a meld, three packs."),
    "lives-drop-points": gettext_lazy("For experts who like to wait: lives rummy where an early show costs a drop."),
    "flat20-points": gettext_lazy("For cautious players: whoever is caught before the first turn pays 20."),
    "club-points": gettext_lazy("For large rounds: the rules of the clubs, with a third pack from five players on."),
    "club-pool-201": gettext_lazy("For a whole evening at the club: pool 201 where an early show counts in full."),
}

#: The games that a newcomer sees first, each with the number of players at its practice table.
FIRST_GAMES = (("standard-points", 2), ("standard-pool-101", 3), ("standard-deals-3", 2))

#: The rule for a loser without a turn, in books where it is not half of the points.
OPEN_SHOW_FACTS = {
    OpenShow.FULL: gettext_lazy("All counts on an early show"),
    OpenShow.FLAT: gettext_lazy("{points} on an early show"),
    OpenShow.DROP_SHOW: gettext_lazy("Drop show"),
}

#: Titles of the families, alone and as games.
FAMILY_TITLES = translatable({
    Family.POINTS: "Points", Family.BLIND: "Blind", Family.POOL: "Pool", Family.DEALS: "Deals",
})  # fmt: skip
GAME_TITLES = translatable({
    Family.POINTS: "Points rummy", Family.BLIND: "Blind rummy", Family.POOL: "Pool rummy", Family.DEALS: "Deals rummy",
})  # fmt: skip

#: The order of the families: the larger ones first; the small ones share a line.
LOBBY_ORDER = (Family.POINTS, Family.POOL, Family.BLIND, Family.DEALS)

#: The most tables with waiting people that the lobby shows.
MOST_WAITING_TABLES = 12

PHASE_TEXTS = {phase: gettext_lazy(phase) for phase in translatable(("waiting", "starting", "over"))}


def sections(stakes: Iterable[StakeAnswer], played: Collection[str]) -> list[dict[str, Any]]:
    """Return the stakes by family in LOBBY_ORDER, and within it by rule book in the order of first appearance.

    For somebody who has `played` books that are on offer the others are folded: a family of none of them is not `open`,
    and in one with some the rest are its `others`.
    """
    books_by_family: dict[Family, dict[str, list[dict[str, Any]]]] = {family: {} for family in LOBBY_ORDER}
    for stake in stakes:
        books = books_by_family[BOOKS[stake["book"]].family]
        books.setdefault(stake["book"], []).append(row(stake))
    offered = {key for books in books_by_family.values() for key in books}
    unfolded = offered.intersection(played) or offered
    return [
        {
            "family": family.value,
            "title": _(GAME_TITLES[family]),
            "note": FAMILY_NOTES[family],
            "open": not unfolded.isdisjoint(books),
            **_folded(books, unfolded.intersection(books) or books.keys()),
        }
        for family, books in books_by_family.items()
        if books
    ]


def _folded(books: Mapping[str, list[dict[str, Any]]], unfolded: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    cards: dict[str, list[dict[str, Any]]] = {"books": [], "others": []}
    for key, rows in books.items():
        cards["books" if key in unfolded else "others"].append(book_card(BOOKS[key], rows))
    return cards


def first_games(stakes: Iterable[StakeAnswer]) -> list[dict[str, Any]]:
    """Return the few games that a newcomer chooses from; `stakes` in each says whether its family has stakes."""
    families = {stake["family"] for stake in stakes}
    return [
        {
            "key": key,
            "title": BOOKS[key].title,
            "family": BOOKS[key].family.value,
            "for_whom": FOR_WHOM[key],
            "players": players,
            "stakes": BOOKS[key].family.value in families,
        }
        for key, players in FIRST_GAMES
    ]


def stakes_in_words(count: int) -> str:
    """Return the number of stakes in words: `38 stakes`."""
    return _("1 stake") if count == 1 else _("{count} stakes", count=count)


def book_card(book: RuleBook, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one book's card in the lobby; `computers` are the numbers of opponents that a practice table may have."""
    return {
        "key": book.key,
        "title": book.title,
        "for_points": book.per_point,
        "for_whom": FOR_WHOM[book.key],
        "facts": facts(book),
        "stakes": rows,
        "computers": range(book.min_seats - 1, book.max_seats),
    }


def row(stake: StakeAnswer) -> dict[str, Any]:
    """Return a stake with the other values of its row, such as the prize of a full table and the tables in use."""
    entry = stake["entry"]
    return {
        **stake,
        "prize": prize_pool(entry, stake["seats"], stake["fee_percent"]) if entry else None,
        "pips": range(stake["seats"]),
        "live_text": live_text(stake),
        "busy_tables": [table_line(table) for table in stake["tables"] if table["seated"]],
        "more_tables": stake["tables_open"] - len(stake["tables"]),
    }


def live_text(stake: Mapping[str, Any]) -> str:
    """Return `4 playing · 1 waiting`, without the part that is zero."""
    playing, waiting = stake["playing"], stake["waiting"]
    parts = (
        _("{playing} playing", playing=playing) if playing else "",
        _("{waiting} waiting", waiting=waiting) if waiting else "",
    )
    return " · ".join(filter(None, parts))


def table_line(table: OpenTable) -> dict[str, Any]:
    """Return an open table with the names of its seated players and its phase in words."""
    names = ", ".join(place["name"] for place in table["seats"] if place["name"])
    return {**table, "names": names, "phase_text": PHASE_TEXTS.get(table["phase"]) or _("playing")}


def waiting_tables(stakes: Iterable[StakeAnswer]) -> list[dict[str, Any]]:
    """Return the tables where people wait for others and a seat is free, those that lack the fewest first."""
    tables = [
        {**table_line(table), "stake": stake["id"], "title": stake["title"], "taken": taken_text(table)}
        for stake in stakes
        for table in stake["tables"]
        if table["waiting"] and table["joinable"]
    ]
    return sorted(tables, key=lambda table: (len(table["seats"]) - table["seated"], table["id"]))[:MOST_WAITING_TABLES]


def taken_text(table: OpenTable) -> str:
    """Return the number of taken seats of a table in words: `1 of 2 seats taken`."""
    return _("{taken} of {seats} seats taken", taken=table["seated"], seats=len(table["seats"]))


def practice_books() -> list[dict[str, Any]]:
    """Return every rule book by family, for the choice of a practice table."""
    return [
        {"title": _(FAMILY_TITLES[family]), "books": [book for book in BOOKS.values() if book.family is family]}
        for family in Family
    ]


def facts(book: RuleBook) -> list[str]:
    """Return what distinguishes this book from the others, in a few short phrases."""
    drops = (
        _("Drop {first_drop} / {middle_drop}", first_drop=book.first_drop, middle_drop=book.middle_drop)
        if book.first_drop
        else _("No drops")
    )
    phrases = (
        (book.pool_limit, _("Out at {pool_limit}", pool_limit=book.pool_limit)),
        (book.deals and not book.chips_a_deal, _("Best of {deals}", deals=book.deals)),
        (book.chips_a_deal, _("{deals} deals for chips", deals=book.deals)),
        (True, drops),
        (not book.open_pile, _("No open pile")),
        (book.four_card_life, _("A life of four cards")),
        (book.jokers_per_meld, _("{jokers_per_meld} joker a meld", jokers_per_meld=book.jokers_per_meld)),
        (book.tunnela, _("Tunnela")),
        (book.open_show in OPEN_SHOW_FACTS, OPEN_SHOW_FACTS.get(book.open_show, "").format(points=book.open_show_flat)),
        (book.misses_allowed, _("Out after {misses_allowed} misses", misses_allowed=book.misses_allowed)),
        (True, packs_text(book)),
    )
    return [phrase for applies, phrase in phrases if applies]


def clock_facts(stake: Stake) -> list[str]:
    """Return the clocks of a private table, in a few short phrases."""
    return [
        _(
            "{turn_seconds} s a turn, {extra_seconds} s extra",
            turn_seconds=stake.turn_seconds,
            extra_seconds=stake.extra_seconds,
        ),
        _("{meld_seconds} s to meld", meld_seconds=stake.meld_seconds),
        _("{result_seconds} s between deals", result_seconds=stake.result_seconds),
    ]


def family_buttons(stakes: Iterable[StakeAnswer]) -> list[dict[str, Any]]:
    """Return the families with stakes for fun chips, each with its numbers of people in words."""
    counts_by_family = {family: {"waiting": 0, "playing": 0} for family in LOBBY_ORDER}
    offered = set()
    for stake in stakes:
        family = BOOKS[stake["book"]].family
        if stake["currency"] == "FUN":
            offered.add(family)
            counts_by_family[family]["waiting"] += stake["waiting"]
            counts_by_family[family]["playing"] += stake["playing"]
    return [
        {"family": family.value, "title": _(FAMILY_TITLES[family]), "live_text": live_text(counts)}
        for family, counts in counts_by_family.items()
        if family in offered
    ]


def packs_text(book: RuleBook) -> str:
    """Return the number of packs: '2 packs', or '2 packs, 3 from 5 players on'."""
    (most_players, packs), *larger = book.packs
    return (
        _("{packs} packs", packs=packs)
        if not larger
        else _(
            "{packs} packs, {more} from {at_most} players on", packs=packs, more=larger[0][1], at_most=most_players + 1
        )
    )


def buy_in_range(stake: StakeAnswer, free: int, *, room: int | None, private: int | None) -> dict[str, Any]:
    """Return the limits of the buy-in for a player with that free balance, smallest units.

    `room` is the amount that their own limits leave, `private` that which the bound of tables for friends leaves; None
    without limits.
    """
    least = stake["minimum"]
    most = min(bound for bound in (free, stake["maximum"], room, private) if bound is not None)
    return {
        "least": least,
        "most": most,
        "usual": max(least, min(most // 2, USUAL_BUY_IN * least)),
        "free": free,
        "whole": free // 10 ** currency(stake["currency"]).decimals,
        "room": room,
        "enough": free >= least,
        "within": room is None or room >= least,
        "private": private,
        "passes": private is None or private >= least,
    }


def price_in_words(stake: Stake) -> str:
    """Return the price of the stake in words: `entry 500 chips`, `1 chip a point`."""
    if stake.entry:
        return f"entry {display(stake.entry, stake.currency)}"
    return f"{display(stake.point_value or 0, stake.currency)} a point"


def place_names(stakes: Collection[int], books: Collection[str]) -> tuple[dict[int, str], dict[str, str]]:
    """Return for reports the names of these stakes by id, and the titles of these books by key; unknown are left out.

    The wallet, which imports neither stakes nor rules, calls this through the setting PLACE_NAMES.
    """
    stake_names = {
        stake.pk: f"{stake}, {stake.seats} seats, {price_in_words(stake)}"
        for stake in Stake.objects.filter(pk__in=stakes)
    }
    return stake_names, {key: BOOKS[key].title for key in books if key in BOOKS}
