"""The catalogues: every text has a translation with the same placeholders, and the compiled files are up to date."""

import gettext
import re
from pathlib import Path

import polib
import pytest

from tests import catalogue
from tests.catalogue import DOMAINS, LOCALE, Text

LANGUAGES = sorted(path.parent.name for path in LOCALE.glob("*/LC_MESSAGES"))
VALUE = re.compile(r"\{\w+\}|%\(\w+\)[sd]|</?\w+|%%")
#: What a script may set or hand on as a text without asking for its translation.
BARE = re.compile(
    r"""(?:\b(?:text|title|textContent|innerText|placeholder)\s*[:=]|"aria-label"[:,]|\btoast\(|setText\(\w+,)\s*"""
    r"""(["`])(?![.#\[])(?=[^"`]*[A-Za-z]{3})(?!\$\{[^}]*\}["`])([^"`]*)\1"""
)

#: In Hindi, what is not said beside the word that the tables say: समूह for ग्रुप, शुद्ध for प्योर, बाज़ी for डील.
OTHER_WORDS = re.compile(r"समूह|शुद्ध|बाज़[िी]|नियम-पुस्तक|खुल[ेी] ढेर|पन्न[ेो]|ग़लत|स्टाफ़|मेज़")

VALUES_OF_SCRIPTS = re.compile(r"\$\{[^}]*\}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_text_is_translated_with_its_values(language: str, domain: str) -> None:
    translations = {catalogue.text_of(entry): _forms(entry) for entry in polib.pofile(_source(language, domain))}
    texts = DOMAINS[domain]()
    assert [text.text for text in texts if not all(translations.get(text, [""]))] == [], (
        "python -m tests.catalogue, then translate"
    )
    assert [text.text for text in translations if text not in texts] == [], "python -m tests.catalogue takes these away"
    assert [
        text.text for text, forms in translations.items() if any(_values(text.text) != _values(one) for one in forms)
    ] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_compiled_catalogue_is_the_written_one(language: str, domain: str) -> None:
    written = polib.pofile(_source(language, domain))
    compiled = Path(_source(language, domain)).with_suffix(".mo")
    assert compiled.read_bytes() == written.to_binary()
    with compiled.open("rb") as file:
        read = gettext.GNUTranslations(file)
    for entry in written:
        if entry.msgid_plural:
            texts_read = [read.ngettext(entry.msgid, entry.msgid_plural, count) for count in (1, 5)]
        else:
            texts_read = [read.gettext(entry.msgid)]
        assert texts_read == _forms(entry)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_counted_text_shows_its_number_for_none_one_and_two(language: str, domain: str) -> None:
    """In Hindi the form of one is that of none as well: it may not say the number in words, or leave it out."""
    with Path(_source(language, domain)).with_suffix(".mo").open("rb") as file:
        read = gettext.GNUTranslations(file)
    counted = [text for text in DOMAINS[domain]() if text.plural]
    forms = [(text, read.ngettext(text.text, text.plural, count)) for text in counted for count in (0, 1, 2)]
    assert [
        text.text for text, form in forms if not _values(text.plural) or _values(form) != _values(text.plural)
    ] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_one_thing_has_one_word_in_hindi(domain: str) -> None:
    entries = polib.pofile(_source("hi", domain))
    assert [form for entry in entries for form in _forms(entry) if OTHER_WORDS.search(form)] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_sentence_in_hindi_ends_as_sentences_do_there(domain: str) -> None:
    forms = [form for entry in polib.pofile(_source("hi", domain)) for form in _forms(entry)]
    assert [form for form in forms if re.search(r"[\u0900-\u097f].*\.$", form)] == []


def test_no_script_says_a_text_without_asking_for_its_translation() -> None:
    untranslated = [
        f"{path.name}: {text}"
        for path in _scripts()
        for _, text in BARE.findall(path.read_text())
        if re.search(r"[A-Za-z]{3}", VALUES_OF_SCRIPTS.sub("", text))
    ]
    assert untranslated == []


def test_bare_texts_are_found() -> None:
    assert [text for _, text in BARE.findall('el("p", { text: "Your turn" }); toast(`No ${card}`)')] == [
        "Your turn",
        "No ${card}",
    ]
    assert BARE.findall('el("p", { text: t("Your turn") }); setText(node, `${count}`)') == []


def test_texts_are_found_wherever_they_are_marked() -> None:
    template = '{% translate "A 5%" %}{% blocktranslate count n=2 %}1{% plural %}{{ n }} of them{% endblocktranslate %}'
    assert list(catalogue.in_template(template)) == [Text("A 5%%"), Text("1", "%(n)s of them")]
    code = '_("one" if x else "two", n=1); message("three"); A = translatable({1: ("four", None)}); f("five")'
    assert list(catalogue.in_python(code)) == ["one", "two", "three", "four"]
    assert list(catalogue.in_script('t("a \\"b\\"", { x }); text("c")')) == ['a "b"']


def _source(language: str, domain: str) -> str:
    return str(LOCALE / language / "LC_MESSAGES" / f"{domain}.po")


def _forms(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def _values(text: str) -> set[str]:
    return set(VALUE.findall(text))


def _scripts() -> list[Path]:
    return catalogue._files("static/js", "*.js")
