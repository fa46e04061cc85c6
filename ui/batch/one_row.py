"""One row of a batch: what was asked and answered, what was judged of it and why."""

from __future__ import annotations

import streamlit as st

from evaluators.batch.columns import FAILED, MetricColumns
from evaluators.batch.origins import sample_of
from evaluators.batch.rows import Evidence, ResultRow, ResultRows, evidence_in, said_in
from evaluators.errors import PlumblineError
from evaluators.llm.money import dollars
from evaluators.records import JudgeEvidence, LabelEvidence, Sample
from evaluators.report import coloured
from evaluators.runs.shown_values import title
from evaluators.runs.store import FileBatch
from evaluators.text.language import say, translated
from evaluators.text.scale import SCORE
from evaluators.text.words import counted
from evaluators.trace.labelling import sentences_of
from ui import session
from ui.batch import state
from ui.parts import explained, facts, highlight, remedies, texts
from ui.parts.untrusted import plain

MOST_DIGITS = 12


def show(batch: FileBatch) -> None:
    """The row in the address; raises `PlumblineError` where its results cannot be read."""
    if st.button(say("Back to the batch"), icon=":material/arrow_back:"):
        st.switch_page("../pages/batch.py", query_params=session.address(batch=batch.id))
    row = _row_in_address(batch)
    if row is None:
        st.warning(say("There is no such row in this batch."), icon=":material/link_off:")
        return
    where = say("Row {number:,} of {file}", number=row.number, file=row.file)
    st.caption(plain(f"{where} · {batch.title}"))
    sample = _sample(batch, row)
    evidence = _labels(row)
    if sample:
        texts.question(sample)
    for metric in row.metrics:
        _metric(row, metric)
    if sample:
        _answer_and_documents(sample, evidence)
    _cost(row)


def _row_in_address(batch: FileBatch) -> ResultRow | None:
    number = st.query_params.get("row", "")
    # Anybody can type an address.
    if not number.isascii() or not number.isdecimal() or len(number) > MOST_DIGITS:
        return None
    stored = ResultRows(batch, state.results_of(batch).by_file)
    return stored.row(st.query_params.get("file", ""), int(number))


def _sample(batch: FileBatch, row: ResultRow) -> Sample | None:
    """The texts, which the results do not hold; where they are gone it says so."""
    try:
        return sample_of(batch, row.file, row.number)
    except PlumblineError as error:
        st.warning(plain(remedies.worded(error)), icon=":material/link_off:")
        return None


def _labels(row: ResultRow) -> LabelEvidence | None:
    """The labels that colour the texts: those of the first metric that has any."""
    for metric in row.metrics:
        evidence = evidence_in(row.cells.get(metric.evidence))
        if isinstance(evidence, LabelEvidence):
            return evidence
    return None


def _metric(row: ResultRow, metric: MetricColumns) -> None:
    """What a metric says of the row: values, why there is none, the judge's words."""
    if len(row.metrics) > 1:
        st.header(plain(title(metric.key)))
    if row.cells[metric.status] == FAILED:
        reason = plain(translated(said_in(row, metric)))
        st.error(reason, icon=":material/error:", title=say("This row failed"))
        return
    grid = st.grid(4, min_column_width=150)
    for name in metric.values:
        value = row.cells[name]
        with grid.container(border=True, height="stretch"):
            st.metric(plain(title(name)), SCORE.shown(value), help=explained.help_of(name))
    if reason := said_in(row, metric):
        st.info(plain(translated(reason)), icon=":material/info:")
    _judge_words(evidence_in(row.cells[metric.evidence]), metric.key)


def _judge_words(evidence: Evidence | None, key: str) -> None:
    if not isinstance(evidence, JudgeEvidence):
        return
    with st.expander(say("Raw judge output"), icon=":material/data_object:", key=f"raw_{key}"):
        for output in evidence.outputs:
            st.code(output, language="json", wrap_lines=True)


def _answer_and_documents(sample: Sample, evidence: LabelEvidence | None) -> None:
    """The texts, coloured by the labels where there are any."""
    answer = coloured.uncoloured(sample.response or "")
    documents = coloured.passages(sample.evidence, sample)
    if evidence:
        highlight.style()
        sentences = sentences_of(sample)
        by_key = coloured.verdicts(sentences, evidence.counted.labels)
        answer = coloured.response(sentences.response, by_key)
        documents = coloured.documents_by_verdict(sentences.documents, by_key, sample=sample)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header(say("Answer"))
        st.html(answer)
        texts.expected_answer(sample)
        facts.show(sample)
    with right:
        st.header(say("Documents"))
        st.html(documents)


def _cost(row: ResultRow) -> None:
    calls, cached = row.cells.get("calls"), row.cells.get("cached")
    facts = []
    if calls:
        cost = say("cost {sum}", sum=dollars(row.cells.get("cost")))
        facts += [counted(calls, "call"), cost]
    if cached:
        facts.append(say("{answers} from the store", answers=counted(cached, "answer")))
    if facts:
        st.caption(plain(" · ".join(facts)))
