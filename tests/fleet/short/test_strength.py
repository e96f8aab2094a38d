"""Computer players of each strength against each other in short, and proof that equal strength is detected."""

from random import Random

from rules.bots import Strength
from tests.fleet.strength import Duel


def test_a_sound_player_beats_a_gentle_one_and_not_the_other_way_round() -> None:
    for weaker, stronger, certain in (
        (Strength.GENTLE, Strength.SOUND, True),
        (Strength.SOUND, Strength.GENTLE, False),
    ):
        duel = Duel(weaker, stronger)
        duel.play(80, Random(9))
        assert duel.is_certain is certain, duel.figures()
