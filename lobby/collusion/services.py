"""Judging pairs, and what staff decide about cases. Nothing happens to players by itself."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from lobby.collusion import counting, figures
from lobby.collusion.circumstances import circumstances
from lobby.collusion.counting import sequence_of, strongest
from lobby.collusion.models import Case, CountedUntil, PairSums
from rules.collusion import Sequence, Signal, Sums, Usual, add_sums, combined, signals_of
from rules.collusion.signals import LEAST_OF_PLAY, MOST_OF_CIRCUMSTANCES
from rules.collusion.sums import RATES
from wallet.audit_log.models import AuditEntry
from wallet.audit_log.services import Actor, record
from wallet.backoffice.requests import check_not_concerned
from wallet.base.errors import Refusal

#: Pairs with fewer common deals are not judged.
LEAST_DEALS: Final = 30
#: Pairs that are looked at, those with most common deals.
MOST_PAIRS: Final = 20_000
#: Seconds of a night's time that are kept for judging, and after which it stops: the next night goes on from there.
JUDGING_SECONDS: Final = 600
#: Pairs that are read at a time.
_CHUNK: Final = 500
#: What is usual counts as much as so many observations of the site's own people.
_USUAL_WEIGHT: Final = 5_000
_PARTS: Final = (0.5, 0.9, 0.95, 0.99, 0.995, 0.999)


class CaseRefused(Refusal):
    """Staff cannot do this to the case: `wrong_phase`."""


@dataclass(slots=True)
class _Pair:
    """The sums of two players, from all months that are kept."""

    toward: tuple[Sums, Sums] = field(default_factory=lambda: ({}, {}))
    wins: Sequence = field(default_factory=Sequence)
    deals: int = 0
    telling: list[list[float]] = field(default_factory=list)


def nightly() -> int:
    """Count what has ended, forget what is old, and judge the pairs; return how many deals were counted."""
    count = counting.count_deals(counting.MOST_SECONDS - JUDGING_SECONDS)
    counting.forget_sums()
    judge_pairs()
    return count


def judge_pairs(most_seconds: float = JUDGING_SECONDS) -> int:
    """Judge the pairs with enough common deals; make or renew the cases of those above the line; return how many.

    It stops after `most_seconds`, with some judged in any case; the next call goes on behind them.
    """
    until = monotonic() + most_seconds
    done, _ = CountedUntil.objects.get_or_create(pk=1)
    pairs = _pairs_from(tuple(done.judged))
    usual, raised, judged = usual_here(), 0, 0
    deviates: defaultdict[str, list[float]] = defaultdict(list)
    while judged < len(pairs) and (not judged or monotonic() < until):
        some = pairs[judged : judged + _CHUNK]
        raised += _judge(some, usual, deviates)
        judged += len(some)
    CountedUntil.objects.filter(pk=1).update(
        pairs=len(pairs),
        judged=pairs[judged - 1] if judged < len(pairs) else (),
        figures={kind: _quantiles(all_of) for kind, all_of in deviates.items()},
    )
    return raised


def _pairs_from(last: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the pairs with enough common deals by the numbers of the players, from the one behind `last` on."""
    found = PairSums.objects.filter(player__lt=F("other")).values_list("player", "other").annotate(common=Sum("deals"))
    enough = found.filter(common__gte=LEAST_DEALS).order_by("-common", "player", "other")[:MOST_PAIRS]
    pairs = sorted((one, other) for one, other, _ in enough)
    place = bisect_right(pairs, last)
    return pairs[place:] + pairs[:place]


def _judge(pairs: list[tuple[int, int]], usual: Usual, deviates: defaultdict[str, list[float]]) -> int:
    """Judge these pairs; add to the deviates of all; return how many cases were made."""
    whole, sums, raised = _wholes(pairs), _pairs(pairs), 0
    for pair in pairs:
        signals = _signals(pair, sums[pair], whole, usual)
        evidence = combined(signals)
        deviates["evidence"].append(evidence.play)
        for signal in signals:
            deviates[signal.kind].append(signal.deviate)
        if evidence.play >= max(LEAST_OF_PLAY, figures.line() - MOST_OF_CIRCUMSTANCES):
            raised += _raise(pair, sums[pair], signals)
    return raised


def usual_here() -> Usual:
    """Return what is usual among simulated honest players and the site's own, who weigh more as they play more."""
    prior, own = figures.usual(), Sums()
    for sums in PairSums.objects.filter(other=None).values_list("sums", flat=True).iterator(chunk_size=500):
        add_sums(own, sums)
    means = {
        rate: (own.get(total, 0) + _USUAL_WEIGHT * prior.means[rate]) / (own.get(count, 0) + _USUAL_WEIGHT)
        for rate, (count, total) in RATES.items()
    }
    return Usual(means, prior.variances, prior.between)


