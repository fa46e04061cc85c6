"""Earlier turns of a conversation: they carry what an answer says, and nobody retrieved them."""

import pytest

from evaluators import AdvancedRAGEvaluator, FakeLLM, RetrieverRecall
from evaluators.context_recall import LexicalContextRecall
from evaluators.flaws.citations import Carries, citations
from evaluators.records import LabelEvidence, Labels, Sample
from evaluators.report import coloured
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.labelling import sentences_of
from evaluators.trace.metrics import trace_scores
from evaluators.trace_evaluator import TRACEEvaluator
from tests import judge

TURNS = ("Who built the Eiffel tower?", "Gustave Eiffel built the Eiffel tower in 1889.")
SAMPLE = Sample(
    id="t2",
    question="Who built the Eiffel tower, and when?",
    response="Gustave Eiffel built the Eiffel tower in 1889.",
    retrieved_documents=("The tower stands in Paris. It is 330 metres tall.",),
    ground_truth="Gustave Eiffel built it in 1889.",
    gold_documents=(TURNS[1],),
    conversation="c",
    earlier_turns=TURNS,
)
JUDGE = AdvancedRAGEvaluator(llm_client=FakeLLM(judge.labels_for, model="groq/reader"))


@pytest.mark.parametrize("labeller", [TRACEEvaluator(), JUDGE])
def test_they_support_an_answer_and_count_in_nothing_that_is_said_of_documents(labeller):
    score = labeller.score(SAMPLE)

    assert isinstance(score.evidence, LabelEvidence)
    labels = score.evidence.counted.labels
    assert score.values["adherence"] == 1.0
    assert labels.sentence_support[0].supporting_keys == ("2a",)
    assert {*labels.relevant_keys, *labels.utilized_keys} <= {"0a", "0b"}
    assert labels.dropped_keys == 0


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_by_every_definition_only_sentences_of_documents_are_counted(definition):
    sentences = sentences_of(SAMPLE)
    alone = sentences_of(SAMPLE.model_copy(update={"earlier_turns": ()}))
    labels = Labels(relevant_keys=("0a",), utilized_keys=("0a",))
    with_turns = Labels(relevant_keys=("0a", "2a"), utilized_keys=("0a", "1a", "2a"))

    counted = trace_scores(sentences, with_turns, definition)

    assert counted.values() == trace_scores(alone, labels, definition).values()


def test_without_a_document_relevance_does_not_apply_and_adherence_does():
    score = TRACEEvaluator().score(
        SAMPLE.model_copy(update={"retrieved_documents": ("",), "gold_documents": ()})
    )

    assert (score.values["context_relevance"], score.values["adherence"]) == (None, 1.0)


def test_what_they_say_was_not_retrieved():
    assert RetrieverRecall().score(SAMPLE).values["retriever_recall"] == 0.0
    assert LexicalContextRecall().score(SAMPLE).values["context_recall_lexical"] == 0.0


def test_a_citation_cannot_mean_one():
    sentences = sentences_of(SAMPLE.model_copy(update={"response": "Eiffel built it [2]."}))

    (found,) = citations(sentences, Labels()).citations

    assert found.carries is Carries.FABRICATED


def test_they_have_a_title_of_their_own():
    shown = coloured.passages(SAMPLE.evidence, SAMPLE)

    assert [part.partition("</h3>")[0] for part in shown.split("<h3>")[1:]] == [
        "Document 1", "Earlier turn 1", "Earlier turn 2",
    ]  # fmt: skip
