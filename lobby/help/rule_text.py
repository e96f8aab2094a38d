"""Each field of a rule book in a sentence for players."""

from rules import payouts
from rules.books import Absence, Leaving, NoSubmission, OpenShow, RuleBook, Toss, WithoutLives
from rules.cards import HAND_SIZE
from rules.game import Clocks

Rows = list[tuple[str, str]]

#: At so many seats there is one other player, not several.
DUEL = 2
#: The order of suits where two toss cards have the same rank.
TIES = "spades go before hearts, then diamonds, then clubs"


def tables(book: RuleBook) -> list[tuple[str, Rows]]:
    """Return the book as titled tables of (what, how)."""
    parts = [
        ("At the table", _table(book)),
        ("Melds", _melds(book)),
        ("What it costs", _costs(book)),
        ("When time runs out", _absence(book)),
        ("The match", _match(book)),
        ("Money", _money(book)),
    ]
    return [(title, rows) for title, rows in parts if rows]


def _table(book: RuleBook) -> Rows:
    same = book.min_seats == book.max_seats
    rows: Rows = [
        ("Players", str(book.min_seats) if same else f"{book.min_seats} to {book.max_seats}"),
        ("Packs", f"{_packs(book)}. Each has 52 cards and one joker."),
    ]
    if book.open_pile:
        rows.append(("Open pile", "Face up, from the upcard on; its top card may be drawn."))
        rows.append(("Jokers in the open pile", "Stay there; only the first player may take the upcard, joker or not."))
    else:
        rows.append(("Open pile", "None: no card is turned up at the start, discards stay face down."))
    return [
        *rows,
        ("Toss", _toss(book)),
        ("Groups", f"At most {book.max_groups}, the rest lie loose."),
        ("Last player left", "Wins the deal without declaring."),
    ]


def _packs(book: RuleBook) -> str:
    """'2 packs', or '2 packs up to 4 players; 3 packs up to 6 players'."""
    at_most, count = book.packs[0]
    if at_most >= book.max_seats:
        return f"{count} packs"
    return "; ".join(f"{packs} packs up to {players} players" for players, packs in book.packs)


def _toss(book: RuleBook) -> str:
    first = "The highest card plays first" + ("" if book.max_seats == DUEL else ", the others follow seat by seat")
    order = "All play in the order of their toss cards, highest first" if book.toss is Toss.BY_RANK else first
    again = "A new toss before every deal" if book.toss_each_deal else "Once; then the first turn moves on each deal"
    return f"{order}. The ace is high; of one rank {TIES}. {again}."


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
    if book.show_before_draw:
        told = f"On your own first turn you may show all {HAND_SIZE} cards without drawing."
        rows.append(("Show before drawing", told))
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
        ("Wrong declaration", f"{book.full_count} points; {_after_a_wrong_show(book)}."),
        ("Without both lives", _without_lives(book)),
        ("Caught before your first turn", _open_show(book)),
        ("Leaving", _leaving(book)),
    ]
    if book.leaving is not Leaving.GIVES_MATCH:
        rows.append(
            (
                "Leaving after a card lies in the finish slot",
                f"A declarer who has not submitted pays {book.full_count}, the others at least what their hand counts "
                "as it lies.",
            )
        )
    return rows


def _after_a_wrong_show(book: RuleBook) -> str:
    return "the other player wins the deal" if book.max_seats == DUEL else "the others play on"


def _without_lives(book: RuleBook) -> str:
    if book.without_lives is WithoutLives.FULL_COUNT:
        return f"{book.full_count} points, whatever you hold."
    return "Only pure sequences are free; without one, every card counts."


def _open_show(book: RuleBook) -> str:
    if book.open_show is OpenShow.FULL:
        return "All that your hand counts."
    if book.open_show is OpenShow.FLAT:
        return f"{book.open_show_flat} points."
    if book.open_show is OpenShow.DROP_SHOW:
        return (
            f"{book.open_show_flat} points if the winner declares on their own first turn; who had a turn pays "
            f"{book.drop_show_turn}, who submits nothing {book.full_count}."
        )
    return f"Half the count, rounded up, {book.open_show_cap} at most."


def _leaving(book: RuleBook) -> str:
    if book.leaving is Leaving.GIVES_MATCH:
        return "The other player wins the match."
    points = (
        f"{book.leave_first} points"
        if book.leave_first == book.leave_later
        else f"{book.leave_first} points until your first discard of the deal, {book.leave_later} later"
    )
    out = ", and you are out of the match." if book.leaving is Leaving.OUT_OF_MATCH else "."
    return points + out


