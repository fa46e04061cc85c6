"""A RAG system of one's own, in the browser: added by clicks, then asked by Metrics, TRACE and RGB."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from evaluators.records import Dataset, Sample
from tests.e2e.conftest import LONG, Server, mean, press, running, settled
from tests.rag_service import DOCUMENTS, RagService

KEY = "right-key-0123456789"
QUESTIONS = Dataset(
    name="Questions",
    samples=(
        Sample(
            id="1",
            question="When was the tower built?",
            ground_truth="The tower was built in 1889.",
            gold_documents=(DOCUMENTS[0],),
        ),
        Sample(
            id="2",
            question="When was the bridge opened?",
            ground_truth="1932",
            gold_documents=("The bridge has two towers.",),
        ),
    ),
)


@pytest.fixture(scope="module")
def service() -> Iterator[RagService]:
    with RagService(key=KEY) as service:
        yield service


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("own")) as served:
        served.store.uploads.save("local", QUESTIONS.name, QUESTIONS)
        yield served


def add(page, app, service, path, answer, documents, name="my-rag", body=""):
    """Adds the system at a path of the service, by clicks on the answer and the documents."""
    page.goto(f"{app.address}/settings")
    settled(page)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Address").fill(service.address + path)
    if body:
        page.get_by_role("textbox", name="Body").fill(body)
    page.get_by_label("Header", exact=True).first.fill("Authorization")
    page.get_by_role("textbox", name="Header value").first.fill(f"Bearer {KEY}")
    page.get_by_label("A question to try").fill("When was the tower built?")
    press(page, "Try one")
    row = page.locator("[data-testid=stHorizontalBlock]")
    for place, role in ((answer, "Answer"), (documents, "Documents")):
        of_place = row.filter(has=page.get_by_text(place, exact=True)).last
        of_place.get_by_role("button", name=role).click()
        settled(page)
    # Emptied: the browser does not hold the key either.
    expect(page.get_by_role("textbox", name="Header value").first).to_have_value("")
    press(page, "Use this system")
    expect(page.get_by_text(f"{name} at {service.address}{path} stands among")).to_be_visible()


def choose(page, name):
    page.get_by_role("button", name=re.compile("Remove Offline reader")).click()
    page.get_by_role("combobox", name="Models").click()
    page.get_by_role("option", name=re.compile(f"^{name} · my RAG system")).click()
    page.keyboard.press("Escape")
    settled(page)


def test_it_is_added_by_clicks_and_its_retrieval_and_answers_are_scored(page, app, service):
    add(page, app, service, "/ask", "result.answer", "result.sources[].text")
    page.goto(f"{app.address}/metrics?new={QUESTIONS.name}")
    settled(page)
    choose(page, "my-rag")
    page.get_by_role("combobox", name="Metrics").click()
    page.get_by_role("option", name="Retriever recall").click()
    page.keyboard.press("Escape")
    press(page, "Measure 2 samples")
    expect(page.get_by_text("2 answers checked").first).to_be_visible(timeout=LONG)

    # The tower's document was found, and no document has the bridge's gold text.
    expect(mean(page, "Retriever recall")).to_contain_text("0.50")
    (run, *_) = app.store.runs.newest("local")
    stored = app.store.results.get(run.id, 0)
    assert stored.response == "The tower was built in 1889."
    assert stored.retrieved_documents[0] == DOCUMENTS[0]
    # On the page of the sample stands what it retrieved.
    page.goto(f"{app.address}/sample?run={run.id}&sample=1&model=1")
    expect(page.get_by_text("Gustave Eiffel's company").first).to_be_visible()
    assert KEY not in page.content()


def test_a_stream_is_labelled_by_trace(page, app, service):
    add(page, app, service, "/stream", "delta", "sources[].text", name="streamed")
    page.goto(f"{app.address}/trace?new={QUESTIONS.name}")
    settled(page)
    choose(page, "streamed")
    page.get_by_role("button", name=re.compile("^Evaluate all 2")).click()
    expect(page.get_by_text(re.compile("2 answers checked")).first).to_be_visible(timeout=LONG)
    (run, *_) = app.store.runs.newest("local")
    assert run.models[0].id == "system/streamed"
    assert app.store.results.get(run.id, 0).retrieved_documents[0] == DOCUMENTS[0]


def test_rgb_hands_its_documents_over_where_the_body_takes_them(page, app, service):
    body = '{"question": "{{question}}", "documents": "{{documents}}"}'
    add(page, app, service, "/ask", "result.answer", "result.sources[].text", "given", body)
    page.goto(f"{app.address}/rgb?new=RGB%20sample%20(English)")
    settled(page)
    choose(page, "given")
    press(page, "Information integration", "Counterfactual robustness", "Negative rejection")
    before = len(service.asked)
    page.get_by_role("button", name=re.compile(r"^Ask \d+ questions")).click()
    expect(page.get_by_text(re.compile(r"\d+ answers checked")).first).to_be_visible(timeout=LONG)
    sent = [sent["documents"] for _, _, sent in service.asked[before:]]
    assert sent
    assert all(sent)
    (run, *_) = app.store.runs.newest("local")
    assert app.store.results.counts(run).failed == 0


def test_a_public_host_has_no_form_of_it(page, tmp_path):
    with running(tmp_path, PLUMBLINE_PUBLIC="1") as served:
        page.goto(f"{served.address}/settings")
        settled(page)
        expect(page.get_by_text("Your own system can be asked where")).to_be_visible()
        expect(page.get_by_role("button", name="Try one")).to_have_count(0)
