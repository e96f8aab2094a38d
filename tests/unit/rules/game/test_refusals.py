"""Every refusal has its code and a sentence, the first reason wins, and legality is written once."""

import pytest

from rules.books import BOOKS
from rules.errors import Refused
from rules.game import REFUSALS, apply, legal_moves
from rules.game.codec import canonical, dump_state
from rules.game.events.base import with_seat
from rules.game.moves import PLAYER_MOVES, PlayerMove
from tests.support.samples import SAMPLES
from tests.unit.rules.game.play import Table, deal, dealt, play, refused, seated

HANDS = ["2C 4C", "AC", "AS"]


def sample(kind: type[PlayerMove], seat: int) -> PlayerMove:
    return kind(seat=seat, **SAMPLES.get(kind.name, {}))


@pytest.mark.parametrize(
    "script, code",
    [
        ("3: draw closed", "not_seated"),
        ("-1: draw closed", "not_seated"),
        ("99: leave", "not_seated"),
        ("1: draw closed", "not_your_turn"),
        ("1: discard AC", "not_your_turn"),
        ("1: drop", "not_your_turn"),
        ("0: discard 2C", "must_draw"),
        ("0: finish 2C", "must_draw"),
        ("0: submit", "wrong_phase"),
        ("0: continue", "wrong_phase"),
        ("0: rejoin yes", "wrong_phase"),
        ("0: offer_split", "wrong_phase"),
        ("0: answer_split yes", "wrong_phase"),
        ("0: client_seed " + "00" * 16, "wrong_phase"),
        ("draw closed; draw closed", "already_drawn"),
        ("draw closed; draw open", "already_drawn"),
        ("draw closed; drop", "already_drawn"),
        ("draw closed; discard AC", "not_your_card"),
        ("draw closed; discard 2C9", "not_your_card"),
        ("draw closed; finish AC", "not_your_card"),
        ("drop; 0: draw closed", "wrong_phase"),
    ],
)
def test_the_first_reason_is_named(script: str, code: str) -> None:
    assert refused(deal("standard-points", HANDS, upcard="9C", cut="2D", seats=4), script) == code


def test_an_empty_open_pile_gives_nothing() -> None:
    table = deal("standard-points", HANDS, upcard="9C", cut="2D")
    play(table, "draw open; 0: leave")
    assert refused(table, "draw open") == "pile_empty"


def test_blind_has_no_open_pile() -> None:
    table = deal("standard-blind", HANDS)
    play(table, "draw closed; discard 2C")
    assert refused(table, "draw open") == "pile_empty"


def test_a_move_is_accepted_exactly_if_it_is_listed() -> None:
    """In all phases of a match with a split: a move that is not listed is refused, for its kind alone."""
    for table in tables_of_all_phases():
        for seat in range(len(table.state.seats)):
            listed = legal_moves(table.state, seat)
            for kind in PLAYER_MOVES:
                assert (kind.name in listed) == accepted(table, kind, seat), (table.state.phase, kind.name, seat)


def accepted(table: Table, kind: type[PlayerMove], seat: int) -> bool:
    """Return whether this kind of move is accepted, or refused only for the card it names."""
    before = canonical(dump_state(table.state))
    try:
        apply(table.state, sample(kind, seat), table.now)
    except Refused as refusal:
        assert canonical(dump_state(table.state)) == before
        return refusal.code == "not_your_card"
    return True


def tables_of_all_phases() -> list[Table]:
    playing = deal("standard-points", HANDS, cut="9D", closed="KH")
    drawn = deal("standard-points", HANDS, cut="9D")
    play(drawn, "draw closed")
    melding = deal("standard-points", HANDS, cut="9D")
    play(melding, "draw closed; finish 2C")
    result = deal("standard-points", HANDS)
    play(result, "drop; drop; 0: continue")
    waiting = seated("standard-points", 1, seats=3)
    starting = seated("standard-points", 2, seats=3)
    rejoin = dealt("standard-pool-101", 3)
    rejoin.state = with_seat(rejoin.state, (rejoin.turn + 1) % 3, total=90)
    play(rejoin, "drop; drop")
    return [playing, drawn, melding, result, waiting, starting, rejoin]


def test_every_code_has_a_sentence() -> None:
    for code, sentence in REFUSALS.items():
        assert code == code.lower() and sentence.endswith(".") and sentence[0].isupper()


@pytest.mark.parametrize("book", BOOKS)
def test_every_book_can_be_played_at_once(book: str) -> None:
    table = dealt(book, 2)
    assert "draw" in table.view(table.turn)["me"]["moves"]
