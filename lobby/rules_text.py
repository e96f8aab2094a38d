"""Each field of a rule book in a sentence for players."""

from rules import payouts
from rules.books import Absence, Leaving, NoSubmission, OpenShow, RuleBook, Toss, WithoutLives

Rows = list[tuple[str, str]]


def tables(book: RuleBook) -> list[tuple[str, Rows]]:
    """The book as titled tables of (what, how)."""
    parts = [
        ("At the table", _table(book)),
        ("Melds", _melds(book)),
        ("What it costs", _costs(book)),
        ("When time runs out", _absence(book)),
        ("The match", _match(book)),
    ]
    return [(title, rows) for title, rows in parts if rows]


def _table(book: RuleBook) -> Rows:
    same = book.min_seats == book.max_seats
    packs = [f"{count} packs up to {players} players" for players, count in book.packs]
    toss = {
        Toss.HIGHEST_FIRST: "The highest card plays first, the others follow seat by seat.",
        Toss.BY_RANK: "All play in the order of their toss cards, highest first.",
    }[book.toss]
    again = (
        " A new toss before every deal."
        if book.toss_each_deal
        else " Once; then the first turn moves on by one each deal."
    )
    return [
        ("Players", str(book.min_seats) if same else f"{book.min_seats} to {book.max_seats}"),
        ("Packs", "; ".join(packs) + ". Each has 52 cards and one joker."),
        ("Open pile", "Face up; its top card may be drawn." if book.open_pile else "None: discards stay face down."),
        ("Toss", toss + again),
        ("Groups", f"At most {book.max_groups}, the rest lie loose."),
    ]


def _melds(book: RuleBook) -> Rows:
    rows: Rows = [("Lives", "At least two sequences, one of them pure.")]
    if book.four_card_life:
        rows.append(("Four-card life", "One of the two lives has at least four cards."))
    limit = book.jokers_per_meld
    rows.append(
        ("Jokers in a meld", "As many as you like." if limit is None else f"At most {limit} standing for another card.")
    )
    if book.tunnela:
        rows.append(("Tunnela", "Three identical cards count as a pure sequence."))
    if book.jokers_apart:
        rows.append(("Spare jokers", "May lie apart in a declaration, loose or in a group of their own."))
    return rows


def _costs(book: RuleBook) -> Rows:
    rows: Rows = []
    if book.first_drop is None:
        rows.append(("Drop", "There are no drops in this book."))
    else:
        rows.append(("First drop", f"{book.first_drop} points, before your first draw of the deal."))
        rows.append(("Middle drop", f"{book.middle_drop} points, later, before you draw."))
    rows += [
        (
            "Full count",
            f"{book.full_count} points at most, and {book.least_points} at least, for a hand that is caught.",
        ),
        ("Wrong declaration", f"{book.full_count} points; the others play on."),
        ("Without both lives", _without_lives(book)),
        ("Caught before your first turn", _open_show(book)),
        ("Leaving", _leaving(book)),
    ]
    return rows


def _without_lives(book: RuleBook) -> str:
    if book.without_lives is WithoutLives.FULL_COUNT:
        return f"{book.full_count} points, whatever you hold."
    return "Only pure sequences are free; without one, every card counts."


def _open_show(book: RuleBook) -> str:
    if book.open_show is OpenShow.FULL:
        return "The full count of your hand."
    if book.open_show is OpenShow.FLAT:
        return f"{book.open_show_flat} points."
    if book.open_show is OpenShow.DROP_SHOW:
        return (
            f"{book.open_show_flat} points if the winner declares on his own first turn; who had a turn pays "
            f"{book.drop_show_turn}, who submits nothing {book.full_count}."
        )
    return f"Half the count, rounded up, {book.open_show_cap} at most."


def _leaving(book: RuleBook) -> str:
    if book.leaving is Leaving.GIVES_MATCH:
        return "The other player wins the match."
    points = (
        f"{book.leave_first} points"
        if book.leave_first == book.leave_later
        else f"{book.leave_first} points in the first round, {book.leave_later} later"
    )
    out = ", and you are out of the match." if book.leaving is Leaving.OUT_OF_MATCH else "."
    return points + out


def _absence(book: RuleBook) -> Rows:
    rows: Rows = [
        ("Connected, no draw in time", _absent(book, book.absent_connected)),
        ("Offline, first round", _absent(book, book.absent_offline_first)),
        ("Offline, later", _absent(book, book.absent_offline_later)),
    ]
    if book.misses_allowed:
        rows.append((f"{book.misses_allowed} misses in a row", f"You are dropped at {book.missed_out_points} points."))
    if Absence.AUTO_PLAY in (book.absent_connected, book.absent_offline_first, book.absent_offline_later):
        rows.append(
            (f"{book.auto_plays_allowed} auto plays in a row", f"You are dropped at {book.auto_plays_points} points.")
        )
    late = book.no_submission is NoSubmission.LAST_ARRANGEMENT
    rows.append(("No submission in time", "Your last arrangement counts." if late else f"{book.full_count} points."))
    return rows


def _absent(book: RuleBook, absence: Absence) -> str:
    if absence is Absence.DROP:
        price = f"at {book.absence_points} points" if book.absence_points else "at the price of a drop in that round"
        return f"You are dropped {price}."
    if absence is Absence.MISS:
        return "A card is drawn from the closed deck and discarded for you. That is a miss."
    return "A card is drawn from the closed deck and discarded for you."


def _match(book: RuleBook) -> Rows:
    rows: Rows = []
    if book.pool_limit and book.first_drop:
        drops = payouts.drops_left(0, book.pool_limit, book.first_drop)
        rows += [
            ("Limit", f"At {book.pool_limit} points you are out. The last player in takes the pool."),
            (
                "Drops with a clean sheet",
                f"{drops} first drops leave you in.",
            ),
            (
                "Rejoin",
                "Just out, you may pay the entry again: you return one point above the highest score.",
            ),
            ("Split", "The last two or three may agree to share the pool by the drops each has left."),
        ]
    if book.deals:
        rows.append(("Deals", f"{book.deals}. The lowest total wins; a tie is broken by single deals."))
        if book.decisive_lead:
            rows.append(
                (
                    "Decided early",
                    f"A lead of more than {book.decisive_lead} points before the last deal ends the match.",
                )
            )
    return rows


#: The match of the worked example: players, entry in chips, fee in percent.
POOL_PLAYERS, POOL_ENTRY, POOL_FEE = 6, 100, 10


def pool_example(book: RuleBook) -> dict[str, object] | None:
    """Three players left of six, worked out by the code that pays them; None for a book without a pool."""
    if book.pool_limit is None or book.first_drop is None:
        return None
    limit, drop = book.pool_limit, book.first_drop
    scores = (drop, 2 * drop, 3 * drop)
    prize = payouts.prize_pool(POOL_ENTRY, POOL_PLAYERS, POOL_FEE)
    split = payouts.split(limit=limit, drop=drop, entry=POOL_ENTRY, prize=prize, started=POOL_PLAYERS, scores=scores)
    back = payouts.rejoin(limit=limit, drop=drop, started=POOL_PLAYERS, scores=(limit + 9, *scores), player=0)
    return {
        "players": POOL_PLAYERS,
        "entry": POOL_ENTRY,
        "fee": POOL_FEE,
        "prize": prize,
        "lines": list(zip(scores, split.drops, split.shares or (), strict=True)),
        "out": limit + 9,
        "back": back.score,
        "highest": limit - 2 - drop,
    }
