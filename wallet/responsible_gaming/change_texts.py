"""Translating stored changes, which `services` writes in English, into the reader's language."""

import re
from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext

from wallet.language import gettext as _
from wallet.responsible_gaming.models import LimitPeriod

#: The sentences whose parts are translated separately. Each is marked for translation in `services` or `money`.
_SENTENCES = (
    "Kept: {after}",
    "{holds}; {rule} from {pending_at}",
    "Excluded from play {until}",
    "Exclusion by our staff ends by {until}",
    "until {moment}",
    "{amount} minutes",
    "{amount} chips",
    "{amount} chip",
)
#: Patterns of parts that are not sentences, by their names.
_VALUES = {"amount": r"[\d,.]+"}


def _pattern(sentence: str) -> re.Pattern[str]:
    """Return the pattern of a sentence with any values in its named places."""
    named = re.compile(r"\\{(\w+)\\}")
    return re.compile(named.sub(lambda name: f"(?P<{name[1]}>{_VALUES.get(name[1], '.+')})", re.escape(sentence)))


_PATTERNS = {text: _pattern(text) for text in _SENTENCES}
_LIMIT = re.compile(rf"(Time played|Put into play) ({'|'.join(f'a {period}' for period in LimitPeriod.values)}): (.+)")
_MOMENT = re.compile(r"(\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d) (\S+)")


def translated_change(text: str) -> str:
    """Return the text of a change in the reader's language; an unknown text unchanged."""
    if match := _MOMENT.fullmatch(text):
        return f"{date_format(datetime.strptime(match[1], '%d %b %Y, %H:%M'), 'j M Y, H:i')} {match[2]}"
    for sentence, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(text):
            return _(sentence, **{name: translated_change(value) for name, value in match.groupdict().items()})
    if match := _LIMIT.fullmatch(text):
        kind, period, amount = map(translated_change, match.groups())
        return f"{kind} {period}: {amount}"
    return gettext(text)
