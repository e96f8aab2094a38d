"""The points that a player pays for a deal. RULES.md, The books and Open show."""

from rules.books import NoSubmission, OpenShow, RuleBook
from rules.errors import Refused
from rules.text import message


def drop_points(book: RuleBook, *, first_round: bool) -> int:
    """Return the points of a drop now. Raises Refused in a book without drops."""
    points = book.first_drop if first_round else book.middle_drop
    if points is None:
        raise Refused("drops_not_allowed", message("There are no drops at this table"))
    return points


def absence_points(book: RuleBook, *, first_round: bool) -> int:
    """Return the points of a player who is dropped because they did not draw in time."""
    return book.absence_points if book.absence_points is not None else drop_points(book, first_round=first_round)


def leave_points(book: RuleBook, *, first_round: bool) -> int:
    """Return the points of leaving a running deal; a player's first round ends with their discard (RULES.md, Words)."""
    return book.leave_first if first_round else book.leave_later


def half(judged: int) -> int:
    """Return half the points; half a point rounds up. Source: seed 000 rule 28 iii."""
    return (judged + 1) // 2


def loser_points(
    book: RuleBook, *, judged: int, had_turn: bool, winners_first_turn: bool, submitted: bool = True
) -> int:
    """Return the points of a loser who stayed to the end, whose arrangement was judged at `judged` points.

    `winners_first_turn` says that the winner declared on their own first turn.
    Sources: RULES.md, Open show; seed 000 rule 28 iii (half), seed 002 Drop Show Calculation, seed 003 (flat).
    """
    if not submitted and book.no_submission is NoSubmission.FULL_COUNT:
        no_turn = book.no_submission_no_turn
        return book.full_count if had_turn or no_turn is None else no_turn
    if book.open_show is OpenShow.DROP_SHOW and winners_first_turn:
        return book.drop_show_turn if had_turn else book.open_show_flat
    if had_turn:
        return judged
    if book.open_show is OpenShow.HALF:
        return max(book.least_points, min(book.open_show_cap, half(judged)))
    return book.open_show_flat if book.open_show is OpenShow.FLAT else judged
