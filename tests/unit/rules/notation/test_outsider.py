"""Deals go to a program of somebody else and come back: it finds our cards right, and we find its files right."""

import pytest

from rules.books import BOOKS, Toss
from rules.game import events
from rules.notation import read, replay, write
from tests.support.notations import notation_of
from tests.support.sampling import one_of_each
from tests.support.simulated import rough_deals
from tests.unit.rules.notation import outsider

#: It does not know wrong shows, whose finish card goes to the pile; of the toss it knows the first seat.
UNKNOWN = (events.ShowRefused,)


@pytest.mark.parametrize("key", one_of_each(BOOKS, lambda key: (BOOKS[key].family, BOOKS[key].toss)))
def test_another_program_reads_our_deals_and_we_read_its_files(key: str) -> None:
    players = 2 if BOOKS[key].toss is Toss.BY_RANK or BOOKS[key].max_seats == 2 else 4
    known = 0
    for deal in rough_deals(key, players=players, matches=6, seed=8):
        notation = notation_of(deal, names={0: "A", 1: "B", 2: "C", 3: "D"})
        theirs = outsider.parse(write(notation))
        assert outsider.write(theirs) == write(notation)
        if notation.result is None or any(isinstance(event, UNKNOWN) for event in deal.happened):
            continue
        assert len(list(outsider.Table(theirs).play())) == len(notation.moves)
        back = read(outsider.write(theirs))
        assert back == notation and len(list(replay(back))) > len(notation.moves)
        known += 1
    assert known
