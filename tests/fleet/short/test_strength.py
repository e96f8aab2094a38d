"""Computer players of each strength against each other in short, and proof that equal strength is detected."""

from rules.bots import Strength
from tests.fleet.strength import duel, is_certain


def test_a_sound_player_beats_a_gentle_one_and_not_the_other_way_round() -> None:
    for weaker, stronger, certain in (
        (Strength.GENTLE, Strength.SOUND, True),
        (Strength.SOUND, Strength.GENTLE, False),
        (Strength.SOUND, Strength.SOUND, False),
    ):
        figures = duel(weaker, stronger, 80, seed=9)
        assert is_certain(figures) is certain, figures
