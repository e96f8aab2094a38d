"""Deals as they were dealt."""

from rules.game import events
from tests.unit.rules.game.play import Table


def as_dealt(table: Table) -> list[events.Event]:
    """Return events that would have led to a deal laid out by hand."""
    lies, clock = table.state.current, table.state.clock
    assert lies.cut is not None and clock is not None
    upcard = lies.discards[0].card
    return [
        events.CardsDealt(
            deal_id=lies.deal_id,
            number=lies.number,
            order=lies.order,
            packs=lies.packs,
            clients=lies.clients,
            hands=tuple(lies.hand(seat).cards for seat in lies.order),
            closed=(upcard, lies.cut, *lies.closed),
        ),
        events.UpcardTurned(card=upcard),
        events.CutJokerTurned(card=lies.cut, wild_rank=lies.wild),
        events.TurnBegan(seat=table.turn, number=1, clock=clock),
    ]
