"""Checks whether bytes reveal more than their reader may know: cards in any spelling of the platform, and seeds."""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections import Counter
from html import unescape
from typing import Any, Final
from urllib.parse import unquote

from tables.simulation.checks import cards_in
from tests.fleet.leak.knowledge import Knowledge, Viewer

_CARD: Final = re.compile(r"(?<![A-Za-z0-9])(?:(?:10|[2-9AJQK])[CDHS]|JR)[1-3](?![A-Za-z0-9])")
_FACE: Final = re.compile(r'"((?:10|[2-9AJQK])[CDHS]|JR)"')
_BREAK: Final = re.compile(r"\\[nrtu\"'](?:[0-9a-f]{4})?")
#: The strokes of a picture: `2S2` stands in them as well.
_DRAWING: Final = re.compile(r'(?<=\sd=")[Mm][^"]*')
#: How a malformed frame is refused, whatever cards are dealt.
_EXAMPLE: Final = "a card such as 7H1"
#: What is encrypted is read by nobody, and `-2S2_` may stand in it by chance.
_SEALED: Final = re.compile(r"\bgAAAA[\w-]{40,}=*")
#: So many hexadecimal digits of a seed in a row are taken for it.
_PART: Final = 32


class Oracle:
    """The checker of everything that one table sends, with its findings."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.findings: list[str] = []
        self.read: Counter[str] = Counter()

    def frame(self, sink: str, viewer: Viewer, text: str) -> None:
        """Check JSON for one viewer: it may contain the cards they know, and faces of these or of the toss."""
        text = text.replace(_EXAMPLE, "")
        content = json.loads(text)
        tossed = {entry["card"] for entry in _toss(content)} | _tossed_now(content)
        faces = set(_FACE.findall(text)) - {card[:-1] for card in self.knowledge.with_results(viewer)} - tossed
        self._judge(sink, viewer, cards_in(content) | _cards(text), text)
        if faces:
            self.findings.append(f"{sink} for {_name(viewer)} names {len(faces)} faces of unseen cards")

    def text(self, sink: str, viewer: Viewer, text: str) -> None:
        """Check any other text: a page, an error, a log line, arguments, rows."""
        self._judge(sink, viewer, _cards(_SEALED.sub("", _DRAWING.sub("", text))), text)

    def no_card(self, sink: str, text: str) -> None:
        """Check a text in which no card may be named at all, not even one that everybody knows, nor a face."""
        if cards := _cards(text) | set(_FACE.findall(text)):
            self.findings.append(f"{sink} names {len(cards)} cards or faces of a running deal")

    def _judge(self, sink: str, viewer: Viewer, cards: set[str] | frozenset[str], text: str) -> None:
        self.read[sink.split()[0]] += 1
        unseen = cards - self.knowledge.with_results(viewer)
        if unseen:
            self.findings.append(f"{sink} for {_name(viewer)} shows {len(unseen)} unseen cards")
        if any(_holds(text, seed) for seed in self.knowledge.secrets.values()):
            self.findings.append(f"{sink} for {_name(viewer)} shows a seed")


def _toss(content: Any) -> Any:
    deal = (content.get("view") or {}).get("deal") if isinstance(content, dict) else None
    return (deal or {}).get("toss", ())


def _tossed_now(content: Any) -> set[str]:
    events = content.get("events", ()) if isinstance(content, dict) else ()
    return {face for event in events if event["type"] == "toss_made" for _, face in event["cards"]}


def _cards(text: str) -> set[str]:
    """Return every card in the text, also where it is escaped for a page, a URL or JSON."""
    cards: set[str] = set(_CARD.findall(text))
    for other in (unquote(text), unescape(text), _BREAK.sub(" ", text)):
        if other != text:
            cards.update(_CARD.findall(other))
    return cards


def _holds(text: str, seed: str) -> bool:
    raw, low = bytes.fromhex(seed), text.lower()
    return any(seed[at : at + _PART] in low for at in range(0, len(seed), _PART)) or any(
        encoded(raw).decode()[:_PART] in text for encoded in (b64encode, urlsafe_b64encode)
    )


def _name(viewer: Viewer) -> str:
    return "everybody" if viewer is None else f"seat {viewer}"
