"""How many pairs that play together unfairly are found, at how many false alarms, after how many common deals.

Halls of six people, three pairs who nearly always sit together: of two pairs each helps the other in one way, one are
friends who play honestly. Each deal seats all at a table of six, or one pair and somebody else at a table of three.
`manage.py bench collusion --seed 1 --json` prints one JSON line: the same seed, the same figures.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from random import Random
from statistics import fmean, pvariance
from typing import Any, Final

from rules.books import book
from rules.collusion import CountedDeal, Sums, Usual, add_sums, combined, signals_of, sums_of_deal
from rules.collusion.signals import KINDS, Signal
from rules.collusion.sums import RATES, SQUARES, Sequence as Wins
from rules.expectations.significance import share_interval
from tests.benchmarks._people import COLLUDERS, Pact, Person, habits_of, played

#: Changes with whatever changes the figures: the signals, the people, the halls.
VERSION: Final = 3
BOOK: Final = "standard-points"
#: Pairs in a hall, and halls of each kind: two of the pairs in each collude, so twice as many pairs of a kind.
PAIRS, HALLS = 3, 8
#: This part of the deals is played by six, the others by three.
BY_SIX: Final = 0.75
#: What a kind is called that helps only in every third deal.
SELDOM: Final = "shared hands, in every third deal"
RATES_OF_ALARMS: Final = (0.001, 0.01, 0.05)
#: Bundles of common deals are made of runs of so many that were played one after the other.
RUN: Final = 10
#: So many bundles are drawn of a pair with fewer common deals than asked for, if it has a quarter of them.
DRAWS: Final = 3
QUANTILES: Final = (0.5, 0.9, 0.95, 0.99, 0.995, 0.999)


@dataclass(slots=True)
class Hall:
    """Six people and the deals they have played: who sat where, and the sums."""

    kind: str
    pairs: list[tuple[str, str]]
    colluding: set[tuple[str, str]]
    deals: list[tuple[tuple[str, ...], CountedDeal]] = field(default_factory=list)

    @property
    def people(self) -> list[str]:
        return [name for pair in self.pairs for name in pair]


def hall_of(seed: int, kind: str, number: int, count: int) -> Hall:
    """Return that hall of the kind, after so many deals; of kind "" all its people are honest.

    Its chance is its own, so that it is the same whatever other halls there are.
    """
    rng = Random(f"{seed} {kind} {number}")
    people: dict[str, Person] = {}
    hall = Hall(kind, [], set())
    for place in range(PAIRS):
        one, other = pair = (f"{kind}-{number}-{place}a", f"{kind}-{number}-{place}b")
        hall.pairs.append(pair)
        if not kind or place == PAIRS - 1:
            people |= {name: Person(name, habits_of(rng), rng) for name in pair}
            continue
        hall.colluding.add(pair)
        pact, make = Pact(rng, 1 / 3 if kind == SELDOM else 1.0), COLLUDERS["shared hands" if kind == SELDOM else kind]
        people[one] = make(one, habits_of(rng), rng, partner=other, pact=pact)
        people[other] = make(other, habits_of(rng), rng, partner=one, pact=pact)
    play(hall, people, count, rng)
    return hall


def play(hall: Hall, people: Mapping[str, Person], count: int, rng: Random) -> None:
    """Play so many deals in the hall."""
    rules = book(BOOK)
    while len(hall.deals) < count:
        if rng.random() < BY_SIX:
            seated = [name for pair in rng.sample(hall.pairs, 3) for name in pair]
        else:
            pair, other = rng.sample(hall.pairs, 2)
            seated = [*pair, rng.choice(other)]
        rng.shuffle(seated)
        happened = played(rules, [people[name] for name in seated], rng)
        sums = sums_of_deal(rules, happened) if happened is not None else None
        if sums is not None:
            hall.deals.append((tuple(seated), sums))


@dataclass(slots=True)
class Met:
    """Two people of a hall: their common deals, and those of each without the other."""

    pair: tuple[str, str]
    common: list[tuple[tuple[str, ...], CountedDeal]]
    apart: tuple[list[Sums], list[Sums]]

    def bundles(self, number: int, rng: Random) -> Iterator[list[tuple[tuple[str, ...], CountedDeal]]]:
        """Yield the common deals by so many, none twice; of fewer deals than that some draws of runs."""
        for start in range(0, len(self.common) - number + 1, number):
            yield self.common[start : start + number]
        for _ in range(DRAWS if len(self.common) < number else 0):
            starts = [rng.randrange(len(self.common)) for _ in range(0, number, RUN)]
            places = [(start + step) % len(self.common) for start in starts for step in range(RUN)]
            yield [self.common[place] for place in places[:number]]

    def evidence(
        self, deals: Sequence[tuple[tuple[str, ...], CountedDeal]], rng: Random, usual: Usual
    ) -> tuple[float, list[Signal]]:
        """Return the evidence of these common deals, and as many deals of each without the other as they have had."""
        toward: tuple[Sums, Sums] = {}, {}
        whole: tuple[Sums, Sums] = {}, {}
        wins = Wins()
        for seated, deal in deals:
            seats = [seated.index(name) for name in self.pair]
            for who in (0, 1):
                add_sums(toward[who], deal.sums.get((seats[who], seats[1 - who]), {}))
                add_sums(whole[who], deal.sums.get((seats[who], None), {}))
            if deal.winner in seats:
                wins.won(seats.index(deal.winner))
        for who in (0, 1):
            share = min(1.0, len(deals) / len(self.common))
            for sums in rng.sample(self.apart[who], int(len(self.apart[who]) * share)):
                add_sums(whole[who], sums)
        signals = signals_of(toward, whole, wins, usual)
        return combined(signals).play, signals


def meetings(hall: Hall, pairs: Iterable[tuple[str, str]], least: int) -> list[Met]:
    """Return those of the pairs that have met so often."""
    own: defaultdict[str, list[int]] = defaultdict(list)
    for number, (seated, _) in enumerate(hall.deals):
        for name in seated:
            own[name].append(number)
    found = []
    for pair in pairs:
        both = set(own[pair[0]]) & set(own[pair[1]])
        if len(both) < least:
            continue
        apart = tuple(
            [hall.deals[number][1].sums.get((hall.deals[number][0].index(name), None), {})
             for number in own[name] if number not in both]
            for name in pair
        )  # fmt: skip
        found.append(Met(pair, [hall.deals[number] for number in sorted(both)], apart))  # type: ignore[arg-type]
    return found


def usual_of(halls: Sequence[Hall]) -> Usual:
    """Return what is usual among the people of these halls, who are honest."""
    own: defaultdict[str, Sums] = defaultdict(dict)
    for hall in halls:
        for seated, deal in hall.deals:
            for seat, name in enumerate(seated):
                add_sums(own[name], deal.sums.get((seat, None), {}))
    means, variances, between = {}, {}, {}
    for rate, (count, total) in RATES.items():
        cases, sums = (sum(each.get(name, 0) for each in own.values()) for name in (count, total))
        means[rate] = round(sums / cases, 5) if cases else 0.0
        square = SQUARES.get(rate)
        squares = sum(each.get(square, 0) for each in own.values()) if square else sums
        variances[rate] = round(max(squares / cases - means[rate] ** 2, 1e-4), 5) if cases else 0.01
        of_people = [(each[total] / each[count], each[count]) for each in own.values() if each.get(count, 0) >= 5]
        noise = fmean([variances[rate] / number for _, number in of_people]) if of_people else 0
        between[rate] = round(max(pvariance([mean for mean, _ in of_people]) - noise, 0) if of_people else 0, 6)
    strengths = [each["wins"] / each["fair"] for each in own.values() if each.get("fair", 0) >= 5]
    between["wins"] = round(0.4 * pvariance(strengths), 5)
    # Rare cases are never impossible.
    means["faults"], means["broken"] = max(means["faults"], 0.02), max(means["broken"], 0.005)
    return Usual(means, variances, between)


def rate_of(values: Sequence[float], line: float, trials: int) -> dict[str, Any]:
    """Return the part of the values that reaches the line, with its interval for so many independent trials."""
    reached = sum(value >= line for value in values)
    part = reached / len(values) if values else 0.0
    low, high = share_interval(round(part * trials), trials)
    return {"rate": round(part, 4), "low": round(low, 4), "high": round(high, 4)}


def line_for(values: Sequence[float], rate: float) -> float:
    """Return the evidence that this part of the values reaches."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, ceil(len(ordered) * (1 - rate)))], 3)


