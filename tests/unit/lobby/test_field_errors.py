"""What is wrong with a field is said to its input, too: a screen reader reads it at the field."""

import re

import pytest
from django.test import Client

from lobby.models import Player
from tests.support.staff import browser_of
from tests.support.stakes import StakeFactory

pytestmark = pytest.mark.django_db


def described(page: str) -> dict[str, str]:
    """Return what each input that is called wrong is described by, and check that every description is there."""
    found = {}
    for tag in re.findall(r"<(?:input|select)[^>]*aria-describedby[^>]*>", page):
        ids = re.search(r'aria-describedby="([^"]*)"', tag)
        assert ids is not None
        texts = [re.search(rf' id="{re.escape(each)}"[^>]*>(.*?)</(?:div|p)>', page, re.S) for each in ids[1].split()]
        assert all(texts), tag
        if 'aria-invalid="true"' in tag:
            name = re.search(r'name="([^"]*)"', tag)
            assert name is not None
            found[name[1]] = " ".join(text[1] for text in texts if text)
    return found


@pytest.mark.parametrize(
    ("path", "posted", "field", "said"),
    [
        ("/signup/", {"username": "ab", "password": "short"}, "username", "3 to 20"),
        ("/private/new/", {"book": "standard-points", "seats": "9"}, "seats", "6"),
        ("/private/new/", {"book": "none"}, "book", "no such rule book"),
        ("/private/new/", {"seats": "2"}, "book", "no such rule book"),
        ("/account/care/", {"act": "limits", "of": "FUN", "FUN-day": "lots"}, "FUN-day", ""),
        ("/account/care/", {"act": "exclude", "period": "1"}, "sure", "Please tick this box"),
        ("/account/close/", {"password": "wrong"}, "sure", "Please tick this box"),
        ("/sit/{stake}/", {"buy_in": "lots"}, "buy_in", ""),
    ],
)
def test_a_wrong_field_is_described_by_its_error(
    asha: Player, path: str, posted: dict[str, str], field: str, said: str
) -> None:
    browser = Client() if path == "/signup/" else browser_of(asha)
    answer = browser.post(path.format(stake=StakeFactory().pk), posted)
    assert answer.status_code == 400
    wrong = described(answer.content.decode())[field]
    assert 'class="field-error"' in wrong
    assert said in wrong


@pytest.mark.parametrize(
    ("path", "empty", "posted"),
    [
        ("/signup/", ("username", "password"), {"username": " "}),
        ("/login/", ("username", "password"), {"username": " "}),
        ("/login/forgotten/", ("username", "code", "password"), {"code": " "}),
        ("/login/forgotten/email/", ("email",), {"email": " "}),
        ("/account/password/", ("old_password", "new_password1", "new_password2"), {}),
        ("/account/email/", ("password",), {}),
        ("/account/recovery-codes/", ("password",), {}),
        ("/account/close/", ("password",), {"sure": "on"}),
    ],
)
def test_what_is_missing_is_asked_for(asha: Player, path: str, empty: tuple[str, ...], posted: dict[str, str]) -> None:
    browser = browser_of(asha) if path.startswith("/account/") else Client()
    for language, said in (("en", "Please fill this in."), ("hi", "कृपया इसे भरें।")):
        page = browser.post(path, {**posted, "sent": "1"}, headers={"accept-language": language}).content.decode()
        wrong = described(page)
        assert {name: said in wrong[name] for name in empty} == dict.fromkeys(empty, True)


def test_a_break_without_a_length_is_refused_in_a_sentence(asha: Player) -> None:
    page = browser_of(asha).post("/account/care/", {"act": "exclude", "sure": "on"}).content.decode()
    assert "Please choose how long your break is." in page and "field is required" not in page


def test_a_wrong_filter_of_the_lobby_is_described_by_its_error(client: Client) -> None:
    StakeFactory()
    assert "9" in described(client.get("/?seats=9").content.decode())["seats"]


@pytest.mark.parametrize("body", [{}, {"book": "none"}, {"seats": 4}])
def test_what_is_wrong_with_a_book_is_said_once(asha: Player, body: dict[str, object]) -> None:
    answer = browser_of(asha).post("/api/private/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["fields"]) == (400, {"book": ["There is no such rule book."]})
