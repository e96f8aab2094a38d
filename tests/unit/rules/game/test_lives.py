"""Lives rummy: hands without lives, drop show, and the show before drawing."""

from rules.game import events as e
from rules.game.state import Phase, Standing
from tests.unit.rules.game.hands import PURE, RAGS
from tests.unit.rules.game.play import Table, deal, play, refused

LIVES_GOOD = "3H 4H 5H 6H 7C 8C 9C JS JH JD KS KH KD"
LIVES_SHOW = "3H 4H 5H 6H | 7C 8C 9C | JS JH JD | KS KH KD"


class TestLives:
    def show(self, book: str, others: list[str]) -> Table:
        table = deal(book, [LIVES_GOOD, *others], cut="2S", closed="10H")
        play(table, f"draw closed; finish 10H; submit {LIVES_SHOW}")
        assert table.names() == ["show_accepted"]
        return table

    def test_without_lives_the_open_show_is_forty(self) -> None:
        table = self.show("lives-points", [RAGS])
        play(table, "1: submit")
        assert table.points() == {0: 0, 1: 40}

    def test_who_submits_nothing_in_time_pays_eighty_without_a_turn_forty(self) -> None:
        table = self.show("lives-points", [RAGS])
        play(table, "timeout")
        assert table.points() == {0: 0, 1: 40}
        later = deal("lives-points", [RAGS, LIVES_GOOD, RAGS], cut="2S", closed="9D 10H")
        play(later, f"draw closed; discard 9D; draw closed; finish 10H; submit {LIVES_SHOW}; timeout")
        assert later.points() == {0: 80, 1: 0, 2: 40}

    def test_a_declarer_who_submits_nothing_in_time_declared_wrongly(self) -> None:
        table = deal("lives-points", [LIVES_GOOD, PURE], cut="2S", closed="10H")
        play(table, f"arrange {LIVES_SHOW}; draw closed; finish 10H; timeout")
        assert table.points() == {0: 80, 1: 0}

    def test_drop_show_on_the_first_turn(self) -> None:
        first = self.show("lives-drop-points", [RAGS, RAGS])
        play(first, "1: submit; timeout")
        assert first.points() == {0: 0, 1: 20, 2: 80}
        second = deal("lives-drop-points", [RAGS, LIVES_GOOD, RAGS], cut="2S", closed="9D 10H")
        play(second, f"draw closed; discard 9D; draw closed; finish 10H; submit {LIVES_SHOW}; 0: submit; 2: submit")
        assert second.points() == {0: 40, 1: 0, 2: 20}

    def test_a_later_show_counts_as_usual(self) -> None:
        table = deal("lives-drop-points", [LIVES_GOOD, RAGS], cut="2S", closed="10H 9S KC")
        play(table, f"draw closed; discard 10H; draw closed; discard 9S; draw closed; finish KC; submit {LIVES_SHOW}")
        play(table, "1: submit")
        assert table.points() == {0: 0, 1: 80}


class TestShowBeforeDrawing:
    """In `lives-drop-points`: on one's own first turn, all thirteen cards, no card in the finish slot (seed 002)."""

    def ready(self, others: tuple[str, ...] = (RAGS,)) -> Table:
        return deal("lives-drop-points", [LIVES_GOOD, *others], cut="2S", closed="10H 9D KC")

    def test_all_thirteen_are_melded_and_the_slot_is_empty(self) -> None:
        table = self.ready()
        assert {"draw", "drop", "finish"} <= set(table.view(0)["me"]["moves"])
        play(table, "finish")
        assert table.state.phase is Phase.MELDING and table.view(0)["melding_by"] == 0
        assert table.view(0)["deal"]["finish_card"] is None and len(table.view(0)["me"]["hand"]) == 13
        play(table, f"submit {LIVES_SHOW}; 1: submit")
        assert table.points() == {0: 0, 1: 20} and table.find(e.DealEnded).finish_card is None
        assert table.view(0)["deal"]["finish_card"] is None

    def test_it_is_a_show_on_the_first_turn(self) -> None:
        table = deal("lives-drop-points", [RAGS, LIVES_GOOD, RAGS], cut="2S", closed="10H")
        play(table, f"draw closed; discard 10H; finish; submit {LIVES_SHOW}; 0: submit; 2: submit")
        assert table.points() == {0: 40, 1: 0, 2: 20}

    def test_a_wrong_one_leaves_no_card_behind(self) -> None:
        table = self.ready((RAGS, RAGS))
        top = table.view(1)["deal"]["open_top"]
        play(table, "finish; submit 3H 4H 5H 6H")
        hand = table.state.current.hand(0)
        assert (hand.standing, hand.points, len(hand.cards)) == (Standing.WRONG, 80, 13)
        assert table.view(1)["deal"]["open_top"] == top and table.turn == 1
        play(table, "draw closed; discard 10H; drop")
        assert table.points() == {0: 80, 1: 0, 2: 10}

    def test_nothing_submitted_in_time_is_a_wrong_show(self) -> None:
        table = self.ready()
        play(table, f"arrange {LIVES_SHOW}; finish; timeout")
        assert table.points() == {0: 80, 1: 0}

    def test_one_who_leaves_instead_of_submitting_has_shown_wrongly(self) -> None:
        table = self.ready((RAGS, RAGS))
        play(table, f"arrange {LIVES_SHOW}; finish")
        assert table.view(0)["me"]["leave_points"] == 80
        play(table, "0: leave")
        assert table.state.current.hand(0).standing is Standing.LEFT_SHOW and table.turn == 1

    def test_on_the_first_turn_alone(self) -> None:
        table = self.ready()
        assert refused(table, "1: finish") == "not_your_turn"
        play(table, "draw closed; discard 10H; draw closed; discard 9D")
        assert "finish" not in table.view(0)["me"]["moves"] and refused(table, "finish") == "must_draw"

    def test_a_turn_that_was_missed_was_the_first(self) -> None:
        table = self.ready()
        play(table, "timeout; timeout; draw closed; discard 9D")
        assert table.turn == 0 and refused(table, "finish") == "must_draw"

    def test_before_drawing_no_card_after_it_a_card(self) -> None:
        table = self.ready()
        assert refused(table, "finish 3H") == "must_draw"
        assert refused(table, "draw closed; finish") == "card_needed"

    def test_by_no_other_book(self) -> None:
        table = deal("lives-points", [LIVES_GOOD, RAGS], cut="2S")
        assert "finish" not in table.view(0)["me"]["moves"] and refused(table, "finish") == "must_draw"
