"""A finished deal as it is shown to watchers: its steps with all hands open, each at its time, and the result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import get_language

from rules.books import book
from rules.game import changes_of, deal_steps, events
from tables.history.kept import kept
from tables.history.replay import dealt_seats, rows_explained
from tables.language import said_name, translate_content
from tables.log import reading
from tables.log.reading import LogEntry
from tables.models import Deal

#: The longest pause, in ms, that is shown as long as it was: longer ones are outages.
LONGEST_PAUSE = 120_000


@dataclass(frozen=True, slots=True)
class Script:
    """What is told of a deal, in the language of its readers.

    `deal` says which it is and who played; each of `steps` is what has changed since the one before, `at_ms` after the
    first card; `result` are the rows of its result, `result_ms` after it.
    """

    deal: dict[str, Any]
    steps: list[dict[str, Any]]
    result: list[dict[str, Any]]
    result_ms: int

    @property
    def times(self) -> list[int]:
        """When there is something to be seen, in ms after the first card, in order."""
        return [*(step["at_ms"] for step in self.steps), self.result_ms]


def script_of(deal_id: int, *, account: int | None = None) -> Script:
    """Return the script of the finished deal in the language of the reader; it is made once.

    TableError `no_longer_kept`; TooBusy and TooMany as `kept` raises them, with the account that asks.
    """
    deal = Deal.objects.select_related("match__table").get(pk=deal_id)
    names = tuple((each.seat, each.seating.name, each.seating.is_computer) for each in dealt_seats(deal))
    key = ("watched", deal_id, names, get_language())
    answer = kept(key, lambda: orjson.dumps(translate_content(_script(deal, names))), account=account)
    return Script(**orjson.loads(answer.content()))


def _script(deal: Deal, players: Sequence[tuple[int, str, bool]]) -> dict[str, Any]:
    entries = list(_to_the_result(reading.of_deal(deal)))
    happened = [entry.event() for entry in entries]
    names = {seat: said_name(name) for seat, name, _ in players}
    times = _times([entry.at_ms for entry in entries], happened)
    dealt = next(event for event in happened if isinstance(event, events.CardsDealt))
    steps = changes_of(deal_steps(book(deal.book, deal.book_version), happened, names))
    return {
        "deal": {
            "id": deal.pk,
            "number": dealt.number,
            "seats": [{"seat": seat, "name": names[seat], "bot": bot} for seat, _, bot in players],
        },
        "steps": [{"at_ms": times[step["event"]], **step} for step in steps],
        "result": [{**row, "name": names[row["seat"]]} for row in rows_explained(deal, happened) or []],
        "result_ms": times[-1],
    }


def _to_the_result(entries: Sequence[LogEntry]) -> Iterator[LogEntry]:
    """Yield the events of the deal up to its result: what follows is the table's, and may still grow."""
    for entry in entries:
        yield entry
        if entry.kind == events.DealEnded.name:
            return


def _times(at_ms: Sequence[int], happened: Sequence[events.Event]) -> list[int]:
    """Return how long after its first card each event is shown, in ms: what came before is shown with it."""
    times, shown, began = [], 0, False
    for event, at, before in zip(happened, at_ms, [at_ms[0], *at_ms], strict=False):
        shown += min(max(0, at - before), LONGEST_PAUSE) if began else 0
        began = began or isinstance(event, events.CardsDealt)
        times.append(shown)
    return times
