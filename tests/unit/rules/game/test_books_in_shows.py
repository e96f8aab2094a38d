"""Every book played: the cost of a show to those who had a turn or none, and what counts as a declaration."""

from rules.game import events as e
from rules.game.state import Phase
from tests.support.shows import GOOD, SHOW
from tests.unit.rules.game.play import Table, deal, groups, pass_turn, play, refused
from tests.unit.rules.game.rows import DUELS, ROWS, check_price_in_view, price, row, three

MELDED = "AD KD QD JD 4C 5C 6C 8S 8H 8D 10C 10S 10H", "AD KD QD JD | 4C 5C 6C | 8S 8H 8D | 10C 10S 10H"
TWENTY = "AD KD QD JD 4C 5C 6C 8S 8H 8D 10C 7S 3S", "AD KD QD JD | 4C 5C 6C | 8S 8H 8D"
#: One pure sequence; the rest counts 4+5+6+6+7+8+9+10+10+10 = 75.
ONE_LIFE = "AD KD QD 4C 5D 6C 6S 7D 8D 9H 10C QC KC", "AD KD QD"
#: The same hand ungrouped: 105.
NOTHING = ONE_LIFE[0], ""
WRONG = ROWS["wrong declaration"]


def open_show(key: str, hand: str) -> Table:
    """Seat 0 declares on the first turn of the deal; seat 1, who had none, is asked to meld."""
    table = deal(key, [GOOD, hand], cut="2S", closed="9S")
    play(table, f"draw closed; finish 9S; submit {SHOW}")
    return table


def show_on_first_turn(key: str, hand: str) -> Table:
    """Seat 1 has had a turn; then seat 0 declares on their first."""
    table = deal(key, [hand, GOOD], cut="2S", closed="9S 9S")
    play(table, f"draw closed; discard 9S; draw closed; finish 9S; submit {SHOW}")
    return table


def show_on_second_turn(key: str, hand: str) -> Table:
    """Let both players have a turn before seat 0 declares."""
    table = deal(key, [GOOD, hand], cut="2S", closed="9S 9S 10D")
    pass_turn(table, 2)
    play(table, f"draw closed; finish 10D; submit {SHOW}")
    return table


def pays(table: Table, lying: str) -> str:
    """Return what a loser pays for submitting these cards."""
    loser = next(seat for seat in (0, 1) if seat != table.state.current.winner)
    play(table, f"{loser}: submit {lying}" if lying else f"{loser}: submit")
    assert table.points()[1 - loser] == 0, "the winner pays nothing"
    return str(table.points()[loser])


@row("open show with all melded")
def test_an_open_show_costs_two_at_least(key: str, expected: str) -> None:
    assert pays(open_show(key, MELDED[0]), MELDED[1]) == expected


@row("open show with 20 loose")
def test_an_open_show_against_twenty(key: str, expected: str) -> None:
    assert pays(open_show(key, TWENTY[0]), TWENTY[1]) == expected


@row("open show with 75 and no second life")
def test_an_open_show_against_an_odd_count(key: str, expected: str) -> None:
    """Half of 75 is rounded up; with lives this hand counts 80 and pays 40."""
    assert pays(open_show(key, ONE_LIFE[0]), ONE_LIFE[1]) == expected


@row("open show with over 80")
def test_an_open_show_costs_forty_at_most(key: str, expected: str) -> None:
    assert pays(open_show(key, NOTHING[0]), NOTHING[1]) == expected


@row("show on first turn against a turn, 20")
def test_a_show_on_the_winners_first_turn_against_one_who_had_a_turn(key: str, expected: str) -> None:
    assert pays(show_on_first_turn(key, TWENTY[0]), TWENTY[1]) == expected


@row("show on first turn against a turn, 75")
def test_the_same_against_one_without_a_second_life(key: str, expected: str) -> None:
    assert pays(show_on_first_turn(key, ONE_LIFE[0]), ONE_LIFE[1]) == expected


@row("show on second turn, 20 loose")
def test_a_later_show_against_twenty(key: str, expected: str) -> None:
    assert pays(show_on_second_turn(key, TWENTY[0]), TWENTY[1]) == expected


@row("show on second turn, 75")
def test_a_later_show_against_one_without_a_second_life(key: str, expected: str) -> None:
    assert pays(show_on_second_turn(key, ONE_LIFE[0]), ONE_LIFE[1]) == expected


@row("show on second turn, over 80")
def test_a_hand_costs_eighty_at_most(key: str, expected: str) -> None:
    assert pays(show_on_second_turn(key, NOTHING[0]), NOTHING[1]) == expected


