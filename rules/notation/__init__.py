"""Rummy Deal Notation (`.rdn`): a deal as a text that people and programs read. README.md has the grammar.

notation = read(text)           # raises NotationError, which names line and reason
for event, state, line in replay(notation):
    ...                         # stop at any move; the engine has allowed it
text = write(notation)          # canonical: one text for each deal
notation = from_events(book, happened, date="2026-11-26T10:00:00Z", seats=2)
"""

from rules.notation.making import from_events
from rules.notation.reading import read
from rules.notation.replaying import Replayed, replay
from rules.notation.shape import MOST_BYTES, MOST_MOVES, UNNAMED, Action, Notation, NotationError
from rules.notation.writing import write

__all__ = [
    "MOST_BYTES",
    "MOST_MOVES",
    "UNNAMED",
    "Action",
    "Notation",
    "NotationError",
    "Replayed",
    "from_events",
    "read",
    "replay",
    "write",
]
