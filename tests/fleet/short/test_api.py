"""A few hundred requests of the API fuzzer, and proof that it detects what it is for."""

import pytest
from django.http import HttpRequest, HttpResponse

from lobby.stakes import api as stakes
from tests.fleet import api as fuzzer

pytestmark = pytest.mark.django_db


def test_nothing_that_anybody_sends_is_answered_with_a_500() -> None:
    figures = fuzzer.play(seed=7, size=450)
    assert figures["faults"] == []
    assert figures["operations"] >= 20
    assert {"200", "400", "401", "403", "404"} <= set(figures["answers"])


def test_a_view_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(self: object, request: HttpRequest) -> HttpResponse:
        raise KeyError("players")

    monkeypatch.setattr(stakes.Practice, "post", breaks)
    assert any("/api/practice/" in fault and "500" in fault for fault in fuzzer.play(seed=7, size=200)["faults"])
