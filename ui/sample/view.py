"""One sample under the lamp: what was asked, what was answered, what was judged and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from evaluators.catalogue import catalogue as evaluators
from evaluators.catalogue import from_spec, leads
from evaluators.dry_run import prompts_of
from evaluators.errors import ParameterError
from evaluators.llm import catalogue
from evaluators.prompts import fill
from evaluators.records import Ability, Cell, EvaluatorSpec, Run, Sample, SampleResult, Score
from evaluators.rgb_evaluator import BY_WORDS, RGBEvaluator, Verdict, stored_verdicts
from evaluators.text.accepted import spellings
from ui import session
from ui.metrics.results import labels, title
from ui.parts import highlight, remedies, run_facts, spending, tables
from ui.parts.untrusted import plain
from ui.parts.words import accepted
from ui.trace import labels as trace_labels

LINE = 160
"""Characters that a detail may have to stand in a line."""
SENTENCES = (
    "Sentences end at full stops and at line breaks, except where the next line goes on in lower "
    "case. Fewer than three words without a verb belong to a neighbour. Sentences that were "
    "published with the data are taken as they are. A run keeps the sentences that were labelled."
)


def chosen() -> tuple[Run | None, Cell]:
    """The run and its cell in the address, else those shown last; the way back leads to addresses
    without a sample.
    """
    address, last = st.query_params, st.session_state.get("sample_address", {})
    if "run" not in address or ("sample" not in address and address["run"] == last.get("run")):
        address = last
    return session.run(address.get("run")), Cell(
        _number(address.get("sample")), _number(address.get("model"))
    )


def steps(run: Run, cell: Cell) -> Cell:
    """Buttons to the neighbours and to the other models' answers; returns what to show and keeps it
    in the address.

    The neighbours are those in the table that the sample was chosen from.
    """
    names = run_facts.titles(run)
    asked = session.store().results.counts(run).asked // max(1, len(names)) // len(run.evaluators)
    position, model = min(cell.position, asked - 1), min(cell.model, max(0, len(names) - 1))
    among = tables.last_positions(run, model)
    walk = among if position in among else range(asked)
    place = walk.index(position)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Back to the run", icon=":material/arrow_back:"):
            session.open_run(run)
        if st.button("Previous", icon=":material/chevron_left:", disabled=place == 0):
            place -= 1
        if st.button(
            "Next",
            icon=":material/chevron_right:",
            icon_position="right",
            disabled=place == len(walk) - 1,
        ):
            place += 1
        position = walk[place]
        found = f" · {place + 1:,} of {len(walk):,} in the table" if len(walk) < asked else ""
        st.caption(f"Sample {position + 1:,} of {asked:,}{found} · {plain(run.title)}")
    if len(names) > 1:
        _switch(run, names, model)
    address = session.address(run=run.id, sample=str(position + 1), model=str(model + 1))
    st.query_params.update(address)
    st.session_state["sample_address"] = address
    return Cell(position, model)


def show(run: Run, cell: Cell) -> None:
    """The sample with its results: the first by the kind of evaluator, further metrics below."""
    sample = session.store().samples.get(run.fingerprint, cell.position)
    results = session.store().results.of_answer(run.id, cell.position, cell.model)
    st.subheader("Question")
    st.text(sample.question)
    answers = (result.response for result in results.values() if result.response is not None)
    is_given = sample.response is not None
    sample = sample.model_copy(update={"response": next(answers, sample.response)})
    if run.models and is_given:
        st.caption("The response is from the data; no model was asked.")
    if leads(run.evaluator.name):
        _of_a_page(run, cell, sample, results.get(0))
        _metrics(run, sample, results, 1)
    elif len(run.evaluators) == 1:
        _metrics(run, sample, results, 0)
        _texts(sample)
    else:
        _texts(sample)
        _metrics(run, sample, results, 0)
    if run.models and not is_given and leads(run.evaluator.name) != "rgb":
        _generator(run, cell, sample)
    for number, spec in enumerate(run.evaluators):
        _prompts(spec, sample, number)


def _of_a_page(run: Run, cell: Cell, sample: Sample, result: SampleResult | None) -> None:
    """What an evaluator says that has a page of its own."""
    _outcome(result, 0)
    if leads(run.evaluator.name) == "rgb":
        _rgb(run, sample, result)
    else:
        trace_labels.show(run, cell, sample, result.score if result else None)
        if result and result.score:
            st.caption(SENTENCES)


def _number(text: str | None) -> int:
    """A number in the address, counted from 0; the first for anything else."""
    return int(text[:9]) - 1 if text and re.fullmatch("[1-9][0-9]*", text) else 0


def _switch(run: Run, names: list[str], model: int) -> None:
    key = f"answer_{run.id}"
    st.session_state[key] = names[model]

    def change() -> None:
        st.query_params["model"] = str(names.index(st.session_state[key]) + 1)

    st.segmented_control(
        "Answer by", names, format_func=plain, required=True, key=key, on_change=change
    )


def _outcome(result: SampleResult | None, number: int) -> None:
    """What it cost, and why it failed where it did."""
    if result is None:
        st.info("Not judged yet. Resume the run to judge it.", icon=":material/hourglass_empty:")
        return
    if result.score is None:
        words = plain(remedies.worded(result.reason))
        st.error(words, icon=":material/error:", title="This sample failed")
        st.caption("Retry failed on the run's page tries it again, with all others that failed.")
    if result.details:
        with st.expander("Details", icon=":material/terminal:", key=f"details_{number}"):
            st.code(result.details, language=None, wrap_lines=True)
    spending.of_sample(result)


def _rgb(run: Run, sample: Sample, result: SampleResult | None) -> None:
    evaluator = from_spec(run.evaluator)
    assert isinstance(evaluator, RGBEvaluator)
    task = sample.rgb
    if task:
        effective = (
            ""
            if task.effective_noise is None
            else f" · effective noise {100 * task.effective_noise:.0f} %"
        )
        noise = ""
        # counterfactual prompts have no noise levels
        if task.noise is not None and task.ability is not Ability.COUNTERFACTUAL:
            noise = f" · noise {100 * task.noise:.0f} %"
        st.caption(f"{task.ability.label}{noise}{effective} · policy {evaluator.policy}")
    verdicts = stored_verdicts(result.score) if result and result.score else {}
    evidence = [word for verdict in verdicts.values() for word in verdict.evidence]
    whole = any(verdict.rule == BY_WORDS for verdict in verdicts.values())
    expected = spellings(sample.ground_truth)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Answer")
        if sample.response is None:
            st.caption("There is no answer.")
        else:
            st.html(highlight.words(sample.response, evidence, expected, whole=whole))
        _expected(sample)
        if result and result.score:
            _verdicts(run, verdicts, result.score)
    with right:
        st.subheader("Documents")
        if expected:
            st.caption(
                "Marked here and in the answer: the words that decided, and the expected answer."
            )
        sources = sample.sources
        st.html(
            highlight.passages(
                sample.retrieved_documents, evidence, expected, whole=whole, sources=sources
            )
        )
    if verdicts:
        _rules(evaluator, sample)
    if run.prompt:
        _asked("Prompt", run.prompt, sample)


def _generator(run: Run, cell: Cell, sample: Sample) -> None:
    """Who gave the response, and what was asked for it."""
    name = run_facts.titles(run)[cell.model]
    st.caption(plain(f"Response by {name}."))
    _asked(f"Prompt · {name}", run.prompt, sample)


def _asked(label: str, template: str, sample: Sample) -> None:
    """What a model was asked about the sample."""
    with st.expander(plain(label), icon=":material/edit_note:", key="generator_prompt"):
        prompt = fill(template, sample.question, sample.retrieved_documents)
        st.code(prompt.text, language=None, wrap_lines=True)


def _expected(sample: Sample) -> None:
    if sample.ground_truth is not None:
        st.text(f"Ground truth: {accepted(sample.ground_truth)}")
    if sample.rgb and sample.rgb.counterfactual is not None:
        st.text(f"Planted error: {accepted(sample.rgb.counterfactual)}")


def _verdicts(run: Run, verdicts: Mapping[str, Verdict], score: Score) -> None:
    """What the rules decided, and beside it what a judge said."""
    judged = score.details.get("judge", {})
    for name, verdict in verdicts.items():
        _verdict(name, verdict.passed, verdict.rule)
        if name in judged:
            _verdict(
                name,
                judged[name]["passed"],
                f"judge {catalogue.title(run.judge)}" if run.judge else "judge",
            )
            st.text(judged[name]["words"])
    if score.reason:
        st.caption(plain(score.reason))


def _verdict(name: str, passed: bool, by: str) -> None:
    badge = st.success if passed else st.warning
    icon = ":material/check_circle:" if passed else ":material/cancel:"
    badge(
        f"**{name.capitalize()}: {'yes' if passed else 'no'}** · decided by: {plain(by)}", icon=icon
    )


def _rules(evaluator: RGBEvaluator, sample: Sample) -> None:
    outcomes = {None: "does not decide", True: "yes", False: "no"}
    rows = [
        {
            "Asked": step.question,
            "Rule": step.rule,
            "Outcome": outcomes[step.verdict.passed if step.verdict else None],
            "Words": ", ".join(step.verdict.evidence) if step.verdict else "",
        }
        for step in evaluator.steps(sample)
    ]
    st.subheader("Rules, in the order of their trial")
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Rules in order")


def _metrics(run: Run, sample: Sample, results: Mapping[int, SampleResult], begin: int) -> None:
    """Every metric from this number on: its values and what it has to say for them,
    under its name.
    """
    titles = run_facts.metric_titles(run)
    for number in range(begin, len(titles)):
        result = results.get(number)
        score = result.score if result else None
        named = labels(titles, number, score.values if score else ())
        with st.container(border=len(titles) > 1):
            if len(titles) > 1 and len(named) != 1:
                st.subheader(plain(titles[number]))
            _outcome(result, number)
            if score:
                _values(score, named)
                _details(score.details, number)


def _texts(sample: Sample) -> None:
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Answer")
        if sample.response is None:
            st.caption("There is no answer.")
        else:
            st.html(highlight.words(sample.response, []))
        _expected(sample)
    with right:
        st.subheader("Documents")
        st.html(highlight.passages(sample.retrieved_documents, sources=sample.sources))
        if sample.gold_documents:
            st.subheader("Gold documents")
            st.html(highlight.passages(sample.gold_documents))


def _values(score: Score, named: Mapping[str, str]) -> None:
    grid = st.grid(4, min_column_width=150)
    for name, value in score.values.items():
        with grid.container(border=True, height="stretch"):
            st.metric(plain(named[name]), "–" if value is None else f"{value:.2f}")
            if value is None:
                st.caption("not applicable")
    if score.reason:
        st.info(plain(score.reason), icon=":material/info:")


def _details(details: Mapping[str, Any], number: int) -> None:
    """Records as tables, long texts behind a click, all else a line each; what the judge wrote
    comes last.
    """
    for name, detail in details.items():
        if name in ("outputs", "mode") or not _tells(detail):
            continue
        if rows := _rows(title(name), detail):
            st.markdown(f"##### {plain(title(name))}")
            _table(
                rows,
                list(map(title, detail))
                if isinstance(detail, Mapping)
                else range(1, len(rows) + 1),
            )
        else:
            _line(title(name), _words(detail))
    if outputs := details.get("outputs"):
        with st.expander(
            "Raw judge output", icon=":material/data_object:", key=f"raw_metric_output_{number}"
        ):
            if mode := details.get("mode"):
                st.caption(plain(f"JSON asked for by: {mode}"))
            for output in outputs if isinstance(outputs, list) else [outputs]:
                st.code(_words(output), language="json", wrap_lines=True)


def _tells(detail: Any) -> bool:
    return detail is not None and detail != "" and detail != [] and detail != {}


def _rows(name: str, detail: Any) -> list[Mapping[str, Any]]:
    """The detail as rows of a table, where it is a list of records, or names with a record or a
    value each.
    """
    if isinstance(detail, Mapping):
        return [each if isinstance(each, Mapping) else {name: each} for each in detail.values()]
    is_records = isinstance(detail, list) and all(isinstance(each, Mapping) for each in detail)
    return detail if is_records else []


def _table(rows: Sequence[Mapping[str, Any]], names: Iterable[object]) -> None:
    """The rows with all their text in sight, under their names or numbers."""
    columns = dict.fromkeys(column for row in rows for column in row)
    cells = [
        {plain(title(column)): plain(_words(row.get(column))) for column in columns} for row in rows
    ]
    st.table(pd.DataFrame(cells, index=[plain(str(name)) for name in names]))


def _line(name: str, text: str) -> None:
    if len(text) <= LINE and "\n" not in text:
        st.text(f"{name}: {text}")
        return
    with st.expander(plain(name), icon=":material/notes:"):
        st.code(text, language=None, wrap_lines=True)


def _words(detail: Any) -> str:
    """What a metric wrote down, as text: yes and no, lists in a line (long ones by paragraphs), no
    needless digits.
    """
    if isinstance(detail, bool):
        return "yes" if detail else "no"
    if isinstance(detail, float):
        return f"{detail:.4g}"
    if isinstance(detail, list | tuple):
        parts = [_words(each) for each in detail]
        return "\n\n".join(parts) if sum(map(len, parts)) > LINE else ", ".join(parts)
    if isinstance(detail, Mapping):
        return ", ".join(f"{title(str(key))}: {_words(each)}" for key, each in detail.items())
    return "" if detail is None else str(detail)


def _prompts(spec: EvaluatorSpec, sample: Sample, number: int) -> None:
    """What the judge is asked about this sample by a metric without a page of its own."""
    cls = evaluators().get(spec.name)
    if cls is None or cls.leads or not cls.most_judges():
        return
    try:
        asked = prompts_of(from_spec(spec), sample)
    except ParameterError:  # a metric of one's own may have other parameters by now
        return
    title = f"Prompt · {run_facts.metric_title(spec)}" if number else "Prompt"
    with st.expander(plain(title), icon=":material/edit_note:", key=f"metric_prompt_{number}"):
        st.caption(
            "By today's prompt files; what depends on an earlier answer of the judge may differ."
        )
        for prompt in asked:
            st.code(prompt.text, language=None, wrap_lines=True)
