"""Set the project's own environment up on a machine that has only Python. Standard library only."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / ".rummy-stamp"
UV = "uv==0.13.8"
#: Commands that need the development tools as well as the platform.
DEVELOPMENT_COMMANDS = {"test"}


def ensure_environment(argv: list[str]) -> None:
    """Afterwards every pinned package can be imported; the process may have been replaced on the way.

    A virtual environment of the caller's own that already holds Django is used as it is. Otherwise
    `.venv` beside manage.py is made, or brought up to date when pyproject.toml changed, and the
    command starts again inside it. Ends with status 3 and one clear line when that cannot be done.
    """
    development = len(argv) > 1 and argv[1] in DEVELOPMENT_COMMANDS
    inside_ours = Path(sys.prefix).resolve() == VENV.resolve()
    if not inside_ours and _callers_environment_will_do(development):
        return
    if not _is_current(development):
        _build(development)
    if not inside_ours:
        os.execv(str(_python()), [str(_python()), *argv])


def _callers_environment_will_do(development: bool) -> bool:
    in_some_environment = sys.prefix != sys.base_prefix
    needed = ["django", "channels", "celery"] + (["pytest"] if development else [])
    return in_some_environment and all(importlib.util.find_spec(name) for name in needed)


def _python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _wanted(development: bool) -> str:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = [told["project"]["dependencies"], told["dependency-groups"], told["tool"]["uv"]]
    pins = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    return f"{'dev' if development else 'run'} {pins}"


def _is_current(development: bool) -> bool:
    if not STAMP.exists():
        return False
    stamp = STAMP.read_text()
    return stamp == _wanted(True) or (not development and stamp == _wanted(False))


def _build(development: bool) -> None:
    print("Setting up the environment in .venv (first use, under a minute) ...", file=sys.stderr, flush=True)
    python = str(_python())
    # Compiled now: a process that may write nothing would compile all of it again, for seconds, at every start.
    sync = [python, "-m", "uv", "sync", "--quiet", "--inexact", "--compile-bytecode"]
    sync += [] if development else ["--no-dev"]
    try:
        if not _python().exists():
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV], check=True)
        subprocess.run(sync, check=True, cwd=ROOT, env={**os.environ, "VIRTUAL_ENV": str(VENV)})
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"The environment could not be set up: {error}", file=sys.stderr)
        print("Python 3.11 or newer with venv and pip, and a way to its package index, are needed.", file=sys.stderr)
        raise SystemExit(3) from error
    STAMP.write_text(_wanted(development))


if __name__ == "__main__":
    _build("--dev" in sys.argv)