@row("show on second turn, all melded")
def test_a_hand_costs_two_at_least(key: str, expected: str) -> None:
    assert pays(show_on_second_turn(key, MELDED[0]), MELDED[1]) == expected


@row("no submission with 20 arranged")
def test_who_submits_nothing_in_time(key: str, expected: str) -> None:
    table = show_on_second_turn(key, TWENTY[0])
    play(table, f"1: arrange {TWENTY[1]}; timeout")
    assert str(table.points()[1]) == expected


@row("no submission in an open show")
def test_who_submits_nothing_in_time_and_had_no_turn(key: str, expected: str) -> None:
    table = open_show(key, TWENTY[0])
    play(table, f"1: arrange {TWENTY[1]}; timeout")
    assert str(table.points()[1]) == expected


@row("no submission of a hand to declare")
def test_who_could_have_declared_and_submits_nothing(key: str, expected: str) -> None:
    """The arrangement does not matter: here all thirteen cards are loose."""
    table = show_on_second_turn(key, MELDED[0])
    play(table, "timeout")
    assert str(table.points()[1]) == expected


@row("the same without a turn")
def test_who_could_have_declared_and_had_no_turn(key: str, expected: str) -> None:
    table = open_show(key, MELDED[0])
    play(table, "timeout")
    assert str(table.points()[1]) == expected


@row("show before drawing")
def test_a_show_before_drawing(key: str, expected: str) -> None:
    table = deal(key, [GOOD, ONE_LIFE[0]], cut="2S")
    moves = table.view(0)["me"]["moves"]
    if expected == "no":
        assert "finish" not in moves and refused(table, "finish") == "must_draw"
        return
    assert "finish" in moves
    play(table, f"finish; submit {SHOW}; 1: submit {ONE_LIFE[1]}")
    assert table.points() == {0: 0, 1: 20}, "a drop show, without a turn"


# --- leaving once a card lies in the finish slot ----------------------------------------------------------------------


def left(table: Table, seat: int, expected: str) -> None:
    """Let the player leave the deal, and check that they pay what their view showed."""
    check_price_in_view(table, seat, expected)
    play(table, f"{seat}: leave")
    if expected == "match":
        assert table.find(e.PrizeAwarded).shares == ((1 - seat, 180),)
    assert str(table.points()[seat]) == ("80" if expected == "match" else expected)


@row("leave, card in the finish slot")
def test_a_declarer_who_leaves_has_shown_wrongly(key: str, expected: str) -> None:
    table = deal(key, ["", NOTHING[0]], cut="2S", closed="9S 10D 9C")
    pass_turn(table, 2)
    play(table, "draw closed; finish 9C")
    left(table, 0, expected)
    assert table.find(e.ShowRefused).seat == table.find(e.PlayerLeft).seat == 0


@row("leave after a show, 75 melded")
def test_leaving_after_a_show_costs_the_hand(key: str, expected: str) -> None:
    table = show_on_second_turn(key, ONE_LIFE[0])
    play(table, f"1: arrange {ONE_LIFE[1]}")
    left(table, 1, expected)


@row("leave after a show, 20 loose")
def test_or_for_leaving_where_that_is_more(key: str, expected: str) -> None:
    table = show_on_second_turn(key, TWENTY[0])
    play(table, f"1: arrange {TWENTY[1]}")
    left(table, 1, expected)


@row("leave after an open show, 20 loose")
def test_who_had_no_turn_leaves_in_the_first_round(key: str, expected: str) -> None:
    table = open_show(key, TWENTY[0])
    play(table, f"1: arrange {TWENTY[1]}")
    left(table, 1, expected)


# --- declarations -----------------------------------------------------------------------------------------------------


@row("no submission by the declarer")
def test_a_declarer_who_submits_nothing_in_time(key: str, expected: str) -> None:
    table = deal(key, [GOOD, NOTHING[0]], cut="2S", closed="9S")
    play(table, f"0: arrange {SHOW}; draw closed; finish 9S; timeout")
    assert outcome(table) == expected


@row("wrong declaration")
def test_a_wrong_declaration_costs(key: str, expected: str) -> None:
    table = three(key)
    play(table, f"draw closed; finish {table.state.current.hand(0).cards[0]}; submit")
    assert price(table) == expected
    if key not in DUELS:
        assert table.state.phase is Phase.PLAYING and table.turn == 1, "the others play on"


def outcome(table: Table) -> str:
    """Return `won` if the declaration of seat 0 was accepted, else what it costs them."""
    return "won" if table.state.current.winner == 0 else price(table)


