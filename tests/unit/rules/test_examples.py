"""The examples in the docstrings of the rules are true."""

import doctest
from types import ModuleType

import pytest

from rules import payouts
from rules.game import engine
from rules.solver import search


@pytest.mark.parametrize("module", [engine, payouts, search], ids=lambda module: module.__name__)
def test_the_examples_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted and not result.failed
