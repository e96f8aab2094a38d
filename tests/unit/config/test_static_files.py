"""Static files under versioned addresses: kept for good where the version is this one's, asked for anew elsewhere."""

from pathlib import Path
from typing import Any

import pytest
from django.templatetags.static import static
from django.test import Client

from config.browser import static_files


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """A folder of static files that is read as it is now."""
    settings.STATICFILES_DIRS = [tmp_path]
    settings.WHITENOISE_AUTOREFRESH = True
    return tmp_path


def test_a_file_is_kept_for_good_under_its_version_and_only_there() -> None:
    address = static("js/site.js")
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
    seen = set()
    for name, text in (("a.js", "1"), ("a.js", "2"), ("b.css", "2")):
        (folder / name).write_text(text)
        static_files._version_in.cache_clear()
        static_files._digest.cache_clear()
        seen.add(static_files.static_version())
    assert len(seen) == 3


def test_only_the_service_worker_may_look_after_the_whole_site() -> None:
    assert Client().get(static("js/service_worker.js"))["Service-Worker-Allowed"] == "/"
    assert "Service-Worker-Allowed" not in Client().get(static("js/app.js"))


@pytest.mark.django_db
def test_the_page_for_no_connection_says_nothing_of_anybody(django_user_model: Any) -> None:
    client = Client()
    before = client.get("/offline/").content
    client.force_login(django_user_model.objects.create(username="somebody"))
    assert client.get("/offline/").content == before
