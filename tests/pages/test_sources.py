"""Datasets from elsewhere: the hub, the benchmark's own files and wording, one's own documents and
questions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.datasets.rgb import TestBed
from evaluators.records import Dataset
from tests.hub import RAGBENCH_CARD, Hub, Repo, ragbench_row
from tests.pages.conftest import checked
from tests.pages.screen import BED, ESCAPED, html, jsonl, markdown, runs, said, settled
from tests.retrieval.test_proposals import SENTENCES, proposal
from ui import session
from ui.parts import uploaded

IMAGE = "![x](http://127.0.0.1:9/x.png)"
NOBODY = "http://127.0.0.1:9"
WORDING = {
    part: {"system": "Read carefully.", "instruction": "Document:\n{DOCS} \n\nQuestion:\n{QUERY}"}
    for part in ("en", "zh")
}
PLAIN = jsonl({"question": "When?", "response": "In May.", "contexts": ["It was in May."]})
UNCLEAR = jsonl(
    {"a": "When was the mill built?", "b": "In May."}, {"a": "What does it grind?", "b": "Rye."}
)
REPOS = {
    "rungalileo/ragbench": Repo(
        {"covidqa/test-00000-of-00001.jsonl": jsonl(*map(ragbench_row, range(5))).encode()},
        RAGBENCH_CARD,
    ),
    "mill/plain": Repo({"train.jsonl": PLAIN.encode()}),
    "mill/unclear": Repo({"train.jsonl": UNCLEAR.encode()}),
    "mill/hostile": Repo({"train.jsonl": PLAIN.encode()}, {"license": IMAGE}),
    "mill/gated": Repo({"train.jsonl": PLAIN.encode()}, gated="manual"),
}
PAGES = {
    "/data/en_refine.json": jsonl(BED).encode(),
    "/config/instruction.yaml": json.dumps(WORDING).encode(),  # JSON is YAML
}
MILL = b"The old mill at Renn was built in 1812.\n\nIt grinds rye and wheat for the whole valley."
PARK = b"The park closes at nine in the evening."


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The hub and the benchmark's repository are this server."""
    with Hub(REPOS, PAGES) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        monkeypatch.setenv("PLUMBLINE_RGB_ADDRESS", server.address)
        yield server


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_ENDPOINT", "PLUMBLINE_RGB_ADDRESS"):
        monkeypatch.setenv(name, NOBODY)


def kept() -> dict[str, TestBed | Dataset]:
    names = session.store().uploads.names("local")
    found = {name: session.store().uploads.get("local", name) for name in names}
    return {name: data for name, data in found.items() if data}


def press(at: AppTest, key: str) -> AppTest:
    return checked(at.button(key=key).click().run())


# The hub


def looked_up(at: AppTest, name: str) -> AppTest:
    checked(at.get_by_key("hub_way").set_value("Any data set").run())
    checked(at.text_input(key="hub_id").set_value(name).run())
    return press(at, "hub_look")


def test_a_subset_of_ragbench_is_loaded_by_name_and_its_licence_is_shown_and_kept(open_page, hub):
    at = press(open_page("datasets"), "hub_look")
    assert "rungalileo/ragbench · licence cc-by-4.0 · revision 5f0a5f0 · test: 3 kB" in said(at)
    assert not kept()
    checked(at.number_input(key="hub_rows").set_value(3).run())
    at = press(at, "hub_load")
    data = kept()["ragbench covidqa test"]
    assert isinstance(data, Dataset)
    assert len(data.samples) == 3
    assert data.origin["hub"]["license"] == "cc-by-4.0"
    assert at.selectbox(key="dataset").value == "ragbench covidqa test"
    assert (
        "huggingface.co/datasets/rungalileo/ragbench · covidqa · test · at most 3 rows · "
        "licence cc-by-4.0"
    ) in said(at)


def test_columns_in_doubt_are_asked_for_before_anything_is_kept(open_page, hub):
    at = looked_up(open_page("datasets"), "mill/unclear")
    assert "no licence stated" in said(at)
    at = press(at, "hub_load")
    assert not kept()
    assert "unclear" in "\n".join(markdown(at))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mill/gated", ("conditions",)),
        (IMAGE, ("Write it as owner/name",)),
    ],
)
def test_what_cannot_be_looked_up_is_told_with_the_remedy(open_page, hub, name, words):
    at = looked_up(open_page("datasets"), name)
    for word in words:
        assert word in said(at, "error")
    assert not [text for text in markdown(at) if "![" in text]
    assert not kept()


