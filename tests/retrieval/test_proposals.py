"""Questions that an LLM proposes: kept where their evidence stands in the chunk, counted else."""

import json

import pytest

from evaluators import connect, make_bed
from evaluators.errors import DatasetError, ParameterError
from evaluators.llm.catalogue import find
from evaluators.llm.fake import FakeLLM
from evaluators.records import Cap
from evaluators.retrieval.dataset import Settings
from evaluators.retrieval.documents import Document
from evaluators.retrieval.proposals import price, propose
from tests.judge import material

SENTENCES = (
    "The mill near Altdorf was built in 1812 by Anna Berg, a miller.",
    "The tower of the town is 330 metres tall and made of iron plates.",
    "The park beside the river opened in 1906 and has two thousand oaks.",
)
ANSWERS = {"mill": "1812", "tower": "330 metres", "park": "1906"}
BY_SENTENCE = Settings(chunking_strategy="sentence")
DOCUMENTS = [Document("town.txt", " ".join(SENTENCES))]


def proposal(prompt, evidence=None):
    passage = material(prompt, "passage")
    thing = next(thing for thing in ANSWERS if thing in passage)
    answer = {
        "evidence": evidence or passage,
        "question": f"What is the {thing} of the town near Altdorf and the river?",
        "answer": ANSWERS[thing],
    }
    return json.dumps(answer)


def proposed(answer, count=3, documents=DOCUMENTS):
    return propose(FakeLLM(answer), documents, BY_SENTENCE, count)


def test_a_question_with_its_answer_and_the_words_that_give_it_is_proposed_of_each_chunk():
    found = proposed(proposal)

    assert {sample.ground_truth for sample in found.questions.samples} == set(ANSWERS.values())
    assert {sample.gold_documents for sample in found.questions.samples} == {
        (sentence,) for sentence in SENTENCES
    }
    assert found[1:] == (0, 0)


@pytest.mark.parametrize(
    ("evidence", "is_kept"),
    [
        ("THE MILL near\n Altdorf  was built", True),
        ("The mill near Altdorf was built in 1813", False),
        (" ", False),
        ("built by Anna Berg", False),
    ],
)
def test_evidence_must_stand_in_the_chunk_word_for_word(evidence, is_kept):
    [document] = [Document("mill.txt", SENTENCES[0])]

    found = proposed(lambda prompt: proposal(prompt, evidence), 1, [document])

    assert len(found.questions.samples) == is_kept
    assert (found.unquoted, found.failed) == (not is_kept, 0)


def test_chinese_evidence_stands_there_whatever_its_spaces_and_widths():
    text = "磨坊由安娜·贝格于１８１２年建成，" * 3 + "一直使用到今天，附近有一条河流经过这里。"
    answer = json.dumps(
        {"evidence": "安娜·贝格于 1812 年建成", "question": "磨坊建于哪一年？", "answer": "1812年"}
    )

    assert len(proposed(lambda _: answer, 1, [Document("a.txt", text)]).questions.samples) == 1


def test_an_answer_that_cannot_be_read_failed_and_says_so():
    def answer(prompt):
        return "I cannot." if "tower" in prompt else proposal(prompt)

    found = proposed(answer)

    assert (len(found.questions.samples), found.unquoted, found.failed) == (2, 0, 1)
    assert "could not be read" in found.questions.problems[0].message


def test_what_cannot_be_asked_about_is_refused():
    with pytest.raises(DatasetError, match="say too little"):
        proposed(proposal, 1, [Document("a.txt", "A heading.")])
    for count in (0, 201):
        with pytest.raises(DatasetError, match="1 to 200"):
            proposed(proposal, count)


def test_the_price_is_known_before_a_document_is_read():
    spec = find("groq/openai/gpt-oss-20b").spec(temperature=0, answer_tokens=1000)

    taken = price(spec, 30, Settings())

    assert taken.calls == 30
    assert taken.answer_high == 30_000
    assert taken.cost_high is not None
    assert taken.cost_high > 0


def test_a_bed_is_made_of_proposals_within_a_budget(loopback, tmp_path, monkeypatch):
    (tmp_path / "town.txt").write_text(" ".join(SENTENCES))
    server = loopback(answer=proposal)
    monkeypatch.setenv("PLUMBLINE_CUSTOM_BASE_URL", server.base_url)
    said = []
    facts = {"chunking_strategy": "sentence", "count": 3, "on_remark": said.append}

    made = make_bed(tmp_path, model="custom/judge", **facts)
    capped = make_bed(tmp_path, model=connect("custom/judge"), cap=Cap(calls=2), **facts)

    assert {own.row.answer for own in made.rows} == set(ANSWERS.values())
    assert said[0] == "judge: 3 calls, unknown"
    assert len(server.asked) == 5
    [beyond] = [own for own in capped.left_out if "budget" in own.reason]
    assert beyond.reason.startswith("The budget of 2 calls is used up")
    with pytest.raises(ParameterError):
        make_bed(tmp_path, **facts)
    with pytest.raises(ParameterError):
        make_bed(tmp_path, [{"question": "What?", "ground_truth": "1812"}], model="custom/judge")