def _wholes(pairs: list[tuple[int, int]]) -> dict[int, Sums]:
    whole: defaultdict[int, Sums] = defaultdict(dict)
    people = {player for pair in pairs for player in pair}
    for player, sums in PairSums.objects.filter(player__in=people, other=None).values_list("player", "sums"):
        add_sums(whole[player], sums)
    return whole


def _pairs(pairs: list[tuple[int, int]]) -> dict[tuple[int, int], _Pair]:
    wanted, found = set(pairs), defaultdict[tuple[int, int], _Pair](_Pair)
    people = {player for pair in pairs for player in pair}
    rows = PairSums.objects.filter(player__in=people, other__in=people).order_by("month", "pk")
    for row in rows.iterator(chunk_size=500):
        assert row.other_id is not None
        low, high = sorted((row.player_id, row.other_id))
        if (low, high) not in wanted:
            continue
        pair = found[low, high]
        add_sums(pair.toward[row.player_id == high], row.sums)
        if row.player_id == low:
            pair.deals += row.deals
            pair.wins.then(sequence_of(row.wins))
            pair.telling = strongest([*pair.telling, *row.deals_that_tell])
    return found


def _signals(pair: tuple[int, int], sums: _Pair, whole: Mapping[int, Sums], usual: Usual) -> list[Signal]:
    return signals_of(sums.toward, (whole.get(pair[0], {}), whole.get(pair[1], {})), sums.wins, usual)


def _raise(pair: tuple[int, int], sums: _Pair, signals: list[Signal]) -> bool:
    """Make the pair's case, or renew its figures, if it is above the line; what staff have decided stays."""
    shared = circumstances(*pair)
    evidence = combined(signals, sum(each.counts for each in shared)).whole
    known = Case.objects.filter(one=pair[0], other=pair[1])
    if evidence < figures.line() and not known.exists():
        return False
    told = {
        "evidence": round(evidence, 2),
        "deals": sums.deals,
        "signals": [_told(signal) for signal in sorted(signals, key=lambda signal: signal.chance)],
        "circumstances": [{"text": each.text, "counts": each.counts} for each in shared],
        "deals_that_tell": sums.telling,
        "counted_at": timezone.now(),
    }
    _, made = Case.objects.update_or_create(one_id=pair[0], other_id=pair[1], defaults=told)
    return made


def _told(signal: Signal) -> dict[str, Any]:
    return {
        "kind": signal.kind,
        "giver": signal.giver,
        "deviate": round(signal.deviate, 2),
        "chance": signal.chance,
        "figures": {name: round(value, 4) for name, value in signal.figures.items()},
    }


def _quantiles(values: list[float]) -> list[list[float]]:
    ordered = sorted(values)
    return [[part, round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 3)] for part in _PARTS]


# --- staff ------------------------------------------------------------------------------------------------------------


@transaction.atomic
def decide(state: Case.State, case: Case, reason: str, actor: Actor) -> None:
    """Decide the case, or open it again; a cleared one stays cleared, whatever is counted later, until then."""
    fresh = Case.objects.select_for_update(of=("self",)).get(pk=case.pk)
    check_not_concerned(actor, concerning, fresh.pk)
    if fresh.state == state:
        raise CaseRefused("wrong_phase", f"The case is {fresh.get_state_display()} already.")
    before = {"state": fresh.state}
    fresh.state, fresh.handled_at = state, timezone.now()
    fresh.handled_by_id = actor.user.pk if actor.user else None
    fresh.save(update_fields=["state", "handled_at", "handled_by"])
    record(
        actor,
        f"case.{state}",
        fresh,
        reason=reason,
        before=before,
        after={"state": state.value, "evidence": fresh.evidence},
    )


def note_case(case: Case, text: str, actor: Actor) -> None:
    """Write a note, an entry of the trail that nobody changes. WalletError `own_account` for one of the two."""
    check_not_concerned(actor, concerning, case.pk)
    record(actor, "case.note", case, after={"note": text})


def acts_on_case(case: Case) -> Any:
    """Return the entries of the trail about the case, the latest first."""
    label = Case._meta.label_lower
    return AuditEntry.objects.filter(target_type=label, target_id=str(case.pk)).order_by("-id")


def concerning(person: int) -> QuerySet[Case]:
    """Return the cases in which that player is one of the two."""
    return Case.objects.filter(Q(one=person) | Q(other=person))