def test_a_hostile_licence_is_shown_as_letters(open_page, hub):
    at = press(looked_up(open_page("datasets"), "mill/hostile"), "hub_load")
    assert kept()
    assert not [text for text in markdown(at) if "![" in text]


def test_a_file_that_cannot_be_loaded_is_told_and_nothing_is_kept(open_page, hub):
    at = press(open_page("datasets"), "hub_look")
    hub.fault = lambda path: "cut" if path.startswith("/cdn/") else ""
    at = press(at, "hub_load")
    assert "upload it" in said(at, "error")
    assert not kept()


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("key", ["hub_look", "official_load"])
def test_offline_the_page_says_so_and_what_to_do(open_page, key):
    at = press(open_page("datasets"), key)
    assert "No connection to" in said(at, "error")
    assert "Download the file elsewhere and upload it." in said(at, "error")
    assert not kept()


# The benchmark's own files and wording


def test_an_official_test_bed_is_loaded_by_its_name(open_page, hub):
    at = open_page("datasets")
    checked(at.selectbox(key="official_bed").set_value("en_refine").run())
    at = press(at, "official_load")
    bed = kept()["en_refine.json"]
    assert isinstance(bed, TestBed)
    assert bed.origin == {"rgb": {"address": f"{hub.address}/data/en_refine.json"}}
    assert at.selectbox(key="dataset").value == "en_refine.json"


def test_a_run_with_the_published_wording_says_so(open_page, hub):
    at = press(open_page("rgb"), "rgb_published")
    prompt = at.text_area(key="rgb_prompt_en").value
    assert prompt == "Read carefully.\n\nDocument:\n$documents \n\nQuestion:\n$question"
    assert "In use: the benchmark's published wording (config/instruction.yaml)." in said(at)
    at = settled(press(at, "rgb_start"))
    (run,) = runs()
    assert run.prompt == prompt
    assert f"Prompt: {run.prompt_hash} (the benchmark's published wording)" in said(at)


def test_an_edited_wording_is_no_longer_the_published_one_and_plumblines_comes_back(open_page, hub):
    at = open_page("rgb")
    before = at.text_area(key="rgb_prompt_en").value
    at = press(press(at, "rgb_published"), "rgb_own")
    assert at.text_area(key="rgb_prompt_en").value == before
    assert "In use: Plumbline's wording." in said(at)
    at = press(at, "rgb_published")
    area = at.text_area(key="rgb_prompt_en")
    area.set_value(f"{area.value} Be brief.")
    checked(at.run())
    assert "In use: a wording of your own." in said(at)
    assert "published wording" not in said(settled(press(at, "rgb_start")))
    assert "prompt" not in runs()[0].origin


@pytest.mark.usefixtures("offline")
def test_without_a_connection_the_wording_stays_and_the_page_says_why(open_page):
    at = open_page("rgb")
    before = at.text_area(key="rgb_prompt_en").value
    at = press(at, "rgb_published")
    assert "No connection to" in said(at, "error")
    assert at.text_area(key="rgb_prompt_en").value == before


# One's own documents


def filled(
    at: AppTest, *files: tuple[str, bytes], typed: str = "When was the mill built?"
) -> AppTest:
    at.file_uploader(key="retrieval_files").set_value([(name, data, "") for name, data in files])
    return checked(at.text_area(key="retrieval_typed").set_value(typed).run())


def test_documents_and_typed_questions_become_a_data_set_with_its_settings(open_page):
    at = filled(
        open_page("datasets"),
        ("mill.txt", MILL),
        ("park.md", PARK),
        typed="When was the mill built?\nWhen does the park close?",
    )
    at.selectbox(key="retrieval_chunking_strategy").set_value("sentence")
    checked(at.number_input(key="retrieval_k").set_value(1).run())
    at = press(at, "retrieval_start")
    (data,) = kept().values()
    assert isinstance(data, Dataset)
    assert [sample.retrieved_documents for sample in data.samples] == [
        ("The old mill at Renn was built in 1812.",),
        ("The park closes at nine in the evening.",),
    ]
    assert data.origin["retrieval"]["chunking_strategy"] == "sentence"
    assert "Retrieved by BM25: up to 1 of 3 chunks (sentence) of 2 documents" in said(at)
    found = ESCAPED.sub(r"\1", "\n".join(markdown(at)))
    assert "- mill.txt, part 1 of 2: :gray[The old mill at Renn was built in 1812.]" in found
    assert "- park.md: :gray[" in found


