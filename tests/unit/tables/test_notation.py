"""Finished deals in Rummy Deal Notation: pages, API, archive, commands; never a deal that is not over."""

import errno
import io
import json
import os
import resource
from datetime import timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from asgiref.sync import async_to_sync
from django.core.management import CommandError, call_command
from django.test import Client as Browser
from django.utils import timezone

from config.process import exits
from rules.notation import Notation, read, replay, write
from tables import notation
from tables.models import Deal, Series, Shoe, StudyDeal, Table
from tests.support.clock import Clock
from tests.support.steering import next_deal
from tests.support.tables import Client
from tests.support.worked import FOLDER
from wallet.base.commands import exit_code, store_whole

pytestmark = pytest.mark.django_db

WORKED = sorted(FOLDER.glob("*.rdn"))


@pytest.fixture
def over(duel: tuple[Client, Client]) -> tuple[Deal, Client, Client]:
    first, second = duel
    first.send("draw", pile="closed")
    first.send("discard", card=first.me["drawn"])
    second.send("drop")
    return Deal.objects.get(status=Deal.Status.OVER), first, second


def browser_for(client: Client) -> Browser:
    browser = Browser()
    browser.force_login(client.user)
    return browser


def replayed(text: str) -> Notation:
    notation = read(text)
    assert list(replay(notation)) and write(notation) == text
    return notation


def test_a_player_gets_their_finished_deal_as_a_text(over: tuple[Deal, Client, Client]) -> None:
    deal, first, second = over
    answer = browser_for(first).get(f"/api/deals/{deal.pk}/rdn/")
    assert answer.status_code == 200 and answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="deal-{deal.pk}.rdn"'
    told = replayed(answer.content.decode())
    assert told.deal == str(deal.pk) and told.commitment == deal.commitment
    assert dict(told.result or ()) == {row["seat"]: row["points"] for row in deal.result or ()}
    assert {name for name in told.players if name} == {first.user.username, second.user.username}
    assert [move.action for move in told.moves] == ["draw", "discard", "drop"]
    assert all(move.at_ms is not None for move in told.moves)


def test_nobody_gets_a_deal_that_runs_or_that_they_did_not_play(
    duel: tuple[Client, Client], over: tuple[Deal, Client, Client], clock: Clock, player: Any
) -> None:
    deal, first, second = over
    other = Browser()
    other.force_login(player("tara"))
    assert other.get(f"/api/deals/{deal.pk}/rdn/").status_code == 404
    assert Browser().get(f"/api/deals/{deal.pk}/rdn/").status_code == 401
    for client in (first, second):
        client.send("continue")
    next_deal([first, second], clock)
    running = Deal.objects.get(status=Deal.Status.PLAYING)
    assert browser_for(first).get(f"/api/deals/{running.pk}/rdn/").status_code == 404
    with pytest.raises(CommandError, match="has not ended") as error:
        call_command("export_deal", str(running.pk), "--out", "-")
    assert error.value.returncode == 2
    with pytest.raises(ValueError, match="ended"):
        notation.deal_in_notation(running)
    names = archive_of(browser_for(first).get("/history/notation/")).namelist()
    assert names == [f"deal-{deal.pk}.rdn"]


def test_a_link_shows_a_deal_as_a_text_with_the_names_that_it_shows(over: tuple[Deal, Client, Client]) -> None:
    deal, first, second = over
    browser = browser_for(first)
    for hidden in (True, False):
        browser.post(f"/history/{deal.pk}/share/", {"do": "share"} | ({"names": "hidden"} if hidden else {}))
        token = deal.shares.get(revoked_at=None).token
        text = Browser().get(f"/shared/{token}/rdn/").content.decode()
        assert f'href="/shared/{token}/rdn/"' in Browser().get(f"/shared/{token}/").content.decode()
        assert (first.user.username in text, second.user.username in text) == (not hidden, not hidden)
        assert ("Player 1" in text, "@" in text) == (hidden, not hidden)
        replayed(text)
    assert browser.post(f"/history/{deal.pk}/share/", {"do": "revoke"}).status_code == 302
    assert Browser().get(f"/shared/{token}/rdn/").status_code == 404


