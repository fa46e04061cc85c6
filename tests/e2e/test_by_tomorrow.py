"""Half-price answers in the browser: sent, the app stopped and started again, collected with the key
typed anew.
"""

import re

from playwright.sync_api import expect

from tests import judge
from tests.e2e.conftest import LONG, mean, running, settled
from tests.loopback import Loopback

KEY = "sk-in-the-browser-0123456789"


def test_sent_today_and_collected_tomorrow_after_a_restart(page, tmp_path):
    with Loopback(key=KEY, answer=judge.labels_for, models=("gpt-6-luna",)) as provider:
        address = {"OPENAI_BASE_URL": provider.base_url}
        with running(tmp_path, OPENAI_API_KEY=KEY, **address) as app:
            page.goto(f"{app.address}/trace")
            settled(page)
            page.get_by_text("One judge", exact=True).click()
            settled(page)
            page.get_by_text("By tomorrow, half the price", exact=True).click()
            settled(page)
            page.get_by_role("button", name=re.compile("^Evaluate all 24 samples, up to")).click()
            expect(page.get_by_text("Answers by tomorrow · 0 of 24 checked")).to_be_visible()
            expect(page.get_by_text(re.compile("OpenAI: 24 requests sent"))).to_be_visible()
        provider.batches.finish()

        with running(tmp_path, **address) as app:
            page.goto(f"{app.address}/runs")
            settled(page)
            page.get_by_role("button", name="Collect").click()
            page.get_by_label("API key for OpenAI", exact=True).fill(KEY)
            popover = page.get_by_test_id("stPopoverBody")
            popover.get_by_role("button", name="Collect").click()
            expect(page.get_by_text("24 answers checked").first).to_be_visible(timeout=LONG)
            page.locator(".runs button.open").first.click()
            expect(mean(page, "Adherence")).not_to_have_text("–")
            expect(page.get_by_role("button", name="Collect")).to_have_count(0)
    assert provider.asked == []
