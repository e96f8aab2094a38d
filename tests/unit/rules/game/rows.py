"""The table of the rules as literal data, and the tables at which its rows are played (RULES.md, The books).

The numbers stand here as the rules give them; nothing asks a book for a value.
"""

from collections.abc import Callable

import pytest

from rules.game.state import Standing
from tests.unit.rules.game.play import Table, deal, pass_turn

KEYS = [
    *("standard-points", "standard-blind", "standard-pool-61", "standard-pool-101", "standard-pool-201"),
    *("standard-deals-2", "standard-deals-3", "standard-deals-6"),
    *("classic-points", "lives-points", "lives-drop-points", "flat20-points", "club-points", "club-pool-201"),
]

#: The books for two players.
DUELS = ("standard-deals-2", "standard-deals-3")

# One row a rule, one word a book in the order above; ' means as left, - that the book has no such case.
# Points if it is a number; `match`: the other player wins the match; `play`: a card is played for them.
TABLE = """
most players                           6 ' ' ' ' 2 ' 6                 ' ' ' '         ' '
packs for two                          2 ' ' ' ' ' ' '                 ' 3 ' 2         ' '
packs for four                         2 ' ' ' ' - ' 2                 ' 3 ' 2         ' '
packs for five                         2 ' ' ' ' - ' 2                 ' 3 ' 2         3 '
packs for six                          2 ' ' ' ' - ' 2                 ' 3 ' 2         3 '
open pile                              yes no yes ' ' ' ' '            ' ' ' '         ' '
toss order                             seats ' ' ' ' ' ' '             ' ' ' '         ranks '
toss each deal                         yes ' no ' ' ' ' '              yes ' ' '       ' no

first drop                             20 ' 15 20 25 none ' 20         ' 10 ' 20       ' 25
middle drop                            40 ' 30 40 50 none ' 40         ' 30 ' 40       ' 50
no draw, connected, first round        20 ' 15 20 25 80 ' 20           miss ' ' '      20 25
no draw, connected, later              40 ' 30 40 50 80 ' 40           miss ' ' '      40 50
no draw, offline, first round          20 ' 15 20 25 play ' '          miss ' ' '      20 25
no draw, offline, later                play ' ' ' ' ' ' '              miss ' ' '      40 50
third miss in a row                    - ' ' ' ' ' ' '                 40 ' ' '        - '
tenth auto play in a row               40 ' 30 40 50 80 ' 40           - ' ' '         ' '

drawn, not discarded, first round      play ' ' ' ' ' ' '              ' ' ' '         20 25
drawn, not discarded, later            play ' ' ' ' ' ' '              ' ' ' '         40 50

leave, first round                     80 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave, first card drawn                80 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave, later                           40 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave, card in the finish slot         80 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave after a show, 75 melded          75 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave after a show, 20 loose           40 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave after an open show, 20 loose     80 ' 60 80 ' match ' 80         ' ' ' '         ' '
leave takes one out of the match       no ' yes ' ' - ' yes            no ' ' '        ' yes
drop, then leave                       20 ' 15 20 25 - ' 20            ' 10 ' 20       ' 25
middle drop, then leave                40 ' 30 40 50 - ' 40            ' 30 ' 40       ' 50

open show with all melded              2 ' ' ' ' ' ' '                 ' ' 20 '        2 '
open show with 20 loose                10 ' ' ' ' ' ' '                20 10 20 '      ' '
open show with 75 and no second life   38 ' 30 38 ' ' ' '              75 40 20 '      75 '
open show with over 80                 40 ' 30 40 ' ' ' '              80 40 20 '      80 '
show on first turn against a turn, 20  20 ' ' ' ' ' ' '                ' ' 40 20       ' '
show on first turn against a turn, 75  75 ' 60 75 ' ' ' '              ' 80 40 75      ' '
show on second turn, 20 loose          20 ' ' ' ' ' ' '                ' ' ' '         ' '
show on second turn, 75                75 ' 60 75 ' ' ' '              ' 80 ' 75       ' '
show on second turn, over 80           80 ' 60 80 ' ' ' '              ' ' ' '         ' '
show on second turn, all melded        2 ' ' ' ' ' ' '                 ' ' ' '         ' '
no submission with 20 arranged         20 ' ' ' ' ' ' '                ' 80 ' 20       ' '
no submission in an open show          10 ' ' ' ' ' ' '                20 40 80 20     ' '
no submission of a hand to declare     80 ' 60 80 ' ' ' '              ' ' ' 2         80 '
the same without a turn                40 ' 30 40 ' ' ' '              80 40 80 20     80 '
show before drawing                    no ' ' ' ' ' ' '                ' ' yes no      ' '
wrong declaration                      80 ' 60 80 ' ' ' '              ' ' ' '         ' '
no submission by the declarer          won ' ' ' ' ' ' '               ' 80 ' won      ' '

two jokers in one sequence             won ' ' ' ' ' ' '               ' 80 ' won      ' '
two jokers in one set                  won ' ' ' ' ' ' '               ' 80 ' won      ' '
only jokers as the second sequence     won ' ' ' ' ' ' '               ' 80 ' won      ' '
no life of four cards                  won ' ' ' ' ' ' '               ' 80 ' won      ' '
tunnela as the pure sequence           80 ' 60 80 ' ' ' '              ' won ' 80      ' '
jokers apart, loose                    80 ' 60 80 ' ' ' '              ' won ' 80      ' '
only sets and an impure sequence       80 ' 60 80 ' ' ' '              ' ' ' '         ' '

joker on the open pile                 no - no ' ' ' ' '               ' ' ' '         ' '
joker as the very first upcard         yes - yes ' ' ' ' '             ' ' ' '         ' '
out of the pool at                     - ' 61 101 201 - ' '            ' ' ' '         ' 201
first drops that leave one in          - ' 4 5 8 - ' '                 ' ' ' '         ' 8
rejoin while nobody is above           - ' 44 79 174 - ' '             ' ' ' '         ' 174
"""