def declared(key: str, show: str, loose: str = "", players: int = 2) -> str:
    """Return the outcome when seat 0 declares this on the first turn; twos are wild."""
    hand = " ".join(card for group in groups(show) for card in group)
    table = deal(key, [f"{hand} {loose}", *[""] * (players - 1)], cut="2S", closed="9S")
    play(table, f"draw closed; finish 9S; submit {show}")
    return outcome(table)


@row("two jokers in one sequence")
def test_two_jokers_in_one_sequence(key: str, expected: str) -> None:
    assert declared(key, "3H 4H 5H 6H | 7C JR 2D 10C | JS JH JD | KS KH") == WRONG[key], "two cards are no meld"
    assert declared(key, "3H 4H 5H 6H | 7C JR 2D | JS JH JD | KS KH KD") == expected


@row("two jokers in one set")
def test_two_jokers_in_one_set(key: str, expected: str) -> None:
    assert declared(key, "3H 4H 5H 6H | 7C 8C 9C | JS JH JD | KS KH KD") == "won"
    assert declared(key, "3H 4H 5H 6H | 7C 8C 9C | KS KH JR 2D | AD AS") == WRONG[key], "two cards are no meld"
    assert declared(key, "3H 4H 5H | 7C 8C 9C 10C | JS JH JD | KS JR 2D") == expected


@row("only jokers as the second sequence")
def test_only_jokers_are_a_sequence(key: str, expected: str) -> None:
    assert declared(key, "3H 4H 5H 6H | JR JR 2D | JS JH JD | KS KH KD") == expected


@row("no life of four cards")
def test_lives_of_three_cards(key: str, expected: str) -> None:
    assert declared(key, "3H 4H 5H | 7C 8C 9C | JS JH JD | KS KH KD KC") == expected


@row("tunnela as the pure sequence")
def test_three_identical_cards(key: str, expected: str) -> None:
    """With two packs there are no three: a third card of another suit makes no difference."""
    third, players = ("7D", 2) if ROWS["packs for five"][key] in ("2", "-") else ("7C", 5)
    assert declared(key, f"7C 7C {third} | 3H 4H 2D 6H | JS JH JD | KS KH KD", players=players) == expected


@row("jokers apart, loose")
def test_spare_jokers_loose(key: str, expected: str) -> None:
    assert declared(key, "3H 4H 5H 6H | 7C 8C 9C | KS KH KD", loose="JR JR 2D") == expected


@row("only sets and an impure sequence")
def test_no_declaration_without_a_pure_sequence(key: str, expected: str) -> None:
    assert declared(key, "3H 4H 2D 6H | 7C 8C 2C | JS JH JD | KS KH KD") == expected


@row("show on second turn, all melded")
def test_melded_but_not_submitted(key: str, expected: str) -> None:
    """A player who could have declared and runs out of time pays the book's least, or its price of submitting
    nothing."""
    table = show_on_second_turn(key, MELDED[0])
    play(table, f"1: arrange {MELDED[1]}; timeout")
    assert str(table.points()[1]) == ("80" if key.startswith("lives") else expected)


def test_the_worked_example_of_five_losers() -> None:
    """Six players, five chips a point: losses of 40, 10, 30, 20 and 50 are 750 chips; a tenth is the fee."""
    ten, thirty, fifty = (
        "AD KD QD | 4C 5C 6C | 4S 5S 6S 7S",
        "AC KC QC | 4C 5C 6C | 4S 5S 6S 7S",
        "8D 9D 10D | 9S 10S JS",
    )
    hands = [
        "",
        GOOD,
        f"{ten} 3C 3D 4D".replace("|", ""),
        f"{thirty} 10C 10D 10S".replace("|", ""),
        "",
        f"{fifty} 10H 10H 9H 8H 5D 5D 3S".replace("|", ""),
    ]
    table = deal("flat20-points", hands, cut="2S", point_value=5, stack=5_000)
    pass_turn(table, 4)
    play(table, "drop")
    pass_turn(table)
    play(table, "drop; draw closed")
    play(table, f"finish {table.state.current.hand(1).cards[-1]}; submit {SHOW}")
    play(table, f"2: submit {ten}; 3: submit {thirty}; 5: submit {fifty}")
    assert table.points() == {0: 40, 1: 0, 2: 10, 3: 30, 4: 20, 5: 50}
    assert table.stacks() == [4_800, 5_000 + 750 - 75, 4_950, 4_850, 4_900, 4_750]
