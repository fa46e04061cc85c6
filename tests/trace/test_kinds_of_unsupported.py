"""What is wrong with a sentence that is not fully supported: read, voted on, kept and shown."""

import json

import pytest

from evaluators import FakeLLM, evaluate
from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator
from evaluators.document.flaws import flaws as flaw_blocks
from evaluators.document.terminal import as_text
from evaluators.flaws.of_answer import LabelledAnswer, flaws_of
from evaluators.people.labels import corrected
from evaluators.people.records import PersonLabel
from evaluators.records import Fault, Labelling, Labels, Sample, SentenceSupport, Support
from evaluators.runs.run_view import WHAT_COUNTS
from evaluators.text.language import CHINESE, speaking
from evaluators.trace.jury import majority
from evaluators.trace.labelling import sentences_of

ENGLISH = Sample(
    id="en",
    question="When was the tower finished?",
    response="It was finished in 1899. It is green. It stands in France.",
    retrieved_documents=("The tower was finished in 1889.",),
)
CHINESE_SAMPLE = Sample(
    id="zh",
    question="铁塔何时建成？",
    response="铁塔于1899年建成。它是绿色的。它在法国。",
    retrieved_documents=("铁塔于1889年建成。",),
)
NOTHING = object()


def says(*kinds, full=(), mended=False):
    """A judge's answer with a kind for each of the sentences, of which some are supported."""
    supports = []
    for key, kind in zip("abc", kinds, strict=False):
        support = {
            "response_sentence_key": key,
            "explanation": "Why.",
            "supporting_sentence_keys": ["0a"] if key in full else [],
            "fully_supported": key in full,
        }
        supports.append(support if kind is NOTHING else support | {"kind": kind})
    answer = {
        "relevance_explanation": "One.",
        "all_relevant_sentence_keys": ["0a"],
        "overall_supported_explanation": "No.",
        "overall_supported": False,
        "sentence_support_information": supports,
        "all_utilized_sentence_keys": ["0a"],
    }
    text = json.dumps(answer)
    # A missing comma, as judges leave it out.
    return text.replace('"One.",', '"One."') if mended else text


def labels_of(text, sample=ENGLISH, prompt="plumbline", mended=False):
    judge = FakeLLM([text])
    own = AdvancedRAGEvaluator(llm_client=judge, prompt=prompt)
    (labelling,) = own.label(sentences_of(sample), sample.question)
    assert len(judge.prompts) == 1
    assert labelling.judgement.repaired is mended
    return labelling.labels


def kinds_of(labels):
    return [str(support.kind) for support in labels.sentence_support]


@pytest.mark.parametrize("sample", [ENGLISH, CHINESE_SAMPLE], ids=["English", "Chinese"])
@pytest.mark.parametrize("mended", [False, True])
@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        (("wrong_number_or_name", "adds", "true_elsewhere"),) * 2,
        (("contradicts", "unknown", "adds"),) * 2,
        # Another word, none, and no field
        (("made up", "ADDS", ""), ("unknown",) * 3),
        ((7, ["adds"], {"kind": "adds"}), ("unknown",) * 3),
        ((NOTHING, NOTHING, NOTHING), ("unknown",) * 3),
        ((NOTHING, "adds", NOTHING), ("unknown", "adds", "unknown")),
    ],
)
def test_what_a_judge_says_is_read_and_nobody_is_asked_again(said, kinds, mended, sample):
    labels = labels_of(says(*said, mended=mended), sample, mended=mended)

    assert tuple(kinds_of(labels)) == kinds
    assert [support.support for support in labels.sentence_support] == [Support.NONE] * 3


def test_null_is_no_kind():
    assert kinds_of(labels_of(says(None, None, "adds"))) == ["unknown", "unknown", "adds"]


def test_a_supported_sentence_has_none():
    labels = labels_of(says("contradicts", "adds", "adds", full="a"))

    assert kinds_of(labels) == ["unknown", "adds", "adds"]


def test_no_value_goes_by_it():
    def values(*kinds):
        judge = FakeLLM([says(*kinds, full="a")])
        return AdvancedRAGEvaluator(llm_client=judge).score(ENGLISH).values

    assert values("contradicts", "adds", "adds") == values(NOTHING, NOTHING, NOTHING)


def test_the_prompt_of_ragbench_asks_for_six_fields_as_printed():
    labels = labels_of(says("adds", "adds", "adds"), prompt="ragbench")
    assert kinds_of(labels) == ["unknown"] * 3

    schemas = {}
    for name in ("plumbline", "ragbench"):
        (prompt,) = AdvancedRAGEvaluator(prompt=name).judge_prompts(ENGLISH)
        schemas[name] = prompt.schema_text
        assert ("wrong_number_or_name" in prompt.text) == (name == "plumbline")
    assert '"kind"' in schemas["plumbline"]
    assert '"kind"' not in schemas["ragbench"]


