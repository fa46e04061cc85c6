"""Every page in both themes by axe-core: nothing that shuts somebody out."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.conftest import settled
from tests.e2e.places import on_every_page, opened

# The package is here for this file alone: axe-core comes with it, so that no test needs a network.
PACKAGE = find_spec("axe_playwright_python")
assert PACKAGE is not None
assert PACKAGE.origin is not None
AXE = Path(PACKAGE.origin).with_name("axe.min.js").read_text(encoding="utf-8")

DARK = "rgb(16, 21, 31)"
"""The ground of the dark theme, as `.streamlit/config.toml` has it."""

SHUTS_OUT = {"serious", "critical"}
STREAMLITS: set[tuple[str, str]] = set()
"""What Streamlit draws so and we cannot mend: the rule and the beginning of the element."""


STILL = """* { transition: none !important; animation: none !important }
[data-stale] { opacity: 1 !important }"""
"""A colour on its way from one theme to the other would be measured as one that stays; and a wall
is drawn each second, while Streamlit fades what is being drawn anew.
"""


@on_every_page
def test_no_page_shuts_anybody_out(page, pages):
    violations = {}
    for name, address in pages.items():
        opened(page, address)
        if found := shut_out(page):
            violations[name] = found
    assert violations == {}


def shut_out(page: Page) -> list[str]:
    """What axe finds on the page as it stands, in the light and in the dark."""
    settled(page)
    page.add_style_tag(content=STILL)
    page.evaluate(AXE)
    found = serious(page.evaluate("axe.run({resultTypes: ['violations']})"))
    page.emulate_media(color_scheme="dark")
    # Streamlit follows at once; in the dark only colours are others.
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
    found += serious(page.evaluate("axe.run({runOnly: ['color-contrast']})"))
    page.emulate_media(color_scheme="light")
    return found


def serious(result: dict[str, Any]) -> list[str]:
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary']})"
        for rule in result["violations"]
        if rule["impact"] in SHUTS_OUT
        for node in rule["nodes"]
        if not any(
            rule["id"] == known and node["html"].startswith(element)
            for known, element in STREAMLITS
        )
    ]
