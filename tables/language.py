"""Translation of the rules' sentences into the reader's language, and the languages that each table is read in."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qs

from django.conf import settings
from django.utils.translation import gettext, override

from rules import bots
from rules.text import Message, message, translatable, translate_message, translate_messages, upper_first
from wallet.language import ENGLISH, is_english

T = TypeVar("T")
_OUTCOMES = translatable(
    {
        "won": "Won",
        "lost": "Lost",
        "dropped": "Dropped",
        "wrong": "Wrong show",
        "left": "Left",
        "cancelled": "Cancelled",
    }
)


def translated(text: str) -> str:
    """Return a sentence, or a text of the catalogue such as the title of a book, in the language of the reader.

    A text that is not in the catalogue, such as a name, is returned unchanged.
    """
    if is_english() or not text:
        return text
    return translate_message(text, gettext) if isinstance(text, Message) else gettext(text)


def outcome_name(outcome: str) -> str:
    """Return how a deal ended for a player, in the language of the reader; static/js/shared/words.js says the same."""
    return translated(_OUTCOMES.get(outcome, outcome))


def as_sentence(reason: str) -> str:
    """Return a reason of the rules, which has no full stop, as a sentence in the language of the reader."""
    return translated(message("{what}.", what=upper_first(reason)))


def translate_content(content: T) -> T:
    """Return plain data with every sentence of the rules translated; names and other texts are unchanged."""
    translation: T = content if is_english() else translate_messages(content, gettext)
    return translation


@contextmanager
def using_language(language: str) -> Iterator[None]:
    """Use that language inside the block; no switch is made where English is wanted and active already."""
    if language == ENGLISH and is_english():
        yield
        return
    with override(language):
        yield


@lru_cache(maxsize=1024)
def title(text: str) -> Message:
    """Return the title of a table as a sentence whose parts are names or texts of the catalogue, such as a book's."""
    parts = {f"part{number}": _part(part) for number, part in enumerate(text.split(_BETWEEN))}
    return message(_BETWEEN.join(f"{{{name}}}" for name in parts), **parts)


_BETWEEN = " · "
#: The words that the titles of practice tables have besides that of the book.
_OF_PRACTICE = translatable(("Practice", "gentle", "sound", "sharp", "expert", "Deal of the day", "Duplicate match"))
#: With this the titles of tables for friends begin. They name nobody: the ledger keeps them, also of a closed account.
FOR_FRIENDS = translatable("Table for friends")
#: So they began in 1.0.0.
_OF_A_PLAYER = re.compile(r"(?P<name>.+)’s table")
_OF_DEALS = re.compile(r"(?P<game>Deals Rummy|Deals Rummy for chips), (?P<deals>\d+) deals")
#: A day as the titles of daily deals have it; its month is, in small letters, a text of Django.
_DAY = re.compile(r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4})")


def _part(text: str) -> str:
    if match := _OF_A_PLAYER.fullmatch(text):
        return message("{name}’s table", **match.groupdict())
    if match := _OF_DEALS.fullmatch(text):
        return message(f"{match['game']}, {{deals}} deals", deals=match["deals"])
    if match := _DAY.fullmatch(text):
        return message(f"{match['day']} {{month}} {match['year']}", month=message(match["month"].lower()))
    return text if "{" in text else message(text)


def translated_title(text: str) -> str:
    """Return the title of a table or a stake in the language of the reader."""
    return text if is_english() else translated(title(text))


#: The name shown for a player whose account is closed.
CLOSED_ACCOUNT = translatable("Closed account")


#: The names that are texts of the catalogue; no player may take one of them.
_OURS = frozenset((CLOSED_ACCOUNT, *bots.NAMES))


def said_name(name: str) -> str:
    """Return a player's name; that of a computer player or of a closed account as a sentence."""
    return message(name) if name in _OURS else name


def translated_name(name: str) -> str:
    """Return a player's name; that of a computer player or of a closed account in the language of the reader."""
    return translated(name) if name in _OURS else name


def language_asked_for(scope: Mapping[str, Any]) -> str:
    """Return the language in the address of a socket, such as `?language=hi`; English if it names none of ours."""
    requested = parse_qs(scope.get("query_string", b"").decode("ascii", "replace")).get("language", [""])[0]
    return requested if requested in dict(settings.LANGUAGES) else ENGLISH


# --- the languages read at each table: frames are made only in languages that somebody reads ---

#: By table, the number of this process's sockets for each language but English.
_languages: defaultdict[int, Counter[str]] = defaultdict(Counter)


def note_reader(table_id: int, language: str) -> None:
    """Note that a socket reads the table in that language."""
    if language != ENGLISH:
        # Replaced rather than changed, since other threads read it.
        _languages[table_id] = _languages[table_id] + Counter([language])


def forget_reader(table_id: int, language: str) -> None:
    """Note that a socket of that language has closed."""
    if table_id in _languages:
        _languages[table_id] = _languages[table_id] - Counter([language])
        if not _languages[table_id]:
            del _languages[table_id]


def languages_at(table_id: int) -> tuple[str, ...]:
    """Return the languages besides English that this process's sockets at the table read."""
    return tuple(_languages[table_id]) if table_id in _languages else ()
