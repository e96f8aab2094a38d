"""Static files under an address that says their version: a browser keeps them for good, and never shows an old one."""

import hashlib
import re
import time
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

#: Packages that bring static files of their own.
_PACKAGES = ("django", "djangorestframework", "drf-spectacular-sidecar")
_FOR_GOOD = "public, max-age=31536000, immutable"
#: An address of another version gets the file as it is now: the page around it is older, or newer, than this process.
_ASK_AGAIN = "no-cache"
#: Seconds for which a look at all files holds, where they are read as they are now: a page asks for dozens at once.
_LOOK_HOLDS = 1
#: From here the service worker may look after the whole site.
_SERVICE_WORKER = "js/service_worker.js"


class VersionedStorage(StaticFilesStorage):
    """Addresses with the version as a folder before the path, so that what files import from each other has it too."""

    def url(self, name: str | None) -> str:
        return super().url(f"v-{static_version()}/{name}")


class VersionedFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Serve files under the addresses of `VersionedStorage`, and under those without a version."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._versioned = re.compile(rf"{re.escape(self.static_prefix)}v-([0-9a-f]+)/(.+)")

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        asked = self._versioned.fullmatch(request.path_info)
        if asked is None:
            return super().__call__(request)  # type: ignore[no-any-return]
        path = self.static_prefix + asked[2]
        found = self.find_file(path) if self.autorefresh else self.files.get(path)
        if found is None:
            return self.get_response(request)  # type: ignore[no-any-return]
        response: HttpResponseBase = self.serve(found, request)
        response["Cache-Control"] = _FOR_GOOD if asked[1] == static_version() else _ASK_AGAIN
        if asked[2] == _SERVICE_WORKER:
            response["Service-Worker-Allowed"] = "/"
        return response


def static_version() -> str:
    """Return what all static files are together; where they are read as they are now, as they were within a second."""
    if not settings.WHITENOISE_AUTOREFRESH:
        return _digest(0)
    return _version_in(int(time.monotonic() // _LOOK_HOLDS))


@lru_cache(maxsize=1)
def _version_in(_moment: int) -> str:
    return _digest(max(path.stat().st_mtime_ns for path in _files()))


@cache
def _digest(_changed: int) -> str:
    digest = hashlib.sha256("".join(map(metadata.version, _PACKAGES)).encode())
    for path in _files():
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _files() -> list[Path]:
    return sorted(path for folder in settings.STATICFILES_DIRS for path in Path(folder).rglob("*") if path.is_file())
