"""Hands that many tests deal, and their points."""

from tests.unit.rules.game.play import Table, deal, play

GOOD = "3H 4H 5H 7C 8C 9C JS JH JD KS KH KD KC"
SHOW = "3H 4H 5H | 7C 8C 9C | JS JH JD | KS KH KD KC"
#: Nothing melded: 80 and more with nines wild.
RAGS = "2C 4C 6C 8D 10C QC AD 3D 5D 7D 9D JC QS"
#: One pure sequence; the rest counts 4+6+8+10+10+10+5+7+10+6 = 76.
PURE = "AS 2S 3S 4C 6D 8D 10C QC AD 5H 7D KS 6H"


def finished(book: str = "standard-points", others: tuple[str, ...] = (PURE, RAGS), show: str = SHOW) -> Table:
    """Seat 0 has drawn on their first turn, finished with 10H and submitted."""
    table = deal(book, [GOOD, *others], cut="9S", closed="10H")
    play(table, f"draw closed; finish 10H; submit {show}")
    return table
