"""Players with chips, and stakes."""

from typing import Any

import factory
from factory.django import DjangoModelFactory

from lobby.accounts import services as accounts
from lobby.models import Player, Stake

PASSWORD = "thirteen quiet cards"


class PlayerFactory(DjangoModelFactory[Player]):
    """A player as signing up makes one: with a wallet and its chips."""

    class Meta:
        model = Player

    username = factory.Sequence(lambda n: f"player{n}")
    password = PASSWORD

    @classmethod
    def _create(cls, model_class: type[Player], *args: Any, **fields: Any) -> Player:
        name, password = fields.pop("username"), fields.pop("password")
        player = accounts.sign_up(username=name, password=password)
        for field, value in fields.items():
            setattr(player, field, value)
        player.save()
        return player


class StakeFactory(DjangoModelFactory[Stake]):
    """Points rummy for two at one chip a point."""

    class Meta:
        model = Stake

    book = "standard-points"
    seats = 2
    point_value = 1
    order = factory.Sequence(int)

    class Params:
        pool = factory.Trait(book="standard-pool-101", seats=3, point_value=None, entry=100)
