"""The game of a table: all names that the platform, the simulation and the tests may import.

    state = start(terms)
    transition = apply(state, moves.Draw(seat=0, pile=moves.Pile.CLOSED), now)

`moves` are requests, `events` are facts, `codec` stores both. The other modules of the game are private to the rules.
"""

from rules.game import codec, events, moves
from rules.game.engine import apply, is_stale
from rules.game.finished import DealReview, changes_of, deal_steps, explain_deal, review_deal
from rules.game.invariants import Broken, check_invariants
from rules.game.legality import legal_moves
from rules.game.lookups import chips, free_seats, hand_of
from rules.game.phases.dealing import wants_deal
from rules.game.phases.intermission import unready
from rules.game.phases.system import overdue
from rules.game.results import Outcome
from rules.game.state import IN_DEAL, Clock, Clocks, DealState, Phase, Place, Standing, TableState, Terms
from rules.game.transitions import Transition, commit_version, follow, follow_deal, rebuild, start
from rules.game.views import View, redact, view_for, views_for
from rules.messages import REFUSALS

__all__ = [
    "IN_DEAL",
    "REFUSALS",
    "Broken",
    "Clock",
    "Clocks",
    "DealReview",
    "DealState",
    "Outcome",
    "Phase",
    "Place",
    "Standing",
    "TableState",
    "Terms",
    "Transition",
    "View",
    "apply",
    "changes_of",
    "check_invariants",
    "chips",
    "codec",
    "commit_version",
    "deal_steps",
    "events",
    "explain_deal",
    "follow",
    "follow_deal",
    "free_seats",
    "hand_of",
    "is_stale",
    "legal_moves",
    "moves",
    "overdue",
    "rebuild",
    "redact",
    "review_deal",
    "start",
    "unready",
    "view_for",
    "views_for",
    "wants_deal",
]
