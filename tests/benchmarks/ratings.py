"""After how many matches ratings place the computer players in their true order, and what it costs to rate a match.

Three players of each strength are drawn anew to tables of three for each series of ten deals: strangers, nearly.
`python -m tests.benchmarks.ratings --seed 1 --matches 300` prints one JSON line; the same seed gives the same places.

Two strengths that are nearly equal would take too many deals: `--gap 10 --histories 40 --matches 1200` draws what a
series brings from normal distributions, with so many points between sound and sharp, and the spread of real series.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, pairwise
from random import Random
from time import perf_counter
from typing import Any

from lobby.ratings.skill import NEWCOMER, SERIES, ranked, rated
from rules import bots
from rules.books import book
from rules.bots import Strength
from rules.game import TableState, apply, events, overdue, start, view_for, wants_deal
from rules.game.moves import Expire, PrepareDeal, Sit
from tables.play import protocol
from tables.simulation.run import terms_of

BOOK = "standard-points"
SEATS = 3
#: The weakest first: their true order.
STRENGTHS = (Strength.GENTLE, Strength.SOUND, Strength.SHARP)
Player = tuple[Strength, int]
PLAYERS: list[Player] = [(strength, number) for strength in STRENGTHS for number in range(SEATS)]


def played(strengths: list[Strength], rng: Random) -> list[int]:
    """Play one series; return the place of each seat."""
    terms = terms_of(book(BOOK), len(strengths))
    state, now, won = start(replace(terms, maximum=None)), 0, Counter[int]()

    def go(move: Any) -> TableState:
        transition = apply(state, move, now)
        for event in transition.events:
            if isinstance(event, events.DealEnded):
                lost = sum(row.points for row in event.rows)
                won.update({row.seat: lost if row.seat == event.winner else -row.points for row in event.rows})
        return transition.after

    for seat in range(len(strengths)):
        state = go(Sit(seat=seat, stack=terms.minimum * SERIES, computer=True))
    while state.deals <= SERIES:
        if wants_deal(state):
            state = go(PrepareDeal(deal_id=rng.randbytes(8).hex(), seed=rng.randbytes(64).hex()))
        frames = ((seat, bots.choose(view_for(state, seat, now), strengths[seat])) for seat in range(SEATS))
        chosen = next(((seat, frame) for seat, frame in frames if frame is not None), None)
        if chosen is None:
            now = max(now, state.clock.deadline if state.clock is not None else now)
            assert overdue(state, now)
            state = go(Expire(offline=frozenset()))
        else:
            state = go(protocol.to_move(protocol.read_frame(chosen[1]), chosen[0]))
    found = ranked({seat: (-won[seat],) for seat in range(SEATS)})
    return [found[seat] for seat in range(SEATS)]


def right_pairs(worth: Mapping[Player, float]) -> float:
    """Return the part of the pairs of unequal strength in which the stronger player is worth more."""
    pairs = [pair for pair in combinations(PLAYERS, 2) if pair[0][0] is not pair[1][0]]
    return round(sum(worth[weaker] < worth[stronger] for weaker, stronger in pairs) / len(pairs), 3)


def in_order(worth: Mapping[Player, float], weaker: Strength, stronger: Strength) -> bool:
    """Return whether the stronger players are worth more on average."""
    return sum(worth[weaker, number] for number in range(SEATS)) < sum(
        worth[stronger, number] for number in range(SEATS)
    )


#: Points of a series: sound and sharp differed by 300, give or take, in 46 that were played; gentle ones fell behind.
SPREAD, BEHIND = 210, 180
#: After so many matches of each it is looked who stands where.
LOOKS = (10, 30, 50, 100, 200, 400, 800, 1200)


def foreseen(gap: float, histories: int, count: int, seed: int = 1) -> dict[str, Any]:
    """Return in which part of such histories sharp players stand above sound ones, by ratings and by the mean place."""
    rng, mean = Random(seed), {Strength.GENTLE: -BEHIND, Strength.SOUND: 0, Strength.SHARP: gap}
    looks = [look for look in LOOKS if look <= count]
    right, floor = Counter[int](), Counter[int]()
    for _ in range(histories):
        skills, by_place = dict.fromkeys(PLAYERS, NEWCOMER), dict.fromkeys(PLAYERS, 0.0)
        for number in range(1, looks[-1] + 1):
            drawn = rng.sample(PLAYERS, len(PLAYERS))
            for table in (drawn[place : place + SEATS] for place in range(0, len(drawn), SEATS)):
                ended = ranked({seat: (-round(rng.gauss(mean[who[0]], SPREAD)),) for seat, who in enumerate(table)})
                after = rated([skills[player] for player in table], [ended[seat] for seat in range(SEATS)], 1)
                skills |= dict(zip(table, after, strict=True))
                by_place |= {player: by_place[player] - ended[seat] for seat, player in enumerate(table)}
            if number in looks:
                shown = {player: float(skill.shown) for player, skill in skills.items()}
                right[number] += in_order(shown, Strength.SOUND, Strength.SHARP)
                floor[number] += in_order(by_place, Strength.SOUND, Strength.SHARP)
    parts = {look: (round(right[look] / histories, 3), round(floor[look] / histories, 3)) for look in looks}
    return {"gap": gap, "histories": histories, "right and floor after": parts}


def measure(count: int = 300, seed: int = 1) -> dict[str, Any]:
    """Return after how many matches of each player the order is right for good, and the part of right pairs by then.

    The floor is the mean place in the same matches: here everybody meets everybody, so nothing can know better.
    """
    rng, seconds, wrong = Random(seed), 0.0, dict.fromkeys(pairwise(STRENGTHS), 0)
    skills, by_place, steps = dict.fromkeys(PLAYERS, NEWCOMER), dict.fromkeys(PLAYERS, 0.0), []
    for number in range(1, count + 1):
        drawn = rng.sample(PLAYERS, len(PLAYERS))
        for table in (drawn[place : place + SEATS] for place in range(0, len(drawn), SEATS)):
            ended = played([strength for strength, _ in table], rng)
            began = perf_counter()
            skills |= dict(zip(table, rated([skills[player] for player in table], ended, 1), strict=True))
            seconds += perf_counter() - began
            by_place |= {player: by_place[player] - place for player, place in zip(table, ended, strict=True)}
        shown = {player: float(skill.shown) for player, skill in skills.items()}
        wrong |= {pair: number for pair in wrong if not in_order(shown, *pair)}
        if number in (10, 20, 30, 50, 100, 200, 300):
            steps.append({"matches": number, "right": right_pairs(shown), "floor": right_pairs(by_place)})
    return {
        "what": f"{len(PLAYERS)} computer players of three strengths in {BOOK}, seed {seed}",
        "in_order_for_good_after": {
            f"{weaker} below {stronger}": last + 1 if last < count else None
            for (weaker, stronger), last in wrong.items()
        },
        "pairs": steps,
        "shown": {f"{strength} {number}": skills[strength, number].shown for strength, number in PLAYERS},
        "uncertainty": skills[PLAYERS[0]].uncertainty,
        "ms_a_call": round(1000 * seconds / (count * len(PLAYERS) / SEATS), 3),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", dest="count", type=int, default=300, help="of each player")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gap", type=float, help="points a series between sound and sharp players, who are not played")
    parser.add_argument("--histories", type=int, default=40)
    asked = vars(parser.parse_args())
    gap, histories = asked.pop("gap"), asked.pop("histories")
    print(json.dumps(measure(**asked) if gap is None else foreseen(gap, histories, **asked)))
