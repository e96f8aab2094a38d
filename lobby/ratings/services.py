"""Rating what has finished, beside play: stored ratings are a copy of what finished matches say."""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice, zip_longest

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from lobby.ratings.contests import FinishedContest, Placed, finished, first_end
from lobby.ratings.models import Contest, RatedResult, RatedUntil, Rating
from lobby.ratings.reckoning import AT_TABLES, FEW, Change, Rated, RatedSkill, Reckoning, company_counts, reckoned
from lobby.ratings.skill import DAYS, Skill
from tables.play import store
from wallet.ledger.snapshots import snapshot

log = logging.getLogger(__name__)

#: One transaction rates what ended within so long.
STEP = timedelta(days=1)
_CHUNK = 500


def take_up() -> int:
    """Rate all that has ended and is not rated yet; return how many contests that were."""
    count, settled = 0, store.settled()
    while True:
        with transaction.atomic():
            done = _lock()
            after = done.moment
            begin = after or first_end() or settled
            if begin >= settled and after is not None:
                return count
            until = min(settled, begin + STEP)
            for contest in finished(after, until):
                _store([_reckoning_for(contest).rate(contest)])
                count += 1
            _set(done, until)


def make_anew() -> int:
    """Forget every rating and reckon all of them from what has finished; return how many contests that were."""
    with transaction.atomic():
        done = _lock()
        Contest.objects.all().delete()
        Rating.objects.all().delete()
        until = done.moment or store.settled()
        rated, count = reckoned(finished(None, until)), 0
        while some := list(islice(rated, _CHUNK)):
            _store(some)
            count += len(some)
        _set(done, until)
        return count


def differences() -> Iterator[str]:
    """Yield a sentence for each difference between the stored ratings and those reckoned from what has finished."""
    with snapshot():
        done = RatedUntil.objects.first()
        if done is None or done.moment is None:
            return
        reckoning = Reckoning()
        stored, due = _stored(), map(reckoning.rate, finished(None, done.moment))
        for one, other in zip_longest(stored, due):
            if one != other:
                yield _difference(one, other)
                if one is None or other is None or one.contest.key != other.contest.key:
                    return
        held = {
            (row.player_id, row.family): (RatedSkill(Skill(row.mu, row.sigma), row.matches), row.shown)
            for row in Rating.objects.all()
        }
        wanted = {key: (standing, standing.skill.shown) for key, standing in reckoning.standings.items()}
        for player, family in sorted(held.keys() | wanted.keys()):
            if held.get((player, family)) != wanted.get((player, family)):
                yield f"player {player} in {family}: the rating is not the one after their last contest"


def mend() -> None:
    """Make all ratings anew where one differs, and log the first differences: once a day."""
    found = list(islice(differences(), 10))
    if found:
        log.error("ratings differ from what has finished, and are made anew: %s", "; ".join(found))
        make_anew()


def _difference(stored: Rated | None, due: Rated | None) -> str:
    if stored is None or (due is not None and stored.contest.key > due.contest.key):
        assert due is not None
        return f"{due.contest.kind} {due.contest.ref} is not rated"
    name = f"{stored.contest.kind} {stored.contest.ref}"
    if due is None or due.contest.key != stored.contest.key:
        return f"{name} is rated, but is nothing that may be, or ended at another moment"
    if stored.contest != due.contest:
        return f"{name}: its family, players, places or shows differ from what was played"
    if stored.weight != due.weight:
        return f"{name}: it counts {stored.weight}, not {due.weight}"
    wrong = [str(one.player) for one, other in zip(stored.changes, due.changes, strict=True) if one != other]
    return f"{name}: what it changed differs for player {', '.join(wrong)}"


def _lock() -> RatedUntil:
    RatedUntil.objects.get_or_create(pk=1)
    return RatedUntil.objects.select_for_update().get(pk=1)


def _set(done: RatedUntil, until: datetime) -> None:
    done.moment = until
    done.save(update_fields=["moment"])


def _reckoning_for(contest: FinishedContest) -> Reckoning:
    """Return what has to be known for this contest: where its players stand, and how often they have met of late."""
    reckoning, players = Reckoning(), [result.player for result in contest.results]
    for row in Rating.objects.filter(player__in=players, family=contest.family):
        reckoning.standings[row.player_id, row.family] = RatedSkill(Skill(row.mu, row.sigma), row.matches)
    if not company_counts(contest):
        return reckoning
    met: dict[tuple[datetime, int], list[int]] = {}
    of_late = RatedResult.objects.filter(player__in=players, ended_at__gt=contest.ended_at - timedelta(days=DAYS))
    one_more = RatedResult.objects.filter(contest=OuterRef("contest"))[FEW : FEW + 1]
    of_late = of_late.filter(Q(contest__kind__in=AT_TABLES) | ~Exists(one_more))
    for at, number, player in of_late.values_list("ended_at", "contest", "player"):
        met.setdefault((at, number), []).append(player)
    for (at, _), together in sorted(met.items()):
        reckoning.note_meeting(together, at)
    return reckoning


def _store(rated: Iterable[Rated]) -> None:
    results: list[RatedResult] = []
    ratings: dict[tuple[int, str], Rating] = {}
    for each in rated:
        contest = each.contest
        row = Contest.objects.create(
            kind=contest.kind, ref=contest.ref, family=contest.family, ended_at=contest.ended_at, weight=each.weight
        )
        for change in each.changes:
            results.append(_result(row, change))
            ratings[change.player, contest.family] = _rating(change, contest.family)
    RatedResult.objects.bulk_create(results, batch_size=_CHUNK)
    Rating.objects.bulk_create(
        ratings.values(),
        batch_size=_CHUNK,
        update_conflicts=True,
        unique_fields=["player", "family"],
        update_fields=["mu", "sigma", "shown", "matches"],
    )


def _result(contest: Contest, change: Change) -> RatedResult:
    return RatedResult(
        contest=contest,
        player_id=change.player,
        family=contest.family,
        ended_at=contest.ended_at,
        number=change.standing.matches,
        place=change.place,
        shows=change.shows,
        won=change.won,
        mu=change.standing.skill.mu,
        sigma=change.standing.skill.sigma,
    )


def _rating(change: Change, family: str) -> Rating:
    skill = change.standing.skill
    return Rating(
        player_id=change.player,
        family=family,
        mu=skill.mu,
        sigma=skill.sigma,
        shown=skill.shown,
        matches=change.standing.matches,
    )


def _stored() -> Iterator[Rated]:
    """Yield every stored contest with its results, as it was reckoned."""
    rows = Contest.objects.order_by("ended_at", "kind", "ref").prefetch_related("results")
    for row in rows.iterator(chunk_size=_CHUNK):
        yield _as_rated(row)


def _as_rated(row: Contest) -> Rated:
    results = sorted(row.results.all(), key=lambda result: result.player_id)
    contest = FinishedContest(
        row.kind,
        row.ref,
        row.family,
        row.ended_at,
        tuple(Placed(result.player_id, result.place, result.shows) for result in results),
    )
    changes = tuple(
        Change(
            result.player_id,
            result.place,
            result.shows,
            result.won,
            RatedSkill(Skill(result.mu, result.sigma), result.number),
        )
        for result in results
    )
    return Rated(contest, row.weight, changes)
