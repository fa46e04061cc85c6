"""A store that is deleted under the live app: every page says so and offers to save what is still
held.
"""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import running


def test_what_a_lost_store_held_can_be_saved_from_any_page(page, tmp_path):
    with running(tmp_path) as served:
        page.goto(f"{served.address}/settings")
        expect(page.get_by_role("heading", name="Backup")).to_be_visible()
        (tmp_path / "plumbline.sqlite3").unlink()
        page.get_by_test_id("stSidebarNav").get_by_role("link", name="Runs").click()
        expect(page.get_by_text("is gone: it was deleted or moved")).to_be_visible()
        field = page.get_by_role("textbox", name="File")
        expect(field).to_have_value(re.compile(r"plumbline-[\d-]+\.sqlite3$"))
        field.fill(str(tmp_path / "saved.sqlite3"))
        page.get_by_role("button", name="Save a backup").click()
        expect(page.get_by_text("saved.sqlite3", exact=False).last).to_be_visible()
        assert (tmp_path / "saved.sqlite3").stat().st_size > 0
