"""The evidence view in the browser: sentences to click, labels by mouse, key and touch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from evaluators.records import Dataset, Labelling, Labels, Run, Sample, SentenceSupport, Support
from evaluators.text.sentences import cut
from evaluators.trace.labelling import labelled_score
from tests.e2e.conftest import Server, settled
from tests.stored import stored_run

HOSTILE = (
    "<img src=x onerror=alert(1)><script>alert(2)</script>![x](http://127.0.0.1:9/x.png)&amp;\"'"
)
QUIET = " ".join(f"Boat {n} lies in the harbour." for n in range(61))
ARABIC = "أغلق الجسر في عام 1931. مات شخصان في London."


Keep = Callable[..., Run]


@pytest.fixture
def stored(server: Server) -> Iterator[Keep]:
    """Stores a run of one answer for one try of one test: what people did to another is not in it.

    Labels stay in the store, so a run that tests share would show those of an earlier one.
    """
    kept: list[Run] = []

    def keep(name: str, *texts: Any, **facts: Any) -> Run:
        kept.append(one_answer(server, name, *texts, **facts))
        return kept[-1]

    yield keep
    for run in kept:
        server.store.runs.delete(run.id)


@pytest.fixture
def bridge(stored: Keep) -> Run:
    """One answer: its first sentence rests on the first of the documents, its second on none."""
    documents = (f"A flood closed the bridge. {QUIET} The ferry was green.", "It was in March.")
    labels = Labels(
        relevant_keys=("0a", "1a"),
        utilized_keys=("0a",),
        sentence_support=(
            SentenceSupport(key="a", support=Support.FULL, supporting_keys=("0a",)),
            SentenceSupport(key="b", support=Support.NONE, explanation="No sentence says so."),
        ),
    )
    gold = labels.model_copy(update={"relevant_keys": ("0a",)})
    answer = "The flood closed it. Two people died."
    return stored("bridge", "Why was it closed?", answer, documents, labels, gold)


@pytest.fixture
def arabic(stored: Keep) -> Run:
    labels = Labels(sentence_support=(SentenceSupport(key="a", support=Support.FULL),))
    return stored("arabic", "لماذا أغلق الجسر؟", ARABIC, (ARABIC,), labels)


@pytest.fixture
def hostile(stored: Keep) -> Run:
    support = SentenceSupport(
        key="a", support=Support.NONE, supporting_keys=(HOSTILE,), explanation=HOSTILE
    )
    labels = Labels(sentence_support=(support,))
    text = f"{HOSTILE} is here."
    return stored("hostile", HOSTILE, text, (text,), labels, labels, by=HOSTILE)


def test_a_click_on_a_sentence_lights_its_evidence_and_says_why(page, bridge):
    visit(page, bridge)
    expect(sentence(page, "a")).to_have_accessible_name("a, supported: The flood closed it.")
    expect(sentence(page, "1a")).to_have_accessible_name("1a, relevant: It was in March.")
    sentence(page, "a").click()
    expect(page.locator(".lit")).to_have_count(1)
    expect(sentence(page, "0a")).to_have_class(re.compile(r"\blit\b"))
    expect(bubble(page)).to_contain_text("Supported by 0a")
    expect(bubble(page)).to_contain_text("Gold said: supported by 0a")

    sentence(page, "b").click()
    expect(page.locator(".lit")).to_have_count(0)
    expect(bubble(page)).to_contain_text("Not supported. No sentence says so.")
    sentence(page, "0a").click()
    expect(sentence(page, "a")).to_have_class(re.compile(r"\blit\b"))
    expect(bubble(page)).to_contain_text("Carries a of the answer.")
    expect(page.locator(".bubble")).to_have_count(1)
    sentence(page, "0a").click()
    expect(page.locator(".bubble")).to_have_count(0)


def test_what_claims_nothing_is_explained_beside_the_colours(page, bridge):
    visit(page, bridge)
    rule = page.locator(".legend .term")
    expect(rule).to_have_attribute("title", re.compile("^A sentence that claims nothing counts"))
    expect(rule).to_have_attribute("href", re.compile("no_claim"))


def test_what_is_neither_relevant_nor_used_folds_and_opens(page, bridge):
    visit(page, bridge)
    fold = page.get_by_role("button", name="… 62 sentences …")
    assert page.locator(".documents .sentence").count() == 2
    fold.click()
    expect(page.locator(".documents .sentence")).to_have_count(64)
    sentence(page, "0bk").scroll_into_view_if_needed()
    expect(page.locator(".strip")).to_be_in_viewport()
    expect(sentence(page, "a")).to_be_in_viewport()


def test_labels_by_keyboard_change_the_numbers_without_a_reload_and_survive_one(page, own_run):
    page.goto(f"/sample?run={own_run.id}&sample=6")
    expect(sentence(page, "a")).to_be_visible()
    page.evaluate("window.isSamePage = true")
    for key in ("ArrowDown", "3", "ArrowDown", "2"):
        page.keyboard.press(key)
    expect(number(page, "Adherence")).to_contain_text("people say 0/")
    expect(sentence(page, "a")).to_have_accessible_name(re.compile("^a, .*you: not supported"))
    expect(sentence(page, "b")).to_have_accessible_name(re.compile("^b, .*you: partly supported"))
    expect(bubble(page)).to_contain_text(re.compile(r"You, \d\d:\d\d: partly supported\."))
    expect(bubble(page)).to_contain_text("Heuristic said: ")
    expect(page.get_by_text("2 corrections · newest: b partly supported")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Sample 7 of 24")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Sample 6 of 24")).to_be_visible()
    expect(page.get_by_text("2 corrections")).to_be_visible()
    assert page.evaluate("window.isSamePage")

    page.reload()
    expect(sentence(page, "a")).to_have_accessible_name(re.compile("^a, .*you: not supported"))
    expect(number(page, "Adherence")).to_contain_text("people say 0/")
    page.keyboard.press("u")
    expect(page.get_by_text("1 correction ·")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("1 correction ·")).to_have_count(0)


def test_a_person_names_the_sentence_that_carries_another(page, bridge):
    visit(page, bridge)
    sentence(page, "b").click()
    page.keyboard.press("1")
    expect(bubble(page)).to_contain_text("By which sentence?")
    sentence(page, "1a").click()
    expect(bubble(page)).to_contain_text(re.compile(r"You, \d\d:\d\d: supported by 1a\."))
    expect(sentence(page, "1a")).to_have_class(re.compile(r"\blit\b"))
    expect(number(page, "Adherence")).to_contain_text("people say 2/2")
    expect(number(page, "Adherence")).to_contain_text("1/2 ✗")
    sentence(page, "1a").click()
    bubble(page).get_by_role("button", name="used").click()
    expect(number(page, "Context utilization")).to_contain_text("people say 2/2")
    expect(number(page, "Context utilization")).to_contain_text("1/2")
    page.get_by_role("button", name="Undo all").click()
    expect(number(page, "Adherence")).not_to_contain_text("people say")
    expect(number(page, "Context utilization")).not_to_contain_text("people say")


def test_labels_can_be_hidden_guessed_and_revealed(page, bridge):
    visit(page, bridge)
    page.get_by_role("switch", name="Hide the labels").check()
    expect(sentence(page, "b")).to_have_accessible_name("b: Two people died.")
    expect(page.locator(".v-none, .v-relevant").and_(page.locator(".sentence"))).to_have_count(0)
    expect(page.get_by_text("… 62 sentences …")).to_have_count(0)
    expect(number(page, "Adherence")).to_have_text("Adherence ?")
    sentence(page, "b").click()
    bubble(page).get_by_role("button", name="supported", exact=True).click()
    expect(sentence(page, "b")).to_contain_text("your guess: supported")
    page.keyboard.press("r")
    expect(sentence(page, "b")).to_have_accessible_name(
        re.compile("^b, not supported, your guess: supported")
    )
    expect(page.get_by_text("You: 0 of 1 like")).to_be_visible()
    expect(number(page, "Adherence")).to_contain_text("1/2")
    page.reload()
    expect(number(page, "Adherence")).to_have_text("Adherence ?")
    expect(sentence(page, "b")).to_contain_text("your guess: supported")
    sentence(page, "b").click()
    page.keyboard.press("u")
    expect(sentence(page, "b")).not_to_contain_text("your guess")


def test_one_person_confirms_another_objects_and_their_names_stay_text(page, bridge):
    visit(page, bridge)
    page.keyboard.press("a")
    expect(page.get_by_text("✓ You: all right as it is")).to_be_visible()
    page.get_by_role("button", name="You are: you").click()
    page.get_by_role("textbox", name="Your name").fill(HOSTILE[:40])
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"You are: {HOSTILE[:40]}")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".people")).to_have_text("You: all right as it is")
    sentence(page, "a").click()
    page.keyboard.press("3")
    expect(number(page, "Adherence")).to_contain_text("people say 0/2")  # a tie
    expect(page.get_by_role("radio", name="You")).to_be_visible()
    page.keyboard.press("u")
    expect(number(page, "Adherence")).not_to_contain_text("people say")
    assert page.locator("img[src=x]").count() == 0


def test_a_phone_labels_by_touch_and_shows_the_evidence_in_the_bubble(bridge, new_context):
    phone = new_context(viewport={"width": 400, "height": 800}, has_touch=True).new_page()
    visit(phone, bridge)
    sentence(phone, "a").tap()
    quote = bubble(phone).get_by_role("button", name="A flood closed the bridge.")
    expect(quote).to_be_in_viewport()
    main = "document.querySelector('[data-testid=stMain]')"
    assert phone.evaluate(f"{main}.scrollWidth - {main}.clientWidth") == 0
    quote.tap()
    expect(sentence(phone, "0a")).to_be_in_viewport()
    expect(bubble(phone)).to_contain_text("Carries a of the answer.")


def test_sentences_run_in_their_own_direction_with_the_key_before_them(page, arabic):
    visit(page, arabic)
    assert sentence(page, "a").evaluate("row => getComputedStyle(row).direction") == "rtl"
    for key in ("a", "b", "0a"):
        row = sentence(page, key)
        place, text, _ = (
            row.locator(f":scope > :nth-child({n})").bounding_box() for n in (1, 2, 3)
        )
        assert place["x"] > text["x"]
        assert row.locator(".key").inner_text() == key
    expect(page.locator(".question")).to_have_css("direction", "rtl")


def test_nothing_that_files_models_or_people_wrote_becomes_html(page, hostile):
    visit(page, hostile)
    sentence(page, "a").click()
    expect(page.locator(".question")).to_have_text(HOSTILE)
    expect(bubble(page)).to_contain_text(f"nearest {HOSTILE} (does not exist)")
    assert page.locator(".evidence img, .evidence script, .evidence a:not(.term)").count() == 0
    assert page.locator(".evidence *[onerror]").count() == 0


def test_keys_and_badges_are_not_copied(page, bridge):
    visit(page, bridge)
    for name in ("key", "badge"):
        mark = sentence(page, "a").locator(f".{name}")
        expect(mark).to_have_css("user-select", "none")
        expect(mark).to_have_attribute("aria-hidden", "true")


def visit(page: Page, run: Run) -> None:
    page.goto(f"/sample?run={run.id}&sample=1")
    expect(sentence(page, "a")).to_be_visible()
    settled(page)


def sentence(page: Page, key: str) -> Locator:
    return page.locator(f"[data-key='{key}']")


def bubble(page: Page) -> Locator:
    return page.locator(".bubble")


def number(page: Page, label: str) -> Locator:
    return page.locator(".number", has_text=label)


def one_answer(
    server: Server,
    name: str,
    question: str,
    response: str,
    documents: tuple[str, ...],
    labels: Labels,
    gold: Labels | None = None,
    by: str = "heuristic",
) -> Run:
    """A run with one answer that was labelled so."""
    sentences = cut(response, documents)
    sample = Sample(
        id="1",
        question=question,
        response=response,
        retrieved_documents=documents,
        ground_truth=question,
        situation=question,
        sources=(question,) * len(documents),
        sentences=sentences,
        labels=gold,
    )
    data = Dataset(name=name, samples=(sample,))
    score = labelled_score(sample, sentences, [], Labelling(by=by, labels=labels))
    run_id = f"{name}-{uuid4().hex}"
    return stored_run(server.store, data, "trace", scores=[score], id=run_id)
