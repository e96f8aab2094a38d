"""No package known to be bad and no secret in the repository, and proof that both checks detect them."""

import os
import random
import shutil
import string
import subprocess
from datetime import date
from pathlib import Path

import pytest
import time_machine

from tests import pins
from tests.unit.config import supply

PYPROJECT = (supply.ROOT / "pyproject.toml").read_text()


def test_every_package_is_pinned_and_none_is_known_to_be_bad() -> None:
    pinned = supply.pins(PYPROJECT)
    assert len(pinned) > 80
    assert supply.outdated(pinned) == []


@pytest.mark.parametrize(
    ("name", "version"), [("daphne", "4.2.1"), ("django", "5.2.7"), ("h11", "0.9.0"), ("redis", "4.5.3")]
)
def test_a_vulnerable_version_is_reported(name: str, version: str) -> None:
    [message] = supply.outdated({**supply.pins(PYPROJECT), name: version})
    assert message.startswith(f"{name} {version} is below") and "CVE-" in message


@pytest.mark.parametrize("loose", ['"django>=5.2"', '"django"', '"django==5.*"'])
def test_an_unpinned_version_is_refused(loose: str) -> None:
    with pytest.raises(ValueError, match="not pinned"):
        supply.pins(PYPROJECT.replace('"django==5.2.19"', loose))


@pytest.mark.slow
def test_the_repository_holds_no_secret() -> None:
    secrets = [f"{name}:{line} {sort}" for name, text in supply.tracked() for line, sort in supply.secrets_in(text)]
    assert secrets == []
    assert not {name for name, _ in supply.tracked() if name.rsplit("/", 1)[-1] in (".env", "secret.key", "id_rsa")}


def planted() -> list[tuple[str, str]]:
    """Make secrets at run time, so that none is in this file."""
    letters = random.Random(13)

    def some(number: int, alphabet: str = string.ascii_letters + string.digits) -> str:
        return "".join(letters.choice(alphabet) for _ in range(number))

    return [
        ("a private key", "-----BEGIN " + "RSA PRIVATE KEY-----"),
        ("a cloud key", "AKIA" + some(16, string.ascii_uppercase)),
        ("a hosting token", "ghp" + "_" + some(36)),
        ("a payment key", "sk" + "_live_" + some(24)),
        ("a signed token", ".".join(["eyJ" + some(20), "eyJ" + some(30), some(30)])),
        ("a password in an address", "postgres" + "://rummy:" + some(12) + "@db.test/rummy"),
        ("a secret written down", 'API_KEY = "' + some(40) + '"'),
        ("a secret written down", '"client-secret": "' + some(32) + '"'),
    ]


@pytest.mark.parametrize("number", range(8))
def test_a_planted_secret_is_found(number: int) -> None:
    sort, line = planted()[number]
    assert sort in [sort_found for _, sort_found in supply.secrets_in(f"first\n{line}\n")]
    assert next(place for place, _ in supply.secrets_in(f"first\n{line}\n")) == 2


def test_a_commit_whose_pins_were_young_does_not_become_wrong_by_the_calendar(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    checkout = tmp_path / "pyproject.toml"
    checkout.write_text('    "django==5.2.7",  # 2026-05-01\n')
    at_noon = {"GIT_AUTHOR_DATE": "2026-10-01T12:00:00", "GIT_COMMITTER_DATE": "2026-10-01T12:00:00"}
    as_somebody = ["-c", "user.name=Asha", "-c", "user.email=asha@example.com"]
    for command in (["init"], ["add", "."], [*as_somebody, "commit", "-m", "Pin."]):
        subprocess.run(["git", *command], cwd=tmp_path, env=os.environ | at_noon, check=True, capture_output=True)
    monkeypatch.setattr(pins, "PYPROJECT", checkout)
    with time_machine.travel("2027-10-01"):
        assert pins.main() == 0
        shutil.rmtree(tmp_path / ".git")
        assert pins.main() == 1


def test_pins_that_have_become_old_are_named_unless_there_is_a_reason() -> None:
    today = date(2026, 11, 25)
    assert pins.faults(PYPROJECT, today) == []
    pinned = '    "django==5.2.19",  # 2026-11-03\n'
    assert pinned in PYPROJECT
    [old] = pins.faults(PYPROJECT.replace(pinned, '    "django==5.2.7",  # 2026-05-01\n'), today)
    assert old.startswith("django==5.2.7 is of 2026-05-01")
    [undated] = pins.faults(PYPROJECT.replace(pinned, '    "django==5.2.19",\n'), today)
    assert undated.startswith("django==5.2.19: the day")
    assert pins.faults(PYPROJECT.replace(pinned, '    "django==5.2.7",  # 2026-05-01: why\n'), today) == []
    years_later = pins.faults(PYPROJECT, today.replace(year=2028))
    assert any("django==5.2.19" in fault for fault in years_later)


def test_every_pin_is_looked_at() -> None:
    lines = [line for line in PYPROJECT.splitlines() if "==" in line and line.startswith('    "')]
    assert len(lines) == len(supply.pins(PYPROJECT))
    assert len(pins.faults("\n".join(line.split("  #")[0] for line in lines), date(2026, 11, 25))) == len(lines)
