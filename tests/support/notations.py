"""Deals in notation, for tests: how to make one of a simulated deal, and what must be the same when it is replayed."""

from collections.abc import Iterable
from typing import Any

from rules.books import RuleBook
from rules.fairness import shown_of_shoe, verify
from rules.game import codec, events
from rules.notation import Notation, from_events, read, replay, write
from tests.support.simulated import PlayedDeal

DATE = "2026-11-26T10:00:00Z"
#: What the notation leaves out of a deal: what only its player knows, clocks, and who comes or goes meanwhile.
_UNTOLD = {
    "hand_arranged", "hand_sorted", "auto_drop_set", "extra_time_began", "clock_credited", "clock_set",
    "seat_taken", "seat_left", "chips_added",
}  # fmt: skip
_BEGINS = ("toss_made", "cards_dealt")
_SHOWS = ("show_accepted", "show_refused", "hand_submitted")
_ENDS = (events.DealEnded, events.DealVoided)


def happened(deal: PlayedDeal) -> list[events.Event]:
    """Return all events of the deal, from the promise of its seed on."""
    return [deal.prepared, *deal.happened]


def notation_of(deal: PlayedDeal, **more: Any) -> Notation:
    """Return the deal in notation, at its table, with a second between any two events."""
    told = happened(deal)
    seats = len(deal.states[-1].seats)
    times = [1_800_000_000_000 + 1_000 * number for number in range(len(told))]
    return from_events(deal.book, told, **{"date": DATE, "seats": seats, "times": times} | more)


def faults(deal: PlayedDeal) -> list[str]:
    """Return what of the deal is lost between writing, reading and replaying it."""
    notation = notation_of(deal)
    text = write(notation)
    again = read(text.encode())
    replayed = [step.event for step in replay(again)]
    found = []
    if again != notation or write(again) != text:
        found.append("reading gives another deal than was written")
    if told(deal.book, replayed) != told(deal.book, deal.happened):
        found.append("replaying gives other events")
    if points(replayed) != points(deal.happened):
        found.append("replaying gives other points")
    proof, new = _proof(deal, again, deal.happened), _proof(deal, again, replayed)
    if proof != new or verify(new):
        found.append("replaying gives another proof")
    return found


def points(told: Iterable[events.Event]) -> dict[int, int] | None:
    ended = next((event for event in told if isinstance(event, events.DealEnded)), None)
    return None if ended is None else {row.seat: row.points for row in ended.rows}


def told(book: RuleBook, happened: Iterable[events.Event]) -> list[dict[str, Any]]:
    """Return the events from the dealing to the end of the deal, without what the notation leaves out.

    That is: clocks, money, the number of the deal, and how those who showed nothing had laid their cards.
    """
    plain: list[dict[str, Any]] = []
    shown: set[int] = set()
    is_shown = False
    for event in happened:
        record = codec.dump_event(event)
        if event.name in _UNTOLD or not (plain or event.name in _BEGINS) or record.get("points", 0) is None:
            continue
        is_shown |= event.name == "show_accepted"
        if event.name in _SHOWS or (event.name == "player_left" and is_shown):
            shown |= {record["seat"]} if record.get("by") != "leaving" else set()
        if event.name != "toss_made" or book.toss_each_deal:
            plain.append(_plain(record, shown))
        if isinstance(event, _ENDS):
            break
    return plain


def _plain(record: dict[str, Any], shown: set[int]) -> dict[str, Any]:
    for name, value in (("clock", None), ("number", 0), ("returned", 0)):
        if name in record and not (name == "number" and record["type"] != "cards_dealt"):
            record[name] = value
    if record.get("by") == "leaving":
        record["groups"] = []
    for row in record.get("rows", ()):
        row |= {"amount": 0, "total": None}
        if row["seat"] not in shown:
            cards = [*row["loose"], *(card for group in row["groups"] for card in group)]
            row |= {"groups": [], "kinds": [], "loose": sorted(cards)}
    return record


def _proof(deal: PlayedDeal, notation: Notation, told: Iterable[events.Event]) -> dict[str, Any]:
    """Return the proof of these events; where a toss is made once a match, one of its deals does not tell of it."""
    shown = shown_of_shoe(deal.book, told)
    dealt = next(event for event in told if isinstance(event, events.CardsDealt))
    return {
        "deal": notation.deal,
        "commitment": notation.commitment,
        "seed": notation.seed,
        "client_seeds": list(dealt.clients),
        "order": list(dealt.order),
        **shown,
        "toss": shown["toss"] if deal.book.toss_each_deal else None,
    }
