"""A player in a process of its own: one JSON view a line on its standard input, one JSON frame a line back.

It has two seconds for each line. A program that is late, has ended or does not end its line is started anew for the
next view, so that the rest of a line is never taken for the answer to another question. It ends when its input does, so
with the process that asks it.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from time import monotonic
from typing import Any, Final

from rules.game import View

#: Seconds for one decision.
PATIENCE: Final = 2.0
#: A line of more bytes is no frame; the table's socket takes 8 KiB.
_LONGEST: Final = 8 * 1024
_CHUNK: Final = 64 * 1024


class Instead(Enum):
    """What came in place of an answer."""

    LATE = auto()
    NONE = auto()
    NO_OBJECT = auto()


class Program:
    """A program by its command line, which is split as a shell would; it is started at the first view."""

    def __init__(self, command: str, patience: float = PATIENCE, folder: Path | None = None) -> None:
        self._words, self._patience, self._folder = shlex.split(command), patience, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    def asked(self, view: View) -> dict[str, Any] | Instead:
        """Return the object that the program answers to this view, or what came instead."""
        deadline = monotonic() + self._patience
        line = self._exchanged(json.dumps(view, separators=(",", ":")).encode() + b"\n", deadline)
        if isinstance(line, Instead):
            self.end()
            return line
        return _object_in(line)

    def end(self) -> None:
        """End the program with all that it started."""
        process, self._process, self._read = self._process, None, b""
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close() if pipe is not None else None

    def _exchanged(self, question: bytes, deadline: float) -> bytes | Instead:
        try:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            sent = self._send(process.stdin.fileno(), question, deadline)
            return self._line(process.stdout.fileno(), deadline) if sent else Instead.LATE
        except OSError:
            return Instead.NONE

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, started if there is none. OSError if it cannot be."""
        if self._process is None:
            # The command is the caller's own, and no shell reads it.
            self._process = subprocess.Popen(  # noqa: S603
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, cwd=self._folder
            )
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                os.set_blocking(pipe.fileno(), False)
        return self._process

    def _send(self, pipe: int, question: bytes, deadline: float) -> bool:
        """Write the whole question; return whether there was time for it."""
        while question:
            if not _is_ready(pipe, select.POLLOUT, deadline):
                return False
            question = question[os.write(pipe, question[:_CHUNK]) :]
        return True

    def _line(self, pipe: int, deadline: float) -> bytes | Instead:
        """Return the next line without its end."""
        while b"\n" not in self._read:
            if len(self._read) > _LONGEST:
                return Instead.NO_OBJECT
            if not _is_ready(pipe, select.POLLIN, deadline):
                return Instead.LATE
            more = os.read(pipe, _CHUNK)
            if not more:
                return Instead.NONE
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line


def _is_ready(pipe: int, event: int, deadline: float) -> bool:
    """Wait for the pipe until the deadline; return whether it can be used.

    A server has more files open than `select` takes.
    """
    waiting = select.poll()
    waiting.register(pipe, event)
    return bool(waiting.poll(1000 * max(0.0, deadline - monotonic())))


def _object_in(line: bytes) -> dict[str, Any] | Instead:
    try:
        content = json.loads(line) if len(line) <= _LONGEST else None
    except (ValueError, RecursionError):
        return Instead.NO_OBJECT
    return content if isinstance(content, dict) else Instead.NO_OBJECT
