"""What other processes listen to: asked of the channel layer, remembered, and void as soon as one announces more."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

#: The one group of the channel layer that every process listens to.
PROCESSES = "processes"
#: Seconds after which it is asked again whether any other process listens, or whether one listens to a group, as what
#: they announce may be lost.
ALONE_FOR, UNHEARD_FOR = 2.0, 120.0
#: The answers of so many groups are remembered at most; so many groups of this process come along with a question.
MOST_UNHEARD, MOST_AHEAD = 20_000, 256


class Company:
    """What no other process listens to, as far as this one knows: all groups, for ALONE_FOR, or one, for UNHEARD_FOR.

    A process that begins to listen announces it. That voids these answers, and one that is still being fetched.
    """

    def __init__(self) -> None:
        self._arrivals = 0
        #: Held while an answer is noted or voided.
        self._lock = threading.Lock()
        #: Until when nobody else listens to each group, in monotonic seconds; that of PROCESSES: to any group.
        self._unheard: dict[str, float] = {}
        #: The groups of this process, and when each is to be asked about ahead of its next message; the first is first.
        self._own: OrderedDict[str, float] = OrderedDict()

    def is_absent(self, group: str = PROCESSES) -> bool:
        """Return whether nobody else listens, so that nothing needs to be sent; of one group: to that one."""
        return time.monotonic() < self._unheard.get(group, 0.0)

    def arrive(self, groups: Iterable[str] | None = None) -> None:
        """Note that a process listens to these groups from now on; None: to any, or this one hears of it only now."""
        with self._lock:
            self._arrivals += 1
            for group in tuple(self._unheard) if groups is None else (PROCESSES, *groups):
                self._unheard.pop(group, None)
            if groups is None:
                self._own = OrderedDict.fromkeys(self._own, 0.0)

    def join(self, groups: Iterable[str]) -> None:
        """Note that this process listens to these groups, about which it will have to ask."""
        with self._lock:
            for group in groups:
                self._own[group] = 0.0
                self._own.move_to_end(group, last=False)

    def leave(self, groups: Iterable[str]) -> None:
        """Note that this process listens to these groups no longer."""
        with self._lock:
            for group in groups:
                self._own.pop(group, None)

    def ahead(self) -> list[str]:
        """Return the groups to ask about with the next question; many in one cost little more than one."""
        now, due = time.monotonic(), list[str]()
        with self._lock:
            # Whoever is alone asks of no group.
            while PROCESSES not in self._unheard and len(due) < MOST_AHEAD and self._own:
                group, moment = next(iter(self._own.items()))
                if moment > now:
                    break
                self._own[group] = now + UNHEARD_FOR
                self._own.move_to_end(group)
                due.append(group)
        return due

    def asking(self) -> Callable[[Iterable[str]], None]:
        """Return what to call with the groups of the question about to be asked to which nobody else listens."""
        arrivals = self._arrivals

        def found(unheard: Iterable[str]) -> None:
            now = time.monotonic()
            with self._lock:
                if len(self._unheard) > MOST_UNHEARD:
                    self._unheard.clear()
                # This answer takes the place of an earlier one, which would else be remembered once it is out of date.
                self._unheard.pop(PROCESSES, None)
                if arrivals == self._arrivals:
                    for group in unheard:
                        self._unheard[group] = now + (ALONE_FOR if group == PROCESSES else UNHEARD_FOR)

        return found
