"""A sample of each move."""

from collections.abc import Mapping
from typing import Any

from rules.game import moves as m

SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "draw": {"pile": m.Pile.CLOSED},
    "discard": {"card": "2C"},
    "finish": {"card": "2C"},
    "auto_drop": {"on": True},
    "arrange": {"groups": ()},
    "add_chips": {"amount": 100},
    "rejoin": {"accept": True},
    "answer_split": {"accept": True},
    "client_seed": {"seed": "00" * 16},
}
