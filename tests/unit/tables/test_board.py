"""The board: a text in, a text out, nothing stored, nothing told of a deal that is not over."""

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client as Browser

import rules.notation
from rules.game import view_for
from rules.notation import read, replay
from tables.analysis import board
from tables.errors import TableError
from tables.models import Deal
from tests.support.tables import Client
from tests.unit.rules.game.hands import GOOD

pytestmark = pytest.mark.django_db

NOTATION = Path(rules.notation.__file__).parent


@pytest.fixture
def browser(player: Any) -> Browser:
    cache.clear()
    opened = Browser()
    opened.force_login(player("tara"))
    return opened


def text_of(*hands: str, book: str = "standard-points", cut: str = "9S", stock: str = "2D 10H 3C") -> str:
    return board.set_up(book, hands or (GOOD, ""), cut, stock)


def call(browser: Browser, **fields: Any) -> Any:
    return browser.post("/api/board/", fields, content_type="application/json")


def test_a_position_is_filled_up_and_can_be_played_to_its_end(browser: Browser) -> None:
    text = text_of()
    notation = read(text)
    assert dict(notation.hands)[0] == tuple(f"{card}1" for card in GOOD.split())
    assert len(dict(notation.hands)[1]) == 13 and notation.stock[0] == "2D1" and notation.cut == "9S1"
    drawn = call(browser, text=text, seat=0, move="draw closed").json()
    assert drawn["view"]["me"]["drawn"] == "10H1" and drawn["acts"] == 0 and drawn["at"] == 1
    over = call(browser, text=drawn["text"], seat=0, move="finish 10H1").json()
    assert over["acts"] is None
    assert dict(read(over["text"]).result or ())[0] == 0
    list(replay(read(over["text"])))


@pytest.mark.parametrize("book", ["standard-points", "standard-pool-101"])
def test_nothing_can_be_done_in_a_deal_that_is_over(browser: Browser, book: str) -> None:
    over = call(browser, text=text_of(book=book), seat=0, move="drop").json()
    assert over["acts"] is None
    for move in ("draw closed", "drop", "finish"):
        refused = call(browser, text=over["text"], seat=0, move=move)
        assert (refused.status_code, refused.json()["code"]) == (400, "wrong_phase")


def test_computers_answer_until_it_is_ones_own_turn_again(browser: Browser) -> None:
    text = text_of("", "", "")
    drawn = call(browser, text=text, seat=0, move="draw closed").json()
    there = call(browser, text=drawn["text"], seat=0, move=f"discard {drawn['view']['me']['drawn']}").json()
    assert there["acts"] in (0, None)
    if there["acts"] == 0:
        assert there["view"]["deal"]["turn_seat"] == 0 and there["at"] >= 4
    again = call(browser, text=drawn["text"], seat=0, move=f"discard {drawn['view']['me']['drawn']}").json()
    assert again == there
    other = call(browser, text=text, seat=1, move="wait").json()
    assert other["acts"] in (1, None)


def test_one_goes_back_and_on_from_there(browser: Browser) -> None:
    text = text_of("", "")
    drawn = call(browser, text=text, seat=0, move="draw closed").json()["text"]
    back = call(browser, text=drawn, seat=0, at=0, move="drop").json()
    assert back["acts"] is None and dict(read(back["text"]).result or ())[0] == 20
    assert call(browser, text=drawn, seat=0, at=0).json()["view"]["me"]["drawn"] is None


