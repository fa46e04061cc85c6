"""What a stranger sees by one click on Home."""

from playwright.sync_api import expect

from tests.e2e.conftest import settled


def test_one_click_shows_how_noise_hurts(page):
    page.goto("/")
    settled(page)
    page.get_by_role("button", name="See the result").first.click()
    expect(page).to_have_title("RGB · Why noise hurts (illustration) · Plumbline")
    expect(page.get_by_text("not measurements of a named model")).to_be_visible()
    chart = page.locator(".js-plotly-plot").first
    expect(chart.get_by_text("Model A").first).to_be_visible()
    expect(chart.get_by_text("Model B").first).to_be_visible()


def test_a_second_click_explains_the_invented_sentence_without_a_scroll(new_context):
    page = new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.goto("/")
    settled(page)
    page.get_by_role("link", name="Open one answer").click()
    expect(page).to_have_title("Sample · Find the invented sentence (illustration) · Plumbline")
    for labeller in ("Jury", "Gold", "Judge B"):
        expect(page.get_by_text(labeller, exact=True).first).to_be_in_viewport()
    invented = page.get_by_role("button", name="b, not supported: The company pays them 30 euros")
    expect(invented).to_be_in_viewport()
    settled(page)
    invented.click()
    expect(page.get_by_text("supported by 1a. The company equips")).to_be_in_viewport()
    page.get_by_role("button", name="Make it yours").click()
    expect(page.get_by_text("not measurements of a named model")).to_have_count(0)
    expect(invented).to_be_visible()