def test_the_pages_lead_to_the_texts_and_count_them(over: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = over
    browser = browser_for(first)
    assert f'href="/api/deals/{deal.pk}/rdn/"' in browser.get(f"/history/{deal.pk}/").content.decode()
    page = " ".join(browser.get("/history/").content.decode().split())
    assert 'formaction="/history/notation/"> 1 deal</button>' in page
    assert "/history/notation/" not in browser.get("/history/?outcome=left").content.decode()


def test_a_deal_whose_moves_are_gone_is_named_in_the_archive(over: tuple[Deal, Client, Client], clock: Clock) -> None:
    deal, first, _ = over
    Table.objects.filter(pk=first.table).update(log_pruned_at="2026-01-01T00:00:00Z")
    browser = browser_for(first)
    assert browser.get(f"/api/deals/{deal.pk}/rdn/").status_code == 410
    archive = archive_of(browser.get("/api/history/notation/"))
    assert archive.namelist() == ["missing.txt"]
    assert f"Deal {deal.pk}: This was played so long ago" in archive.read("missing.txt").decode()
    with pytest.raises(CommandError, match="no longer kept"):
        call_command("export_deal", str(deal.pk), "--out", "-")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_whole_history_is_sent_as_it_is_made(
    over: tuple[Deal, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A piece for each deal, and none is made before the one before it was taken."""
    deal, first, _ = over
    made: list[int] = []
    tell = notation._deal_told
    monkeypatch.setattr(notation, "_deal_told", lambda user, deal: made.append(deal) or tell(user, deal))  # type: ignore[func-returns-value]

    async def taken() -> list[tuple[int, bytes]]:
        return [(len(made), piece) async for piece in notation._zipped(first.user, [deal.pk, deal.pk, deal.pk])]

    pieces = async_to_sync(taken)()
    assert [count for count, _ in pieces] == [1, 2, 3, 3]
    archive = ZipFile(io.BytesIO(b"".join(piece for _, piece in pieces)))
    assert (
        archive.testzip() is None
        and len(archive.namelist()) == 3
        and replayed(archive.read(archive.namelist()[0]).decode()).deal == str(deal.pk)
    )


def test_a_history_is_chosen_as_on_its_page_and_taken_ten_times_an_hour(over: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = over
    browser = browser_for(first)
    assert archive_of(browser.get("/history/notation/?game=standard-blind")).namelist() == []
    assert browser.get("/history/notation/?game=whist").status_code == 302
    assert browser.get("/api/history/notation/?game=whist").status_code == 400
    for _ in range(9):
        assert archive_of(browser.get(f"/history/notation/?table={first.table}")).namelist() == [f"deal-{deal.pk}.rdn"]
    assert browser.get("/api/history/notation/").status_code == 429


def test_a_deal_whose_shoe_others_may_still_play_is_not_told(over: tuple[Deal, Client, Client]) -> None:
    deal, first, _ = over
    now = timezone.now()
    series = Series.objects.create(
        day=now.date(), book=deal.book, book_version=deal.book_version, seats=2, strength="sound",
        begins_at=now - timedelta(hours=1), ends_at=now + timedelta(hours=1),
    )  # fmt: skip
    shoe = Shoe.objects.create(series=series, number=1, label="day", commitment=deal.commitment, sealed_seed=b"")
    Table.objects.filter(pk=first.table).update(shoe=shoe)
    browser = browser_for(first)
    refused = browser.get(f"/api/deals/{deal.pk}/rdn/")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_open_yet")
    with pytest.raises(CommandError, match="not open yet"):
        call_command("export_deal", str(deal.pk), "--out", "-")
    archive = archive_of(browser.get("/history/notation/"))
    assert archive.namelist() == ["missing.txt"] and f"Deal {deal.pk}: Others" in archive.read("missing.txt").decode()
    Series.objects.update(ends_at=now)
    assert browser.get(f"/api/deals/{deal.pk}/rdn/").status_code == 200


def archive_of(answer: Any) -> ZipFile:
    assert answer.status_code == 200 and answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == 'attachment; filename="deals.zip"'

    async def whole() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    content = async_to_sync(whole)() if answer.is_async else b"".join(answer.streaming_content)
    return ZipFile(io.BytesIO(content))


def test_the_notation_and_its_files_are_published(client: Browser) -> None:
    page = client.get("/api/notation/").content.decode()
    for file in (FOLDER.parent / "README.md", FOLDER.parent / "grammar.ebnf", *WORKED):
        assert f'href="/api/notation/{file.name}"' in page
        assert client.get(f"/api/notation/{file.name}").content == file.read_bytes()
    for name in ("shape.py", "worked", "..%2Fbooks.py"):
        assert client.get(f"/api/notation/{name}").status_code == 404


# --- commands ---------------------------------------------------------------------------------------------------------


def told(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_deal_is_exported_with_names_and_without(over: tuple[Deal, Client, Client], tmp_path: Path) -> None:
    deal, first, _second = over
    file = tmp_path / "deal.rdn"
    answer = json.loads(told("export_deal", str(deal.pk), "--out", str(file), "--json"))
    assert answer == {"deal": deal.pk, "moves": 3, "out": str(file)}
    assert first.user.username in file.read_text() and replayed(file.read_text())
    anonymous = told("export_deal", str(deal.pk), "--anonymous", "--out", "-")
    notation = replayed(anonymous)
    assert [name for name in notation.players if name] == ["Player 1", "Player 2"]
    assert first.user.username not in anonymous and "@" not in anonymous and len(notation.date) == len("2026-11-26")
    assert json.loads(told("export_deal", str(deal.pk), "--anonymous", "--out", "-", "--json"))["rdn"] == anonymous


def test_a_deal_that_is_not_there_or_a_file_that_cannot_be_written_is_refused(
    over: tuple[Deal, Client, Client], tmp_path: Path
) -> None:
    for arguments in (
        ("0", "-"),
        (str(over[0].pk), str(tmp_path / "no" / "deal.rdn")),
        (str(over[0].pk), str(tmp_path)),
    ):
        with pytest.raises(CommandError) as error:
            call_command("export_deal", arguments[0], "--out", arguments[1])
        assert error.value.returncode == 2 and "\n" not in str(error.value)


def test_a_file_that_finds_no_room_leaves_what_stood_there(over: tuple[Deal, Client, Client], tmp_path: Path) -> None:
    file, anew = tmp_path / "deal.rdn", tmp_path / "anew.rdn"
    told("export_deal", str(over[0].pk), "--out", str(file))
    before = file.read_text()
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    for to in (file, anew):
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, most))
        try:
            with pytest.raises(CommandError, match="cannot be written"):
                call_command("export_deal", str(over[0].pk), "--out", str(to))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert list(tmp_path.iterdir()) == [file] and file.read_text() == before


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_file_is_for_those_who_may_read_what_stood_there_and_a_new_one_for_whom_the_umask_says(
    tmp_path: Path, mode: int
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    old.chmod(mode)
    before = os.umask(0o777 & ~mode)
    try:
        store_whole(old, "one")
        store_whole(new, "two")
    finally:
        os.umask(before)
    assert [file.stat().st_mode & 0o777 for file in (old, new)] == [mode, mode]
    assert sorted(file.read_text() for file in tmp_path.iterdir()) == ["one", "two"]


def test_a_full_disk_has_an_exit_code_of_its_own() -> None:
    assert exit_code(OSError(errno.ENOSPC, "No space left on device")) == exits.DISK
    assert exit_code(OSError(errno.EACCES, "Permission denied")) == exits.SETTING


def test_a_file_is_verified_and_a_damaged_one_is_named_by_its_line(tmp_path: Path) -> None:
    text = WORKED[0].read_text()
    assert json.loads(told("verify_deal", "--file", str(WORKED[0]), "--json")) == {
        "deal": read(text).deal, "honest": True, "differences": [], "line": None,
    }  # fmt: skip
    file = tmp_path / "bad.rdn"
    move = read(text).moves[1]
    for wrong, line in ((text.replace(str(move.card), "JR2", 1), move.line), (text.replace("[Cut", "[Cot"), None)):
        file.write_text(wrong)
        out = io.StringIO()
        with pytest.raises(SystemExit) as exit:
            call_command("verify_deal", "--file", str(file), "--json", stdout=out)
        answer = json.loads(out.getvalue())
        assert exit.value.code == 1 and not answer["honest"] and line in (answer["line"], None)
        assert answer["differences"][0].startswith(f"Line {answer['line']}: ")
    for arguments in (["--file", str(tmp_path / "none.rdn")], ["--file", str(tmp_path)], ["1", "--file", str(file)]):
        with pytest.raises(CommandError) as error:
            call_command("verify_deal", *arguments)
        assert error.value.returncode == 2


def test_files_are_kept_for_study_once_and_all_or_none(tmp_path: Path) -> None:
    files = [str(file) for file in WORKED[:3]]
    assert json.loads(told("import_deals", *files, files[0], "--json")) == {"deals": 4, "new": 3}
    assert json.loads(told("import_deals", *files, "--json")) == {"deals": 3, "new": 0}
    assert sorted(StudyDeal.objects.values_list("text", flat=True)) == sorted(file.read_text() for file in WORKED[:3])
    bad = tmp_path / "bad.rdn"
    bad.write_text(WORKED[4].read_text().replace("discard", "discord", 1))
    with pytest.raises(CommandError, match=r"bad\.rdn.*Line") as error:
        call_command("import_deals", str(WORKED[5]), str(bad))
    assert error.value.returncode == 2 and StudyDeal.objects.count() == 3
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_deals", str(tmp_path / "none.rdn"))
