"""Which tables are watched one deal behind; PROTOCOL.md says it to programs."""

from tables.errors import TableError
from tables.models import DealSeat, Seating, Table, Tournament, TournamentKind
from wallet.language import gettext as _


def check_watching(table: Table, deal_id: int | None) -> None:
    """Raise TableError `watching_forbidden` where nobody may see that finished deal, nor any if it is None.

    Watched are public tables, arenas and the finals of knock-outs. But for finals anybody who sits there, or was dealt
    a hand in that deal, may forbid it.
    """
    if table.private_code or table.practice_for_id is not None:
        raise _forbidden(_("Private tables and practice are not shown to watchers."))
    tournament = Tournament.objects.filter(pk=table.tournament_id or 0).first()
    if tournament is not None and not round_is_watched(tournament, table.round):
        raise _forbidden(_("Of a knock-out only the final is shown to watchers."))
    is_final = tournament is not None and tournament.kind == TournamentKind.KNOCKOUT
    if not is_final and _somebody_forbids(table, deal_id):
        raise _forbidden(_("Somebody at this table hides their hands from watchers."))


def round_is_watched(tournament: Tournament, number: int | None) -> bool:
    """Return whether the tables of that round are watched: those of an arena, which has none, and of a final."""
    return tournament.kind == TournamentKind.ARENA or number == tournament.rounds


def _somebody_forbids(table: Table, deal_id: int | None) -> bool:
    seated = Seating.objects.filter(table=table, left_at=None, freed_at=None, user__forbids_watching=True)
    dealt = DealSeat.objects.filter(deal=deal_id, user__forbids_watching=True)
    return seated.exists() or (deal_id is not None and dealt.exists())


def _forbidden(message: str) -> TableError:
    return TableError("watching_forbidden", message, status=403)
