"""Acts at the same moment on connections of their own."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from django.db import connection

from wallet.base.errors import Refusal


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Start all calls together, each on a connection of its own; return their answers or the codes of refusals."""
    answers: list[Any] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(number: int, call: Callable[[], Any]) -> None:
        try:
            start.wait(60)
            answers[number] = call()
        except Refusal as refusal:
            answers[number] = refusal.code
        except Exception as fault:
            answers[number] = fault
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    broken = [answer for answer in answers if isinstance(answer, Exception)]
    if broken:
        raise broken[0]
    return answers


def outcomes(*calls: Callable[[], object]) -> Counter[str]:
    """Start the calls together; count those that were done, and the codes of refusals."""

    def done(call: Callable[[], object]) -> Callable[[], str]:
        def run() -> str:
            call()
            return "done"

        return run

    return Counter(at_once([done(call) for call in calls]))
