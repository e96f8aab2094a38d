"""The rules for names of players, which others can read, type and tell apart.

A name is of one script, whichever it is. After Unicode's UTS 39 names are compared by what they look like: case, signs,
accents, digits that stand for letters, and letters of other scripts that look like Latin ones make no difference. Two
players' names are `are_alike` where a capital I, an l and a 1 are all that tells them apart. A small i and an l, and m
and rn, make two names: Kaia and Kala, Kama and Karna. Reserved names are told by the `skeleton`, where i, l and 1 are
one. A name that somebody has stays theirs, whatever it looks like.
"""

import unicodedata
from collections.abc import Iterator
from datetime import timedelta
from itertools import zip_longest
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Func
from django.db.models.sql.compiler import SQLCompiler
from django.utils import timezone

from rules import bots
from wallet.audit_log.models import AuditEntry
from wallet.keys import signing
from wallet.language import gettext as _, gettext_lazy

#: Signs in names, and those of names that only others see. The digits of ASCII go with every script.
SIGNS, SHOWN_SIGNS = "_.-", "_.- "
#: Scripts in daily use (Unicode's UAX 31, table 5), by the first word of their letters' names. Others have letters that
#: cannot be told from Latin ones.
_SCRIPTS = frozenset({
    *("ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CJK", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN",
      "GREEK", "GUJARATI", "GURMUKHI", "HANGUL", "HEBREW", "HIRAGANA", "KANNADA", "KATAKANA", "KHMER", "LAO",
      "LATIN", "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
})  # fmt: skip
#: Letters and marks of these that nobody sees.
_UNSEEN = "\u115f\u1160\u17b4\u17b5"
#: Greek capitals that are Latin ones to the eye, though their small letters are not.
_LATIN_TO_THE_EYE = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
#: Scripts that are written together in one language.
_TOGETHER = ({"CJK", "HIRAGANA", "KATAKANA"},)
#: Marks on one letter: more than a vowel, a nasal and a dot make no word, but cover the lines around it.
MOST_MARKS = 3
#: Scripts whose accents are part of the letter in composed form: further marks on them are ornament.
_COMPOSED = {"LATIN", "GREEK", "CYRILLIC"}
#: Letters and digits, and the small Latin letters that they look like.
_LIKE_LATIN = str.maketrans(
    "034578ıøłđðавекмнорстухіѕјһԁӏԛԝгпьѵѡүғԍαβεικνορτυχγηωօսհոզցյ",
    "oeastbiolddabekmhopctyxisjhdiqwrnbvwyfgabeikvoptuxynwouhnqgj",
)
#: In a skeleton, 1, l and i are one as well.
_LOOKS_LIKE = _LIKE_LATIN | str.maketrans("1lł", "iii")
#: What the database makes one of Latin letters in capitals, of digits and of signs, which it leaves out.
_ONE_IN_CAPITALS = ("L1034578" + SHOWN_SIGNS, "IIOEASTB")

#: Names, or beginnings of names, or any part of a name, that look like those of the platform or of a computer player.
RESERVED = ("bot", "dealer", "finance", "house", "operations", "staff", "system", "एडमिन", "स्टाफ")
RESERVED_BEGINNINGS = ("admin", "closed", "computer", "guest", "कंप्यूटर")
RESERVED_PARTS = ("moderator", "official", "support", "thirteen", "आधिकारिक", "थर्टीन", "मॉडरेटर", "सपोर्ट")

#: The name of the act that closes an account; it holds marks of its names under the installation's key, which tell
#: whether a given name was theirs, and nothing to anybody without the key.
CLOSED = "player.close"
#: Days for which nobody takes a freed name: they would be taken for the player that had it.
KEPT_DAYS = 90

USERNAME_HELP = gettext_lazy("3 to 20 characters: letters of one script, digits and _ . -")

_CHARACTERS = gettext_lazy("A name has 3 to 20 characters: letters of one script, digits and _ . -")
_SHOWN_CHARACTERS = gettext_lazy("A display name has up to 20 letters of one script, digits, spaces and _ . -")
_ONE_SCRIPT = gettext_lazy("Write the name in one script: letters of two can look alike.")


def tidy(name: str) -> str:
    """Return the name in the one form (NFKC) in which it is stored and looked up."""
    return unicodedata.normalize("NFKC", name)


def typed(name: str, most: int = 20) -> str:
    """Return the name that somebody typed, of so many characters at most, in the form in which names are looked up."""
    return tidy(name.strip()[:most].replace("\0", ""))


def skeleton(name: str) -> str:
    """Return the name with letters and digits that look alike made the same, and nothing but these."""
    return _letters(name).translate(_LOOKS_LIKE)


def are_alike(one: str, other: str) -> bool:
    """Return whether one name could be taken for the other, as they are written or in small letters."""
    return not _looks(one).isdisjoint(_looks(other))


def _looks(name: str) -> set[str]:
    """Return what the name looks like: a capital I is an l, and a 1 an i or an l."""
    written = {_letters(name.replace("I", "l")), _letters(name)}
    return {letters.translate(_LIKE_LATIN | {ord("1"): one}) for letters in written for one in "il"}


def _letters(name: str) -> str:
    letters = unicodedata.normalize("NFKD", tidy(name).casefold())
    script, kept = "", []
    for letter in letters:
        if letter.isalnum():
            script = _script(letter)
            kept.append(letter)
        elif unicodedata.category(letter).startswith("M") and script not in _COMPOSED:
            kept.append(letter)
    return "".join(kept)


class Outline(Func):
    """What the database compares names by: two that `are_alike` have the same outline in one of their `spellings`.

    More names have the same one than are alike.
    """

    arity = 1
    output_field = CharField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> Any:
        source, target = _ONE_IN_CAPITALS
        template = "UPPER(%(expressions)s)"
        for letter, one in zip_longest(source, target, fillvalue=""):
            template = f"REPLACE({template}, '{letter}', '{one}')"
        return self.as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> Any:
        source, target = _ONE_IN_CAPITALS
        template = f"TRANSLATE(UPPER(%(expressions)s), '{source}', '{target}')"
        return self.as_sql(compiler, connection, template=template, **context)


def spellings(name: str) -> set[str]:
    """Return spellings of the name for `Outline`: SQLite ignores the case of ASCII only, and no database accents."""
    lower = tidy(name).lower()
    return {tidy(name), lower, lower.capitalize(), lower.upper(), skeleton(name)} - {""}


def check_username(name: str) -> None:
    """Raise ValidationError unless the name may be signed in with."""
    if not 3 <= len(name) <= 20 or not _is_written(name, SIGNS):
        raise ValidationError(_CHARACTERS, code="characters")
    _check_script(name)


def check_display_name(name: str) -> None:
    """Raise ValidationError unless the name may be shown to others."""
    if not 1 <= len(name) <= 20 or name != name.strip() or not _is_written(name, SHOWN_SIGNS):
        raise ValidationError(_SHOWN_CHARACTERS, code="characters")
    _check_script(name)


def not_reserved(name: str) -> None:
    """Raise ValidationError for names of the platform, guests, closed accounts and computer players, and like ones."""
    spellings = (skeleton(name), skeleton("".join(filter(str.isalpha, name))))
    reserved = {skeleton(word) for word in RESERVED}
    if (
        spellings[0] in {skeleton(bot) for bot in bots.NAMES}
        or reserved & set(spellings)
        or any(spelling.startswith(tuple(map(skeleton, RESERVED_BEGINNINGS))) for spelling in spellings)
        or any(skeleton(part) in spelling for part in RESERVED_PARTS for spelling in spellings)
    ):
        raise ValidationError(_("This name is reserved. Please choose another."), code="reserved")


def lock_names() -> None:
    """Let no other transaction take a display name until this one ends, so that two cannot take the same.

    SQLite needs no lock for it: only one transaction at a time writes.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


#: The id of the advisory lock in PostgreSQL.
_LOCK = 0x6E616D65


def _is_written(name: str, signs: str) -> bool:
    """Return whether the name is letters with at most MOST_MARKS marks each, decimal digits and these signs."""
    marks = MOST_MARKS + 1
    for letter in name:
        category = "" if letter in _UNSEEN else unicodedata.category(letter)
        if category.startswith("M"):
            marks += 1
        elif category in {"Ll", "Lu", "Lo", "Lm"}:
            marks = 0
        elif category == "Nd" or letter in signs:
            marks = MOST_MARKS + 1
        else:
            return False
        if category.startswith("M") and marks > MOST_MARKS:
            return False
    return any(letter.isalnum() for letter in name)


def _check_script(name: str) -> None:
    scripts = set(_scripts(name))
    together = len(scripts) < 2 or any(scripts <= each for each in _TOGETHER)
    is_latin_to_the_eye = scripts == {"GREEK"} and all(each in _LATIN_TO_THE_EYE for each in name if each.isalpha())
    if not together or not scripts <= _SCRIPTS or is_latin_to_the_eye:
        raise ValidationError(_ONE_SCRIPT, code="scripts")
    has_marks = any(unicodedata.category(letter).startswith("M") for letter in name)
    foreign = scripts == {"LATIN"} and not skeleton(name).isascii()
    if (has_marks and scripts & _COMPOSED) or foreign or tidy(name) != name:
        raise ValidationError(_ONE_SCRIPT, code="scripts")


def _scripts(name: str) -> Iterator[str]:
    """Yield the scripts of letters, marks, and digits that are not of ASCII."""
    for letter in name:
        if letter.isalpha() or not letter.isascii():
            yield _script(letter)


def _script(letter: str) -> str:
    """Return the script of a letter, mark or digit, which is the first word of its name in Unicode."""
    return unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]


def marks_of(player: Any) -> list[str]:
    """Return the marks of the player's names, to be written into the act that closes the account."""
    names = {skeleton(name) for name in (player.username, player.display_name) if name}
    return [signing.sign(signing.ACCESS, _marking(name)) for name in sorted(names)]


def is_kept_back(name: str) -> bool:
    """Return whether an account that closed within KEPT_DAYS had this name, or one that looks like it."""
    since = timezone.now() - timedelta(days=KEPT_DAYS)
    acts = AuditEntry.objects.filter(action=CLOSED, at__gt=since).values_list("after", flat=True)
    wanted = set(signing.every_signature(signing.ACCESS, _marking(skeleton(name))))
    return any(wanted.intersection((after or {}).get("names", ())) for after in acts)


def _marking(name: str) -> str:
    return f"freed name {name}"
