"""Notes and tags in the browser: written by keyboard only, and chosen by on the run's page."""

from playwright.sync_api import expect

from tests.e2e.conftest import settled

HOSTILE = "<img src=x onerror=alert(1)>"


def test_a_note_by_keyboard_becomes_a_chip_that_filters(page, own_run):
    page.goto(f"/sample?run={own_run.id}&sample=3")
    page.get_by_role("button", name="Add a note").focus()
    page.keyboard.press("Enter")
    field = page.get_by_role("combobox", name="Tags")
    expect(field).to_be_visible()
    settled(page)
    page.keyboard.press("Tab")
    expect(field).to_be_focused()
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Enter")
    expect(page.get_by_title(HOSTILE)).to_be_visible()
    expect(page.get_by_text("you, ")).to_be_visible()
    page.keyboard.press("Escape")
    settled(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Note", exact=True)).to_be_focused()
    # The keys of the evidence view are letters here.
    page.keyboard.type("1 u Says 1925.")
    page.keyboard.press("Control+Enter")
    settled(page)
    expect(page.get_by_text("1 correction")).to_have_count(0)
    page.get_by_role("button", name="Back to the run").click()

    chip = page.get_by_role("radio", name=f"{HOSTILE} 1")
    chip.click()
    expect(page.get_by_text("1 sample. Click a row to open it.")).to_be_visible()
    expect(page.locator(".samples .note")).to_have_text(f"{HOSTILE} · 1 u Says 1925.")
    chip.click()
    expect(page.get_by_text("24 samples. Click a row to open it.")).to_be_visible()
