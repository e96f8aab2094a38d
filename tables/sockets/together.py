"""What is asked at the same moment is answered together: while some are answered, those who come next gather."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
#: Returns all that wait; to be called as late as can be, from any thread, and again whenever the work is begun again.
Take = Callable[[], list[Item]]

#: So many are answered together at most.
MOST = 250


class Together(Generic[Item]):
    """Whoever asks the same of one loop. `answer_all` is handed `Take`; it returns for each an answer or an error."""

    def __init__(self, answer_all: Callable[[Take[Item]], Awaitable[Sequence[Any]]], *, most: int = MOST) -> None:
        self._answer_all, self._most = answer_all, most
        self._waiting: deque[tuple[Item, asyncio.Future[Any]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, item: Item) -> Any:
        """Return the answer to this one, or raise its error; what `answer_all` raises is raised to all whom it took."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((item, answer))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._answer())
        return await answer

    async def _answer(self) -> None:
        while self._waiting:
            batch: list[tuple[Item, asyncio.Future[Any]]] = []

            def take(batch: list[tuple[Item, asyncio.Future[Any]]] = batch) -> list[Item]:
                while self._waiting and len(batch) < self._most:
                    batch.append(self._waiting.popleft())
                return [item for item, _ in batch]

            try:
                answers = await self._answer_all(take)
            except Exception as fault:
                take()
                answers = [fault] * len(batch)
            for (_, future), answer in zip(batch, answers, strict=True):
                _set(future, answer)


def _set(future: asyncio.Future[Any], answer: Any) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
