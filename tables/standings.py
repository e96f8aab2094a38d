"""Who stands before whom in a tournament that runs, by the stored counts: the order of `rules.tournaments.places`."""

from collections.abc import Iterable

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from tables.models import Entrant, Tournament, TournamentKind

#: Those who have a place: nobody who withdrew or was removed.
COUNTED = (Entrant.Status.IN, Entrant.Status.OUT, Entrant.Status.LEFT)
#: After so many automatic turns in a row somebody is dropped at each deal, until they come back.
ABSENT_AFTER = 3
#: Of an arena: as absent as somebody who left it or stepped away, whatever they still play of their deal.
STEPPED_AWAY = 1_000
_ORDER = ("-reached", "-chips", "-deals_won", "points_lost", "id")


def standing(tournament: Tournament) -> QuerySet[Entrant]:
    """Return the entrants with a place or a hope of one, best first; `reached` is 0 for those without a place yet."""
    entrants = Entrant.objects.filter(tournament=tournament, status__in=COUNTED)
    if tournament.kind == TournamentKind.ARENA:
        enough = When(deals__gte=tournament.least_deals, then=Value(1))
        reached = Case(enough, default=Value(0), output_field=IntegerField())
        return entrants.annotate(reached=reached).order_by(*_ORDER)
    return entrants.annotate(reached=Case(default="round", output_field=IntegerField())).order_by(*_ORDER)


def places_of(tournament: Tournament, entrants: Iterable[Entrant]) -> dict[int, int]:
    """Return the places of these entrants of `standing`, by their ids: 1 for the best, the same for equals.

    Those of an arena who have not finished the least number of deals have none. One query for all of them.
    """
    rated = [entrant for entrant in entrants if tournament.kind != TournamentKind.ARENA or entrant.reached]  # type: ignore[attr-defined]
    if not rated:
        return {}
    ahead = {f"ahead_{entrant.pk}": Count("pk", filter=_ahead_of(entrant)) for entrant in rated}
    counts = standing(tournament).order_by().aggregate(**ahead)
    return {entrant.pk: 1 + counts[f"ahead_{entrant.pk}"] for entrant in rated}


def _ahead_of(entrant: Entrant) -> Q:
    """Return the condition that somebody stands before this entrant, who is no equal."""
    same, ahead = Q(), Q(pk__in=())
    for column, better in (("reached", "gt"), ("chips", "gt"), ("deals_won", "gt"), ("points_lost", "lt")):
        value = getattr(entrant, column)
        ahead |= same & Q(**{f"{column}__{better}": value})
        same &= Q(**{column: value})
    return ahead
