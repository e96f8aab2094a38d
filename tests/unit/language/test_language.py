"""The language of each reader: pages, errors and the table's frames; staff read English."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from unittest.mock import patch

import pytest
from django.test import Client as Browser
from django.utils.formats import date_format

from lobby.models import Player
from lobby.templatetags.lobby_text import card_name
from rules.cards import rank
from rules.game.views.sentences import sentence
from rules.text import join, message, translate_message
from tables import language
from tables.play import frames, store
from tests.support.tables import Client, read_event

pytestmark = pytest.mark.django_db

HINDI = {"HTTP_ACCEPT_LANGUAGE": "hi"}


def lobby_of(browser: Browser, **headers: str) -> str:
    return browser.get("/", **headers).content.decode()


def test_the_browser_asks_the_cookie_chooses_and_the_account_keeps_it(player: Callable[[str], Player]) -> None:
    browser = Browser()
    assert '<html lang="en">' in lobby_of(browser) and '<html lang="hi">' in lobby_of(browser, **HINDI)
    assert browser.post("/language/", {"language": "hi", "next": "/how-to-play/"}).url == "/how-to-play/"
    assert '<html lang="hi">' in lobby_of(browser), "by the cookie"
    asha, elsewhere = player("asha"), Browser()
    elsewhere.force_login(asha)
    elsewhere.post("/language/", {"language": "hi"})
    again = Browser()
    again.force_login(asha)
    assert '<html lang="hi">' in lobby_of(again), "by the account"
    assert '<html lang="en">' in lobby_of(Browser()), "nothing of it stays for others"
    elsewhere.post("/language/", {"language": "xx"})
    assert Player.objects.get(pk=asha.pk).language == "hi"


def test_staff_read_english(browser: Callable[[str], Browser]) -> None:
    for path in ("/admin/", "/finance/"):
        assert '<html lang="en"' in browser("superuser").get(path, **HINDI).content.decode()


def test_the_api_is_english_unless_asked_and_keeps_its_codes() -> None:
    def refusal(**headers: str) -> dict[str, str]:
        return dict(Browser().get("/api/nothing/", **headers).json())

    assert refusal() == {"code": "not_found", "message": "There is nothing at this address."}
    assert refusal(**HINDI) == {"code": "not_found", "message": "इस पते पर कुछ नहीं है।"}


def test_the_scripts_have_their_words_and_english_pages_none() -> None:
    browser = Browser()
    assert "words.js" not in lobby_of(browser) and "/language/hi/words.js?v=" in lobby_of(browser, **HINDI)
    answer = browser.get("/language/hi/words.js")
    assert json.dumps("आपकी बारी है।") in answer.content.decode() and "immutable" in answer["Cache-Control"]
    assert browser.get("/language/xx/words.js").status_code == 404


def test_a_frame_is_told_in_the_language_of_its_reader(duel: tuple[Client, Client]) -> None:
    duel[0].send("draw", pile="closed")
    table = store.read_table(duel[0].table)
    table.events = [read_event(row) for row in table.row.events.order_by("version", "number")]
    seat = duel[0].user.pk
    only_english = frames.frames(table)
    language.note_reader(table.row.pk, "hi")
    try:
        both = frames.frames(table)
    finally:
        language.forget_reader(table.row.pk, "hi")
    assert {key: text for key, text in both.items() if "/" not in key} == only_english
    hindi, english = (json.loads(b"".join(frames.frame_of(seat, both, each))) for each in ("hi", "en"))
    sentences = " ".join(event["text"] for event in hindi["events"] if "text" in event)
    assert "आपने बंद गड्डी से" in sentences and "drew" not in sentences
    assert hindi["view"]["table"]["book_title"] == "पॉइंट्स रमी"
    assert hindi["view"]["me"]["fault"] == "प्योर सीक्वेंस नहीं है। 13 पत्ते किसी ग्रुप में नहीं हैं।"
    assert hindi["view"]["me"]["hand"] == english["view"]["me"]["hand"]
    assert frames.frame_of(seat, only_english, "hi") == only_english[str(seat)], "English where nobody was known"


def test_an_english_table_looks_nothing_up(duel: tuple[Client, Client]) -> None:
    with patch.object(language, "gettext") as looked_up:
        frames.frames(store.read_table(duel[0].table))
    assert not looked_up.called and language.languages_at(duel[0].table) == ()


def test_english_is_the_language_of_the_settings_although_they_import_it(tmp_path: Path) -> None:
    code = "from config.settings import local; from wallet.language import ENGLISH; print(local.LANGUAGE_CODE, ENGLISH)"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings.local", "RUMMY_DATA": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["en", "en"], "not Django's default, en-us"


def test_a_sentence_is_told_again_with_what_is_in_it() -> None:
    words = {
        "the {card}": "{card}",
        "ace of {suit}": "{suit} का इक्का",
        "spades": "हुकुम",
        "{who} drew {card}.": "{who}: {card}।",
    }
    card = message("the {card}", card=message("ace of {suit}", suit=message("spades")))
    told = join([message("{who} drew {card}.", who="Asha", card=card), "spades"])
    assert told == "Asha drew the ace of spades. spades"
    assert translate_message(told, lambda text: words.get(text, text)) == "Asha: हुकुम का इक्का। spades", (
        "a name stays what it is"
    )
    assert language.title("Practice · Points Rummy · {odd}") == "Practice · Points Rummy · {odd}"


@pytest.mark.parametrize(
    "face, named", [("QH", "पान की बेगम"), ("KS", "हुकुम का बादशाह"), ("10C", "चिड़ी का 10"), ("AD", "ईंट का इक्का")]
)
def test_a_card_has_its_own_gender_in_hindi(face: str, named: str) -> None:
    event = {"type": "card_discarded", "seat": 0, "card": f"{face}1", "by": "player"}
    with language.using_language("hi"):
        assert named == card_name(face)
        told = language.translated(sentence(event, {0: "Asha"}) or "")
        wild = language.translated(sentence(event, {0: "Asha"}, reader=0, wild=rank(face)) or "")
    assert told == f"Asha ने यह पत्ता फेंका: {named}।", "no verb agrees with the card"
    assert wild == f"आपने यह पत्ता फेंका: वाइल्ड {named}।"


def test_a_computer_players_name_is_written_in_the_readers_script_and_a_persons_stays() -> None:
    names = {0: language.said_name("Meera"), 1: language.said_name("Asha")}
    drew = message("{who} drew {card}.", who=names[0], card=names[1])
    with language.using_language("hi"):
        told = language.translated(drew)
        assert language.translated_name("Kabir") == "कबीर" and language.translated_name("Asha") == "Asha"
    assert "मीरा" in told and "Meera" not in told and "Asha" in told
    assert language.translated_name("Kabir") == "Kabir", "in English"


def test_the_day_in_a_tables_title_is_written_in_the_readers_language() -> None:
    title = "Deal of the day · 29 Nov 2026"
    assert language.translated_title(title) == title, "in English"
    with language.using_language("hi"):
        assert language.translated_title(title) == "आज की डील · 29 नव 2026"
        assert language.translated_title("29 Nov 2026’s table") == "29 Nov 2026 की टेबल", "a name stays what it is"


def test_days_and_months_are_spelt_right() -> None:
    with language.using_language("hi"):
        assert date_format(date(2026, 12, 7), "l, j F Y") == "सोमवार, 7 दिसंबर 2026"
        assert [date_format(date(2026, month, 1), "F") for month in (9, 11)] == ["सितंबर", "नवंबर"]
        assert [date_format(date(2026, month, 1), "M") for month in (3, 12)] == ["मार्च", "दिस"]
