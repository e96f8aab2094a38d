"""The models of play and of tournaments."""

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
from tables.models.tournaments import Entrant, PublishedRules, Round, Template, Tournament, TournamentKind

__all__ = [
    "Answer",
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
    "ServerHeartbeat",
    "SharedDeal",
    "Table",
    "Template",
    "Tournament",
    "TournamentKind",
]
