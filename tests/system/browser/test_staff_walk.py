"""Each role of the staff follows every link that it is shown, as a curious person would.

The superuser sees the pages rendered, but of histories, which are alike, that of a table alone; the pages of the other
roles are only read.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.support.platform import Platform
from tests.system.browser.steps import leave, pass_turn, practise, sign_up
from tests.system.browser.walk import walk

pytestmark = pytest.mark.browser

STAFF = "run-thirteen"
#: Where staff have their work; what else is linked there is the players' site.
PLACES = ("/admin/", "/finance/")
#: Whatever has a history has it on the same template.
ALIKE = r"^/admin/(?!tables/table/).*/history/$"


@pytest.fixture(scope="module")
def history(platform: Platform) -> list[str]:
    """Return the list of roles that have walked; there is one match that was played."""
    return []


@pytest.mark.parametrize("role", ["support", "operations", "finance", "staff"])
def test_every_link_that_a_role_is_shown_leads_to_a_page(
    role: str, visitor: Callable[..., Page], platform: Platform, history: list[str]
) -> None:
    if not history:
        history.append(play(visitor()))
    page = visitor()
    page.goto(platform.address + "/login/")
    page.get_by_label("Name", exact=True).fill(role)
    page.locator("input[type=password]").fill(STAFF)
    page.get_by_role("button", name="Sign in").click()
    walked = walk(page, platform.address + "/admin/", places=PLACES, read=ALIKE if role == "staff" else "")
    visited = walked.status
    assert walked.faults == []
    assert len(visited) > 12, visited
    wrong = [(path, status) for path, status in visited.items() if status != 200]
    assert wrong == []
    assert ("/finance/" in visited) == (role in {"finance", "staff"})
    assert ("/admin/tables/table/" in visited) == (role != "finance")


def play(page: Page) -> str:
    """Play into a deal as somebody new, and leave."""
    name = sign_up(page)
    practise(page, computers=1)
    pass_turn(page)
    leave(page)
    return name
