"""The glossary: every value that a page can show is explained once, in the words of its formula."""

import pytest

from evaluators.abilities import RGB_VALUES
from evaluators.catalogue import catalogue, ships
from evaluators.config import ROOT
from evaluators.prompts import load
from evaluators.records import Labels, SentenceSupport, Support
from evaluators.rgb_words import RULES
from evaluators.rounds.kinds import KINDS
from evaluators.runs.glossary import RULES_GROUP, term_of, terms
from evaluators.runs.shown_values import title
from evaluators.text.normalise import slug
from evaluators.text.sentences import cut
from evaluators.text.words import readable
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.labelling import GOLD, HEURISTIC, JURY
from evaluators.trace.metrics import arithmetic, trace_scores
from evaluators.trace.values import METRICS, TRACE_VALUES
from tests.lesson import NO_CLAIM

VALUES = {
    "RGB": ["accuracy", "rejection", "detection", "correction", "correction_among_detected"],
    "RGB by a judge": ["rejection_judged", "detection_judged"],
    "TRACE": [value.name for value in TRACE_VALUES],
    "rates": [value.heading for value in RGB_VALUES],
    "Answer match": ["answer_match"],
    "Context recall": ["context_recall", "context_recall_lexical"],
    "Retriever recall": ["retriever_recall", "recall_at_k", "precision_at_k", "reciprocal_rank"],
    "Retriever recall at k": ["hit_at_k", "ndcg_at_k"],
    "Fact recall": ["fact_recall", "facts_left_out", "facts_not_retrieved"],
    "G-Eval": ["relevance", "fluency", "consistency", "coherence", "overall", "custom"],
    "LLM as judge": ["llm_judge"],
}
"""What the metrics that ship write into a score, and the rates that pages make of it."""


@pytest.mark.parametrize("names", VALUES.values(), ids=list(VALUES))
def test_every_value_has_its_range_and_what_to_do(names):
    found = {name: term_of(name) for name in names}
    assert [name for name, term in found.items() if not (term and term.ideal and term.advice)] == []


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Context relevance", "context_relevance"),
        ("relevance", "g_eval"),
        ("Relevance (G-Eval)", "g_eval"),
        ("relevance (2)", "g_eval"),
        ("Negative rejection (judge)", "judged"),
        ("2 of 3 required answers", "required_answers"),
        ("Chinese marker phrase", "marker_phrase"),
        ("80\N{NO-BREAK SPACE}% of the words", "eighty_percent"),
    ],
)
def test_a_word_leads_to_its_term(word, name):
    term = term_of(word)
    assert term is not None
    assert term.name == name


def test_every_definition_and_labeller_is_explained():
    assert {*DEFINITIONS, GOLD, HEURISTIC, JURY} <= terms().keys()


def test_every_metric_that_ships_is_explained():
    own = [cls for cls in catalogue().values() if ships(cls)]
    words = [word for cls in own for word in (cls.name, cls.title)]
    assert [word for word in words if term_of(word) is None] == []


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_of_rgb_is_explained(rule):
    term = term_of(rule)
    assert term is not None
    assert term.group == RULES_GROUP


def test_a_term_has_one_sentence_and_no_title_stands_for_two():
    assert [term.name for term in terms().values() if not term.meaning.endswith(".")] == []
    titles = [title for term in terms().values() for title in (term.title, *term.also)]
    assert sorted({title for title in titles if titles.count(title) > 1}) == []


def test_formulas_are_those_that_a_sample_is_worked_out_by():
    sentences = cut("It opened in 1900.", ["The mill opened in 1900. It is red."])
    labels = Labels(
        relevant_keys=("0a",),
        utilized_keys=("0a",),
        sentence_support=(SentenceSupport(key="a", support=Support.FULL),),
    )
    worked_out = arithmetic(trace_scores(sentences, labels))
    assert [name for name in METRICS if terms()[name].formula not in worked_out[name]] == []


def test_ideal_ranges_are_those_of_the_patterns():
    ideals = {name: terms()[name].ideal for name in METRICS}
    high = "0.7 or more"
    expected = dict.fromkeys(METRICS, high) | {"adherence": "1"}
    assert ideals == expected
    assert terms()[slug("Good retrieval, bad generation")].formula == (
        "context relevance 0.7 or more, context utilization below 0.5"
    )


def test_a_value_of_trace_has_one_title_at_every_door():
    for value in TRACE_VALUES:
        name = value.name
        assert terms()[name].title == value.heading == title(name) == readable(name)


def test_prompt_phones_docs_and_glossary_say_in_the_same_words_what_claims_nothing():
    docs = [ROOT / "docs" / name for name in ("class.md", "measures.md")]
    places = [load("trace_labels_en"), KINDS["support"].asked_help]
    places += [path.read_text(encoding="utf-8") for path in docs]
    assert [NO_CLAIM in place for place in places] == [True] * 4
    assert terms()["no_claim"].meaning == NO_CLAIM
