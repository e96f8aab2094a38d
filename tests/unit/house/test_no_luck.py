"""What tests draw by chance is the same each time, whatever ran before."""

import secrets

import pytest


@pytest.fixture(scope="module")
def shared() -> str:
    return secrets.token_hex(4)


def test_a_test_draws_the_same_each_time() -> None:
    assert [secrets.token_hex(4), secrets.token_hex(4)] == ["392c5d05", "2e9ed220"]


def test_what_tests_share_is_the_same_whoever_is_first_and_leaves_the_test_its_own(shared: str) -> None:
    assert [shared, secrets.token_hex(4)] == ["fbb0d403", "abf1192d"]
