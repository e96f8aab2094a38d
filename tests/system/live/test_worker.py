"""The embedded worker runs tasks, and a worker or beat that ends is replaced, whatever ends it."""

import subprocess
import sys

import pytest

from config import env
from tests.support.platform import PATIENCE, ROOT

pytestmark = pytest.mark.slow


def test_whatever_ends_a_worker_or_beat_tasks_run_again() -> None:
    """In a process of its own, which an end must not take with it."""
    command = [sys.executable, "-m", "tests.system.live.ends"]
    settings = env.of_a_child({"DJANGO_SETTINGS_MODULE": "config.settings.test"})
    ended = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "at first: True",
        "is told to stop: True",
        "is terminated: True",
        "fails: True",
        "beat fails: True",
        "beat leaves: True",
        "cannot begin: True",
        "left over: []",
    ], ended.stderr
