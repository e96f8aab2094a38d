"""Values that each event loop has of its own."""

import asyncio
import gc
import weakref

from tables.loop_local import LoopLocal


class Value:
    """Something that a weak reference can follow."""


def test_each_loop_has_one_value_that_goes_with_it() -> None:
    current = LoopLocal(Value)

    async def twice() -> Value:
        first = current()
        assert current() is first
        return first

    first, second = asyncio.run(twice()), asyncio.run(twice())
    assert first is not second
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None
