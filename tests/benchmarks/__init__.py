"""What `manage.py bench` measures: one module a benchmark, with `measure() -> dict`, a floor beside every figure."""

import gc
from collections.abc import Callable, Iterable
from time import thread_time_ns
from typing import TypeVar

T = TypeVar("T")


def timed(call: Callable[[T], object], inputs: Iterable[T]) -> dict[str, float]:
    """Return median, p95, p99, p99.9 and maximum of one call for each input, in milliseconds of processor time.

    Processor time, so that a busy machine does not change the figure. The garbage collector ignores what was there
    before: a walk over 100,000 inputs takes 100 ms and would count for whichever call it falls into.
    """
    arguments = list(inputs)
    frozen = gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    try:
        times = sorted(_milliseconds(call, each) for each in arguments)
    finally:
        # What was exempt before stays so, as in tests.
        if not frozen:
            gc.unfreeze()
    at = {"median": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
    figures = {name: times[int(len(times) * share)] for name, share in at.items()}
    return {name: round(value, 4) for name, value in (figures | {"worst": times[-1]}).items()}


def _milliseconds(call: Callable[[T], object], argument: T) -> float:
    start = thread_time_ns()
    call(argument)
    return (thread_time_ns() - start) / 1_000_000
