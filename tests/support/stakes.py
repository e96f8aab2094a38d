"""Stakes to sit down at."""

import factory
from factory.django import DjangoModelFactory

from lobby.models import Stake


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