def test_responses_and_ground_truths_of_a_file_come_along_and_trace_begins_with_the_data(open_page):
    at = open_page("datasets")
    checked(at.get_by_key("retrieval_way").set_value("From a file").run())
    at.file_uploader(key="retrieval_files").upload("mill.txt", MILL)
    at.file_uploader(key="retrieval_asked").upload(
        "asked.csv", b"question,response,ground_truth\nWhen was the mill built?,In 1812.,1812\n"
    )
    at.text_input(key="retrieval_name").set_value("Mill questions")
    at = press(checked(at.run()), "retrieval_start")
    data = kept()["Mill questions"]
    assert isinstance(data, Dataset)
    assert (data.samples[0].response, data.samples[0].ground_truth) == ("In 1812.", "1812")
    at.switch_page("../pages/trace.py")
    assert checked(at.run()).selectbox(key="trace_dataset").value == "Mill questions"
    assert "What was retrieved for each question stays as it is." in said(at)
    at = settled(press(at, "trace_start"))
    assert runs()[0].origin == data.origin
    assert (
        "Retrieved by BM25: up to 5 of 1 chunk (dense, 120 words, 20 shared) of 1 document"
        in said(at)
    )


def test_the_sample_page_says_where_a_chunk_stands(open_page):
    at = press(
        filled(open_page("datasets"), ("mill.txt", MILL), ("<b>park.md", PARK)), "retrieval_start"
    )
    at.switch_page("../pages/trace.py")
    at = settled(press(checked(at.run()), "trace_start"))
    shown = html(open_page("sample", run=runs()[0].id, sample="1"))
    assert "<h3>Document 1 · mill.txt</h3>" in shown
    assert "<b>park" not in shown


def test_documents_that_cannot_be_read_are_left_out_and_told(open_page):
    at = press(filled(open_page("datasets"), ("empty.txt", b"")), "retrieval_start")
    assert "empty.txt is empty" in said(at, "error")
    assert not kept()
    at = press(filled(at, ("mill.txt", MILL), (f"{IMAGE}.txt", b"")), "retrieval_start")
    assert "is empty. Choose a file with text." in said(at, "warning")
    assert not [text for text in markdown(at) if "![" in text]
    assert kept()


def test_a_question_for_which_nothing_is_found_is_told(open_page):
    at = press(
        filled(open_page("datasets"), ("mill.txt", MILL), typed="Zebras?\nWho built the mill?"),
        "retrieval_start",
    )
    assert "“Zebras?”" in said(at, "warning")


def test_another_search_does_not_replace_the_first_and_an_equal_one_is_not_kept(open_page):
    at = press(
        press(filled(open_page("datasets"), ("mill.txt", MILL)), "retrieval_start"),
        "retrieval_start",
    )
    assert list(kept()) == ["mill.txt"]
    at.number_input(key="retrieval_k").set_value(1)
    press(checked(at.run()), "retrieval_start")
    assert list(kept()) == ["mill.txt", "mill.txt (2)"]


def test_where_each_question_gets_every_chunk_a_finer_search_is_proposed(open_page):
    at = press(filled(open_page("datasets"), ("mill.txt", MILL)), "retrieval_start")
    assert "There is 1 chunk for up to 5 per question" in said(at, "info")
    at.selectbox(key="retrieval_chunking_strategy").set_value("sentence")
    at.number_input(key="retrieval_k").set_value(1)
    assert "per question, so" not in said(press(checked(at.run()), "retrieval_start"), "info")


def test_what_is_missing_to_retrieve_is_said_when_it_is_pressed(open_page):
    at = press(open_page("datasets"), "retrieval_start")
    assert "Still missing: documents and questions." in said(at, "warning")
    at = press(filled(at, ("mill.txt", MILL), typed="  "), "retrieval_start")
    assert "Still missing: questions." in said(at, "warning")
    assert not kept()


def test_questions_of_a_file_that_cannot_be_used_are_told_by_row(open_page):
    at = open_page("datasets")
    checked(at.get_by_key("retrieval_way").set_value("From a file").run())
    at.file_uploader(key="retrieval_files").upload("mill.txt", MILL)
    at.file_uploader(key="retrieval_asked").upload(
        "asked.csv", b"question,response\nWhat does it grind?,Rye.\n,May.\n"
    )
    at = press(checked(at.run()), "retrieval_start")
    assert "Row 2: the question is empty." in said(at, "warning")
    assert [len(data.samples) for data in kept().values() if isinstance(data, Dataset)] == [1]


