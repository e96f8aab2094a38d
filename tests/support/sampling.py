"""The choice of the cases of a test that run at the fast door."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def one_of_each(cases: Iterable[Any], kind: Callable[[Any], object] = lambda case: None) -> list[Any]:
    """Return the cases for a test: the first of each kind runs at every door, the others run with `--all` alone."""
    seen: set[object] = set()
    params = []
    for case in cases:
        is_repeated = kind(case) in seen
        seen.add(kind(case))
        params.append(pytest.param(case, marks=pytest.mark.slow) if is_repeated else case)
    return params
