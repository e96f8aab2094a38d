"""Computer players: sound, quick, the same answer to the same view, and no knowledge beyond the view."""

import json
from typing import Any

import pytest

from rules import bots
from rules.books import BOOKS
from rules.cards import face
from rules.game.events.base import with_seat
from rules.game.state import Phase
from tables.play import protocol
from tables.simulation.ladder import Entered, Ladder, play_shoes
from tests.support.effort import calls_of
from tests.support.sampling import one_of_each
from tests.unit.rules.game.hands import GOOD, PURE, RAGS, SHOW
from tests.unit.rules.game.play import Table, deal, play, seated


def chosen(table: Table, seat: int) -> dict[str, object] | None:
    """Return the move of the computer player in `seat`, from its view as text: nothing else can reach it."""
    return bots.choose(json.loads(json.dumps(table.view(seat))))


def test_it_finishes_a_hand_that_is_complete_and_submits_it() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, "draw closed")
    assert chosen(table, 0) == {"type": "finish", "card": "10H1"}
    play(table, "finish 10H")
    frame = chosen(table, 0)
    assert frame is not None and frame["type"] == "submit"
    table.do(protocol.to_move(protocol.read_frame(frame), 0))
    assert table.names() == ["show_accepted"]


def test_it_takes_from_the_open_pile_what_melds_and_nothing_else() -> None:
    table = deal("standard-points", ["3H 4H 7C 8C JS JH KS KD 2C 9D 10D AC 6S", PURE], upcard="5H", cut="9S")
    assert chosen(table, 0) == {"type": "draw", "pile": "open"}
    table = deal("standard-points", ["3H 4H 7C 8C JS JH KS KD 2C 9D 10D AC 6S", PURE], upcard="2S", cut="9S")
    assert chosen(table, 0) == {"type": "draw", "pile": "closed"}


def test_it_takes_a_joker_that_it_may_have() -> None:
    table = deal("standard-points", [PURE, RAGS], upcard="JR", cut="9S")
    assert chosen(table, 0) == {"type": "draw", "pile": "open"}


def test_it_keeps_its_lives_and_jokers_and_lets_the_lonely_card_go() -> None:
    table = deal("standard-points", ["3H 4H 5H 7C 8C JR 9S 9D JH JD 2S 3S QC", RAGS], cut="9H", closed="KD")
    play(table, "draw closed")
    frame = chosen(table, 0)
    assert frame is not None and frame["type"] == "discard" and face(str(frame["card"])) in ("KD", "QC")


def test_it_puts_chips_on_the_table_before_it_goes_on() -> None:
    """Otherwise the practising player would wait for it for ever."""
    table = deal("standard-points", [RAGS, PURE], cut="9S")
    play(table, "drop")
    assert chosen(table, 1) == {"type": "continue"}
    table.state = with_seat(table.state, 1, stack=79)
    assert chosen(table, 1) == {"type": "add_chips", "amount": 8_000}


def test_it_drops_a_hopeless_first_hand_but_not_out_of_a_match() -> None:
    one_joker = "2C 5D 8H JS AC 4H 7S 10D KC 3S 6H 9C QD"
    table = deal("standard-points", [one_joker, PURE], upcard="2S", cut="AD")
    assert chosen(table, 0) == {"type": "draw", "pile": "closed"}
    hopeless = "2C 5D 8H JS KC 4H 7S 10D KC 3S 6H 9C QD"
    assert chosen(deal("standard-points", [hopeless, PURE], cut="AD"), 0) == {"type": "drop"}
    pool = deal("standard-pool-101", [hopeless, PURE], cut="AD")
    pool.state = with_seat(pool.state, 0, total=81)
    assert chosen(pool, 0) != {"type": "drop"}
    assert chosen(deal("standard-deals-3", [hopeless, PURE], cut="AD"), 0) != {"type": "drop"}


@pytest.mark.parametrize("strength", [bots.Strength.SOUND, bots.Strength.SHARP])
def test_it_drops_where_that_is_cheaper_than_playing_on(strength: bots.Strength) -> None:
    """A hand that may still meld is played on for 20 points and dropped for 10, where it would count 80 in the end."""
    hopeful = "3H 4H 7H 8H JS JD 6C 7C 2D 3D QD QC 10S"
    moves = {
        key: bots.choose(deal(key, [hopeful, PURE], upcard="KS", cut="AD").view(0), strength)
        for key in ("standard-points", "classic-points", "lives-points", "lives-drop-points")
    }
    assert [key for key, move in moves.items() if move == {"type": "drop"}] == ["lives-points", "lives-drop-points"]
    with_joker = deal("lives-points", [hopeful.replace("10S", "JR"), PURE], upcard="KS", cut="AD")
    assert bots.choose(with_joker.view(0), strength) != {"type": "drop"}


