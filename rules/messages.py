"""What players are told when the rules refuse a move: one sentence for each code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from rules.errors import Refused

REFUSALS: Final[Mapping[str, str]] = {
    "not_seated": "You have no seat at this table.",
    "wrong_phase": "This cannot be done now.",
    "not_your_turn": "It is not your turn.",
    "too_late": "The time for this is over.",
    "already_drawn": "You have already drawn a card.",
    "must_draw": "Draw a card first.",
    "card_needed": "Choose the card for the finish slot.",
    "not_your_card": "You do not hold this card.",
    "joker_not_allowed": "A joker may not be picked from the open pile.",
    "pile_empty": "There is no card to pick up.",
    "bad_groups": "A card can lie in one group only.",
    "too_many_groups": "At most six groups are allowed.",
    "sort_used": "You have already sorted in this deal.",
    "drops_not_allowed": "There are no drops at this table.",
    "show_accepted": "Your show is right: please wait for the result before you leave.",
    "already_continued": "You have already chosen to go on.",
    "chips_not_allowed": "No chips can be added at this table.",
    "bad_amount": "This is not an amount that can be put on the table.",
    "split_not_possible": "The prize cannot be split now.",
    "already_answered": "You have already answered.",
    "seed_used": "Your part of the shuffle is already in.",
    "bad_seed": "The seed must be 32 hex characters.",
    "bad_seat": "There is no such seat.",
    "seat_taken": "This seat is taken.",
    "below_minimum": "This is less than the table's minimum.",
    "above_maximum": "This is more than the table's maximum.",
    "too_early": "The clock has not run out.",
    "no_clock": "No clock is running.",
    "no_deal_prepared": "The next deal is not prepared.",
    "already_prepared": "The next deal is already prepared.",
}


def refuse(code: str) -> NoReturn:
    """Raise Refused with the sentence that goes with `code`."""
    raise Refused(code, REFUSALS[code])
