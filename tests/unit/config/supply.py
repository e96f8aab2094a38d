"""Checks of the supply chain and of the repository: no version known to be bad, no secret."""

import math
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: The least version of each package without a weakness known to us that matters here, and the weakness.
FLOORS = {
    "autobahn": ("20.12.3", "CVE-2020-35678: header injection on redirects"),
    "certifi": ("2024.7.4", "CVE-2024-39689: a distrusted root"),
    "cryptography": ("46.0.7", "CVE-2026-26007, CVE-2026-34073, CVE-2026-39892: a buffer overflow"),
    "daphne": ("4.2.2", "CVE-2026-44545 unbounded frames, CVE-2026-44546 header injection"),
    "django": ("5.2.8", "CVE-2025-64459: SQL injection by keyword arguments"),
    "djangorestframework": ("3.15.2", "CVE-2024-21520: script in the browsable API"),
    "h11": ("0.16.0", "CVE-2025-43859: chunked bodies read loosely"),
    "idna": ("3.7", "CVE-2024-3651: quadratic encoding"),
    "pygments": ("2.15.0", "CVE-2022-40896: a slow pattern"),
    "pyopenssl": ("17.5.0", "CVE-2018-1000807: use after free"),
    "pyyaml": ("5.4", "CVE-2020-14343: code in documents"),
    "redis": ("4.5.4", "CVE-2023-28859: answers given to the wrong caller"),
    "sqlparse": ("0.5.0", "CVE-2024-4340: recursion without end"),
    "twisted": ("24.7.0", "CVE-2024-41671: pipelined requests out of order"),
    "ujson": ("5.4.0", "CVE-2022-31117: double free"),
}

_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([0-9][0-9A-Za-z.]*)$")
_SHAPES = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a cloud key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a hosting token": re.compile(
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|glpat-[A-Za-z0-9_-]{20,}|xox[abprs]-[0-9A-Za-z-]{10,})"
    ),
    "a payment key": re.compile(r"\b(?:sk|rk)_live_[0-9A-Za-z]{16,}\b|\brzp_live_[0-9A-Za-z]{10,}\b"),
    "a signed token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "a password in an address": re.compile(r"\b[a-z+]+://[^\s:/@\"'{$]+:(?!password@|word@)[^\s:/@\"'{$]{3,}@"),
}
_ASSIGNED = re.compile(
    r"(?i)\b[\w-]*(?:secret|token|passw(?:or)?d|api_?key)[\w-]*[\"']?\s*[:=]\s*[\"']([^\s\"']{20,})[\"']"
)
#: Bits a character from which on a text looks random.
_RANDOM = 4.2
#: The beginnings of what tests call secrets.
_OF_TESTS = ("only-for-tests", "0123456789", "metrics-for-this-test", "a-token-of-")


def pins(pyproject: str) -> dict[str, str]:
    """Return each package and its version in a pyproject.toml; raise ValueError for one that is not pinned exactly."""
    read = tomllib.loads(pyproject)
    requirements = [*read["project"]["dependencies"], *read["dependency-groups"]["dev"],
              *read["tool"]["uv"]["constraint-dependencies"]]  # fmt: skip
    versions = {}
    for requirement in requirements:
        pin = _PIN.match(requirement)
        if pin is None:
            raise ValueError(f"{requirement} is not pinned to one version")
        versions[pin.group(1).lower().replace("_", "-")] = pin.group(2)
    return versions


def outdated(pinned: dict[str, str]) -> list[str]:
    """Return a sentence for each package below the least version that is not known to be bad."""
    return [
        f"{name} {pinned[name]} is below {least}: {why}"
        for name, (least, why) in FLOORS.items()
        if name in pinned and _parts(pinned[name]) < _parts(least)
    ]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def secrets_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield line number and kind of everything in the text that looks like a secret."""
    for number, line in enumerate(text.splitlines(), start=1):
        for sort, pattern in _SHAPES.items():
            if pattern.search(line):
                yield number, sort
        for value in _ASSIGNED.findall(line):
            if _entropy(value) > _RANDOM and not value.startswith(_OF_TESTS):
                yield number, "a secret written down"


def tracked() -> Iterator[tuple[str, str]]:
    """Yield path and text of every text file in git."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and path.stat().st_size < 2_000_000:
            content = path.read_bytes()
            if b"\0" not in content[:8192]:
                yield name, content.decode(errors="replace")


def _entropy(text: str) -> float:
    """Return the entropy in bits per character."""
    counted = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counted.values())
