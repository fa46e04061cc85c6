"""Every page in Chinese on a phone: no English sentence but those of the data, and nothing cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from evaluators.text.language import say, speaking
from tests.e2e.conftest import ROOT, settled
from tests.e2e.places import on_every_page, opened

PHONE = {"width": 400, "height": 860}

LOOK = """() => {
  const texts = [], cut = [];
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.closest("code, pre, script, style, svg title, [lang=en]")) continue;
      const { fontFamily, fontSize } = getComputedStyle(element);
      if (!isSeen(element) || fontSize === "0px" || fontFamily.includes("Material Symbols"))
        continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"])
        if (element.getAttribute(name)) texts.push(element.getAttribute(name));
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const text = own.map((node) => node.textContent).join(" | ").trim();
      if (!text) continue;
      texts.push(text);
      const style = getComputedStyle(element);
      if (style.overflowX !== "visible" && style.overflowX !== "auto" && style.clipPath === "none"
        && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
        cut.push(text);
    }
  };
  look(document);
  const main = document.querySelector("[data-testid=stMain]");
  return { texts, cut, sideways: main.scrollWidth - main.clientWidth };
}"""
"""All that can be read, to be seen or heard, and what does not fit its place."""

HALF_WIDTH = re.compile(r"[\u4e00-\u9fff）”][:,;?!](?!\d)|[，。：；！？] (?=[\u4e00-\u9fff])")
"""Marks of English beside Chinese, and a space where a full-width mark brings its own."""

OPEN_ALL = """() => {
  for (const summary of document.querySelectorAll("details:not([open]) > summary")) summary.click();
}"""

ENGLISH = re.compile(r"[A-Za-z]*[a-z]{2}[A-Za-z]*(?:[ ,.:;]+[A-Za-z]*[a-z]{2}[A-Za-z]*)+|[a-z]{3,}")
NAMES = re.compile(
    r"“[^”]*”|Offline reader(?: \(baseline, no key\)?)?"
    r"|https?://\S+|[\w./-]*[\d/_@][\w./-]*|English|Plumbline|Streamlit|Python|Excel|Parquet"
    r"|OpenTelemetry|Langfuse|LangSmith|Phoenix|MLflow|OpenAI|Groq|Hugging Face|Space|LaTeX|Markdown|Ctrl|Shift|Enter|Esc|kappa|alpha|JSON Lines"
    r"|Authorization|Bearer|HotpotQA|Yang et al\.|Retrieval-Augmented Generation Benchmark|Krippendorff's alpha|Cohen's kappa|Holm"
)
"""What is called so in Chinese too: addresses, models, files and programs, and what is quoted."""

STREAMLITS = re.compile(
    r"^(?:Help for|Remove) |^(?:App pages|Sidebar|Expand sidebar|Collapse sidebar|Main menu|Deploy"
    r"|Skip to main content|Show password|Choose an option|Choose options|Open|Clear value|Clear all"
    r"|Increment|Decrement|Pagination|Page \d+|Previous page|Next page|Shortcut \w+|\w+ icon)$"
)
"""What Streamlit itself says to screen readers, in English alone."""


@pytest.fixture(scope="module")
def texts_of_data() -> str:
    """What files that come with the app say: questions, documents, answers, names of models."""
    files = [path for path in (ROOT / "data").rglob("*") if path.suffix in (".jsonl", ".toml")]
    read = " ".join(path.read_text(encoding="utf-8") for path in files)
    return " ".join(read.replace('\\"', '"').replace("\\n", " ").split())


@on_every_page
def test_every_page_is_chinese_and_fits_a_phone(new_context, texts_of_data, pages):
    phone = new_context(viewport=PHONE, locale="zh-CN").new_page()
    faults = {}
    for name, address in pages.items():
        opened(phone, address)
        phone.evaluate(OPEN_ALL)
        settled(phone)
        seen = phone.evaluate(LOOK)
        english = sorted(set(english_in(seen["texts"], texts_of_data)))
        marks = sorted(
            {text[:120] for text in seen["texts"] if HALF_WIDTH.search(of_app(text, texts_of_data))}
        )
        if english or marks or seen["cut"] or seen["sideways"]:
            faults[name] = (english, marks, seen["cut"], seen["sideways"])
    assert faults == {}


def of_app(text: str, of_data: str) -> str:
    """The text if the app says it, nothing of one that stands in its data."""
    return "" if " ".join(text.split()) in of_data else text


def english_in(texts: list[str], of_data: str) -> Iterator[str]:
    for text in texts:
        own = NAMES.sub("|", STREAMLITS.sub("", " ".join(text.split())))
        if any(words[0] not in of_data for words in ENGLISH.finditer(own)):
            yield text[:120]


def test_the_switch_is_remembered_and_the_browser_decides_first(new_context):
    context = new_context(locale="en-GB")
    page = context.new_page()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_test_id("stSidebar").get_by_text("中文").click()
    with speaking("zh_CN"):
        expect(page.get_by_test_id("stSidebarNav").get_by_role("link").first).to_contain_text(
            say("Home")
        )
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    another = context.new_page()
    another.goto("/learn")
    expect(another.locator("html")).to_have_attribute("lang", "zh-CN")
    unknown = new_context(locale="zh-TW").new_page()
    unknown.goto("/")
    expect(unknown.locator("html")).to_have_attribute("lang", "zh-CN")


def test_what_is_chosen_in_a_list_outlives_the_switch(new_context):
    page = new_context(locale="en-GB").new_page()
    page.goto("/trace?run=example-invented")
    settled(page)
    order = page.get_by_role("combobox", name="Order")
    order.click()
    order.press("ArrowDown")
    order.press("Enter")
    settled(page)
    chosen = order.input_value()
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_text("中文").click()
    with speaking("zh_CN"):
        # The browser names what is chosen by its label, which is another one now.
        order_in_chinese = page.get_by_role("combobox", name=say("Order"))
        shown = say("{value}, highest first", value=say("Supported share"))
    expect(order_in_chinese).to_have_value(shown)
    sidebar.get_by_text("English").click()
    expect(order).to_have_value(chosen)
