"""The worked files of the notation: made once by `python -m tests.support.worked`, kept by their test ever after."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final

import rules.notation
from rules import bots
from rules.game import events as e
from rules.notation import Action, Notation, from_events, write
from tests.support.notations import DATE, notation_of
from tests.support.simulated import PlayedDeal, rough_deals

FOLDER: Final = Path(rules.notation.__file__).parent / "worked"
#: The moves that a file has at most, but for the one whose closed deck runs out.
_SHORT, _LONG = 90, 400

Wanted = Callable[[PlayedDeal, Notation], bool]


def has(action: Action, **fields: object) -> Wanted:
    """Return whether a move of the deal is this action, with these fields."""
    return lambda deal, told: any(
        move.action is action and all(getattr(move, name) == value for name, value in fields.items())
        for move in told.moves
    )


def came_to(kind: type[e.Event]) -> Wanted:
    return lambda deal, told: any(isinstance(event, kind) for event in deal.happened)


def shown(deal: PlayedDeal, told: Notation) -> bool:
    return came_to(e.ShowAccepted)(deal, told)


def left_melding(deal: PlayedDeal, told: Notation) -> bool:
    return any(move.action is Action.LEAVE and (move.groups or move.loose) for move in told.moves)


def with_seeds(deal: PlayedDeal, told: Notation) -> bool:
    return len(told.clients) > 1 and shown(deal, told)


#: By name of the file: the book, how many play, and what the deal is an example of.
EXAMPLES: Final[dict[str, tuple[str, int, Wanted]]] = {
    "points-show": ("standard-points", 2, with_seeds),
    "points-six-players": ("standard-points", 6, shown),
    "points-wrong-show": ("standard-points", 3, came_to(e.ShowRefused)),
    "points-leave-after-show": ("standard-points", 4, left_melding),
    "points-reshuffle": ("standard-points", 6, came_to(e.ClosedDeckReshuffled)),
    "points-cards-given": ("standard-points", 2, shown),
    "points-cut-short": ("standard-points", 4, shown),
    "points-anonymous": ("standard-points", 3, shown),
    "blind-show": ("standard-blind", 3, shown),
    "pool-61": ("standard-pool-61", 3, shown),
    "pool-101": ("standard-pool-101", 4, shown),
    "pool-201-leave": ("standard-pool-201", 5, has(Action.LEAVE)),
    "deals-2": ("standard-deals-2", 2, shown),
    "deals-3-auto-play": ("standard-deals-3", 2, has(Action.DRAW, auto=True)),
    "deals-6": ("standard-deals-6", 5, shown),
    "classic-missed-turns": ("classic-points", 2, has(Action.DISCARD, auto=True)),
    "lives-three-packs": ("lives-points", 6, shown),
    "lives-show-without-drawing": ("lives-drop-points", 2, has(Action.FINISH, card=None)),
    "lives-drop-show": ("lives-drop-points", 3, shown),
    "flat20-show": ("flat20-points", 4, shown),
    "club-order-of-the-toss": ("club-points", 5, shown),
    "club-drop-for-time": ("club-points", 3, has(Action.DROP, auto=True)),
    "club-pool-order-of-an-earlier-toss": ("club-pool-201", 4, lambda deal, told: told.order is not None),
    "show-not-in-time": ("standard-points", 3, has(Action.SHOW, auto=True)),
}


def made(name: str) -> str:
    """Return the text of the first deal of the simulation that is such an example."""
    key, players, wanted = EXAMPLES[name]
    most = _LONG if "reshuffle" in name else _SHORT
    for seed in count(1):
        for deal in rough_deals(key, players=players, matches=10, seed=seed):
            told = notation_of(deal, names=dict(enumerate((*bots.NAMES, "Asha"))))
            if len(told.moves) <= most and wanted(deal, told):
                return write(_as_said(name, deal, told))
    raise AssertionError("unreachable")


def _as_said(name: str, deal: PlayedDeal, told: Notation) -> Notation:
    seats = told.seats
    if name == "points-anonymous":
        return notation_of(deal, names=None, times=None, date=DATE[:10])
    if name == "points-cards-given":
        return from_events(deal.book, deal.happened, date=DATE, seats=seats, names={0: "Asha", 1: "Kabir"})
    if name == "points-cut-short":
        begins = [at for at, event in enumerate(deal.happened) if isinstance(event, e.TurnBegan)]
        happened = [deal.prepared, *deal.happened[: begins[len(begins) // 2] + 1]]
        return from_events(deal.book, happened, date=DATE, seats=seats)
    return told


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in EXAMPLES:
        (FOLDER / f"{name}.rdn").write_text(made(name), encoding="utf-8", newline="\n")
        print(name)


if __name__ == "__main__":
    main()