@pytest.mark.parametrize("strength", bots.Strength)
def test_hidden_cards_change_no_decision(strength: bots.Strength) -> None:
    """With another hand opposite and another closed deck, the view and the decision are the same."""
    hand = "3H 4H 7C 8C JS JH KS KD 2C 9D 10D AC 6S"
    one = deal("standard-points", [hand, PURE], upcard="5H", cut="9S", closed="10H")
    there = deal("standard-points", [hand, RAGS], upcard="5H", cut="9S", closed="10H")
    assert one.state.current.hands[1] != there.state.current.hands[1]
    assert one.state.current.closed != there.state.current.closed
    for command in ("draw closed", "discard KD", "draw closed"):
        assert bots.choose(one.view(0), strength) == bots.choose(there.view(0), strength)
        if command == "draw closed" and one.state.current.turn.seat != 0:
            return
        for table in (one, there):
            play(table, command)


@pytest.mark.parametrize("strength", bots.Strength)
def test_a_leak_in_the_view_would_change_no_decision(strength: bots.Strength) -> None:
    """What a view must never hold is not even looked for; and the same view always gets the same answer."""
    table = deal("standard-points", ["3H 4H 7C 8C JS JH KS KD 2C 9D 10D AC 6S", PURE], upcard="5H", cut="9S")
    for command in ("", "draw closed"):
        if command:
            play(table, command)
        honest = table.view(0)
        leaky = json.loads(json.dumps(honest))
        leaky["deal"] |= {"closed": list(table.state.current.closed), "hands": [PURE.split()] * 2}
        leaky["seats"][1] |= {"hand": PURE.split(), "groups": [PURE.split()[:3]]}
        assert bots.choose(leaky, strength) == bots.choose(honest, strength) == bots.choose(honest, strength)


def test_each_strength_lets_another_card_go() -> None:
    hand = "3H 4H 5H 7C 8C JR 9S 9D QC KC 2S 3S 10D"
    table = deal("standard-points", [hand, RAGS], cut="9H", closed="AD")
    play(table, "draw closed")
    frames = {strength: bots.choose(table.view(0), strength) for strength in bots.Strength}
    assert all(frame is not None and frame["type"] == "discard" for frame in frames.values())
    gentle = frames[bots.Strength.GENTLE]
    assert gentle is not None and face(str(gentle["card"]))[:-1] in ("A", "K", "Q", "10")


def test_it_continues_and_waits_otherwise() -> None:
    table = seated("standard-points", 2)
    assert chosen(table, 0) is None
    play(table, "timeout")
    assert chosen(table, 1 - table.turn) is None
    play(table, "drop")
    assert table.state.phase is Phase.RESULT and chosen(table, 0) == {"type": "continue"}
    assert bots.choose(table.view(None)) is None


def test_a_loser_submits_his_best() -> None:
    table = deal("classic-points", [GOOD, PURE], cut="9S", closed="10H")
    play(table, f"draw closed; finish 10H; submit {SHOW}")
    frame = chosen(table, 1)
    assert frame is not None
    table.do(protocol.to_move(protocol.read_frame(frame), 1))
    assert table.points()[1] < 76, "better than the pure sequence alone"


@pytest.mark.parametrize("book", one_of_each(BOOKS, lambda book: BOOKS[book].family))
def test_whole_deals_end_and_no_decision_is_much_work(book: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five thousand calls take about a millisecond."""
    calls: list[int] = []

    def counted(*asked: Any) -> bots.Frame | None:
        frames: list[bots.Frame | None] = []
        calls.append(calls_of(lambda: frames.append(honest(*asked))))
        return frames[0]

    honest = bots.choose
    monkeypatch.setattr(bots, "choose", counted)
    entries = (Entered("sound", bots.Strength.SOUND), Entered("sharp", bots.Strength.SHARP))
    played = play_shoes(Ladder(entries, book, seats=2, seed=2), range(4))
    assert len(calls) > 25 and not any(played.faults)
    assert sorted(calls)[len(calls) // 2] < 3_000 and max(calls) < 25_000
