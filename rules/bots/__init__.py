"""Computer players: each decision is made from the player's own view alone."""

from rules.bots.choosing import choose
from rules.bots.eye import NAMES, Frame, Strength

__all__ = ["NAMES", "Frame", "Strength", "choose"]
