"""Set up the project's own environment on a machine that has only Python. Standard library only."""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / ".rummy-stamp"
UV = "uv==0.13.8"


def ensure_environment(argv: list[str]) -> None:
    """Make every pinned package importable; the process may be replaced on the way.

    A virtual environment of the caller's own that already holds Django is used as it is. Otherwise
    `.venv` beside manage.py is made, or brought up to date when pyproject.toml changed, and the
    command starts again inside it. Ends with status 3 and one clear line when that cannot be done.
    """
    development = _needs_development_tools(argv)
    inside_ours = Path(sys.prefix).resolve() == VENV.resolve()
    if not inside_ours and _callers_environment_will_do(development):
        return
    if not _is_current(development):
        _build(development)
    if not inside_ours:
        os.execv(str(_python()), [str(_python()), *argv])


def _needs_development_tools(argv: list[str]) -> bool:
    """Return whether the command needs more than the platform does: `bench load` starts its floor with uvicorn."""
    command = argv[1:2]
    return command == ["test"] or (command == ["bench"] and "load" in argv)


def _callers_environment_will_do(development: bool) -> bool:
    in_some_environment = sys.prefix != sys.base_prefix
    needed = ["django", "channels", "celery"] + (["pytest", "uvicorn"] if development else [])
    return in_some_environment and all(importlib.util.find_spec(name) for name in needed)


def _python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _expected_stamp(development: bool) -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = [project["project"]["dependencies"], project["dependency-groups"], project["tool"]["uv"]]
    pins = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    return f"{'dev' if development else 'run'} {pins}"


def _is_current(development: bool) -> bool:
    if not STAMP.exists():
        return False
    stamp = STAMP.read_text()
    return stamp == _expected_stamp(True) or (not development and stamp == _expected_stamp(False))


def _build(development: bool) -> None:
    _print("Setting up the environment in .venv (first use, under a minute) ...")
    try:
        uv = _installed_uv()
        if not _python().exists():
            _print("  a virtual environment ...")
            _run(
                [uv, "venv", "--quiet", "--python", sys.executable, VENV]
                if uv
                else [sys.executable, "-m", "venv", VENV]
            )
        _print("  the pinned packages ...")
        # Compiled now: a process that may write nothing would compile all of it again, for seconds, at every start.
        sync = ["sync", "--quiet", "--inexact", "--compile-bytecode", *([] if development else ["--no-dev"])]
        _run([*([uv] if uv else _uv_by_pip()), *sync])
    except (subprocess.CalledProcessError, OSError) as error:
        _print(f"The environment could not be set up: {_failure(error)}")
        _print("Python 3.11 or newer, uv or else venv and pip, and a way to the package index are needed.")
        raise SystemExit(3) from error
    STAMP.write_text(_expected_stamp(development))


def _installed_uv() -> str | None:
    """Return the uv of this machine: the one that started this process, one on the path, or one of the environment."""
    beside = _python().with_name("uv.exe" if os.name == "nt" else "uv")
    return os.environ.get("UV") or shutil.which("uv") or (str(beside) if beside.exists() else None)


def _uv_by_pip() -> list[str]:
    """Return the command of a uv that pip has put into the environment, which some other tool may have made."""
    python = str(_python())
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
        _run([python, "-m", "ensurepip"])
    _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV])
    return [python, "-m", "uv"]


def _run(command: list[str | Path]) -> None:
    variables = {"VIRTUAL_ENV": str(VENV), "UV_PROJECT_ENVIRONMENT": str(VENV)}
    # What the tools say goes beside what the command was asked for.
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **variables}, stdout=sys.stderr)


def _failure(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"`{' '.join(map(str, error.cmd))}` ended with {error.returncode}; what it said stands above."
    return str(error)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    _build("--dev" in sys.argv)
