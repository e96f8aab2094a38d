"""The fields of a rule book as sentences for players."""

from lobby.help import time_text
from lobby.help.time_text import DUEL, Rows
from lobby.stakes.models import Stake
from rules import payouts
from rules.books import Leaving, OpenShow, RuleBook, Toss, WithoutLives
from rules.cards import HAND_SIZE
from wallet.base.money import display
from wallet.language import gettext as _, gettext_lazy

#: The order of suits where two toss cards have the same rank.
TIES = gettext_lazy("spades go before hearts, then diamonds, then clubs")


def tables(book: RuleBook, stake: Stake | None = None) -> list[tuple[str, Rows]]:
    """Return the rules of the book as titled tables with rows of (name, rule), with the chips of the stake if given."""
    parts = [
        (_("At the table"), _table(book)),
        (_("Melds"), _melds(book)),
        (_("What it costs"), _costs(book)),
        (_("When time runs out"), time_text.absence(book)),
        (_("The match"), _match(book)),
        (_("Chips"), _chips(book, stake)),
    ]
    return [(title, rows) for title, rows in parts if rows]


def _table(book: RuleBook) -> Rows:
    same = book.min_seats == book.max_seats
    rows: Rows = [
        (
            _("Players"),
            str(book.min_seats)
            if same
            else _("{min_seats} to {max_seats}", min_seats=book.min_seats, max_seats=book.max_seats),
        ),
        (_("Packs"), _("{book}. Each has 52 cards and one joker.", book=_packs(book))),
    ]
    if book.open_pile:
        rows.append((_("Open pile"), _("Face up, from the upcard on; its top card may be drawn.")))
        rows.append(
            (_("Jokers in the open pile"), _("Stay there; only the first player may take the upcard, joker or not."))
        )
    else:
        rows.append((_("Open pile"), _("None: no card is turned up at the start, discards stay face down.")))
    return [
        *rows,
        (_("Toss"), _toss(book)),
        (_("Groups"), _("At most {max_groups}, the rest lie loose.", max_groups=book.max_groups)),
        (_("Last player left"), _("Wins the deal without declaring.")),
    ]


def _packs(book: RuleBook) -> str:
    """Return `2 packs`, or `2 packs up to 4 players; 3 packs up to 6 players`."""
    at_most, count = book.packs[0]
    if at_most >= book.max_seats:
        return _("{count} packs", count=count)
    return "; ".join(
        _("{packs} packs up to {players} players", packs=packs, players=players) for players, packs in book.packs
    )


def _toss(book: RuleBook) -> str:
    first = _("The highest card plays first") + (
        "" if book.max_seats == DUEL else _(", the others follow seat by seat")
    )
    order = _("All play in the order of their toss cards, highest first") if book.toss is Toss.BY_RANK else first
    again = (
        _("A new toss before every deal") if book.toss_each_deal else _("Once; then the first turn moves on each deal")
    )
    return _("{order}. The ace is high; of one rank {ties}. {again}.", order=order, ties=TIES, again=again)


def _melds(book: RuleBook) -> Rows:
    rows: Rows = [(_("Lives"), _("At least two sequences, one of them pure."))]
    if book.four_card_life:
        rows.append((_("Four-card life"), _("One of the two lives has at least four cards.")))
    limit = book.jokers_per_meld
    rows.append(
        (
            _("Jokers in a meld"),
            _("As many as you like.")
            if limit is None
            else _("At most {limit} standing for another card.", limit=limit),
        )
    )
    if book.tunnela:
        rows.append((_("Tunnela"), _("Three identical cards count as a pure sequence.")))
    if book.jokers_apart:
        rows.append((_("Spare jokers"), _("May lie apart in a declaration, loose or in a group of their own.")))
    if book.show_before_draw:
        rule = _("On your own first turn you may show all {hand_size} cards without drawing.", hand_size=HAND_SIZE)
        rows.append((_("Show before drawing"), rule))
    return rows


