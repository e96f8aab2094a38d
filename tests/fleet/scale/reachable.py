"""The events and the corners of the rules that each book can reach.

They are split into those that chance is sure to reach in ten thousand matches (`by_chance`) and those that have to be
staged (`on_purpose`).
"""

from typing import Final

from rules.books import Absence, Family, OpenShow, RuleBook
from rules.game.events import EVENTS
from tables.simulation.corners import CORNERS

#: What no simulated match comes to: only staff and the recovery after an outage bring it about.
ELSEWHERE: Final = {"match_cancelled", "clock_credited"}
OF_A_MATCH: Final = {"match_ended", "prize_awarded"}
OF_POOLS: Final = {
    "player_eliminated", "rejoin_opened", "rejoin_closed", "rejoin_declined", "player_rejoined",
    "split_offered", "split_answered", "split_ended",
}  # fmt: skip
#: Who is behind a tie for the most chips is out of the match, which is for others than a pool a rare thing.
BEHIND_A_TIE: Final = {"player_eliminated", "eliminated together"}
OF_POINTS: Final = {"deal_settled", "chips_added"}

#: Events that chance rarely brings about in one book or another.
SELDOM: Final = {"deal_voided", "waiting_began", "closed_deck_reshuffled"}
_ON_PURPOSE: Final = SELDOM | {
    "open show", "drop show", "tunnela shown", "jokers left apart", "third reshuffle", "dropped for misses",
    "dropped for auto plays", "tie played on", "left while melding", "left after finishing", "shown without drawing",
    "dropped for a late discard",
}  # fmt: skip


def events_of(rules: RuleBook) -> set[str]:
    """Return the kinds of event that a match by this book can contain."""
    foreign = set(ELSEWHERE)
    foreign |= OF_A_MATCH if rules.per_point else OF_POINTS
    foreign |= OF_POOLS - _behind_a_tie(rules) if rules.family is not Family.POOL else set()
    foreign |= set() if rules.open_pile else {"upcard_turned"}
    foreign |= set() if _absences(rules) & {Absence.AUTO_PLAY, Absence.MISS} else {"turn_auto_played"}
    foreign |= {"auto_drop_set"} if rules.first_drop is None else set()
    # Two hands and what lies around them never leave a closed deck of two packs without a card.
    foreign |= {"deal_voided"} if rules.max_seats == 2 else set()
    return EVENTS.keys() - foreign


def corners_of(rules: RuleBook) -> set[str]:
    """Return the corners of this book; `CORNERS` explains each of them."""
    corners = {"open show", "third reshuffle", "left while melding", "left after finishing", "won without a show"}
    if rules.family is Family.POOL:
        corners |= {"split agreed", "split refused", "auto split", "eliminated together"}
    if rules.family is Family.DEALS:
        corners |= {"won before the last deal", "tie played on"} | (_behind_a_tie(rules) & CORNERS.keys())
    if rules.first_drop is not None:
        corners |= {"dropped by the switch", "left after dropping"}
    if rules.open_pile:
        corners.add("first upcard a joker, taken")
    corners |= {name for name, has in _BY_FIELD.items() if has(rules)}
    return corners


_BY_FIELD: Final = {
    "drop show": lambda rules: rules.open_show is OpenShow.DROP_SHOW,
    "tunnela shown": lambda rules: rules.tunnela,
    "jokers left apart": lambda rules: rules.jokers_apart,
    "shown without drawing": lambda rules: rules.show_before_draw,
    "dropped for a late discard": lambda rules: rules.late_discard_drops,
    "dropped for misses": lambda rules: Absence.MISS in _absences(rules),
    "dropped for auto plays": lambda rules: Absence.AUTO_PLAY in _absences(rules),
}


def _absences(rules: RuleBook) -> set[Absence]:
    return {rules.absent_connected, rules.absent_offline_first, rules.absent_offline_later}


def _behind_a_tie(rules: RuleBook) -> set[str]:
    return BEHIND_A_TIE if rules.chips_a_deal is not None and rules.max_seats > 2 else set()


def on_purpose(rules: RuleBook) -> set[str]:
    """Return those that have to be staged: test_corners.py has a scene for each."""
    return (events_of(rules) | corners_of(rules)) & (_ON_PURPOSE | _behind_a_tie(rules))


def by_chance(rules: RuleBook) -> set[str]:
    """Return those that every fleet of ten thousand matches must reach with this very book."""
    return (events_of(rules) | corners_of(rules)) - _ON_PURPOSE - _behind_a_tie(rules)


def never(rules: RuleBook) -> set[str]:
    """Return those that must not happen with this book in any number of matches."""
    return (EVENTS.keys() | CORNERS.keys()) - events_of(rules) - corners_of(rules)
