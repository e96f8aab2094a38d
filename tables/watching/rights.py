"""Which tables are watched one deal behind: what stands in tournaments.md, section "Watching"."""

from tables.errors import TableError
from tables.models import DealSeat, Seating, Table, Tournament, TournamentKind
from wallet.language import worded


def check_watching(table: Table, deal_id: int | None) -> None:
    """Raise TableError `watching_forbidden` where nobody may see that finished deal, nor any if it is None.

    Watched are public tables, arenas and the finals of knock-outs. But for finals anybody who sits there, or was dealt
    a hand in that deal, may forbid it.
    """
    if table.private_code or table.practice_for_id is not None:
        raise _forbidden(worded("Private tables and practice are not shown to watchers."))
    if (is_final := _is_final(table)) is False:
        raise _forbidden(worded("Of a knock-out only the final is shown to watchers."))
    if not is_final and _somebody_forbids(table, deal_id):
        raise _forbidden(worded("Somebody at this table hides their hands from watchers."))


def _somebody_forbids(table: Table, deal_id: int | None) -> bool:
    seated = Seating.objects.filter(table=table, left_at=None, freed_at=None, user__forbids_watching=True)
    dealt = DealSeat.objects.filter(deal=deal_id, user__forbids_watching=True)
    return seated.exists() or (deal_id is not None and dealt.exists())


def _is_final(table: Table) -> bool | None:
    """Return whether it is the final of a knock-out; None at a table of no knock-out."""
    if table.tournament_id is None:
        return None
    kind, rounds = Tournament.objects.values_list("kind", "rounds").get(pk=table.tournament_id)
    return table.round == rounds if kind == TournamentKind.KNOCKOUT else None


def _forbidden(message: str) -> TableError:
    return TableError("watching_forbidden", message, status=403)
