"""Answers as chatbots write them: marks of layout and words to the reader change no verdict."""

import hashlib
import json
import re

import pyarrow.parquet as parquet
import pytest

from evaluators import evaluate
from evaluators.datasets.ragbench import sample as ragbench_sample
from evaluators.records import Support
from evaluators.runs.store import Store
from evaluators.trace.labelling import sentences_of
from evaluators.trace_evaluator import TRACEEvaluator

TRACE = TRACEEvaluator()
FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE
DOCUMENTS = [
    "The Falcon lasts 20 hours on battery. It weighs three kilograms and is sold in Berlin."
]
QUESTION = "How long does the Falcon last?"


def verdicts(response):
    scores = TRACE.evaluate(QUESTION, response, DOCUMENTS)
    keys = [sentence.key for sentence in scores.sentences.response]
    assert [support.key for support in scores.labels.sentence_support] == keys
    return [(support.support, support.explanation) for support in scores.labels.sentence_support]


def test_an_answer_as_chatbots_write_it_is_supported_and_says_why_the_rest_claims_nothing():
    response = (
        "Sure! Here is the answer:\n\n## Battery Life\n\n1. The **Falcon** lasts 20 hours [1, 2].\n"
        "2. It weighs three kilograms (Doc 3).\n\n| Model | Where |\n|---|---|\n| Falcon | Berlin |\n\n"
        "Source: falcon.pdf, p. 3\n\nLet me know if you need anything else!"
    )
    assert verdicts(response) == [
        (FULL, "Makes no claim: it speaks to the reader."),
        (FULL, "Makes no claim: it is a heading."),
        (FULL, "4 of 4 words"),
        (FULL, "3 of 3 words"),
        (FULL, "Makes no claim: it is the head of a table."),
        (FULL, "2 of 2 words"),
        (FULL, "Makes no claim: it names a source."),
        (FULL, "Makes no claim: it speaks to the reader."),
    ]


@pytest.mark.parametrize(
    ("response", "level"),
    [
        ("The Falcon lasts 30 hours [1].", PARTIAL),
        ("## The Hawk costs 50 dollars\nThe Falcon lasts 20 hours.", NONE),
        ("The Falcon lasts 20 hours.\n\n**Munich**", NONE),
        ("1. Munich\n2. Berlin", NONE),
        ("Let me know whether the plan of 3 May costs 20 dollars.", NONE),
        ("Source: the Hawk costs 50 dollars.", NONE),
        ("Here is the answer: Munich", NONE),
        ("Let me know if you want the refund of 500 dollars that we promise.", NONE),
        ("For more information, call the hotline of the Hawk in Munich.", NONE),
        ("The Falcon lasts 20 hours. Enjoy a free Hawk in Munich.", NONE),
        ("Final answer: Munich", NONE),
        ("The Falcon lasts 20 hours. The number of wings is (7).", NONE),
        ("| Model | Where |\n|---|---|\n| Falcon | Munich |\n| 1999 | [1] |", NONE),
        ("The Falcon lasts 20 hours. [The Hawk costs 50 dollars](https://a.org/b).", NONE),
    ],
)
def test_a_wrong_claim_does_not_pass_for_a_mark(response, level):
    assert level in [support for support, _ in verdicts(response)]


def test_marks_change_neither_the_labels_of_documents_nor_the_doubt():
    plain, marked = (
        "The Falcon lasts 20 hours.",
        "## Falcon\n\nThe Falcon lasts 20 hours [1].\n\nEnjoy!",
    )
    marked = marked.replace("Enjoy!", "I hope this helps.")
    first, second = (TRACE.evaluate(QUESTION, text, DOCUMENTS) for text in (plain, marked))
    assert first.labels.relevant_keys == second.labels.relevant_keys
    assert first.labels.expected == second.labels.expected
    doubts = [TRACE.doubt_of_labels(scores.sentences, QUESTION) for scores in (first, second)]
    assert doubts[0] == doubts[1]


# By the published answers

LINES = "Let me know if you need anything else!", "Ich hoffe, das hilft Ihnen weiter!"


def before_stops(answer, mark):
    return re.sub(r"\.(?=\s|$)", f"{mark}.", answer)


def numbered(sentences):
    return "\n".join(f"{number}. {text.strip()}" for number, text in enumerate(sentences, 1))


