"""Computer players: each decision is made from the player's own view alone."""

from rules.bots.choosing import choose
from rules.bots.eye import NAMES, Frame, Strength
