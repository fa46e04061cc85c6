"""Every page in both themes by axe-core: nothing that shuts somebody out."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.e2e.places import PAGES, opened

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


def test_no_page_shuts_anybody_out(page):
    violations = {}
    for name, address in PAGES.items():
        opened(page, address)
        # A colour on its way from one theme to the other would be measured as one that stays.
        page.add_style_tag(content="* { transition: none !important }")
        page.evaluate(AXE)
        in_light = page.evaluate("axe.run({resultTypes: ['violations']})")
        page.emulate_media(color_scheme="dark")
        # Streamlit follows at once; in the dark only colours are others.
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
        in_the_dark = page.evaluate("axe.run({runOnly: ['color-contrast']})")
        page.emulate_media(color_scheme="light")
        if found := serious(in_light) + serious(in_the_dark):
            violations[name] = found
    assert violations == {}


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
