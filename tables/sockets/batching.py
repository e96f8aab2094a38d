"""Batches of requests: while one batch is answered, the next requests gather. And many sockets, some at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
#: Returns the waiting items; to be called as late as possible, from any thread, and again whenever the work starts
#: over.
Take = Callable[[], list[Item]]

#: At most this many requests are answered together.
MOST = 250
#: After so many the loop serves others: some thousand frames in one go would hold up the moves at all its tables.
IN_ONE_GO = 50


async def unhurried(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Go through the items, with a pause for others who wait for the loop after every IN_ONE_GO."""
    for number, item in enumerate(items):
        if number and number % IN_ONE_GO == 0:
            await asyncio.sleep(0)
        yield item


class Batcher(Generic[Item]):
    """The waiting requests of one loop. `handle` gets a `Take`, and returns an answer or an error for each item.

    `Take` returns at most `most` items or, where they have a `kind`, all items of at most `most` kinds.
    """

    def __init__(
        self,
        handle: Callable[[Take[Item]], Awaitable[Sequence[Any]]],
        *,
        most: int = MOST,
        kind: Callable[[Item], Hashable] | None = None,
    ) -> None:
        self._handle, self._most, self._kind = handle, most, kind
        self._waiting: deque[tuple[Item, asyncio.Future[Any]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def submit(self, item: Item) -> Any:
        """Return this item's answer, or raise its error; an error of `handle` is raised for the whole batch."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((item, answer))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())
        return await answer

    async def _run(self) -> None:
        while self._waiting:
            batch: list[tuple[Item, asyncio.Future[Any]]] = []

            def take(batch: list[tuple[Item, asyncio.Future[Any]]] = batch) -> list[Item]:
                self._take_into(batch)
                return [item for item, _ in batch]

            try:
                answers = await self._handle(take)
            except Exception as fault:
                take()
                answers = [fault] * len(batch)
            for (_, future), answer in zip(batch, answers, strict=True):
                _set(future, answer)

    def _take_into(self, batch: list[tuple[Item, asyncio.Future[Any]]]) -> None:
        if self._kind is None:
            while self._waiting and len(batch) < self._most:
                batch.append(self._waiting.popleft())
            return
        kinds, others = {self._kind(item) for item, _ in batch}, []
        # Items that come meanwhile are added at the end: this ends with the last that waited when it began.
        for _ in range(len(self._waiting)):
            request = self._waiting.popleft()
            kind = self._kind(request[0])
            if kind in kinds or len(kinds) < self._most:
                kinds.add(kind)
                batch.append(request)
            else:
                others.append(request)
        self._waiting.extendleft(reversed(others))


def _set(future: asyncio.Future[Any], answer: Any) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
