"""The models of the tables, imported here for Django: of play, of fixed shoes, of tournaments, of deals to study."""

from tables.models.analysis import Analysis as Analysis, StudyDeal as StudyDeal
from tables.models.play import (
    Answer as Answer,
    Deal as Deal,
    DealSeat as DealSeat,
    LoggedEvent as LoggedEvent,
    Match as Match,
    Outage as Outage,
    Pack as Pack,
    Seating as Seating,
    ServerHeartbeat as ServerHeartbeat,
    SharedDeal as SharedDeal,
    Table as Table,
)
from tables.models.shoes import Attempt as Attempt, Series as Series, Shoe as Shoe
from tables.models.tournaments import (
    Entrant as Entrant,
    PublishedRules as PublishedRules,
    Round as Round,
    Template as Template,
    Tournament as Tournament,
    TournamentKind as TournamentKind,
)
