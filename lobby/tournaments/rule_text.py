"""The published rules of a tournament as sentences for players, made from its own numbers."""

from collections import Counter
from itertools import zip_longest

from rules.books import BOOKS, FULL_COUNT, with_deals
from rules.payouts import fee
from rules.tournaments import apportioned, rounds_of
from tables.language import translated
from tables.models import Tournament, TournamentKind
from wallet.base.money import display
from wallet.language import gettext as _, translatable

Rows = list[tuple[str, str]]

KNOCKOUT = translatable((
    ("Game", "{game}, tables of up to {seats}"),
    (
        "Rounds",
        "{deals} deals a round. The best {go_on} of each table go on, more where that fills the last table; the last "
        "round is one table. With {players} players the tables are: {tables}.",
    ),
    (
        "Chips",
        "Everybody begins each round with {chips}: 80 for each of its deals. The winner of a deal takes from each "
        "other player as many as they have points.",
    ),
    (
        "Places",
        "Finalists come before all others, whatever their chips. Who goes out in a later round comes before who went "
        "out earlier. Within a round more chips decide, then more deals won, then fewer points lost.",
    ),
    (
        "Leaving a final",
        "Whoever leaves has the place of that moment. So whoever leads a final of two and leaves has won it: nobody is "
        "left to take chips from them.",
    ),
))  # fmt: skip
ARENA = translatable((
    ("Game", "{game}, tables of two to six, one chip a point"),
    (
        "Time",
        "{minutes} minutes. No deal begins in the last 30 seconds, and deals that run are played to their end. You may "
        "come until five minutes before the end, step away, and come back.",
    ),
    (
        "Tables",
        "Whoever is free is seated within ten seconds, who waited longest first. After each deal the tables are drawn "
        "anew: nobody meets the same player twice in a row while others are free.",
    ),
    (
        "Chips",
        "Everybody begins with 1,000. Each deal moves as many chips as points. At 0 or below you get 1,000 once more, "
        "and the list shows it.",
    ),
    (
        "Places",
        "By chips, among all who have finished {least_deals} deals; waiting gains nothing. Of equals more deals won "
        "decide, then fewer points lost.",
    ),
))  # fmt: skip
PEOPLE = translatable((
    (
        "Equals",
        "Who is equal in all of this shares the place. The prizes of those places are added and shared; odd chips go "
        "to the earlier entry.",
    ),
    (
        "Leaving",
        "Who leaves keeps what they have at that moment, and is placed by it. Nobody moves into a prize because "
        "somebody behind them left.",
    ),
    (
        "Absence",
        "Your turns are played for you by the rules of the game. After three such turns in a row you are dropped at "
        "each deal, and at once from one in which only absent players are left, but not thrown out: one press, and you "
        "play again.",
    ),
    (
        "Tables that stand still",
        "A table may stand still by a fault of ours, or while our staff look at it. Chips stand there as after its "
        "last deal, and nobody waits for it: a round ends without it, an arena seats its players elsewhere.",
    ),
    ("Cancelled", "With fewer than {least} players at the start it is cancelled, and every entry goes back in full."),
))  # fmt: skip
TABLES_OF_TWO = translatable((("Odd numbers", "Where one would be left over at tables of two, three sit at one."),))
COMPUTERS = translatable((
    (
        "Computer players",
        "If seats are free {seconds} seconds after the first entry, computer players take them. They are marked, and "
        "then nothing is rated.",
    ),
))  # fmt: skip
FREE = translatable((("Entry", "Free. There is nothing to win but the place."),))
PAID = translatable((
    ("Entry", "{entry}"),
    ("Fee", "{percent}% of all entries, rounded down"),
    (
        "Prizes",
        "Shares of what was really entered, after the fee, in whole chips; the largest remainders are rounded up. With "
        "fewer players than prizes the shares grow in proportion. No sum is guaranteed.",
    ),
))  # fmt: skip


def published_rules(tournament: Tournament) -> Rows:
    """Return all that is published before anybody enters, as rows of (name, rule)."""
    rows = (
        *(ARENA if tournament.kind == TournamentKind.ARENA else KNOCKOUT),
        *(TABLES_OF_TWO if tournament.kind == TournamentKind.KNOCKOUT and tournament.seats == 2 else ()),
        *PEOPLE,
        *(COMPUTERS if tournament.computers_after is not None else ()),
        *(PAID if tournament.entry else FREE),
    )
    players = tournament.entered if tournament.round else tournament.most
    rounds = rounds_of(max(2, players), tournament.seats, tournament.go_on)
    values = {
        "game": game_title(tournament),
        "seats": tournament.seats,
        "deals": tournament.deals,
        "go_on": tournament.go_on,
        "players": players,
        "tables": _(", then ").join(str(len(sizes)) for sizes in rounds),
        "chips": FULL_COUNT * tournament.deals,
        "minutes": tournament.minutes,
        "least_deals": tournament.least_deals,
        "least": tournament.least,
        "seconds": tournament.computers_after,
        "entry": display(tournament.entry, "FUN"),
        "percent": tournament.fee_percent,
    }
    return [(_(name), _(rule, **values)) for name, rule in rows]


def game_title(tournament: Tournament) -> str:
    """Return the title of its rule book, with its own number of deals, in the language of the reader."""
    if tournament.book not in BOOKS:
        return tournament.book
    return translated(with_deals(BOOKS[tournament.book], tournament.deals).title)


def begins_full(tournament: Tournament) -> bool:
    """Whether it has not begun, and begins once it is full: then its prizes are known before."""
    return tournament.starts_ms is None and tournament.status in (Tournament.Status.ANNOUNCED, Tournament.Status.OPEN)


def prize_rows(tournament: Tournament, removed: Counter[tuple[int, bool]]) -> list[dict[str, int]]:
    """Return the prizes by place: share in percent, and chips as of now, or at its start where it begins full.

    With fewer players than prizes those of the places that there are have grown, and the others are 0; all are
    where it was cancelled. `removed` as `tables.tournaments.ending` counts them.
    """
    players = tournament.most if begins_full(tournament) else tournament.entered
    pot = tournament.entry * (players + removed[tournament.pk, False])
    places = players - removed[tournament.pk, True]
    if tournament.status == Tournament.Status.CANCELLED:
        pot = places = 0
    chips = apportioned(pot - fee(pot, tournament.fee_percent), tournament.prizes[:places])
    return [
        {"place": place, "share": share, "chips": amount}
        for place, (share, amount) in enumerate(zip_longest(tournament.prizes, chips, fillvalue=0), start=1)
    ]
