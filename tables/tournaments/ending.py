"""The end of a tournament, or of somebody's part in it: places, prizes, refunds."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rules.payouts import fee
from rules.tournaments import Showing, placed, prizes_of
from tables.models import Entrant, Tournament, TournamentKind
from tables.play import broadcast
from tables.standings import COUNTED
from wallet.base.queries import update_each
from wallet.play_money import tournaments as play_money

Status = Tournament.Status
_PAID = Entrant.objects.exclude(status=Entrant.Status.WITHDRAWN)


def award_places(tournament: Tournament, now: int) -> None:
    """Give everybody their place, and pay the prizes; where nobody has one, every entry goes back."""
    entrants = {entrant.pk: entrant for entrant in Entrant.objects.filter(tournament=tournament, status__in=COUNTED)}
    ranked = placed([shown_by(tournament, entrant) for entrant in entrants.values()])
    with_place = tuple((place, shown) for place, shown in ranked if shown.round)
    pot = paid_in(tournament)
    if pot and not with_place:
        cancel(tournament, now, "nobody has finished enough deals")
        return
    tournament.fee = fee(pot, tournament.fee_percent)
    prizes = prizes_of(pot - tournament.fee, tournament.prizes, with_place)
    for (place, shown), prize in zip(with_place, prizes, strict=True):
        entrants[shown.entry].place, entrants[shown.entry].prize = place, prize
    update_each(entrants.values(), ["place", "prize"])
    play_money.award_tournament(
        tournament=tournament.pk,
        prizes={entrant.user_id: entrant.prize for entrant in entrants.values() if entrant.user_id is not None},
        fee=tournament.fee,
    )
    _close(tournament, Status.OVER, now)
    for entrant in entrants.values():
        _tell(tournament, entrant)


def cancel(tournament: Tournament, now: int, reason: str) -> None:
    """Cancel it: every entry goes back in full, and nobody keeps the place at which they were out of it."""
    tournament.reason = reason[:200]
    _PAID.filter(tournament=tournament, place__isnull=False).update(place=None)
    entrants = list(_PAID.filter(tournament=tournament))
    if tournament.entry:
        play_money.return_tournament_entries(
            tournament=tournament.pk,
            key=f"tournament:{tournament.pk}:refund",
            refunds={entrant.user_id: tournament.entry for entrant in entrants if entrant.user_id is not None},
        )
    _close(tournament, Status.CANCELLED, now)
    for entrant in entrants:
        _tell(tournament, entrant)


def place_the_out(tournament: Tournament, of_round: Sequence[Entrant], ahead: int) -> None:
    """Store who of the round is out, each at the place that is theirs whatever comes: behind all who go on."""
    out = {entrant.pk: entrant for entrant in of_round if entrant.status in (Entrant.Status.OUT, Entrant.Status.LEFT)}
    for place, shown in placed([shown_by(tournament, entrant) for entrant in out.values()]):
        out[shown.entry].place = ahead + place
    update_each(out.values(), ["status", "place"])
    for entrant in out.values():
        _tell(tournament, entrant)


def removed(tournaments: Iterable[Tournament]) -> Counter[tuple[int, bool]]:
    """Count who was removed from those with an entry: by tournament, and whether it had begun.

    Who was removed before does not count among the entered, yet their entry stays in the pot; who was removed later
    counts, and has no place.
    """
    paid = [tournament.pk for tournament in tournaments if tournament.entry]
    found = Entrant.objects.filter(tournament__in=paid, status=Entrant.Status.REMOVED, user__isnull=False)
    return Counter((pk, number > 0) for pk, number in found.values_list("tournament_id", "round"))


def paid_in(tournament: Tournament) -> int:
    """Return what has been paid in and not gone back."""
    return tournament.entry * _PAID.filter(tournament=tournament, user__isnull=False).count() if tournament.entry else 0


def shown_by(tournament: Tournament, entrant: Entrant) -> Showing:
    """Return what decides the entrant's place; in an arena it begins with the least number of deals."""
    reached = entrant.round
    if tournament.kind == TournamentKind.ARENA:
        reached = 1 if entrant.deals >= tournament.least_deals else 0
    return Showing(entrant.pk, reached, entrant.chips, entrant.deals_won, entrant.points_lost)


def _close(tournament: Tournament, status: Status, now: int) -> None:
    tournament.status, tournament.over_ms, tournament.next_ms, tournament.paused_ms = status, now, None, None


def _tell(tournament: Tournament, entrant: Entrant) -> None:
    if entrant.user_id is not None:
        broadcast.tournament_over(
            entrant.user_id, tournament_id=tournament.pk, place=entrant.place, prize=entrant.prize
        )
