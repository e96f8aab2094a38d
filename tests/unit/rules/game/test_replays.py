"""Replays of finished deals, compared with the engine's states and with independent searches."""

import json
from typing import Any

import pytest

from rules.cards import is_joker
from rules.declaration import judge
from rules.game import Phase, changes_of, deal_steps, events, review_deal
from rules.game.state import DealState
from tests.support.dealt import as_dealt
from tests.support.simulated import PlayedDeal, played_deals
from tests.unit.rules.game.hands import GOOD, PURE
from tests.unit.rules.game.play import deal, pass_turn, play

NAMES = {0: "Asha", 1: "Ravi", 2: "Tara", 3: "Meera"}
SEEDED = [("standard-points", 3), ("standard-blind", 2), ("lives-drop-points", 2)]


def seeded(book: str, players: int) -> list[PlayedDeal]:
    return list(played_deals(book, players=players, deals=2, seed=11))


def lying(deal: DealState) -> dict[str, Any]:
    """Return the places of a state's cards, as a step describes them."""
    pile = [entry.card for entry in deal.discards if entry.lies]
    return {
        "closed": len(deal.closed),
        "open": pile[-3:],
        "open_count": len(pile),
        "cut": deal.cut,
        "wild_rank": deal.wild,
        "finish": deal.finished.card if deal.finished is not None else None,
        "cards": {
            str(seat): sorted([card for group in hand.groups for card in group] + list(hand.loose))
            for seat, hand in enumerate(deal.hands)
            if hand is not None
        },
    }


def described(step: Any) -> dict[str, Any]:
    cards = {
        seat: sorted([card for group in hand["groups"] for card in group] + hand["loose"])
        for seat, hand in step["hands"].items()
    }
    return {
        **{key: step[key] for key in ("closed", "open", "open_count", "cut", "wild_rank", "finish")},
        "cards": cards,
    }


@pytest.mark.parametrize(("book", "players"), SEEDED)
def test_every_state_the_table_went_through_is_a_step_of_the_replay(book: str, players: int) -> None:
    for played in seeded(book, players):
        steps = [described(step) for step in deal_steps(played.book, played.happened, NAMES)]
        own = played.prepared.deal_id
        states = [state.deal for state in played.states if state.deal is not None and state.deal.deal_id == own]
        missing = [state for state in states if lying(state) not in steps]
        assert states and not missing, missing[:1]
        assert steps[-1] == lying(states[-1])


def test_a_replay_with_a_card_elsewhere_is_found() -> None:
    (played, *_) = seeded("standard-points", 3)
    steps = deal_steps(played.book, played.happened, NAMES)
    last = played.ended.deal
    assert last is not None and described(steps[-1]) == lying(last)
    seat, other = list(steps[-1]["hands"])[:2]
    steps[-1]["hands"][other]["loose"].append(last.hand(int(seat)).cards[0])
    assert described(steps[-1]) != lying(last)


def test_the_changes_sent_rebuild_every_step() -> None:
    for played in seeded("standard-points", 3):
        steps = deal_steps(played.book, played.happened, NAMES)
        sent = changes_of(steps)
        whole: dict[str, Any] = {"hands": {}}
        for step, change in zip(steps, sent, strict=True):
            whole = {**whole, **change, "hands": {**whole["hands"], **change["hands"]}}
            assert whole == step
        assert len(json.dumps(sent)) < len(json.dumps(steps)) / 2


def test_every_step_has_its_sentence_and_names_who_did_it() -> None:
    (played, *_) = seeded("standard-points", 3)
    steps = deal_steps(played.book, played.happened, NAMES)
    assert all(step["text"].endswith(".") for step in steps)
    drawn = [step for step in steps if step["type"] == "card_drawn" and step["pile"] == "closed"]
    assert drawn and all(NAMES[step["seat"] or 0] in step["text"] and " the " in step["text"] for step in drawn)


