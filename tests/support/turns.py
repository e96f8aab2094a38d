"""Whether work that goes on for long lets others have their turn at the loop."""

import asyncio
from collections.abc import Callable
from itertools import groupby
from typing import Any

from tests.support.sockets import until

#: What is noted at each turn of others.
OTHERS = "others"


async def longest_run(happened: list[Any], is_over: Callable[[], bool]) -> int:
    """Return how much was noted in `happened` at most between two turns of another task, until it is over."""

    async def others() -> None:
        while True:
            happened.append(OTHERS)
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    await until(is_over)
    task.cancel()
    return max(len(list(run)) for what, run in groupby(happened) if what != OTHERS)
