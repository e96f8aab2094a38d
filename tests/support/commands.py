"""Management commands, each in a fork of one process that has loaded the platform, which takes a second."""

import gc
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import IO

from django.core.management import call_command
from django.core.management.base import CommandError

from rules import commands


class Commands:
    """Management commands that run with the environment given here, until `stop`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.commands"],
            cwd=Path(__file__).resolve().parents[2],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._turn = threading.Lock()

    def run(self, arguments: Sequence[str], stdin: str, patience: float) -> subprocess.CompletedProcess[str]:
        """Run the command with `stdin` as standard input; after `patience` seconds it is killed by SIGALRM."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with self._turn:
            print(json.dumps([arguments, stdin, patience]), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        assert answer, "Django was not loaded, for the reason above"
        return subprocess.CompletedProcess(["manage.py", *arguments], *json.loads(answer))

    def stop(self) -> None:
        self._process.communicate()


def serve() -> None:
    """Read commands from standard input, and print the status and the output of each."""
    gc.disable()
    import django
    from django.core import checks

    django.setup()
    # Most commands begin with these, which load every page of the site.
    checks.run_checks()
    gc.freeze()
    gc.enable()
    while line := sys.stdin.readline():
        arguments, stdin, patience = json.loads(line)
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            source.write(stdin.encode())
            source.seek(0)
            child = os.fork()
            if child == 0:
                for number, file in enumerate((source, output, errors)):
                    os.dup2(file.fileno(), number)
                signal.setitimer(signal.ITIMER_REAL, patience)
                manage(arguments)
                return
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            print(json.dumps([status, *map(_content, (output, errors))]), flush=True)


def manage(arguments: Sequence[str]) -> None:
    from manage import main

    sys.argv = ["manage.py", *arguments]
    main()


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


if __name__ == "__main__":
    serve()


def run(*arguments):
    """Return what the command writes; CommandError with the line that it refuses its input with."""
    out, refusal = io.StringIO(), io.StringIO()
    if arguments[0] not in commands.NAMES:
        call_command(*arguments, stdout=out)
        return out.getvalue()
    with redirect_stdout(out), redirect_stderr(refusal):
        code = commands.main(arguments)
    if code:
        raise CommandError(refusal.getvalue().removesuffix("\n"), returncode=code)
    return out.getvalue()