def _costs(book: RuleBook) -> Rows:
    rows: Rows = []
    if book.first_drop is None:
        rows.append((_("Drop"), _("There are no drops in this book.")))
    else:
        rows.append(
            (_("First drop"), _("{first_drop} points, before your first draw of the deal.", first_drop=book.first_drop))
        )
        rows.append(
            (_("Middle drop"), _("{middle_drop} points, later, before you draw.", middle_drop=book.middle_drop))
        )
    rows += [
        (
            _("Full count"),
            _(
                "{full_count} points at most, and {least_points} at least, for a hand that is caught.",
                full_count=book.full_count,
                least_points=book.least_points,
            ),
        ),
        (
            _("Wrong show"),
            _("{full_count} points; {book}.", full_count=book.full_count, book=_after_a_wrong_show(book)),
        ),
        (_("Without both lives"), _without_lives(book)),
        (_("Caught before your first turn"), _open_show(book)),
        (_("Leaving"), _leaving(book)),
    ]
    if book.leaving is not Leaving.GIVES_MATCH:
        rows.append(
            (
                _("Leaving after a card lies in the finish slot"),
                _(
                    "A declarer who has not submitted pays {full_count}, the others at least what their hand counts "
                    "as it lies.",
                    full_count=book.full_count,
                ),
            )
        )
    return rows


def _after_a_wrong_show(book: RuleBook) -> str:
    return _("the other player wins the deal") if book.max_seats == DUEL else _("the others play on")


def _without_lives(book: RuleBook) -> str:
    if book.without_lives is WithoutLives.FULL_COUNT:
        return _("{full_count} points, whatever you hold.", full_count=book.full_count)
    return _("Only pure sequences are free; without one, every card counts.")


def _open_show(book: RuleBook) -> str:
    if book.open_show is OpenShow.FULL:
        return _("All that your hand counts.")
    if book.open_show is OpenShow.FLAT:
        return _("{open_show_flat} points.", open_show_flat=book.open_show_flat)
    if book.open_show is OpenShow.DROP_SHOW:
        return _(
            "{open_show_flat} points if the winner declares on their own first turn; whoever had "
            "a turn pays {drop_show_turn}, whoever submits nothing {full_count}.",
            open_show_flat=book.open_show_flat,
            drop_show_turn=book.drop_show_turn,
            full_count=book.full_count,
        )
    return _("Half the count, rounded up, {open_show_cap} at most.", open_show_cap=book.open_show_cap)


def _leaving(book: RuleBook) -> str:
    if book.leaving is Leaving.GIVES_MATCH:
        return _("The other player wins the match.")
    points = (
        _("{leave_first} points", leave_first=book.leave_first)
        if book.leave_first == book.leave_later
        else _(
            "{leave_first} points until your first discard of the deal, {leave_later} later",
            leave_first=book.leave_first,
            leave_later=book.leave_later,
        )
    )
    out = book.leaving is Leaving.OUT_OF_MATCH
    return _("{points}, and you are out of the match.", points=points) if out else _("{what}.", what=points)


def _rejoin(limit: int, drop: int) -> str:
    return _(
        "Just out, you may pay the entry again: you return one point above the highest score. Only where "
        "more than two started, at least two others are still in, and none of them has more than {limit} points.",
        limit=limit - 2 - drop,
    )


def _split() -> str:
    """Return when a pool is shared and how, by rules/RULES.md, *Split*; `payouts.split` decides."""
    return _(
        "After a deal, when three or two are left of more than three who started, or two of three who started. One "
        "asks, all must agree. Each gets an entry for every drop that they have more than the one with the fewest, "
        "and an equal part of the rest, which must be one entry at least. One offer between two deals."
    )


