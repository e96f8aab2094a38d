"""A visitor who follows every link that they are shown."""

import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urldefrag, urljoin, urlsplit

from playwright.sync_api import Page

from tests.system.browser.axe import faults

#: Signs out, or would make whoever walks here wait for a download or for a table.
LEFT_OUT = re.compile(r"/logout/|/jsi18n/|/(download|file|tables)/$|^/tables/|^/api/|\.\w+$")
#: Of pages that differ in a number, a book or a code, or only in what is searched for, one is looked at.
ALIKE = re.compile(r"(?<=/)\d+(?=/)|(?<=/how-to-play/)\w+-(?!minutes)[\w-]+|(?<=/private/)[A-Z0-9]{6,}")
#: Of the links those that lead to pages: a download opens none.
LINKS = re.compile(r'<a\s(?![^>]*\sdownload\b)[^>]*?href="([^"]*)"')


@dataclass
class Walk:
    """The status of one of each kind of page, by its path, and axe-core's findings on those that were rendered."""

    status: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def walk(page: Page, *starts: str, places: tuple[str, ...] = ("/",), read: str = "(?!)") -> Walk:
    """Visit all pages in these places that links lead to; the kinds in which `read` is found are only read."""
    result = Walk()
    waiting = list(starts)
    while waiting:
        address = waiting.pop(0)
        path = urlsplit(address).path
        kind = ALIKE.sub("N", path)
        if kind in result.status or not path.startswith(places) or LEFT_OUT.search(path):
            continue
        drawn = re.search(read, kind) is None
        answer = page.goto(address) if drawn else page.request.get(address)
        assert answer is not None
        result.status[kind] = answer.status
        if drawn:
            result.faults += [f"{path} {each}" for each in faults(page)]
        links = map(unescape, LINKS.findall(answer.text()))
        waiting += [urldefrag(urljoin(answer.url, link)).url for link in links]
    return result
