"""A short part of `python -m tests.fleet fuzz`."""

import random
from itertools import islice

import pytest

from tables.errors import TableError
from tables.play import protocol
from tests.fleet import fuzz

pytestmark = pytest.mark.slow


def test_the_server_survives_hostile_frames_and_the_game_goes_on() -> None:
    figures = fuzz.run(seed=7, size=1_200)
    assert figures["faults"] == []
    assert figures["answers"]["bad_frame"] > 250
    assert figures["closed"].get("1009"), "something was too large"


def test_a_frame_is_read_or_refused_by_name_and_never_costs_more() -> None:
    read = refused = 0
    for frame in islice(fuzz.frames(random.Random(3)), 20_000):
        try:
            protocol.parse_frame(frame if isinstance(frame, str) else "")
            read += 1
        except TableError as error:
            assert error.code in ("bad_frame", "unknown_type")
            refused += 1
    assert read > 500
    assert refused > 10_000