def _column(words: list[str]) -> dict[str, str]:
    filled: list[str] = []
    for word in words:
        filled.append(filled[-1] if word == "'" else word)
    return dict(zip(KEYS, filled, strict=True))


def _rows() -> dict[str, dict[str, str]]:
    lines = [line for line in TABLE.splitlines() if line.strip()]
    return {line[:39].strip(): _column(line[39:].split()) for line in lines}


ROWS = _rows()
ASKED: set[str] = set()


def row(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run the test once for each book that has such a case, with the book's answer as `expected`."""
    ASKED.add(name)
    cases = [pytest.param(key, expected, id=key) for key, expected in ROWS[name].items() if expected != "-"]
    return pytest.mark.parametrize(("key", "expected"), cases)


def three(key: str, **rigged: str) -> Table:
    """Return a running deal of three players, or of two if the book has no more; seat 0 begins, twos are wild."""
    return deal(key, [""] * (2 if key in DUELS else 3), cut="2S", **rigged)


def in_the_second_round(key: str) -> Table:
    """Return a table where everybody has had a turn, and it is seat 0's again."""
    table = three(key)
    pass_turn(table, len(table.state.current.order))
    assert table.turn == 0
    return table


def price(table: Table) -> str:
    """Return what the deal costs seat 0, who is out of it."""
    hand = table.state.current.hand(0)
    assert hand.standing is not Standing.IN
    return str(hand.points)


def check_price_in_view(table: Table, seat: int, expected: str) -> None:
    """Check that the player's view shows what leaving costs."""
    me = table.view(seat)["me"]
    assert str(me["leave_points"]) == (expected if expected != "match" else "80")
    assert me["leave_costs"] == (10 * me["leave_points"] if table.state.book.per_point else 100)
