"""A process that is told to stop ends soon, whatever its threads still wait for."""

import subprocess
import sys

from config import env

STUCK = """
import django, threading
django.setup()
from concurrent.futures import ThreadPoolExecutor
from config.process.serve import end_within
ThreadPoolExecutor(1, "stuck").submit(threading.Event().wait)
end_within(0.5)
print("served", flush=True)
"""


def test_a_blocked_thread_does_not_keep_the_process() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUCK], env=env.of_a_child({}), capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (0, "served\n")
    assert "without waiting for stuck_0" in ended.stderr