def _absence(book: RuleBook) -> Rows:
    rows: Rows = [
        ("Connected, no draw in time", _absent(book, book.absent_connected)),
        ("Offline, first round", _absent(book, book.absent_offline_first)),
        ("Offline, later", _absent(book, book.absent_offline_later)),
        ("Drawn, not discarded in time", _late_discard(book)),
    ]
    if book.misses_allowed:
        dropped = f"You are dropped at {book.missed_out_points} points. A draw of your own ends the row."
        rows.append((f"{book.misses_allowed} misses in a row", dropped))
    if Absence.AUTO_PLAY in (book.absent_connected, book.absent_offline_first, book.absent_offline_later):
        dropped = f"You are dropped at {book.auto_plays_points} points. A draw of your own ends the row."
        rows.append((f"{book.auto_plays_allowed} auto plays in a row", dropped))
    late = book.no_submission is NoSubmission.LAST_ARRANGEMENT
    rows.append(("No submission in time", _no_submission(book)))
    judged = "Their last arrangement is judged as the show." if late else f"A wrong show: {book.full_count} points."
    rows.append(("Declarer who submits nothing", judged))
    return rows


def _late_discard(book: RuleBook) -> str:
    if book.late_discard_drops:
        return f"You are dropped at {book.absence_points or book.middle_drop} points; the card goes with your hand."
    return "The drawn card is discarded for you. That is no miss."


def _no_submission(book: RuleBook) -> str:
    if book.no_submission is NoSubmission.FULL_COUNT:
        no_turn = book.no_submission_no_turn
        return f"{book.full_count} points{f', {no_turn} if you had no turn' if no_turn is not None else ''}."
    overlooked = f" A hand that could be declared counts {book.least_points}, however it lies."
    return "Your last arrangement counts." + (overlooked if book.overlooked_show_is_least else "")


def _absent(book: RuleBook, absence: Absence) -> str:
    if absence is Absence.DROP:
        price = f"at {book.absence_points} points" if book.absence_points else "at the price of a drop in that round"
        return f"You are dropped {price}."
    if absence is Absence.MISS:
        return "A card is drawn from the closed deck and discarded for you. That is a miss."
    return "A card is drawn from the closed deck and discarded for you."


#: rules.md, Split; `payouts.split` decides.
SPLIT = (
    "After a deal, when three or two are left of more than three who started, or two of three who started. One asks, "
    "all must agree; each gets an entry for every drop more than the fewest, and an equal part of the rest, which "
    "must be one entry at least. One offer between two deals."
)


def _rejoin(limit: int, drop: int) -> str:
    return (
        "Just out, you may pay the entry again: you return one point above the highest score. Only where more than two "
        f"started, at least two others are still in, and none of them has more than {limit - 2 - drop} points."
    )


def _match(book: RuleBook) -> Rows:
    rows: Rows = []
    if book.pool_limit and book.first_drop:
        drops = payouts.drops_left(0, book.pool_limit, book.first_drop)
        rows += [
            ("Limit", f"At {book.pool_limit} points you are out. The last player left wins the pool."),
            (
                "Drops with a clean sheet",
                f"{drops} first drops leave you in.",
            ),
            ("Rejoin", _rejoin(book.pool_limit, book.first_drop)),
            ("Split", SPLIT),
            ("Split by itself", "At once, in equal shares, when so few are left and none of them has a drop left."),
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


def _money(book: RuleBook) -> Rows:
    fee = "A part of {} that the stake names, rounded down; the winner gets the rest."
    if book.per_point:
        needed = f"{book.full_count} times the price of a point. Who holds less adds chips, or gives up the seat."
        return [("What a deal needs", needed), ("Fee", fee.format("what the losers pay"))]
    paid = "all entries, those of rejoins too," if book.pool_limit else "both entries"
    return [("What a match needs", "The entry of the stake, once."), ("Fee", fee.format(paid))]


def clocks(lengths: Clocks, book: RuleBook) -> Rows:
    """Return how long everything may take, in seconds."""
    start = f"{_seconds(lengths.start_two)} after the second player sits down"
    if book.max_seats > DUEL:
        start += f", {_seconds(lengths.start_more)} at a larger table; {_seconds(lengths.start_full)} once that is full"
    rows = [
        ("Start", start),
        ("A turn", f"{_seconds(lengths.turn)}, then {_seconds(lengths.extra)} of extra time in every turn"),
        ("Submitting a hand", f"{_seconds(lengths.meld)} for the declarer, then as long for the others together"),
        ("The result", f"{_seconds(lengths.result)} to continue"),
    ]
    if book.pool_limit:
        rows.append(("Rejoin and split", f"{_seconds(lengths.prompt)} to answer"))
    return [(what, f"{how}.") for what, how in rows]


def _seconds(ms: int) -> str:
    return f"{ms // 1000} s"


#: The match of the worked example: players, entry in chips, fee in percent.
POOL_PLAYERS, POOL_ENTRY, POOL_FEE = 6, 100, 10


def pool_example(book: RuleBook) -> dict[str, object] | None:
    """Work out three players left of six by the code that pays them; None for a book without a pool."""
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