def test_a_public_host_keeps_only_so_many(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_UPLOADS_PER_VISITOR", "1")
    at = press(filled(open_page("datasets"), ("mill.txt", MILL)), "retrieval_start")
    assert not at.error
    at = filled(at, ("park.txt", PARK))
    assert "This host keeps 1 upload for each visitor" in said(
        press(at, "retrieval_start"), "error"
    )


def a_made_bed(at):
    text = b"The mill was built in 1812. The mill was moved in 1906. <b>The mill</b> grinds rye."
    questions = b"question,ground_truth\nWhen was the mill built?,1812\nIs the mill old?,Yes\n"
    checked(at.get_by_key("retrieval_way").set_value("From a file").run())
    at.file_uploader(key="retrieval_files").upload("mill.txt", text)
    at.file_uploader(key="retrieval_asked").upload("asked.csv", questions)
    at.selectbox(key="retrieval_chunking_strategy").set_value("sentence")
    at.text_input(key="retrieval_name").set_value("Mill bed")
    return press(checked(at.run()), "bed_start")


def with_rows_selected(at, *rows):
    selection = {"rows": list(rows), "columns": [], "cells": []}
    at.session_state[f"preview_{at.session_state['made_bed']}"] = {"selection": selection}
    return checked(at.run())


def field(at, label):
    return next(each for each in at.text_area if each.label == label)


def test_documents_and_true_answers_become_a_test_bed_that_is_looked_at_first(open_page):
    at = a_made_bed(open_page("datasets"))

    assert "To look at: 2 of 2 rows. Left out: 1 question." in said(at)
    assert not kept()
    # One table of rows: why they are doubtful stands in it, beside the id.
    [rows] = [each.value for each in at.dataframe if "to look at" in each.value]
    assert list(rows.columns[:2]) == ["id", "to look at"]
    assert "negative" in rows["to look at"][0]


def test_the_bed_that_is_kept_is_the_one_that_is_shown(open_page):
    at = press(with_rows_selected(a_made_bed(open_page("datasets")), 0), "drop_rows")

    at = with_rows_selected(at, 0)
    assert field(at, "Planted error").value == "1906"
    field(at, "Question").set_value("When was the mill opened?")
    field(at, "True answer").set_value("1812 / in 1812")
    field(at, "Negative document 2").set_value("")
    field(at, "Negative document 3").set_value("A mill stood there since 1812.")
    at = press(at, "keep_row")

    [rows] = [each.value for each in at.dataframe if "to look at" in each.value]
    assert "A negative document holds a part of the answer." in rows["to look at"][0]
    at = press(at, "use_bed")
    bed = kept()["Mill bed"]
    assert isinstance(bed, TestBed)
    [row] = bed.rows
    assert (row.id, row.query) == ("1 planted", "When was the mill opened?")
    assert (row.answer, row.fakeanswer) == ((("1812", "in 1812"),), "1906")
    assert row.negative == ("The mill was moved in 1906.", "A mill stood there since 1812.")
    assert "made_bed" not in at.session_state


def test_what_is_doubtful_is_dropped_at_one_click(open_page):
    at = press(a_made_bed(open_page("datasets")), "drop_doubtful")

    assert "To look at: 0 of 0 rows." in said(at)
    assert not [each for each in at.button if each.key in ("use_bed", "drop_doubtful")]


def test_a_row_without_a_positive_document_is_refused(open_page):
    at = with_rows_selected(a_made_bed(open_page("datasets")), 0)
    field(at, "Positive document 1").set_value(" ")

    at = press(at, "keep_row")

    assert "A row needs a question, a true answer, a positive" in said(at, "error")


def test_an_llm_proposes_questions_at_a_price_that_is_said_before(open_page, loopback, monkeypatch):
    server = loopback(answer=proposal)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    at = open_page("datasets")
    checked(at.get_by_key("retrieval_way").set_value("By an LLM").run())
    at.file_uploader(key="retrieval_files").upload("town.txt", " ".join(SENTENCES).encode())
    at.selectbox(key="retrieval_chunking_strategy").set_value("sentence")
    at.selectbox(key="retrieval_model").set_value("openai/gpt-4o-mini")
    at.number_input(key="retrieval_count").set_value(3)
    at = checked(at.run())
    assert "3 questions: " in said(at)
    assert not server.asked

    at = press(at, "bed_start")

    assert len(server.asked) == 3
    assert "The LLM proposed 3 questions that can be used" in said(at)
    assert "To look at: " in said(at)


def test_a_small_bed_takes_its_turn_on_a_public_host(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setattr(uploaded.TURNS, "_patience", 0.01)
    with uploaded.TURNS.turn():
        at = a_made_bed(open_page("datasets"))
        assert "This host is busy reading large files for others." in said(at, "error")

    assert "To look at: 2 of 2 rows." in said(press(at, "bed_start"))