def table(sentences):
    rows = "".join(f"\n| {text.strip()} | handbook.pdf |" for text in sentences)
    return f"| Fact | Source |\n|:---|---:|{rows}"


def mixed(answer, sentences):
    items = numbered(before_stops(text.strip(), " [1, 2]") for text in sentences)
    return f"Sure! Here is the answer:\n\n## Short Answer\n\n{items}\n\nSource: a.pdf, p. 3\n\n{LINES[0]}"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda answer, _: before_stops(answer, " [1]"), id="citations"),
        pytest.param(lambda answer, _: before_stops(answer, " (Doc 3)"), id="documents"),
        pytest.param(lambda answer, _: before_stops(answer, " (1, 2)"), id="brackets"),
        pytest.param(lambda answer, _: before_stops(answer, " [Context 1]"), id="contexts"),
        pytest.param(lambda answer, _: f"Final Answer: {answer}", id="label"),
        pytest.param(lambda answer, _: f"{answer} Gerne helfe ich weiter.", id="offer"),
        pytest.param(lambda _, sentences: table(sentences), id="table"),
        pytest.param(lambda answer, _: f"{answer} {LINES[0]}", id="courtesy"),
        pytest.param(lambda answer, _: f"{answer}\n\n{LINES[1]}", id="german"),
        pytest.param(lambda answer, _: f"{answer}\n\n希望以上信息对您有所帮助！", id="chinese"),
        pytest.param(lambda answer, _: f"{answer} Source: handbook.pdf", id="source"),
        pytest.param(lambda _, sentences: numbered(sentences), id="list"),
        pytest.param(mixed, id="mixed"),
    ],
)
def test_marks_change_the_adherence_of_400_published_answers_by_less_than_a_point(
    written, check_data, tmp_path
):
    (path,) = (check_data / "ragbench" / "hotpotqa").glob("validation*.parquet")
    rows = parquet.read_table(path).slice(0, 400).to_pylist()
    samples = []
    for row in rows:
        sentences = [text for _, text in row["response_sentences"]]
        samples.append(
            {
                "question": row["question"],
                "response": written(row["response"], sentences),
                "retrieved_documents": row["documents"],
            }
        )
    store = Store(tmp_path / "plumbline.sqlite3")
    results = evaluate(samples, "trace", store=store, progress=False)
    # That of the answers as they are.
    assert results.summary()["adherence"].mean == pytest.approx(0.955, abs=0.01)
    store.close()


MARKED = re.compile(
    r"[\[\]*_`|#【】<>¹²³]|\d[.):](?!\d)|\(p|\.(?:pdf|html?|txt)"
    r"|(?i:\b(?:sources?|references?|docs?|documents?|step|help|hope|know|free|questions?|sure"
    r"|certainly|course|welcome|thanks?|here|below|like|else|concerns?)\b)"
)
"""Whatever may be a mark or a word to the reader: told apart otherwise than the labeller does."""
MARKED_DOCUMENT = re.compile(r"[\[\]*_`|#【】]|\d[.)]\s|(?i:source|reference)|(?:^|\n)\W")


def test_published_rows_without_marks_keep_their_labels(check_data):
    """The digests are of the labels before there were rules for marks."""
    published, cut = hashlib.sha256(), hashlib.sha256()
    rows = texts = 0
    for path in sorted((check_data / "ragbench").rglob("*.parquet")):
        for row in parquet.read_table(path).to_pylist():
            sample = ragbench_sample(row)
            if MARKED.search(sample.response):
                continue
            rows += 1
            published.update(labels_of(sample))
            if not any(map(MARKED_DOCUMENT.search, sample.retrieved_documents)):
                texts += 1
                cut.update(labels_of(sample.model_copy(update={"sentences": None})))
    assert (rows, texts) == (1710, 653)
    assert published.hexdigest() == (
        "71ce7d0493f096c9c053a4020ac7bbad9e1110c2ede328bf172dd1efdf1ffe26"
    )
    assert cut.hexdigest() == ("24ae3d2f12c186be8f7788deaa269835926cbed1c9421952dc2cee03148e10cc")


def labels_of(sample):
    labels = TRACE.label(sentences_of(sample), sample.question)
    supports = []
    for support in labels.sentence_support:
        level = support.support.value
        supports.append((support.key, level, support.supporting_keys, support.explanation))
    return json.dumps([labels.relevant_keys, labels.utilized_keys, supports]).encode()
