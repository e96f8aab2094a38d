"""Any moves in any order, legal or not: the state stays sound, refusals change nothing, the events rebuild the
state."""

from typing import Any

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rules.books import BOOKS
from rules.cards import ordered_shoe
from rules.errors import Refused
from rules.game import check_invariants, legal_moves, moves as m, rebuild, view_for
from rules.game.codec import canonical, dump_state
from tests.support.samples import SAMPLES
from tests.unit.rules.game.play import Table, seated

SEATS = st.integers(-1, 3)
CARDS = st.one_of(st.sampled_from(ordered_shoe(3)), st.text(max_size=4))
GROUPS = st.lists(st.lists(CARDS, max_size=5).map(tuple), max_size=7).map(tuple)
KINDS = st.sampled_from(m.PLAYER_MOVES)


class AnyPlay(RuleBasedStateMachine):
    """Three players, every book; hands are named by place so that many moves are legal."""

    @initialize(book=st.sampled_from(sorted(BOOKS)))
    def sit_down(self, book: str) -> None:
        self.table: Table = seated(book, min(3, BOOKS[book].max_seats))

    def attempt(self, move: m.Move) -> None:
        before = canonical(dump_state(self.table.state))
        try:
            self.table.do(move)
        except Refused as refusal:
            assert refusal.code and refusal.message.endswith(".")
            assert canonical(dump_state(self.table.state)) == before

    @rule(kind=KINDS, seat=SEATS)
    def ask_anything(self, kind: type[m.PlayerMove], seat: int) -> None:
        self.attempt(kind(seat=seat, **SAMPLES.get(kind.name, {})))

    @rule(place=st.integers(0, 13), finish=st.booleans(), pile=st.sampled_from(m.Pile))
    def play_a_turn(self, place: int, finish: bool, pile: m.Pile) -> None:
        state = self.table.state
        if state.deal is None or state.deal.turn is None:
            return
        seat = state.deal.turn.seat
        if "draw" in legal_moves(state, seat):
            self.attempt(m.Draw(seat=seat, pile=pile))
        hand = self.table.state.current.hand(seat).cards
        kind: Any = m.Finish if finish and place > 10 else m.Discard
        self.attempt(kind(seat=seat, card=hand[place % len(hand)]))

    @rule(seat=SEATS, groups=GROUPS)
    def arrange_nonsense(self, seat: int, groups: Any) -> None:
        self.attempt(m.Arrange(seat=seat, groups=groups))
        self.attempt(m.Submit(seat=seat, groups=groups))

    @rule(seat=SEATS, size=st.integers(0, 5))
    def arrange_own_cards(self, seat: int, size: int) -> None:
        deal = self.table.state.deal
        hand = deal.hands[seat] if deal is not None and 0 <= seat < len(deal.hands) else None
        if hand is not None:
            self.attempt(m.Arrange(seat=seat, groups=(hand.cards[:size], hand.cards[size : size + 3])))

    @rule(offline=st.frozensets(st.integers(0, 2)))
    def let_time_run_out(self, offline: frozenset[int]) -> None:
        if self.table.state.clock is not None:
            self.table.now = max(self.table.now, self.table.state.clock.deadline)
        self.attempt(m.Expire(offline=offline))

    @rule(ms=st.integers(0, 70_000))
    def wait(self, ms: int) -> None:
        self.table.now += ms

    @rule(seat=SEATS, stack=st.sampled_from((100, 799, 800, 5_000)))
    def somebody_sits(self, seat: int, stack: int) -> None:
        self.attempt(m.Sit(seat=seat, stack=stack))

    @rule(ms=st.integers(-1, 20_000))
    def grant(self, ms: int) -> None:
        self.attempt(m.Grant(ms=ms))

    @invariant()
    def is_sound(self) -> None:
        if not hasattr(self, "table"):
            return
        check_invariants(self.table.state)
        for viewer in (*range(len(self.table.state.seats)), None):
            view_for(self.table.state, viewer, self.table.now)

    def teardown(self) -> None:
        if hasattr(self, "table"):
            rebuilt = rebuild(self.table.terms, self.table.log)
            assert canonical(dump_state(rebuilt)) == canonical(dump_state(self.table.state))


AnyPlay.TestCase.settings = settings(
    max_examples=25, stateful_step_count=60, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAnyPlay = AnyPlay.TestCase
