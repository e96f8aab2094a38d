"""The crowd at a simulated table: sound, hasty and stubborn players with human failings, and a vandal among them."""

import json
from enum import StrEnum
from random import Random
from typing import Any, Final

from rules import bots
from rules.bots import Frame
from rules.cards import ordered_shoe
from rules.game.views.shapes import MeView, View

#: The probability, at each decision, that a player makes this move instead of the sound one.
RATES: Final = {
    "leave": 0.006,
    "drop": 0.01,
    "auto_drop": 0.01,
    "finish": 0.01,
    "sort": 0.05,
    "arrange": 0.05,
    "add_chips": 0.1,
    "client_seed": 0.3,
}
SILENT, OFFLINE, BACK, DECLINES = 0.02, 0.004, 0.1, 0.15
_SHOE: Final = (*ordered_shoe(3), "", "ZZ", "7H", "10D", "JR")
_TYPES: Final = (
    "draw", "discard", "drop", "auto_drop", "finish", "arrange", "sort", "submit",
    "continue", "add_chips", "leave", "rejoin", "offer_split", "answer_split", "client_seed",
)  # fmt: skip


class Mood(StrEnum):
    """How a whole table plays one deal."""

    #: As the computer players do.
    SOUND = "sound"
    #: Drops, finishes and submits by chance: many short deals, and wrong shows of every kind.
    HASTY = "hasty"
    #: Draws and discards and never shows: the closed deck runs out again and again.
    STUBBORN = "stubborn"


_ENDS_IT: Final = ("leave", "drop", "auto_drop", "finish")
_MOODS: Final = (Mood.SOUND,) * 12 + (Mood.HASTY,) * 87 + (Mood.STUBBORN,)
_DROPS, _FINISHES, _SHOWS_BEST = 0.3, 0.25, 0.4
#: So many turns a stubborn table plays: the closed deck of six players and two packs runs out four times.
_PATIENCE: Final = 115


class Crowd:
    """The players of a table: what each of them does next, who is offline, and who lets the clock run out."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.offline: set[int] = set()
        self._silent: set[int] = set()
        self._mood = Mood.SOUND

    def deal_begins(self) -> None:
        """Put everybody into another mood."""
        self._mood = self._rng.choice(_MOODS)

    def clock_ran_out(self) -> None:
        """Let silent players act again, and some offline players return."""
        self._silent.clear()
        self.offline = {seat for seat in sorted(self.offline) if self._rng.random() > BACK}

    def frame(self, view: View) -> Frame | None:
        """Return the frame that the player of this view sends now; None if they do nothing."""
        me = view["me"]
        if me is None or me["seat"] in self.offline or me["seat"] in self._silent:
            return None
        turn = view["deal"]["turn_number"] if view["deal"] is not None else 0
        frame = self._whim(me) or self._moody(me, turn) or bots.choose(view)
        if frame is not None and self._rng.random() < SILENT:
            self._silent.add(me["seat"])
            return None
        if frame is not None and self._rng.random() < OFFLINE:
            self.offline.add(me["seat"])
            return None
        return frame

    def _moody(self, me: MeView, turn: int) -> Frame | None:
        """Return the frame that a player sends in the mood of the table; None where they play soundly."""
        if self._mood is Mood.SOUND or not me["hand"]:
            return None
        hasty = self._mood is Mood.HASTY or turn > _PATIENCE
        if "draw" in me["moves"]:
            return self._hasty_draw(me) if hasty else {"type": "draw", "pile": "closed"}
        if "discard" in me["moves"]:
            finishes = hasty and self._rng.random() < _FINISHES
            return {"type": "finish" if finishes else "discard", "card": self._rng.choice(me["hand"])}
        if "submit" in me["moves"] and self._rng.random() > _SHOWS_BEST:
            return {"type": "submit", "groups": self._random_groups(me["hand"])}
        return None

    def _hasty_draw(self, me: MeView) -> Frame:
        if "drop" in me["moves"] and self._rng.random() < _DROPS:
            return {"type": "drop"}
        open_too = me["pickable_open"] and self._rng.random() < 0.5
        return {"type": "draw", "pile": "open" if open_too else "closed"}

    def _whim(self, me: MeView) -> Frame | None:
        for name, rate in RATES.items():
            if self._mood is Mood.STUBBORN and name in _ENDS_IT:
                continue
            if name in me["moves"] and self._rng.random() < rate:
                return self._whimsical(name, me)
        for name in ("rejoin", "answer_split"):
            if name in me["moves"]:
                return {"type": name, "accept": self._rng.random() > DECLINES}
        return None

    def _whimsical(self, name: str, me: MeView) -> Frame:
        hand = me["hand"]
        fields: dict[str, dict[str, Any]] = {
            "auto_drop": {"on": not me["auto_drop"]},
            "finish": {"card": self._rng.choice(hand)} if me["drawn"] else {},
            "arrange": {"groups": self._random_groups(hand)},
            "add_chips": {"amount": 1 + self._rng.getrandbits(10)},
            "client_seed": {"seed": self._rng.randbytes(16).hex()},
        }
        return {"type": name, **fields.get(name, {})}

    def _random_groups(self, hand: list[str]) -> list[list[str]]:
        cards = list(hand)
        groups: list[list[str]] = []
        self._rng.shuffle(cards)
        while len(cards) > 3 and len(groups) < 6:
            size = 1 + self._rng.getrandbits(2)
            groups.append(cards[:size])
            cards = cards[size:]
        return groups


class Vandal:
    """A sender of random frames: out of turn, with cards of others, with old versions, or malformed."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._makes = (self._random_frame, self._random_frame, self._broken_frame)

    def text(self, version: int) -> str:
        """Return one frame as text, random or malformed, sometimes with this version or an older one."""
        return self._rng.choice(self._makes)(version)

    def _random_frame(self, version: int) -> str:
        name = self._rng.choice(_TYPES)
        fields: dict[str, dict[str, Any]] = {
            "draw": {"pile": self._rng.choice(("open", "closed"))},
            "discard": {"card": self._rng.choice(_SHOE)},
            "finish": self._rng.choice(({}, {"card": self._rng.choice(_SHOE)})),
            "auto_drop": {"on": True},
            "arrange": {"groups": self._groups()},
            "submit": {"groups": self._groups()},
            "add_chips": {"amount": self._rng.choice((1, 2**40))},
            "rejoin": {"accept": True},
            "answer_split": {"accept": True},
            "client_seed": {"seed": self._rng.choice(("00" * 16, "zz", "00" * 15))},
        }
        version_field = {"version": self._rng.randrange(version + 2)} if self._rng.getrandbits(1) else {}
        return json.dumps({"type": name, **version_field, **fields.get(name, {})})

    def _groups(self) -> list[list[str]]:
        sizes = [self._rng.getrandbits(2) for _ in range(self._rng.getrandbits(3))]
        return [[self._rng.choice(_SHOE) for _ in range(size)] for size in sizes]

    def _broken_frame(self, version: int) -> str:
        text = self._random_frame(version)
        place = self._rng.randrange(len(text))
        return text[:place] + self._rng.choice(("", "null", "1e9", '"', "[", "\x00")) + text[place + 1 :]
