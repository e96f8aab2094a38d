"""Pool tables at given totals, and the moves that end their deals."""

from dataclasses import replace

from rules.game.phases import seating
from rules.game.phases.deal_end import split_at_once
from rules.game.state import IN_DEAL, Phase, Place
from rules.game.transitions import Progress
from tests.unit.rules.game.play import Table, dealt, pass_turn, play


def pool(totals: list[int], *, book: str = "standard-pool-201", **changes: object) -> Table:
    """Return a pool table at the first turn of a deal, its players at these totals; entry 100, fee 10 %."""
    table = dealt(book, len(totals), **changes)
    table.state = replace(
        table.state,
        seats=tuple(seat and replace(seat, total=total) for seat, total in zip(table.state.seats, totals, strict=True)),
    )
    return table


def all_drop_but(table: Table, winner: int) -> None:
    """Let everybody else drop in turn; the winner draws and discards until then."""
    while table.state.phase is Phase.PLAYING:
        if table.turn == winner:
            pass_turn(table)
        else:
            play(table, "drop")


def out(table: Table) -> list[int]:
    return [i for i, seat in enumerate(table.state.seats) if seat is not None and seat.place is Place.OUT]


def continue_all(table: Table) -> None:
    for seat in range(len(table.state.seats)):
        if "continue" in table.view(seat)["me"]["moves"]:
            play(table, f"{seat}: continue")


def pool_after_leaving(*totals: int, players: int = 4) -> Table:
    """Return a pool of `players` in which those beyond the totals have left; entry 200, no fee."""
    table = pool([*totals, *[0] * (players - len(totals))], fee_percent=0, entry=200)
    for seat in range(len(totals), players):
        play(table, f"{seat}: leave")
    return table


HONEST_LEAVE = seating._leave_match


def leave_and_split(p: Progress, seat: int) -> None:
    """Leave the match, and share the prize even while others play: a fault that tests plant."""
    HONEST_LEAVE(p, seat)
    if p.state.phase in IN_DEAL:
        split_at_once(p)
