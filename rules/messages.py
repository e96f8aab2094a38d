"""Sentences of the rules for players, one for each code: why a move is refused, and why a hand cost its points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from rules.errors import Refused
from rules.text import message, translatable

REFUSALS: Final[Mapping[str, str]] = translatable({
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
})  # fmt: skip


#: What stands beside a row of a result or of a split: how it came about. `{sum}` is card by card: `10 + 9 = 19`.
EXPLANATIONS: Final[Mapping[str, str]] = translatable({
    "shown": "A valid show: nothing to pay.",
    "last_left": "Everybody else was out of the deal: nothing to pay.",
    "all_count": "Every card counts: {sum}.",
    "pure_free": "Only pure sequences are free, all else counts: {sum}.",
    "flat_count": "Without both sequences a hand counts {points} points here.",
    "both_lives": "Both sequences are there, so only cards in no meld count: {sum}.",
    "all_melded": "Both sequences are there and every card is in a meld.",
    "capped": "More than {points} points are never counted.",
    "least": "A loser pays at least {points} points.",
    "open_show_half": "The show came before the first turn of this player, so only half counts, rounded up: {points}.",
    "open_show_half_capped": "The show came before the first turn of this player, so half counts, {points} points at "
    "most.",
    "open_show_half_least": "The show came before the first turn of this player, so half counts, at least {points} "
    "points.",
    "open_show_flat": "The show came before the first turn of this player, which costs {points} points here.",
    "drop_show": "The show came on the winner's first turn, which costs whoever had a turn {points} points here.",
    "drop_show_no_turn": "The show came on the winner's first turn, which costs whoever had no turn {points} points "
    "here.",
    "not_submitted": "Nothing was submitted in time, which costs {points} points here.",
    "overlooked_show": "Nothing was submitted in time, but the hand could have been declared: it counts {points} "
    "points.",
    "first_drop": "Dropped in the first round, before drawing a card: {points} points.",
    "middle_drop": "Dropped after the first round: {points} points.",
    "not_drawn": "No card was drawn in time: {points} points.",
    "late_discard": "Dropped for not discarding in time: {points} points.",
    "missed_out": "Out of the deal after {times} missed turns in a row: {points} points.",
    "played_out": "Out of the deal after {times} turns in a row that were played for this player: {points} points.",
    "wrong_show": "A wrong show costs {points} points.",
    "late_show": "A show that is not submitted in time is a wrong one and costs {points} points.",
    "left_show": "Left before submitting the show, which is a wrong one then: {points} points.",
    "left": "Left the running deal: {points} points.",
    "left_first": "Left the running deal before discarding for the first time: {points} points.",
    "left_later": "Left the running deal after discarding: {points} points.",
    "left_melding": "Left after the show, so the hand counts as it lay.",
    "out": "Out of the match with {total} points.",
    "no_rejoin": "No rejoin: {reason}.",
    "share_equal": "{drops} drops left, the fewest of all: an equal part of the prize.",
    "share_equal_one": "One drop left, the fewest of all: an equal part of the prize.",
    "share_equal_none": "No drop left: an equal part of the prize.",
    "share_more": "{drops} drops left, {excess} more than the fewest: {excess} entries for them, and an equal part of "
    "the rest.",
    "share_one_more": "{drops} drops left, one more than the fewest: one entry for it, and an equal part of the rest.",
    "share_first": "One drop left, one more than the fewest: one entry for it, and an equal part of the rest.",
})  # fmt: skip


def refuse(code: str) -> NoReturn:
    """Raise Refused with `code` and its sentence."""
    raise Refused(code, message(REFUSALS[code]))