@pytest.mark.parametrize(("book", "players"), SEEDED)
def test_a_review_is_what_each_hand_could_come_to(book: str, players: int) -> None:
    for played in seeded(book, players):
        for seat in range(players):
            drawn = [e for e in played.happened if isinstance(e, events.CardDrawn) and e.seat == seat]
            began = [e for e in played.happened if isinstance(e, events.TurnBegan) and e.seat == seat]
            review = review_deal(played.book, played.happened, seat)
            assert [turn["drew"] for turn in review["turns"] if turn["drew"]] == [event.card for event in drawn]
            assert len(review["turns"]) == len(began)
            for turn in review["turns"]:
                best = turn["best"]
                judged = judge(played.book, played.ended.current.wild, best["groups"], best["loose"])
                assert (judged.points, judged.valid) == (best["points"], best["valid"])
            end = played.ended.current.hand(seat)
            assert review["best"] is not None
            row = next(row for row in played.ended.result.rows if row.seat == seat)  # type: ignore[union-attr]
            laid = judge(played.book, played.ended.current.wild, row.groups, row.loose).points
            assert len(end.cards) > 13 or review["best"]["points"] <= laid


def test_the_first_moment_of_a_show_and_a_discard_that_was_taken() -> None:
    table = deal("standard-points", [GOOD, PURE], cut="9S", closed="10H 4C KH")
    dealt, length = as_dealt(table), len(table.log)
    play(table, "draw closed; discard KC; draw open; discard QC; drop")
    assert table.state.phase is Phase.RESULT
    happened = [*dealt, *(event for transition in table.log[length:] for event in transition)]
    review = review_deal(table.state.book, happened, 0)
    first, second = review["turns"]
    assert review["first_show"] == 0 and first["best"]["valid"]
    assert (first["discarded"] or "")[:-1] == "KC" and first["taken_by"] == 1
    assert second["drew"] is second["taken_by"] is None
    other = review_deal(table.state.book, happened, 1)
    assert other["first_show"] is None and (other["turns"][0]["drew"] or "")[:-1] == "KC"
    assert other["turns"][0]["before"] == 55  # AS 2S 3S and 6D 7D 8D are free


def test_nobody_has_taken_a_discard_that_went_back_into_the_deck() -> None:
    """Much later somebody lets the same card go, and the next player picks it up: that is told of no turn before."""
    table = deal("standard-points", [GOOD, PURE, ""], cut="9S")
    happened, length = as_dealt(table), len(table.log)
    while table.state.current.reshuffles == 0:
        pass_turn(table)
    discards = table.state.current.discards
    gone = {each.card for each in discards if each.seat == 0 and each.reshuffled and not is_joker(each.card, 9)}
    while table.turn == 0 or (top := table.state.current.discards[-1]).card not in gone or top.seat == 0:
        pass_turn(table)
    play(table, "draw open")
    happened += [event for transition in table.log[length:] for event in transition]
    turns = review_deal(table.state.book, happened, 0)["turns"]
    assert top.card in [turn["discarded"] for turn in turns]
    assert not [turn for turn in turns if turn["taken_by"] is not None]


def test_what_the_platform_played_is_not_told_as_the_players_own() -> None:
    """A late player's discard, then a whole turn that was missed."""
    table = deal("classic-points", [GOOD, PURE], cut="9S")
    happened, length = as_dealt(table), len(table.log)
    play(table, "draw closed; timeout; timeout")
    pass_turn(table)
    play(table, "timeout; timeout")
    pass_turn(table)
    happened += [event for transition in table.log[length:] for event in transition]
    late, missed, _now = review_deal(table.state.book, happened, 0)["turns"]
    assert (late["drew_by"], late["discarded_by"]) == ("player", "platform")
    assert (missed["drew_by"], missed["discarded_by"]) == ("platform", "platform")
    own = [(turn["drew_by"], turn["discarded_by"]) for turn in review_deal(table.state.book, happened, 1)["turns"]]
    assert own == [("player", "player")] * 2