def measure(
    seed: int = 1, deals: Sequence[int] = (50, 200, 1000), count: int = 320, number: int = HALLS
) -> dict[str, Any]:
    """Return the table: by kind and number of common deals the rate found at each rate of false alarms.

    `count` is the number of deals played in each hall, `number` that of halls of each kind.
    """
    rng = Random(seed)
    halls = [hall_of(seed, kind, place, count) for kind in ("", *COLLUDERS, SELDOM) for place in range(number)]
    usual = usual_of([hall for hall in halls if not hall.kind])
    friends = [met for hall in halls for met in meetings(hall, set(hall.pairs) - hall.colluding, RUN)]
    strangers = [
        met
        for hall in halls
        for met in meetings(hall, sorted(set(combinations(hall.people, 2)) - set(hall.pairs)), RUN)
    ]
    return {
        "version": VERSION,
        "seed": seed,
        "book": BOOK,
        "seats": [3, 6],
        "deals_a_hall": count,
        "halls": len(halls),
        "deals": sum(len(hall.deals) for hall in halls),
        "common": list(deals),
        "alarms": list(RATES_OF_ALARMS),
        "usual": {"means": dict(usual.means), "variances": dict(usual.variances), "between": dict(usual.between)},
        **_found(halls, sorted(friends, key=lambda met: met.pair), strangers, deals, usual, rng),
    }


