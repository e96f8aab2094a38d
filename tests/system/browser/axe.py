"""Faults of a page by axe-core, for people who listen to it, use the keyboard alone, or need contrast."""

from typing import Any

from playwright.sync_api import Page

from tests.javascript import TOOLS

#: Style sheets are not loaded a second time: the page's own policy would forbid it, and that be told as its error.
RUN = """async () => {
    const found = await axe.run({resultTypes: ["violations"], preload: false});
    return found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}"""


def faults(page: Page) -> list[str]:
    """Return each rule that the page breaks as it stands, with its elements; frames are pages of their own."""
    page.evaluate((TOOLS / "axe-core/axe.min.js").read_text())
    result: Any = page.evaluate(RUN)
    return list(result)
