"""Every page of the players in Hindi: no text of it is left in English, and it is HTML."""

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from rules.books import BOOKS
from tests.unit.staff import walking

pytestmark = pytest.mark.django_db

HINDI = {"HTTP_ACCEPT_LANGUAGE": "hi-IN,hi;q=0.9,en;q=0.5"}
#: Staff, programs and pictures: none of them speaks Hindi.
NOT_FOR_PLAYERS = re.compile(r"/(admin|finance|api|static|account/code)/|/socket|\.(svg|ico|txt|json|js|webmanifest)$")
#: Read out or shown, but not told in any language: the name of the house, of files, keys and programs.
NAMES = re.compile(
    r"\b(Thirteen|English|JavaScript|QR|API|CSV|JSON|ZIP|rdn|Lines|IST|Home|End|Space|Kolkata|OpenSkill|Glicko|JR)\b"
    rf"|\b({'|'.join(BOOKS)})\b|\bTest table\b|\bEvening\b|\bMy chips\b|\w+:\S+"
)
SHOWN = ("aria-label", "title", "placeholder", "alt", "aria-valuetext")
UNTOLD = ("script", "style", "code")
#: What HTML does not know: microseconds, an empty action, and a part beside the page that is an announcement too.
NO_HTML = re.compile(r'datetime="[^"]*\.\d{4,}[^"]*"|action=""|<aside[^>]* role="\w+"')


class Texts(HTMLParser):
    """Parser of the texts that a page shows or reads out, each with its element."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside: list[str] = []
        self.foreign = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("br", "img", "input", "meta", "link", "hr"):
            self.inside.append(tag)
        self.found += [value for name, value in attrs if name in SHOWN and value]

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not set(self.inside) & set(UNTOLD):
            self.found.append(data)


def english(page: str, names: re.Pattern[str]) -> Iterator[str]:
    """Yield what a page says in Latin letters, names apart."""
    texts = Texts()
    texts.feed(page)
    for text in texts.found:
        if re.search(r"[A-Za-z]{2,}", names.sub("", NAMES.sub("", text))):
            yield " ".join(text.split())


def paths(samples: Mapping[str, Any]) -> Iterator[str]:
    """Yield the addresses of the players' pages, those of a rule book once for each book."""
    seen = set()
    for key in BOOKS:
        for address in walking.addresses({**samples, "key": key}):
            path = address.path
            if path not in seen and not NOT_FOR_PLAYERS.search(path) and "logout" not in path:
                seen.add(path)
                yield path


@pytest.mark.slow
def test_no_page_of_the_players_is_left_in_english(
    clients: Mapping[str, Client], samples: Mapping[str, Any], django_user_model: Any
) -> None:
    given = {name for each in django_user_model.objects.all() for name in (each.username, each.display_name) if name}
    names = re.compile("|".join(map(re.escape, sorted(given, key=len, reverse=True))))
    left: dict[str, list[str]] = {}
    for role in ("player", "anonymous"):
        for path in paths(samples):
            answer = clients[role].get(path, **HINDI)
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                page = answer.content.decode()
                assert '<html lang="hi">' in page or "<html" not in page, path
                if wrong := [*english(page, names), *NO_HTML.findall(page)]:
                    left[f"{role} {path}"] = wrong
    assert left == {}, "\n".join(f"{path}: {texts}" for path, texts in left.items())


def test_english_on_a_page_is_found() -> None:
    page = '<p title="Fair deal">खेल <b>Asha</b></p><script>let x</script><p>Thirteen · 21</p>'
    assert list(english(page, re.compile("Asha"))) == ["Fair deal"]
    for wrong in ('datetime="2026-11-29T22:57:02.110843+00:00"', 'action=""', '<aside id="news" role="status"'):
        assert NO_HTML.fullmatch(wrong)


def test_whoever_signs_up_is_welcomed_in_their_language() -> None:
    form = {"username": "nila", "password": "seven quiet sparrows"}
    page = Client().post("/signup/", form, **HINDI).content.decode()
    codes = re.compile(r"nila|\b(?:\w{4}-){3}\w{4}\b", re.IGNORECASE)
    assert "स्वागत है, nila" in page
    assert list(english(page, codes)) == []
