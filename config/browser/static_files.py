"""Static files under addresses with a version, so that a browser can store them for good and never shows an old one."""

import hashlib
import re
import time
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import parse_http_date_safe
from whitenoise.compress import Compressor  # type: ignore[import-untyped]
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]
from whitenoise.responders import StaticFile  # type: ignore[import-untyped]

from tables.history.kept import accepts_gzip

#: Packages that bring static files of their own.
_PACKAGES = ("django", "djangorestframework", "drf-spectacular-sidecar")
_IMMUTABLE = "public, max-age=31536000, immutable"
#: For an address with another version, whose page is older or newer than this process: it gets the current file.
_NO_CACHE = "no-cache"
#: Seconds between two scans for changed files, where changes are noticed: a page requests dozens at once.
_SCAN_SECONDS = 1
#: The service worker, whose scope is allowed to be the whole site.
_SERVICE_WORKER = "js/shared/service_worker.js"
#: The most files stored gzipped in memory: three times as many as there are, including those of packages.
_MOST_GZIPPED = 1_024
_COMPRESSOR = Compressor(use_brotli=False, quiet=True)


class VersionedStorage(StaticFilesStorage):
    """A storage with the version as a folder before each path, so that files imported by others have it too."""

    def url(self, name: str | None) -> str:
        return super().url(f"v-{static_version()}/{name}")


class VersionedFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Middleware that serves files under the addresses of `VersionedStorage`, and under those without a version."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._versioned = re.compile(rf"{re.escape(self.static_prefix)}v-([0-9a-f]+)/(.+)")

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        match = self._versioned.fullmatch(request.path_info)
        if match is None:
            return super().__call__(request)  # type: ignore[no-any-return]
        path = self.static_prefix + match[2]
        file = self.find_file(path) if self.autorefresh else self.files.get(path)
        if file is None:
            return self.get_response(request)  # type: ignore[no-any-return]
        response: HttpResponseBase = self.serve(file, request)
        response["Cache-Control"] = _IMMUTABLE if match[1] == static_version() else _NO_CACHE
        if match[2] == _SERVICE_WORKER:
            response["Service-Worker-Allowed"] = "/"
        return response

    def serve(self, static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        """Return the file, gzipped for a client that accepts it; a requested part of a file is never gzipped."""
        path, headers = static_file.get_path_and_headers({})
        if not _COMPRESSOR.should_compress(path):
            return super().serve(static_file, request)  # type: ignore[no-any-return]
        response: HttpResponseBase | None = None
        if request.method in ("GET", "HEAD") and "Range" not in request.headers and accepts_gzip(request):
            response = _gzipped_response(path, dict(headers), request)
        response = response or super().serve(static_file, request)
        patch_vary_headers(response, ["Accept-Encoding"])
        return response


def _gzipped_response(path: str, headers: dict[str, str], request: HttpRequest) -> HttpResponseBase | None:
    """Return the gzipped file, or the answer that the client has it; None if gzip makes it hardly smaller."""
    content = _gzipped(path, Path(path).stat().st_mtime_ns)
    if content is None:
        return None
    headers |= {"Content-Encoding": "gzip", "Content-Length": str(len(content))}
    if "ETag" in headers:
        # With the same ETag, a client could combine parts of the plain and the gzipped file.
        headers["ETag"] = headers["ETag"].removesuffix('"') + '-gzip"'
    response = HttpResponse(content, headers=headers)
    modified = parse_http_date_safe(headers.get("Last-Modified", ""))
    return get_conditional_response(request, etag=headers.get("ETag"), last_modified=modified, response=response)


@lru_cache(maxsize=_MOST_GZIPPED)
def _gzipped(path: str, _changed: int) -> bytes | None:
    content = Path(path).read_bytes()
    gzipped: bytes = _COMPRESSOR.compress_gzip(content)
    return gzipped if _COMPRESSOR.is_compressed_effectively("gzip", path, len(content), gzipped) else None


def static_version() -> str:
    """Return the version of all static files together; where changes are noticed, it is at most a second old."""
    if not settings.WHITENOISE_AUTOREFRESH:
        return _digest(0)
    return _version_in(int(time.monotonic() // _SCAN_SECONDS))


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
