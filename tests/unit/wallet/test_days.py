"""Times as players read them: in one zone, and named with it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from wallet.base import report_zone

EVENING = datetime(2026, 11, 21, 23, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Asia/Kolkata", "22 Nov 2026, 04:35 IST"),
        ("Asia/Dubai", "22 Nov 2026, 03:05 UTC+04"),
        ("Europe/London", "21 Nov 2026, 23:05 GMT"),
    ],
)
def test_a_moment_is_told_with_its_zone(zone: str, text: str, settings: Any) -> None:
    settings.REPORT_ZONE = zone
    assert report_zone.format_moment(EVENING) == text
    assert text.startswith(report_zone.format_moment_short(EVENING))
    assert report_zone.zone_in_words().startswith(zone.split("/")[1] + " time (")
