"""Nudges that waited too long are dropped: the sweep has been at their tables, and must not stand behind them."""

from queue import Queue
from typing import Any

import pytest

from tables.play import clocks


@pytest.mark.parametrize("delay", [0.0, 30.0])
def test_a_nudge_is_dropped_soon_after_its_moment(monkeypatch: pytest.MonkeyPatch, delay: float) -> None:
    sent: list[dict[str, Any]] = []

    def send(name: str, arguments: tuple[int], **options: Any) -> None:
        sent.append(options)
        raise KeyboardInterrupt

    waiting: Queue[clocks.Nudge] = Queue()
    monkeypatch.setattr("celery.current_app.send_task", send)
    monkeypatch.setattr(clocks.time, "monotonic", lambda: 100.0)
    waiting.put((7, 100.0 + delay))
    with pytest.raises(KeyboardInterrupt):
        clocks._send_nudges(waiting)
    [options] = sent
    assert options["countdown"] == delay
    assert 1 < options["expires"] - options["countdown"] < 5
