"""A database that is emptied after a test stays empty, whatever the test has left to a thread of play."""

import threading
import time
from collections.abc import Callable

import pytest

from tables.models import ServerHeartbeat
from tables.play.executors import JOINS, MOVES
from tables.play.fast.group_commit import WRITER
from tables.sockets.monitor import LOOKS
from tests.support import database


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "leave", [LOOKS.submit, WRITER.submit, JOINS.begin, MOVES.begin], ids=["looks", "writer", "joins", "moves"]
)
def test_what_a_thread_still_writes_is_gone_as_well(leave: Callable[[Callable[[], None]], object]) -> None:
    done = threading.Event()

    def note_slowly() -> None:
        time.sleep(0.2)
        ServerHeartbeat.objects.create(pk=1, at_ms=1)
        done.set()

    leave(note_slowly)
    database.wipe()
    done.wait()
    assert not ServerHeartbeat.objects.exists()
