"""A queue in the browser: ten answers by keys alone, the same by thumb, and two people who agree."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from evaluators.people.queues import LabelQueue
from evaluators.records import Dataset, Labelling, Labels, Run, Sample, SentenceSupport, Support
from evaluators.runs.label_queues import Wish, draw
from evaluators.runs.run_view import RunView
from evaluators.text.sentences import cut
from evaluators.trace.labelling import labelled_score
from tests.e2e.conftest import Server, file_to_download, settled
from tests.stored import stored_run

SIZE = 10


@pytest.fixture
def run(server: Server, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Ten answers of two sentences each, all supported in the eyes of the run's labeller."""
    names = [f"mill {number}" for number in range(SIZE)]
    samples = tuple(_sample(name) for name in names)
    title = request.node.name
    data = Dataset(name=title, samples=samples)
    full = tuple(SentenceSupport(key=key, support=Support.FULL) for key in "ab")
    labelling = Labelling(by="heuristic", labels=Labels(sentence_support=full))
    scores = [labelled_score(sample, sample.sentences, [], labelling) for sample in samples]
    run = stored_run(server.store, data, "trace", scores=scores, id=title)
    yield run
    server.store.runs.delete(run.id)


def _sample(name: str) -> Sample:
    response = f"The {name} grinds rye. It is blue."
    documents = (f"The {name} grinds rye.", "Its wheel is made of oak.")
    return Sample(
        id=name,
        question=f"What does {name} grind?",
        response=response,
        retrieved_documents=documents,
        sentences=cut(response, documents),
    )


@pytest.fixture
def queue(server: Server, run: Run) -> LabelQueue:
    drawn = draw(RunView.read(server.store, run), Wish(n=SIZE), seed=0)
    server.store.label_queues.save(drawn)
    return drawn


def test_ten_answers_are_labelled_by_keys_alone(page, server, run):
    page.goto(f"/label?run={run.id}")
    page.get_by_role("button", name="Label 10 answers").focus()
    page.keyboard.press("Enter")
    expect(progress(page)).to_have_text("1 of 10")
    # One sentence after the other; the next one is chosen by itself.
    expect(chosen(page)).to_have_attribute("data-key", "a")
    page.keyboard.press("1")
    expect(chosen(page)).to_have_attribute("data-key", "b")
    page.keyboard.press("3")
    page.keyboard.press("n")
    expect(progress(page)).to_have_text("2 of 10")
    # Not before all is labelled.
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("2 sentences without a label")
    for place in range(2, SIZE):
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        expect(progress(page)).to_have_text(f"{place + 1} of 10")
    page.keyboard.press("2")
    expect(page.get_by_text("you: partly supported")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("you: partly supported")).to_have_count(0)
    page.keyboard.press("c")
    expect(page.get_by_text("That was the last one: 9 labelled, 1 cannot tell.")).to_be_visible()
    # The first has a sentence that nothing supports.
    expect(page.get_by_text("You and the run agree on 8 of 9")).to_be_visible()
    expect(page.get_by_role("button", name="Check", exact=True)).to_be_visible()

    labels = [label for own in server.store.person_labels.by_cell(run.id).values() for label in own]
    assert len([label for label in labels if label.label == "support"]) == 18
    assert {(label.person, label.blind, label.drawn) for label in labels} == {
        ("you", True, "by verdict")
    }


def test_labels_lead_to_the_corrected_mean_and_a_file_in_few_clicks(page, own_run):
    page.goto(f"/trace?run={own_run.id}")
    expect(page.get_by_role("button", name="Label some …")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Label some …").click()
    page.get_by_role("spinbutton", name="How many").fill("15")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Label 15 answers").click()
    for place in range(15):
        expect(progress(page)).to_have_text(f"{place + 1} of 15")
        expect(chosen(page)).to_be_visible()
        page.keyboard.press("a")
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("people say 100 %"))).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Back to the run").click()
    expect(page.get_by_role("heading", name=re.compile("people 100 %"))).to_be_visible()
    page.get_by_role("button", name="Share", exact=True).click()
    file_to_download(page, "Labels (JSON lines)")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()

    # Clicks beside the labels: Label some, how many, Label 15, Check, back twice, Share, which file, Download.
    labels = download.value.path().read_text(encoding="utf-8")
    assert labels.count('"blind": true') >= 15


def test_a_phone_labels_ten_answers_by_thumb(new_context, queue):
    phone = new_context(viewport={"width": 400, "height": 800}, has_touch=True).new_page()
    phone.goto(f"/label?queue={queue.id}")
    settled(phone)
    phone.get_by_label("Your name").fill("Ben")
    phone.get_by_role("button", name="Start").tap()
    expect(progress(phone)).to_have_text("1 of 10")
    main = "document.querySelector('[data-testid=stMain]')"
    assert phone.evaluate(f"{main}.scrollWidth - {main}.clientWidth") == 0
    phone.get_by_role("button", name="not supported", exact=True).tap()
    expect(chosen(phone)).to_have_attribute("data-key", "b")
    phone.get_by_role("button", name="All others supported").tap()
    phone.get_by_role("button", name="Next").tap()
    for place in range(1, SIZE):
        expect(progress(phone)).to_have_text(f"{place + 1} of 10")
        phone.get_by_role("button", name="All supported").tap()
        phone.get_by_role("button", name="Next").tap()
    expect(phone.get_by_text("That was the last one: 10 labelled.")).to_be_visible()
    differing = phone.get_by_test_id("stTable")
    expect(differing).to_contain_text("What does mill")
    assert differing.evaluate("table => table.scrollWidth - table.clientWidth") == 0


def begin(page: Page, queue: LabelQueue, name: str) -> None:
    page.goto(f"/label?queue={queue.id}")
    settled(page)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Start").click()


def test_two_people_label_and_see_how_far_they_agree(page, new_context, queue):
    other = new_context().new_page()
    begin(other, queue, "<b>Anna</b>")
    label_all(other, unsupported=0)

    begin(page, queue, "Ben")
    expect(page.get_by_text("your guess")).to_have_count(0)
    label_all(page, unsupported=3)

    expect(page.get_by_text("Ben and <b>Anna</b> agree on 7 of 10")).to_be_visible()


def test_a_run_deleted_while_it_is_labelled_says_so(page, server, run, queue):
    begin(page, queue, "Ben")
    expect(progress(page)).to_have_text("1 of 10")
    server.store.runs.delete(run.id)
    page.keyboard.press("s")

    expect(page.get_by_text("its run was deleted")).to_be_visible()


def progress(page: Page) -> Locator:
    return page.locator(".st-key-label_bar .head b")


def chosen(page: Page) -> Locator:
    """The sentence that the keys label."""
    return page.locator(".sentence.selected")


def label_all(page: Page, unsupported: int) -> None:
    """Labels every answer by keys, the first sentence of some as not supported."""
    for place in range(SIZE):
        expect(progress(page)).to_have_text(f"{place + 1} of 10")
        expect(chosen(page)).to_have_attribute("data-key", "a")
        if place < unsupported:
            page.keyboard.press("3")
        page.keyboard.press("a")
        page.keyboard.press("n")
    expect(page.get_by_text("That was the last one: 10 labelled.")).to_be_visible()
