"""A lesson on a phone: it is tapped through to its end, which is an answer in the app."""

from playwright.sync_api import expect

from tests.e2e.conftest import settled


def test_a_lesson_is_finished_on_a_phone(page):
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto("/learn")
    settled(page)
    page.get_by_role("button", name="Play").nth(1).click()
    expect(page.get_by_role("heading", name="TRACE on one page")).to_be_visible()
    settled(page)
    strip = page.locator(".pl-strip-of-values")
    expect(strip).to_contain_text("relevant sentences / all document sentences")
    for place in (1, 2):
        page.get_by_role("button", name="relevant").nth(place).click()
        settled(page)
    expect(strip).to_contain_text("2 / 5 = 0.40")
    # By keyboard as well: the radio buttons of the answer's first sentence.
    first = page.get_by_role("radio", name="supported", exact=True).first
    first.focus()
    first.press("Space")
    last = page.get_by_role("radio", name="Ours")
    last.scroll_into_view_if_needed()
    # However far one is down the page, the values stay in sight.
    expect(strip).to_be_in_viewport()
    last.click()
    expect(page.get_by_text("we say partly supported")).to_be_visible()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    page.get_by_role("button", name="See this answer in the app").click()
    expect(page.get_by_text("How do I remove limescale from the Arvo kettle?")).to_be_visible()


def test_a_question_mark_opens_its_word_in_another_tab(page):
    page.goto("/trace?run=example-invented")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="What is Adherence?").first.click()
    word = opened.value.get_by_role("heading", name="Adherence", exact=True)
    expect(word).to_be_visible()
