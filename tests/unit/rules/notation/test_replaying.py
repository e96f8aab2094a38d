"""What a replay finds: the first line that cannot be."""

import re
from dataclasses import replace

import pytest

from rules.cards import ordered_shoe
from rules.game import apply, events, moves
from rules.notation import Action, Notation, NotationError, read, replay, write
from tests.support.notations import points
from tests.support.worked import FOLDER

#: Of the moves of a file, so many are left out for one that is tried.
SPARED = 5
FILES = {file.stem: file.read_text() for file in sorted(FOLDER.glob("*.rdn"))}


def fault(notation: Notation) -> NotationError:
    with pytest.raises(NotationError) as error:
        for _ in replay(notation):
            pass
    return error.value


def with_move(notation: Notation, place: int, **changes: object) -> Notation:
    """Return the deal with one move changed."""
    moves = list(notation.moves)
    moves[place] = replace(moves[place], **changes)  # type: ignore[arg-type]
    return replace(notation, moves=tuple(moves))


@pytest.mark.parametrize("name", FILES)
def test_another_card_in_any_move_is_found_at_its_line(name: str) -> None:
    """No card can stand for another: it is not in the hand, not on the pile, or missing at the end."""
    notation = read(FILES[name])
    steps = list(replay(notation))
    for place, move in enumerate(notation.moves):
        if move.card is None or move.auto or place % SPARED:
            continue
        before = [step for step in steps if step.line < move.line][-1].state.current
        at_hand = {*before.hand(move.seat).cards, *(entry.card for entry in before.open_pile), *before.closed}
        wrong = next(card for card in ordered_shoe(notation.packs) if card not in {move.card, notation.cut, *at_hand})
        assert fault(with_move(notation, place, card=wrong)).line == move.line


@pytest.mark.parametrize("name", FILES)
def test_other_points_are_found_at_the_result(name: str) -> None:
    notation = read(FILES[name])
    if notation.result is None:
        return
    other = tuple((seat, points + (points > 0)) for seat, points in notation.result)
    error = fault(replace(notation, result=other))
    assert error.line == notation.lines["Result"] and "points" in error.reason
    assert fault(replace(notation, result=None, players=notation.players)).line == notation.lines["Result"]


@pytest.mark.parametrize("name", [name for name in FILES if name != "points-cards-given"])
def test_another_seed_name_cut_joker_or_first_seat_is_found(name: str) -> None:
    notation = read(FILES[name])
    assert notation.seed is not None
    for changes, line in (
        ({"seed": f"{int(notation.seed[0], 16) ^ 1:x}{notation.seed[1:]}"}, "Seed"),
        ({"deal": "other"}, "Seed"),
        ({"commitment": "0" * 64}, "Seed"),
        ({"cut": next(card for card in ordered_shoe(2) if card != notation.cut)}, "Cut"),
    ):
        assert fault(replace(notation, **changes)).line == notation.lines[line]  # type: ignore[arg-type]
    other = next(seat for seat in notation.dealt if seat != notation.first)
    assert fault(replace(notation, first=other, order=None)).line in (notation.lines["First"], notation.lines["Cut"],
                                                                     notation.moves[0].line)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_missing_or_a_repeated_line_is_found_no_earlier_than_there(name: str) -> None:
    notation = read(FILES[name])
    for place, move in enumerate(notation.moves):
        before, after = notation.moves[:place], notation.moves[place + 1 :]
        if move.action is Action.LEAVE or place % SPARED:
            continue
        missing = fault(replace(notation, moves=before + after)) if notation.result else None
        assert missing is None or missing.line >= notation.moves[max(0, place - 1)].line
        assert fault(replace(notation, moves=(*before, move, move, *after))).line >= move.line


def test_a_line_behind_the_end_is_found() -> None:
    notation = read(FILES["points-show"])
    last = notation.moves[-1]
    error = fault(replace(notation, moves=(*notation.moves, replace(last, line=last.line + 1))))
    assert error.line == last.line + 1 and "over" in error.reason


def test_what_the_platform_would_not_have_done_is_found() -> None:
    notation = read(FILES["classic-missed-turns"])
    place = next(place for place, move in enumerate(notation.moves) if move.auto)
    move = notation.moves[place]
    assert fault(with_move(notation, place, action=Action.DROP, pile=None, card=None)).line == move.line
    assert fault(with_move(notation, place, seat=1 - move.seat)).line == move.line


def test_one_may_stop_at_any_line_and_go_on_from_there() -> None:
    notation = read(FILES["points-show"])
    steps = list(replay(notation))
    for line in {step.line for step in steps[:-1]} - {0}:
        state = [step for step in steps if step.line == line][-1].state
        if state.deal is not None and state.deal.turn is not None and state.deal.winner is None and state.clock:
            left = apply(state, moves.Leave(seat=state.deal.turn.seat), state.clock.deadline - 1)
            assert left.events


def test_a_stock_without_upcard_and_cut_joker_is_completed() -> None:
    text = FILES["points-cards-given"]
    stock = read(text).stock
    for left_out in (1, 2):
        rest = " ".join(stock[2:] if left_out == 2 else (stock[0], *stock[2:]))
        short = re.sub(r'\[Stock "[^"]*"', f'[Stock "{rest}"', text)
        assert [step.state for step in replay(read(short))] == [step.state for step in replay(read(text))]


def test_a_card_that_is_given_twice_or_not_at_all_is_found() -> None:
    notation = read(FILES["points-cards-given"])
    (_, hand), other = notation.hands
    twice = replace(notation, hands=((0, (other[1][0], *hand[1:])), other))
    assert fault(twice).line == notation.lines["Hand1"]
    assert fault(replace(notation, stock=notation.stock[:-1])).line == notation.lines["Stock"]
    assert fault(replace(notation, hands=((0, hand[1:]), other))).line == notation.lines["Hand0"]


def test_a_player_who_leaves_after_a_show_may_have_told_nothing() -> None:
    """Then the hand counts as if it lay in no groups: here that costs the same."""
    notation = read(FILES["points-leave-after-show"])
    place = next(place for place, move in enumerate(notation.moves) if move.action is Action.LEAVE)
    plain = read(write(with_move(notation, place, groups=(), loose=())))
    assert re.search(r"^\d leave @\d+$", write(plain), re.M)
    ended = list(replay(plain))[-1].event
    assert isinstance(ended, events.DealEnded) and points([ended]) == dict(notation.result or ())
