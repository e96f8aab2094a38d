"""Rated matches for the boards."""

from datetime import datetime
from typing import Any

from lobby.models import Player
from lobby.ratings.models import Contest, RatedResult, Rating
from tests.support.players import signed_up


def rated(name: str, shown: int = 1500, *, matches: int = 30, family: str = "points", **fields: Any) -> Player:
    player = Player.objects.filter(username=name).first() or signed_up(name, **fields)
    mu = 25 + (shown - 1000) / 40
    Rating.objects.create(player=player, family=family, mu=mu, sigma=25 / 3, shown=shown, matches=matches)
    return player


def won(player: Player, by: int, at: datetime, *, number: int = 40, kind: str = "match", **fields: Any) -> None:
    ref = Contest.objects.count() + 1
    contest = Contest.objects.create(kind=kind, ref=ref, family="points", ended_at=at, weight=1)
    usual = {"place": 1, "shows": 0, "mu": 25, "sigma": 8}
    RatedResult.objects.create(
        contest=contest, player=player, family="points", ended_at=at, number=number, won=by, **{**usual, **fields}
    )