def _match(book: RuleBook) -> Rows:
    rows: Rows = []
    if book.pool_limit and book.first_drop:
        drops = payouts.drops_left(0, book.pool_limit, book.first_drop)
        rows += [
            (
                _("Limit"),
                _(
                    "At {pool_limit} points you are out. The last player left wins the pool.",
                    pool_limit=book.pool_limit,
                ),
            ),
            (_("Drops with a clean sheet"), _("{drops} first drops leave you in.", drops=drops)),
            (_("Rejoin"), _rejoin(book.pool_limit, book.first_drop)),
            (_("Split"), _split()),
            (
                _("Split by itself"),
                _("At once, in equal shares, when so few are left and none of them has a drop left."),
            ),
        ]
    if book.deals:
        won = _("{deals}. The lowest total wins; a tie is broken by single deals.", deals=book.deals)
        if book.chips_a_deal:
            won = _(
                "{deals}. Everybody begins with {chips} chips; the winner of a deal takes as many from each of the "
                "others as they have points. The most chips after the last deal win; those who tie, and only they, "
                "play single deals until the tie is broken.",
                deals=book.deals,
                chips=book.first_total,
            )
        rows.append((_("Deals"), won))
        if book.decisive_lead and book.deals > 1:
            rows.append(
                (
                    _("Decided early"),
                    _(
                        "A lead of more than {decisive_lead} points before the last deal ends the match.",
                        decisive_lead=book.decisive_lead,
                    ),
                )
            )
    return rows


def _chips(book: RuleBook, stake: Stake | None) -> Rows:
    if book.per_point:
        needed = _(
            "{full_count} times the price of a point. Whoever holds less adds chips, or gives up the seat.",
            full_count=book.full_count,
        )
        return [*_price(stake), (_("What a deal needs"), needed), (_("Fee"), _fee(book, stake))]
    once = _("The entry of the stake, once.")
    if stake is not None:
        once = _("{entry}, once.", entry=display(stake.entry or 0, stake.currency))
    return [(_("What a match needs"), once), (_("Fee"), _fee(book, stake))]


def _price(stake: Stake | None) -> Rows:
    """Return the price of a point and the limits of the buy-in at the stake."""
    if stake is None:
        return []
    least = display(stake.least, stake.currency)
    buy_in = _("{least} or more.", least=least)
    if stake.maximum is not None:
        buy_in = _("{least} to {most}.", least=least, most=display(stake.maximum, stake.currency))
    return [(_("A point"), display(stake.point_value or 0, stake.currency)), (_("Buy-in"), buy_in)]


def _fee(book: RuleBook, stake: Stake | None) -> str:
    paid = _("both entries") if book.max_seats == DUEL else _("all entries")
    if book.per_point:
        paid = _("what the losers pay")
    elif book.pool_limit:
        paid = _("all entries, those of rejoins too,")
    if stake is None:
        return _("A part of {paid} that the stake names, rounded down; the winner gets the rest.", paid=paid)
    if not stake.fee_percent:
        return _("None.")
    part = f"{stake.fee_percent}%"
    return _("{part} of {paid}, rounded down; the winner gets the rest.", part=part, paid=paid)


#: The match of the worked example: players, entry in chips, fee in percent.
POOL_PLAYERS, POOL_ENTRY, POOL_FEE = 6, 100, 10


def pool_example(book: RuleBook) -> dict[str, object] | None:
    """Return an example of a pool with three of six players left, by the code of payouts; None without a pool."""
    if book.pool_limit is None or book.first_drop is None:
        return None
    limit, drop = book.pool_limit, book.first_drop
    lowest = min(drop, limit - 2 - 3 * drop)  # The highest of the three must let somebody rejoin.
    scores = (lowest, lowest + drop, lowest + 2 * drop)
    prize = payouts.prize_pool(POOL_ENTRY, POOL_PLAYERS, POOL_FEE)
    split = payouts.split(limit=limit, drop=drop, entry=POOL_ENTRY, prize=prize, started=POOL_PLAYERS, scores=scores)
    rejoined = payouts.rejoin(limit=limit, drop=drop, started=POOL_PLAYERS, scores=(limit + 9, *scores), player=0)
    return {
        "players": POOL_PLAYERS,
        "entry": POOL_ENTRY,
        "fee": POOL_FEE,
        "prize": prize,
        "lines": list(zip(scores, split.drops, split.shares or (), strict=True)),
        "out": limit + 9,
        "back": rejoined.score,
        "highest": limit - 2 - drop,
    }
