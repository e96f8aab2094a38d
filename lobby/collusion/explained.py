"""The signals in the words of the case page, for staff."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lobby.collusion import figures

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SignalLine:
    """One signal: what it says of whom, what was counted, what would be expected, and how rare that is."""

    text: str
    counted: str
    expected: str
    simulated: str
    here: str
    chance: str


#: By kind: what it says of the two, what was counted, and what is expected.
_WORDS: Final[Mapping[str, tuple[str, Callable[[Figures], str], Callable[[Figures], str]]]] = {
    "fed": (
        "{giver} lets go what helps {other}, who is next, though the hand had other cards to let go.",
        lambda told: f"{told['helped']:.0f} of {told['count']:.0f} discards with such a choice helped",
        lambda told: f"{told['expected']:.1f}, by points and links of the cards and as toward everybody else",
    ),
    "took": (
        "{giver} takes {other}’s discards more often than those of others, for the same need.",
        lambda told: f"{told['taken']:.0f} of {told['count']:.0f} that helped; in all {told['excess']:+.0f} more",
        lambda told: f"{told['expected']:.0f} taken in all",
    ),
    "told": (
        "{giver} drops when {other}’s hidden hand is good.",
        lambda told: f"{told['mean']:.2f} of promise in {told['count']:.0f} drops",
        lambda told: f"{told['expected']:.2f}, as at all those turns",
    ),
    "faults": (
        "{giver} shows wrongly or leaves, and {other} wins those deals.",
        lambda told: f"{told['count']:.0f} times",
        lambda told: f"{told['expected']:.1f} times",
    ),
    "gave": (
        "{giver} pays more when {other} wins than when others win, beside those caught with them.",
        lambda told: f"{told['mean']:+.1f} points a deal, in {told['count']:.0f} deals",
        lambda told: f"{told['expected']:+.1f} points",
    ),
    "won": (
        "{other} wins more with {giver} at the table than without.",
        lambda told: f"{told['count']:.0f} deals won",
        lambda told: f"{told['expected']:.1f}, from the results of both elsewhere",
    ),
    "broke": (
        "{giver} breaks up good hands late in deals in which {other} is.",
        lambda told: f"{told['count']:.0f} times",
        lambda told: f"{told['expected']:.1f} times",
    ),
    "turns": (
        "The two take turns in winning.",
        lambda told: f"{told['count']:.0f} times another one than the time before",
        lambda told: f"{told['expected']:.1f} times by chance",
    ),
}


def signal_lines(signals: list[dict[str, Any]], names: tuple[str, str], here: Mapping[str, Any]) -> list[SignalLine]:
    """Return the lines of a case, the rarest first; `here` has the figures of this site's own pairs."""
    return [_line(signal, names, here) for signal in signals if signal["kind"] in _WORDS]


def _line(signal: Mapping[str, Any], names: tuple[str, str], here: Mapping[str, Any]) -> SignalLine:
    kind, giver = signal["kind"], signal["giver"] or 0
    text, counted, expected = _WORDS[kind]
    return SignalLine(
        text=text.format(giver=names[giver], other=names[1 - giver]),
        counted=counted(signal["figures"]),
        expected=expected(signal["figures"]),
        simulated=_part(figures.rarity(kind, signal["deviate"])),
        here=_part(figures.part_above(here.get(kind, []), signal["deviate"])) if here.get(kind) else "—",
        chance=chance_in_words(signal["chance"]),
    )


def chance_in_words(chance: float) -> str:
    """Return a chance in words, such as `1 in 2,000`."""
    if chance > 0.5:
        return "nothing unusual"
    return f"1 in {1 / chance:,.0f}" if chance > 1e-9 else "less than 1 in a thousand million"


def _part(part: float) -> str:
    return "more than half" if part >= 1 else f"{100 * part:.1f} %" if part >= 0.01 else f"at most {100 * part:.1f} %"
