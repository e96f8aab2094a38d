"""Who plays in a contest: a computer player of one strength, or a program of somebody else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter, process_time
from typing import Any, Final

from rules import bots
from rules.game import View
from tables.play.computers.external import PATIENCE, Instead, Program

Frame = dict[str, Any]


class NoAnswer(StrEnum):
    """Why no answer could be taken; time then runs out for that decision, as at a table."""

    #: No whole line within the time of a decision.
    LATE = "late"
    #: The program could not be started, has ended, or has closed its output.
    DEAD = "dead"
    #: The line is no JSON object.
    MALFORMED = "malformed"
    #: The frame is no move that this player may make now.
    ILLEGAL = "illegal"


@dataclass(frozen=True, slots=True)
class Entered:
    """One who is entered in a contest: under a `name`, a strength of ours or a `command` to be started."""

    name: str
    strength: bots.Strength | None = None
    command: str | None = None


@dataclass(slots=True)
class Contestant:
    """An entry that plays: its decisions in milliseconds, and its faults by kind.

    Time is of the processor, for a program of somebody else that of the clock on the wall.
    """

    entry: Entered
    program: Program | None = None
    milliseconds: list[float] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.entry.command is not None:
            self.program = Program(self.entry.command, PATIENCE)

    def decide(self, view: View) -> Frame | NoAnswer | None:
        """Return the frame that the player sends now, None for no wish to move, or why there is no answer."""
        clock = process_time if self.program is None else perf_counter
        began = clock()
        answer = self._answer(view)
        self.milliseconds.append(1000 * (clock() - began))
        return answer

    def _answer(self, view: View) -> Frame | NoAnswer | None:
        if self.program is None:
            assert self.entry.strength is not None, "an entry has a strength or a command"
            return bots.choose(view, self.entry.strength)
        line = self.program.asked(view)
        return _FAULTS[line] if isinstance(line, Instead) else line

    def close(self) -> None:
        """End the program, if it is one."""
        if self.program is not None:
            self.program.end()


_FAULTS: Final = {Instead.LATE: NoAnswer.LATE, Instead.NONE: NoAnswer.DEAD, Instead.NO_OBJECT: NoAnswer.MALFORMED}
