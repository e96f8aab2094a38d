"""Templates are read by people, too: no line is longer than a screen is wide."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from config.bootstrap import ROOT

TEMPLATES = ROOT / "templates"
LONGEST = 160


def test_no_line_of_a_template_is_long() -> None:
    assert too_long(TEMPLATES.rglob("*.html")) == []


@pytest.mark.parametrize(("length", "found"), [(LONGEST, 0), (LONGEST + 1, 1)])
def test_a_planted_line_is_found_if_it_is_too_long(tmp_path: Path, length: int, found: int) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>\n" + "अ" * length + "\n</p>\n")
    assert len(too_long([page])) == found


def too_long(pages: Iterable[Path]) -> list[str]:
    """Return where the lines stand that have more characters than `LONGEST`."""
    return [
        f"{page.name}:{number}"
        for page in sorted(pages)
        for number, line in enumerate(page.read_text().splitlines(), 1)
        if len(line) > LONGEST
    ]
