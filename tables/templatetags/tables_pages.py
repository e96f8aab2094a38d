"""What pages are made with: a filter that translates texts of the rules, `{{ book.title|translated }}`, and a tag that
tells of all that a script imports, not file after file, `{% modules "js/table/main.js" %}`."""

import posixpath
import re
from functools import lru_cache
from pathlib import Path

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tables.language import outcome_name, translated, translated_title

register = template.Library()
register.filter("translated", translated)
register.filter("outcome_name", outcome_name)
register.filter("translated_title", translated_title)
#: An import or export at the beginning of a line, and the file that it names.
_NAMED = re.compile(r"""^(?:import|export)\b[^"';]*?["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)


@register.simple_tag
def modules(name: str) -> SafeString:
    """Return the script of a page, and a link to each module that it needs; they are fetched side by side."""
    links = format_html_join(
        "\n  ", '<link rel="modulepreload" href="{}">', ((each,) for each in needed(static(name), name))
    )
    return format_html('{}\n  <script type="module" src="{}"></script>', links, static(name))


@lru_cache(maxsize=16)
def needed(_address: str, name: str) -> tuple[str, ...]:
    """Return the addresses of all that a module imports, nearest first; its own address says their version."""
    names = [name]
    for each in names:
        found = finders.find(each)
        text = Path(found).read_text() if isinstance(found, str) else ""
        names += dict.fromkeys(path for path in _imports(each, text) if path not in names)
    return tuple(map(static, names[1:]))


def _imports(name: str, text: str) -> list[str]:
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in _NAMED.findall(text)]
