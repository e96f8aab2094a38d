"""Static files under versioned addresses: cached for good under their own version, revalidated under any other."""

import gzip
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.conf import settings as project
from django.templatetags.static import static
from django.test import Client

from config.browser import static_files

#: The seconds of an animation and how often it is shown, if more than once.
ANIMATION = re.compile(r"animation: [\w-]+ ([\d.]+)s(?: [a-z-]+)*(?: (\d+))?;")


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """Serve a folder of static files, whose versions are forgotten afterwards."""
    settings.STATICFILES_DIRS = [tmp_path]
    settings.WHITENOISE_AUTOREFRESH = True
    yield tmp_path
    static_files._version_in.cache_clear()


def test_a_file_is_immutable_under_its_version_only() -> None:
    address = static("js/shared/site.js")
    now = Client().get(address)
    assert "immutable" in now["Cache-Control"]
    text = b"".join(now.streaming_content)
    version = address.split("/")[2]
    for other in (address.replace(version, "v-0123456789ab"), address.replace(f"{version}/", "")):
        answer = Client().get(other)
        assert b"".join(answer.streaming_content) == text
        assert "immutable" not in answer["Cache-Control"]
    assert Client().get(f"/static/{version}/js/none.js").status_code == 404


def test_the_version_changes_with_any_file(folder: Path) -> None:
    versions = set()
    for name, text in (("a.js", "1"), ("a.js", "2"), ("b.css", "2")):
        (folder / name).write_text(text)
        static_files._version_in.cache_clear()
        static_files._digest.cache_clear()
        versions.add(static_files.static_version())
    assert len(versions) == 3


def test_only_the_service_worker_has_the_scope_of_the_site() -> None:
    assert Client().get(static("js/shared/service_worker.js"))["Service-Worker-Allowed"] == "/"
    assert "Service-Worker-Allowed" not in Client().get(static("js/shared/register_service_worker.js"))


@pytest.mark.django_db
def test_the_offline_page_has_no_personal_data(django_user_model: Any) -> None:
    client = Client()
    before = client.get("/offline/").content
    client.force_login(django_user_model.objects.create(username="somebody"))
    assert client.get("/offline/").content == before


def test_a_client_that_accepts_gzip_gets_it_immutable() -> None:
    address = static("js/shared/site.js")
    plain = Client().get(address)
    text = b"".join(plain.streaming_content)
    small = Client().get(address, headers={"accept-encoding": "br, gzip;q=0.5"})
    assert small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content) == text
    assert int(small["Content-Length"]) == len(small.content) < len(text)
    assert "immutable" in small["Cache-Control"]
    assert small["Content-Type"] == plain["Content-Type"]
    assert small["Vary"] == plain["Vary"] == "Accept-Encoding"
    assert small["ETag"] != plain["ETag"]
    head = Client().head(address, headers={"accept-encoding": "gzip"})
    assert (head.content, head["Content-Length"]) == (b"", small["Content-Length"])


def test_a_cached_gzipped_file_is_not_modified() -> None:
    address, gzipped = static("js/shared/site.js"), {"accept-encoding": "gzip"}
    tag = Client().get(address, headers=gzipped)["ETag"]
    again = Client().get(address, headers={**gzipped, "if-none-match": tag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    assert again["Vary"] == "Accept-Encoding"
    # Who takes it no longer is sent it as it is.
    assert Client().get(address, headers={"if-none-match": tag}).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"accept-encoding": "gzip;q=0, br"}, {"accept-encoding": "gzip;q=0.0"}])
def test_a_client_without_gzip_gets_the_plain_file(headers: dict[str, str]) -> None:
    assert "Content-Encoding" not in Client().get(static("js/shared/site.js"), headers=headers)


def test_a_range_is_a_part_of_the_plain_file() -> None:
    address = static("js/shared/site.js")
    text = b"".join(Client().get(address).streaming_content)
    part = Client().get(address, headers={"accept-encoding": "gzip", "range": "bytes=3-9"})
    assert (part.status_code, b"".join(part.streaming_content)) == (206, text[3:10])
    assert "Content-Encoding" not in part


def test_a_file_that_gzip_does_not_shrink_is_sent_plain(folder: Path) -> None:
    (folder / "noise.bin").write_bytes(os.urandom(1_000))
    (folder / "image.png").write_bytes(b"0" * 1_000)
    for name in ("noise.bin", "image.png"):
        assert "Content-Encoding" not in Client().get(f"/static/{name}", headers={"accept-encoding": "gzip"})


def test_a_file_is_gzipped_once_for_each_time_it_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compress = Mock(side_effect=gzip.compress)
    monkeypatch.setattr(static_files._COMPRESSOR, "compress_gzip", compress)
    client, path, texts = Client(), folder / "a.js", [b"1" * 1_000, b"2" * 1_000]
    # A file from the beginning of time has neither a date nor an ETag.
    for changed, text in enumerate(texts):
        path.write_bytes(text)
        os.utime(path, ns=(changed, changed))
        for _ in range(2):
            answer = client.get("/static/a.js", headers={"accept-encoding": "gzip"})
            assert gzip.decompress(answer.content) == text
    assert [call.args for call in compress.call_args_list] == [(text,) for text in texts]


def test_nothing_on_a_page_moves_by_itself_for_longer_than_five_seconds() -> None:
    """So that nobody needs a way to stop it (WCAG 2.2.2), and a page that waits costs a phone next to nothing."""
    sheets = [sheet.read_text() for sheet in (project.BASE_DIR / "static/css").rglob("*.css")]
    lasting = [float(each[1]) * float(each[2] or 1) for sheet in sheets for each in ANIMATION.finditer(sheet)]
    assert max(lasting) <= 5
    assert not any("infinite" in sheet for sheet in sheets)