def _found(
    halls: Sequence[Hall], friends: list[Met], strangers: list[Met], deals: Sequence[int], usual: Usual, rng: Random
) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    lines: dict[str, list[float]] = {}
    largest: defaultdict[str, list[float]] = defaultdict(list)
    colluding = {
        kind: [met for hall in halls if hall.kind == kind for met in meetings(hall, sorted(hall.colluding), RUN)]
        for kind in (*COLLUDERS, SELDOM)
    }
    for number in deals:
        groups = {"honest friends": friends, "honest strangers": strangers, **colluding}
        values: dict[str, list[float]] = {}
        trials: dict[str, int] = {}
        for kind, pairs in groups.items():
            enough = [met for met in pairs if len(met.common) >= number / 4]
            of_kind = [met.evidence(bundle, rng, usual) for met in enough for bundle in met.bundles(number, rng)]
            values[kind] = [value for value, _ in of_kind]
            trials[kind] = sum(max(1, len(met.common) // number) for met in enough)
            for _, signals in of_kind if kind.startswith("honest") else ():
                for signal in signals:
                    largest[signal.kind].append(signal.deviate)
        null = values["honest friends"] + values["honest strangers"]
        largest["evidence"] += null
        lines[str(number)] = [line_for(null, rate) for rate in RATES_OF_ALARMS]
        rows += [_row(kind, number, values[kind], lines[str(number)], trials[kind]) for kind in groups]
    # Deals that are drawn again say the same twice: the line goes by numbers that strangers have really played.
    played_so_often = [number for number in deals if any(len(met.common) >= number for met in strangers)]
    return {
        "line": max((lines[str(number)][0] for number in played_so_often), default=0.0),
        "lines": lines,
        "rows": rows,
        "honest": {kind: _quantiles(largest[kind]) for kind in ("evidence", *KINDS) if largest[kind]},
    }


def _row(kind: str, number: int, values: Sequence[float], lines: Sequence[float], trials: int) -> dict[str, Any]:
    found = [rate_of(values, line, trials) for line in lines]
    return {"kind": kind, "deals": number, "pairs": trials, "found": found}


def _quantiles(values: Sequence[float]) -> list[list[float]]:
    ordered = sorted(values)
    return [[part, round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 3)] for part in QUANTILES]


if __name__ == "__main__":
    print(json.dumps(measure()))