@pytest.mark.parametrize(
    ("votes", "kind"),
    [
        (["adds", "adds", "contradicts"], "adds"),
        (["adds", "contradicts"], "unknown"),
        (["adds", "contradicts", "unknown"], "unknown"),
        (["adds", "unknown", "unknown"], "unknown"),
        # One calls it supported: the others decide in what it is not.
        (["full", "adds", "adds"], "adds"),
        (["full", "full", "contradicts"], "unknown"),
    ],
)
def test_a_jury_has_the_kind_that_more_than_half_name(votes, kind):
    labellings = [
        Labelling(by=f"judge {number}", labels=labelled(("a", vote)))
        for number, vote in enumerate(votes)
    ]
    assert kinds_of(majority(labellings, sentences_of(ENGLISH)).labels) == [kind]


def labelled(*kinds):
    """Labels of sentences by key: the kind in which each has no support, or "full"."""
    return Labels(
        sentence_support=tuple(
            SentenceSupport(key=key, support=Support.FULL)
            if kind == "full"
            else SentenceSupport(key=key, support=Support.NONE, kind=Fault(kind))
            for key, kind in kinds
        )
    )


def test_files_have_it_where_it_is_known_and_read_older_ones_and_other_words_as_unknown():
    labels = labelled(("a", "adds"), ("b", "unknown"))
    first, second = json.loads(labels.model_dump_json())["sentence_support"]

    assert first["kind"] == "adds"
    assert "kind" not in second
    assert Labels.model_validate_json(labels.model_dump_json()) == labels
    for hostile in ("<b>", "x" * 100_000, 5, None, ["adds"], {"a": 1}):
        assert SentenceSupport.model_validate(second | {"kind": hostile}).kind is Fault.UNKNOWN


def test_a_sentence_that_a_person_calls_supported_has_none():
    sentences, labels = sentences_of(ENGLISH), labelled(("a", "adds"), ("b", "adds"))

    def said(value):
        label = PersonLabel(
            label="support", key="a", value=value, person="you", created="2026-11-22T10:00:00+00:00"
        )
        return kinds_of(corrected(labels, sentences, [label]))

    assert said("full") == ["unknown", "adds"]
    assert said("partial") == ["adds", "adds"]


def test_a_sample_says_it_beside_the_sentence():
    labels = labelled(("a", "wrong_number_or_name"), ("b", "unknown"), ("z", "adds"))
    flaws = flaws_of(ENGLISH, LabelledAnswer(sentences_of(ENGLISH), labels))

    assert flaws.by_sentence() == {"a": ["wrong number or name"]}
    with speaking(CHINESE):
        assert flaws.by_sentence() == {"a": ["数字或名称有误"]}


def run(store, *kinds):
    rows = [
        {
            "question": ENGLISH.question,
            "response": ENGLISH.response,
            "retrieved_documents": ENGLISH.retrieved_documents,
            "labels": labelled(*zip("abc", own, strict=True)).model_dump(mode="json"),
        }
        for own in kinds
    ]
    return evaluate(rows, "trace", store=store, progress=False).under(labels="gold")


def test_a_run_counts_them_and_says_so_at_every_door(store, tmp_path):
    """Of five sentences without support one contradicts, two add, two are of no kind."""
    results = run(store, ("contradicts", "adds", "full"), ("adds", "unknown", "unknown"))

    (unsupported,) = [one for one in results.flaws().kinds if one.name == "unsupported"]
    assert unsupported.sentences == {"contradicts": 1, "adds": 2, "unknown": 2}
    split = "contradicts the documents 1 · adds to the documents 2 · unknown kind 2"
    blocks = flaw_blocks(results.read(), WHAT_COUNTS._replace(by="gold"))
    assert split in " ".join(as_text(blocks).split())
    assert split in results.report(tmp_path / "report.html").read_text()
    assert next(iter(results.lines()))["labels"]["sentence_support"][0]["kind"] == "contradicts"
    again = evaluate(results.export(tmp_path / "run.jsonl"), "trace", store=store, progress=False)
    assert again.under(labels="gold").flaws() == results.flaws()


def test_where_no_labeller_says_it_nothing_is_said(store):
    results = run(store, ("unknown", "unknown", "full"))

    assert "unknown kind" not in repr(results)
