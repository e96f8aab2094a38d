"""The models of play, of fixed shoes, of tournaments, of analyses and of deals to study."""

from tables.models.analysis import Analysis, StudyDeal
from tables.models.play import (
    Answer,
    Deal,
    DealSeat,
    LoggedEvent,
    Match,
    Outage,
    Pack,
    Seating,
    ServerHeartbeat,
    SharedDeal,
    Table,
)
from tables.models.shoes import Attempt, Series, Shoe
from tables.models.tournaments import Entrant, PublishedRules, Round, Template, Tournament, TournamentKind

__all__ = [
    "Analysis",
    "Answer",
    "Attempt",
    "Deal",
    "DealSeat",
    "Entrant",
    "LoggedEvent",
    "Match",
    "Outage",
    "Pack",
    "PublishedRules",
    "Round",
    "Seating",
    "Series",
    "ServerHeartbeat",
    "SharedDeal",
    "Shoe",
    "StudyDeal",
    "Table",
    "Template",
    "Tournament",
    "TournamentKind",
]
