"""The project's own environment: made by uv if there is one, else by pip, and a failure names what failed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config import bootstrap

PYPROJECT = """\
[project]
name = "empty"
version = "1"
requires-python = ">=3.11"
dependencies = []
[dependency-groups]
dev = []
[tool.uv]
package = false
"""
START = "import sys; from config.bootstrap import ensure_environment as e; e(sys.argv); print(sys.prefix)"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project without packages, so that nothing is fetched, with the means to set it up."""
    (tmp_path / "config").mkdir()
    shutil.copy(bootstrap.__file__, tmp_path / "config/bootstrap.py")
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "start.py").write_text(START)
    return tmp_path


def started(project: Path, path: str, **variables: str) -> subprocess.CompletedProcess[str]:
    rest = {name: value for name, value in os.environ.items() if name not in {"UV", "VIRTUAL_ENV", "PATH"}}
    environment = {**rest, "PATH": path, **variables}
    python = getattr(sys, "_base_executable", sys.executable)
    return subprocess.run([python, "start.py"], cwd=project, env=environment, capture_output=True, text=True)


def uv_of_this_machine() -> str:
    return str(Path(str(bootstrap._installed_uv())).parent)


@pytest.mark.slow
def test_an_environment_without_pip_is_filled_by_uv(project: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", project / ".venv"], check=True)
    result = started(project, f"{uv_of_this_machine()}:/usr/bin:/bin")
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()) == project / ".venv"
    assert "the pinned packages" in result.stderr and "a virtual environment" not in result.stderr


@pytest.mark.slow
def test_uv_makes_the_environment_as_well_and_only_once(project: Path) -> None:
    first, second = (started(project, f"{uv_of_this_machine()}:/usr/bin:/bin") for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert Path(second.stdout.strip()) == project / ".venv"
    assert "a virtual environment" in first.stderr and second.stderr == ""


@pytest.mark.slow
def test_a_failed_command_is_reported(project: Path) -> None:
    """The environment has no pip, and its uv does not work."""
    broken = project / "bin/uv"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho no way to the index >&2\nexit 7\n")
    broken.chmod(0o755)
    failed = started(project, f"{broken.parent}:/usr/bin:/bin")
    assert (failed.returncode, failed.stdout) == (3, "")
    assert "no way to the index" in failed.stderr and f"`{broken} venv" in failed.stderr
    assert "ended with 7" in failed.stderr and not (project / ".venv/.rummy-stamp").exists()


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("test --all", True),
        ("bench load --tables 33", True),
        ("bench --tables 33 load", True),
        ("bench rules", False),
        ("play --data load", False),
        ("", False),
    ],
)
def test_tests_and_the_floor_of_the_load_need_the_tools_of_development(command: str, needed: bool) -> None:
    assert bootstrap._needs_development_tools(["manage.py", *command.split()]) is needed


def test_the_uv_that_started_the_process_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV", "/opt/uv")
    assert bootstrap._installed_uv() == "/opt/uv"
    monkeypatch.delenv("UV")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert bootstrap._installed_uv() == "/usr/bin/uv"


def test_without_uv_pip_installs_it_and_ensurepip_installs_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **how: object) -> subprocess.CompletedProcess[str]:
        ran.append([str(word) for word in command[1:4]])
        return subprocess.CompletedProcess(command, returncode=int(command[-1] == "--version"))

    monkeypatch.setattr(subprocess, "run", run)
    assert bootstrap._uv_by_pip()[1:] == ["-m", "uv"]
    assert ran == [["-m", "pip", "--version"], ["-m", "ensurepip"], ["-m", "pip", "install"]]
