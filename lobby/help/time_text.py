"""The clocks of a rule book, and what happens when they run out, as sentences for players."""

from rules.books import Absence, NoSubmission, RuleBook
from rules.game import Clocks
from rules.scoring import absence_points
from wallet.language import gettext as _

#: The name of each rule, and its sentence.
Rows = list[tuple[str, str]]

#: At this number of seats there is one other player, not several.
DUEL = 2


def absence(book: RuleBook) -> Rows:
    """Return what happens to a player who does nothing in time."""
    rows: Rows = [
        (_("Connected, no draw in time"), _absent(book, book.absent_connected)),
        (_("Offline, first round"), _absent(book, book.absent_offline_first)),
        (_("Offline, later"), _absent(book, book.absent_offline_later)),
        (_("Drawn, not discarded in time"), _late_discard(book)),
    ]
    if book.misses_allowed:
        dropped = _(
            "You are dropped at {missed_out_points} points. A draw of your own ends the row.",
            missed_out_points=book.missed_out_points,
        )
        rows.append((_("{misses_allowed} misses in a row", misses_allowed=book.misses_allowed), dropped))
    if Absence.AUTO_PLAY in (book.absent_connected, book.absent_offline_first, book.absent_offline_later):
        dropped = _(
            "You are dropped at {auto_plays_points} points. A draw of your own ends the row.",
            auto_plays_points=book.auto_plays_points,
        )
        rows.append(
            (_("{auto_plays_allowed} auto plays in a row", auto_plays_allowed=book.auto_plays_allowed), dropped)
        )
    late = book.no_submission is NoSubmission.LAST_ARRANGEMENT
    rows.append((_("No submission in time"), _no_submission(book)))
    judged = (
        _("Their last arrangement is judged as the show.")
        if late
        else _("A wrong show: {full_count} points.", full_count=book.full_count)
    )
    rows.append((_("Declarer who submits nothing"), judged))
    return rows


def _late_discard(book: RuleBook) -> str:
    if book.late_discard_drops:
        return _(
            "You are dropped, for {first} points on your first turn and {later} later; the card goes with your hand.",
            first=absence_points(book, first_round=True),
            later=absence_points(book, first_round=False),
        )
    return _("The drawn card is discarded for you. That is no miss.")


def _no_submission(book: RuleBook) -> str:
    if book.no_submission is NoSubmission.FULL_COUNT:
        no_turn = book.no_submission_no_turn
        if no_turn is None:
            return _("{full_count} points.", full_count=book.full_count)
        return _("{full_count} points, {no_turn} if you had no turn.", full_count=book.full_count, no_turn=no_turn)
    overlooked = _(
        " A hand that could be declared counts {least_points}, however it lies.", least_points=book.least_points
    )
    return _("Your last arrangement counts.") + (overlooked if book.overlooked_show_is_least else "")


def _absent(book: RuleBook, act: Absence) -> str:
    if act is Absence.DROP:
        price = (
            _("at {absence_points} points", absence_points=book.absence_points)
            if book.absence_points
            else _("at the price of a drop in that round")
        )
        return _("You are dropped {price}.", price=price)
    if act is Absence.MISS:
        return _("A card is drawn from the closed deck and discarded for you. That is a miss.")
    return _("A card is drawn from the closed deck and discarded for you.")


def clocks(lengths: Clocks, book: RuleBook) -> Rows:
    """Return how long everything may take, in seconds."""
    start = _("{start_two} after the second player sits down", start_two=_seconds(lengths.start_two))
    if book.max_seats > DUEL:
        start += _(
            ", {start_more} at a larger table; {start_full} once that is full",
            start_more=_seconds(lengths.start_more),
            start_full=_seconds(lengths.start_full),
        )
    rows = [
        (_("Start"), start),
        (
            _("A turn"),
            _(
                "{turn}, then {extra} of extra time in every turn",
                turn=_seconds(lengths.turn),
                extra=_seconds(lengths.extra),
            ),
        ),
        (
            _("Submitting a hand"),
            _("{meld} for the declarer, then as long for the others together", meld=_seconds(lengths.meld)),
        ),
        (_("The result"), _("{result} to continue", result=_seconds(lengths.result))),
    ]
    if book.pool_limit:
        rows.append((_("Rejoin and split"), _("{prompt} to answer", prompt=_seconds(lengths.prompt))))
    return [(clock, _("{what}.", what=length)) for clock, length in rows]


def _seconds(ms: int) -> str:
    return _("{seconds} s", seconds=ms // 1000)
