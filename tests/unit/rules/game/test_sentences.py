"""Events as sentences: each reader is told what they may see, and "You" in what they did."""

from typing import Any

import pytest

from rules.game import events as e, redact
from rules.game.moves import Pile
from rules.game.state import Clock, ClockKind
from rules.game.views.sentences import PASSING, card_name, in_words, sentence
from tests.support.positions import COUNT, positions

NAMES = {0: "Asha", 1: "Ravi"}
CLOCK = Clock(kind=ClockKind.TURN, deadline=1, length=1)
BY = e.By.PLAYER


def sentence_for(event: e.Event, reader: int | None = None, wild: int = 0) -> str | None:
    visible = redact(event, reader)
    return None if visible is None else sentence(visible, NAMES, reader=reader, wild=wild)


@pytest.mark.parametrize(
    "event, by_oneself, by_others",
    [
        (e.TurnBegan(seat=0, number=1, clock=CLOCK), "Your turn. Draw a card.", "Asha to play."),
        (
            e.CardDrawn(seat=0, pile=Pile.CLOSED, card="7H1", by=BY),
            "You drew the 7 of hearts from the closed deck.",
            "Asha drew a card from the closed deck.",
        ),
        (
            e.CardDrawn(seat=0, pile=Pile.OPEN, card="7H1", by=BY),
            "You took the 7 of hearts from the open pile.",
            "Asha took the 7 of hearts from the open pile.",
        ),
        (
            e.CardDiscarded(seat=0, card="JR1", by=e.By.PLATFORM, face_down=False),
            "You discarded the printed joker (time was up).",
            "Asha discarded the printed joker (time was up).",
        ),
        (
            e.CardDiscarded(seat=0, card="QS2", by=BY, face_down=True),
            "You discarded the queen of spades.",
            "Asha discarded face down.",
        ),
        (e.ExtraTimeBegan(seat=0, clock=CLOCK), "Your extra time is running.", None),
        (
            e.TurnAutoPlayed(seat=0, auto=1, misses=1),
            "You ran out of time: your turn was played for you.",
            "Asha ran out of time: the turn was played for them.",
        ),
        (e.FinishPlaced(seat=0, card=None, clock=CLOCK), "You showed without drawing.", "Asha showed without drawing."),
        (
            e.FinishPlaced(seat=0, card="2C1", clock=CLOCK),
            "You placed a card in the finish slot.",
            "Asha placed a card in the finish slot.",
        ),
        (e.PlayerEliminated(seat=0, total=101), "You are out at 101.", "Asha is out at 101."),
        (e.HandArranged(seat=0, groups=()), None, None),
    ],
)  # fmt: skip
def test_oneself_is_you_and_others_have_names(event: e.Event, by_oneself: str | None, by_others: str | None) -> None:
    assert sentence_for(event, 0) == by_oneself
    assert sentence_for(event, 1) == sentence_for(event, None) == by_others


def test_a_wild_card_is_called_so() -> None:
    drawn = e.CardDrawn(seat=0, pile=Pile.OPEN, card="7H1", by=BY)
    assert sentence_for(drawn, 0, wild=7) == "You took the wild 7 of hearts from the open pile."
    assert sentence_for(drawn, 0, wild=8) == "You took the 7 of hearts from the open pile."
    assert (card_name("JR2", 1), card_name("AC1", 1), card_name("10D2")) == (
        "the printed joker", "the wild ace of clubs", "the 10 of diamonds",
    )  # fmt: skip


def test_a_seat_without_a_name_is_a_player() -> None:
    assert sentence({"type": "seat_left", "seat": 5}, NAMES) == "A player got up."


def test_an_event_without_a_sentence_stays_as_it_is() -> None:
    assert in_words({"type": "clock_set"}, NAMES) == {"type": "clock_set"}
    assert in_words({"type": "match_started"}, NAMES) == {"type": "match_started", "text": "The match begins."}


@pytest.mark.parametrize("key", ["standard-points", "standard-blind", "standard-pool-101"])
def test_every_event_of_a_game_can_be_told_to_everybody(key: str) -> None:
    """In whole sentences, and never with a card that the reader may not see."""
    texts: list[Any] = []
    for _, events in positions(key, players=3, count=COUNT):
        for event in events:
            for reader in (0, 1, None):
                text = sentence_for(event, reader)
                texts.append(text)
                assert text is None or (text[0].isupper() and text.endswith(".") and "None" not in text)
                if isinstance(event, e.CardDrawn) and event.pile is Pile.CLOSED and reader != event.seat:
                    assert text is not None and card_name(event.card) not in text
    assert sum(text is not None for text in texts) > 100 and set(e.EVENTS) > PASSING