@pytest.mark.parametrize("name", ["deals-3-auto-play", "lives-three-packs", "pool-101", "show-not-in-time"])
def test_one_goes_on_from_the_midst_of_what_the_platform_did_at_once(name: str) -> None:
    """A draw and its discard, the drop after a third miss, the shows of all who were late: each is a place to stop."""
    text = (NOTATION / "worked" / f"{name}.rdn").read_text(encoding="utf-8")
    for at, line in enumerate(read(text).moves, start=1):
        if line.auto:
            found = board.position(text, at)
            seat = found.notation.dealt[0] if found.acts is None else found.acts
            shown = view_for(found.state, seat, 0)["me"]
            assert shown is not None
            if "discard" in shown["moves"]:
                assert read(board.answered(text, at, seat, f"discard {shown['hand'][0]}")).moves[at].seat == seat
            elif "draw" in shown["moves"]:
                assert len(read(board.answered(text, at, seat, "draw closed")).moves) == at + 1


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"text": "nonsense"}, "bad_notation"),
        ({"text": "x" * (board.MOST_BYTES + 1)}, "invalid"),
        ({"text": "\0"}, "invalid"),
        ({"text": "\ud800"}, "invalid"),
        ({"move": "jump"}, "bad_move"),
        ({"move": "discard 7H1"}, "must_draw"),
        ({"move": "draw closed", "seat": 5}, "bad_seat"),
        ({"seat": 5}, "bad_seat"),
        ({"seat": 99}, "invalid"),
        ({"at": -1}, "invalid"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(browser: Browser, fields: dict[str, Any], code: str) -> None:
    answer = call(browser, **{"text": text_of("", ""), "seat": 0, **fields})
    assert answer.status_code == 400
    assert code in (answer.json()["code"], "invalid")


def test_errors_name_the_line(browser: Browser) -> None:
    text = text_of("", "")
    bad = text + "0 discard 7H1\n"
    answer = call(browser, text=bad, seat=0).json()
    assert f"Line {len(bad.splitlines())}:" in answer["message"]
    page = browser.post("/board/", {"text": bad, "do": "step 0"})
    assert page.status_code == 400 and answer["message"] in page.content.decode()


def test_a_file_is_taken_as_it_comes_and_one_that_is_too_large_or_no_text_is_told_so(browser: Browser) -> None:
    def sent(content: bytes) -> tuple[int, str]:
        page = browser.post("/board/", {"file": SimpleUploadedFile("deal.rdn", content), "do": "file"})
        return page.status_code, page.content.decode()

    text = text_of("", "").encode()
    for content in (text, b"\xef\xbb\xbf" + text, text.replace(b"\n", b"\r\n")):
        status, page = sent(content)
        assert status == 200 and "Move 0 of 0" in page
    large = "#" + "ह" * (board.MOST_BYTES // 3)
    for content, why in (
        (large.encode(), "at most"),
        (b"\xff" + text, "no text"),
        (text + b"\0", "characters that no"),
    ):
        status, page = sent(content)
        assert status == 400 and why in page, why


@pytest.mark.parametrize("hands", [("7H 7H 7H",), ("ZZ", ""), (" ".join([GOOD, "2C 2D"]), ""), ("",), tuple([""] * 9)])
def test_positions_that_cannot_be_are_refused(hands: tuple[str, ...]) -> None:
    with pytest.raises((TableError, StopIteration)):
        board.set_up("standard-points", hands, "", "")


def test_who_has_no_name_in_the_text_is_numbered_in_the_readers_language(browser: Browser) -> None:
    fields = {"do": "show", "text": text_of("", "").replace("Player 2", "Kabir"), "seat": "0"}
    english, hindi = (
        browser.post("/board/", fields, HTTP_ACCEPT_LANGUAGE=each).content.decode() for each in ("en", "hi")
    )
    position = [page.split('id="position"')[1].split("</form>")[0].split('name="at"')[1] for page in (english, hindi)]
    assert "Player 1" in position[0] and "Kabir" in position[0]
    assert "खिलाड़ी 1" in position[1] and "कबीर" in position[1] and "Player" not in position[1]


def test_the_page_steps_sets_up_opens_and_plays(browser: Browser) -> None:
    assert "Put it on the board" in browser.get("/board/").content.decode()
    asked = {"do": "set", "book": "standard-points", "players": "3", "hand0": GOOD, "cut": "9S", "stock": "2D 10H"}
    page = browser.post("/board/", asked)
    text, shown = page.context["text"], page.context["board"]
    assert len(shown["hands"]) == 3 and shown["moves"][0]["do"] == "draw closed"
    page = browser.post("/board/", {"text": text, "at": "0", "seat": "0", "do": "draw closed", "hides": "on"})
    shown = page.context["board"]
    assert {move["do"] for move in shown["moves"]} >= {"finish 10H1", "discard 3H1"}
    assert [hand["open"] for hand in shown["hands"]] == [True, False, False]
    page = browser.post("/board/", {"text": page.context["text"], "at": "1", "seat": "0", "do": "finish 10H1"})
    assert page.context["board"]["over"] and "is-turn" not in page.content.decode()
    last = page.context["board"]["last"]
    back = browser.post("/board/", {"text": page.context["text"], "at": str(last), "do": "step 1"})
    assert back.context["board"]["at"] == 1 and not back.context["board"]["over"]


def test_hidden_hands_are_in_no_word_that_is_shown(browser: Browser) -> None:
    # Hands that neither drop nor finish: once a deal is over, all words may be said.
    text = text_of("3H 4H 5H 7S 8S 7C 7D JC JD 2S 4D 6C KH", "3C 4C 5C 7H 8H 9D 9H QC QD 2C 4S 6D KS", "")
    page = browser.post("/board/", {"text": text, "do": "wait", "seat": "2", "hides": "on"})
    shown = page.context["board"]
    told = [line["text"] for line in shown["log"]]
    assert not shown["over"] and "Player 1 drew a card from the closed deck." in told
    assert not any(" of " in line or "joker" in line for line in told if "closed" in line)


def test_seeds_become_cards_that_can_be_changed(duel: tuple[Client, Client]) -> None:
    duel[0].send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    text, _, _ = board.deal_for_board(duel[0].user, deal.pk, None)
    opened = read(board.opened(text))
    assert opened.seed is None and len(opened.hands) == 2 and not opened.moves
    assert list(replay(opened))[-1].state.current.hands == next(
        step.state.current.hands for step in replay(read(text)) if step.event.name == "turn_began"
    )


def test_ones_own_finished_deal_comes_at_the_move_asked_for(duel: tuple[Client, Client], player: Any) -> None:
    first, second = duel
    browser = Browser()
    browser.force_login(first.user)
    running = Deal.objects.get(status=Deal.Status.PLAYING)
    assert browser.get(f"/board/?deal={running.pk}").status_code == 404
    first.send("draw", pile="closed")
    first.send("discard", card=first.me["drawn"])
    second.send("drop")
    deal = Deal.objects.get(status=Deal.Status.OVER)
    page = browser.get(f"/board/?deal={deal.pk}")
    assert page.context["board"]["at"] == page.context["board"]["last"] == 3
    assert page.context["board"]["seat"] == first.me["seat"]
    replayed = browser.get(f"/api/deals/{deal.pk}/analysis/")
    assert replayed.status_code == 200
    page = browser.get(f"/board/?deal={deal.pk}&event=0")
    assert page.context["board"]["at"] == 0 and page.context["board"]["moves"]
    for user, status in ((second.user, 200), (player("tara"), 404)):
        browser.force_login(user)
        assert browser.get(f"/board/?deal={deal.pk}").status_code == status
    for nonsense in ("x", "9" * 30, "-1", "²"):
        assert browser.get(f"/board/?deal={nonsense}").status_code == 404


def test_a_finished_deal_that_is_too_long_is_refused_with_the_reason(
    duel: tuple[Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    duel[0].send("drop")
    browser = Browser()
    browser.force_login(duel[0].user)
    monkeypatch.setattr(board, "MOST_MOVES", 0)
    page = browser.get(f"/board/?deal={Deal.objects.get(status=Deal.Status.OVER).pk}")
    assert page.status_code == 400 and "moves at most" in page.content.decode()


def test_nothing_is_stored(browser: Browser, django_assert_num_queries: Any) -> None:
    before = {model: model.objects.count() for model in (Deal,)}
    text = text_of("", "")
    for _ in range(3):
        text = call(browser, text=text, seat=0, move="wait").json()["text"]
    assert before == {model: model.objects.count() for model in (Deal,)}


def test_it_is_limited_and_for_those_who_signed_in(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "LIMIT", board.RateLimit("board", 2, 60))
    assert [browser.get("/board/").status_code for _ in range(3)] == [200, 200, 429]
    assert call(browser, text=text_of("", ""), seat=0).status_code == 429
    assert Browser().get("/board/").status_code == 302
    assert call(Browser(), text="x").status_code == 401
