"""One sample under the lamp: what was asked, what was answered, what was judged and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from evaluators.catalogue import catalogue as evaluators
from evaluators.catalogue import from_spec, goes_by_rules, labels_sentences, leads
from evaluators.dry_run import prompts_of
from evaluators.errors import ParameterError
from evaluators.records import (
    Cell,
    EvaluatorSpec,
    JudgeEvidence,
    Run,
    Sample,
    SampleResult,
    Score,
)
from evaluators.report import coloured
from evaluators.rgb_words import decisions_of_score
from evaluators.runs import naming, run_facts
from evaluators.runs.run_view import Content
from evaluators.runs.shown_values import title, value_titles
from evaluators.runs.store import Answer
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say, translated
from evaluators.text.scale import SCORE
from evaluators.text.words import in_a_line
from ui import session
from ui.parts import explained, facts, present, remedies, samples, spending, texts
from ui.parts.present import Block
from ui.parts.untrusted import plain
from ui.sample import notes, repeats, rgb, verdict_labels
from ui.trace import labels as trace_labels

LINE = 160
"""Characters that a detail may have to stand in a line."""
SENTENCES = mark(
    "Sentences end at full stops and at line breaks, except where the next line goes on in lower "
    "case. Fewer than three words without a verb belong to a neighbour. Sentences that were "
    "published with the data are taken as they are. A run keeps the sentences that were labelled."
)


def chosen() -> tuple[Run | None, Cell]:
    """The run and its cell in the address, else those shown last."""
    address = st.query_params
    last = st.session_state.get("sample_address", {})
    is_of_last_run = address.get("run") == last.get("run")
    # The menu drops the parameters, and the run's page knows no sample.
    if "run" not in address or ("sample" not in address and is_of_last_run):
        address = last
    cell = Cell(
        position=_from_one(address.get("sample")),
        model=_from_one(address.get("model")),
    )
    return session.find_run(address.get("run")), cell


class ShownPlace(NamedTuple):
    """Which sample is shown, and where it stands: "7 of 24"."""

    cell: Cell
    words: str


def steps(run: Run, cell: Cell) -> ShownPlace:
    """Buttons to the neighbours and to the other models' answers; returns the place to show.

    The neighbours are those in the table that the sample was chosen from. The address follows.
    """
    names = run_facts.titles(run)
    cells = session.store().results.counts(run).asked
    # `asked` counts each answer of each model, and of each every metric.
    count = cells // max(1, len(names)) // len(run.evaluators)
    # An address that somebody typed may name a sample or a model that the run does not have.
    position = min(cell.position, count - 1)
    if cell.position != position:
        asked = cell.position + 1
        st.info(say("There is no sample {number:,}; this is the last one.", number=asked))
    model = min(cell.model, max(0, len(names) - 1))
    in_last_table = samples.last_positions(run, model)
    walk = in_last_table if position in in_last_table else range(count)
    place = walk.index(position)
    with st.container(horizontal=True, vertical_alignment="center", key="head_sample"):
        if st.button(say("Back to the run"), icon=":material/arrow_back:"):
            session.open_run(run)
        place += _steps_taken(is_first=place == 0, is_last=place == len(walk) - 1)
        position = walk[place]
        present.button("sample")
        notes.button(run, Answer(position, model))
        words = _place_in_words(run, position, count)
        facts = [say("Sample {place}", place=words)]
        if len(walk) < count:
            among = len(walk)
            facts.append(say("{part:,} of {all:,} in the table", part=place + 1, all=among))
        st.caption(" · ".join([*facts, plain(run.title)]))
    notes.show(run, Answer(position, model))
    if len(names) > 1:
        _model_segments(run, names, model)
    repeats.repeat_choice(run, Cell(position, model))
    address = session.address_of_sample(run, Answer(position, model))
    st.query_params.update(address)
    # For the menu, which opens this page without parameters.
    st.session_state["sample_address"] = address
    return ShownPlace(Cell(position, model), words)


def _place_in_words(run: Run, position: int, count: int) -> str:
    """ "7 of 24", or where prompts were asked several times "3 of 8, repeat 1 of 3"."""
    if run.repeats == 1:
        return say("{part:,} of {all:,}", part=position + 1, all=count)
    # The repeats of a prompt stand one after another.
    return say(
        "{prompt:,} of {prompts:,}, repeat {repeat} of {repeats}",
        prompt=position // run.repeats + 1,
        prompts=count // run.repeats,
        repeat=run.repeat_of(position),
        repeats=run.repeats,
    )


def _steps_taken(*, is_first: bool, is_last: bool) -> int:
    """The buttons to the neighbours; -1 or 1 where one of them was clicked."""
    # By these keys the evidence view finds the buttons, for the arrows left and right.
    goes_back = st.button(
        say("Previous"),
        icon=":material/chevron_left:",
        disabled=is_first,
        key="previous_sample",
    )
    goes_on = st.button(
        say("Next"),
        icon=":material/chevron_right:",
        icon_position="right",
        disabled=is_last,
        key="next_sample",
    )
    return goes_on - goes_back


def presented_sample(run: Run, cell: Cell) -> None:
    """The sample on a screen of its own: question, answer and evidence."""
    # The keys press these buttons, which nobody sees.
    with st.container(key="presented_steps"):
        place = steps(run, cell)
    draw = partial(_screen, run, place.cell)
    present.show([Block(say("Sample {place}", place=place.words), draw)], place.words)


def _screen(run: Run, cell: Cell) -> None:
    sample, results = _stored(run, cell)
    sample, result = Content.of(sample, results).answered, results.get(0)
    if labels_sentences(run.evaluator):
        trace_labels.show(run, cell, sample, result.score if result else None)
        return
    st.text(sample.question)
    if goes_by_rules(run.evaluator):
        rgb.presented_rgb(run, sample, result)
    else:
        _answer_and_documents(run, cell.position, sample, results)


def _stored(run: Run, cell: Cell) -> tuple[Sample, Mapping[int, SampleResult]]:
    """The sample of the data, and what each metric says of the answer."""
    results = session.store().results.of_answer(run.id, cell.position, cell.model)
    return session.store().samples.get(run.fingerprint, cell.position), results


def show(run: Run, cell: Cell) -> None:
    """The sample with its results: the first by the kind of evaluator, further metrics below."""
    sample, results = _stored(run, cell)
    is_given = sample.response is not None
    sample = Content.of(sample, results).answered
    # The evidence view of TRACE shows the question itself.
    if not labels_sentences(run.evaluator):
        texts.question(sample)
    if run.models and is_given:
        st.caption(say("The answer is from the data set; no model was asked."))
    if leads(run.evaluator.name):
        _leading_evaluator(run, cell, sample, results)
        _metrics_from(1, run, cell, sample, results)
    elif len(run.evaluators) == 1:
        _metrics_from(0, run, cell, sample, results)
        _answer_and_documents(run, cell.position, sample, results)
    else:
        _answer_and_documents(run, cell.position, sample, results)
        _metrics_from(0, run, cell, sample, results)
    if run.models and not is_given and not goes_by_rules(run.evaluator):
        model = run_facts.titles(run)[cell.model]
        st.caption(plain(say("Answer by {model}.", model=model)))
        texts.generator_prompt(f"{say('Prompt')} · {model}", run.prompt, sample)
    if sample.scores:
        given = " · ".join(f"{name}: {value}" for name, value in sample.scores.items())
        st.caption(plain(say("Came with the data, and counts in nothing: {scores}", scores=given)))
    repeats.show(run, cell)
    for number, spec in enumerate(run.evaluators):
        _judge_prompts(spec, sample, number)


def _leading_evaluator(
    run: Run,
    cell: Cell,
    sample: Sample,
    results: Mapping[int, SampleResult],
) -> None:
    """What an evaluator says whose runs have a page of their own."""
    result = results.get(0)
    _why_without_score(result, 0)
    if goes_by_rules(run.evaluator):
        rgb.show(run, cell, sample, result)
    else:
        score = result.score if result else None
        trace_labels.show(run, cell, sample, score, results=results.values())
        if result and result.score:
            st.caption(say(SENTENCES))
    # Below, as question and answer are what somebody came for.
    spending.of_sample(result)


def _from_one(text: str | None) -> int:
    """A number of the address, where the first is 1, counted from 0; 0 for anything else."""
    # Anybody can type an address: no more digits are read than any run has samples.
    if not text or not re.fullmatch("[1-9][0-9]*", text):
        return 0
    return int(text[:9]) - 1


def _model_segments(run: Run, names: list[str], model: int) -> None:
    key = f"answer_{run.id}"
    # The address decides which model is shown, so the widget follows it at every drawing.
    st.session_state[key] = names[model]

    def change() -> None:
        chosen_model = names.index(st.session_state[key])
        st.query_params["model"] = str(chosen_model + 1)

    st.segmented_control(
        say("Answer by"),
        names,
        format_func=plain,
        required=True,
        key=key,
        on_change=change,
    )


def _why_without_score(result: SampleResult | None, number: int) -> None:
    """Why there is no result, or why it failed."""
    if result is None:
        words = say("Not judged yet. Resume the run to judge it.")
        st.info(words, icon=":material/hourglass_empty:")
        return
    if result.score is None:
        reason = plain(remedies.worded(result.reason))
        st.error(reason, icon=":material/error:", title=say("This sample failed"))
        st.caption(
            say("Retry failed on the run's page tries it again, with all others that failed.")
        )
    if result.details:
        with st.expander(say("Details"), icon=":material/terminal:", key=f"details_{number}"):
            st.code(result.details, language=None, wrap_lines=True)


def _metrics_from(
    first: int,
    run: Run,
    answer: Cell,
    sample: Sample,
    results: Mapping[int, SampleResult],
) -> None:
    """Every metric from this number on: its values and what it says of them, under its name."""
    titles = run_facts.metric_titles(run)
    for number in range(first, len(titles)):
        result = results.get(number)
        score = result.score if result else None
        own_titles = value_titles(run, number, score.values if score else ())
        with st.container(border=len(titles) > 1):
            if len(titles) > 1 and len(own_titles) != 1:
                st.header(plain(titles[number]))
            _why_without_score(result, number)
            spending.of_sample(result)
            if score:
                cell = answer._replace(metric=number)
                _value_cards(
                    score, verdict_labels.values_after_people(run, cell, score), own_titles
                )
                verdict_labels.ask_verdicts(run, cell, score, own_titles)
                for decision in decisions_of_score(run.evaluators[number], sample, score):
                    rgb.decision_line(decision)
                if isinstance(score.evidence, JudgeEvidence) and score.evidence.reason:
                    _line_or_expander(say("Reason"), score.evidence.reason)
                _show_details(score.details)
                if isinstance(score.evidence, JudgeEvidence):
                    _raw_output_of_judge(score.evidence, number)


def _answer_and_documents(
    run: Run,
    position: int,
    sample: Sample,
    results: Mapping[int, SampleResult],
) -> None:
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header(say("Answer"))
        if sample.response is None:
            st.caption(say("There is no answer."))
        else:
            st.html(coloured.uncoloured(sample.response))
        texts.expected_answer(sample)
        is_example = run.workspace == EXAMPLES
        facts.of_run(run, position, sample, results.values(), is_locked=is_example)
    with right:
        st.header(say("Documents"))
        st.html(coloured.passages(sample.evidence, sample))
        if sample.gold_documents:
            st.header(say("Gold documents"))
            st.html(coloured.passages(sample.gold_documents))


def _value_cards(
    score: Score,
    after: Mapping[str, float | None],
    titles: Mapping[str, str],
) -> None:
    """The labeller's values; beside one that people would change what they say."""
    grid = st.grid(4, min_column_width=150)
    for name, value in score.values.items():
        with grid.container(border=True, height="stretch"):
            st.metric(plain(titles[name]), SCORE.shown(value), help=explained.help_of(name))
            by_people = after[name]
            if by_people is not None and value != by_people:
                st.caption(say("people say {figure}", figure=SCORE.shown(by_people)))
            elif value is None:
                st.caption(say("not applicable"))
    if score.reason:
        st.info(plain(translated(score.reason)), icon=":material/info:")


def _show_details(details: Mapping[str, Any]) -> None:
    """Records as tables, long texts behind a click, all else a line each."""
    for name, detail in details.items():
        if detail in (None, "", [], {}):
            continue
        label = title(name)
        records = _records_in(detail, label)
        if records:
            st.markdown(f"### {plain(label)}")
            numbers = range(1, len(records) + 1)
            is_named = isinstance(detail, Mapping)
            _table_of_records(records, map(title, detail) if is_named else numbers)
        else:
            _line_or_expander(label, _detail_as_text(detail))


def _raw_output_of_judge(said: JudgeEvidence, number: int) -> None:
    with st.expander(
        say("Raw judge output"),
        icon=":material/data_object:",
        key=f"raw_metric_output_{number}",
    ):
        if said.mode:
            st.caption(plain(say("JSON asked for by: {mode}", mode=said.mode)))
        for output in said.outputs:
            st.code(output, language="json", wrap_lines=True)


def _records_in(detail: Any, name: str) -> list[Mapping[str, Any]]:
    """The rows of a list of records, or of names with a record or a value each; else nothing."""
    if isinstance(detail, Mapping):
        values = detail.values()
        return [value if isinstance(value, Mapping) else {name: value} for value in values]
    if not isinstance(detail, list):
        return []
    are_records = all(isinstance(entry, Mapping) for entry in detail)
    return detail if are_records else []


def _table_of_records(records: Sequence[Mapping[str, Any]], names: Iterable[object]) -> None:
    """The records with all their text in sight, under their names or numbers."""
    columns = dict.fromkeys(chain.from_iterable(records))
    rows = []
    for record in records:
        row = {}
        for column in columns:
            text = _detail_as_text(record.get(column))
            row[plain(title(column))] = plain(text)
        rows.append(row)
    # `st.dataframe` would cut long texts; the cells of `st.table` are Markdown, hence `plain`.
    index = [plain(str(name)) for name in names]
    st.table(pd.DataFrame(rows, index=index))


def _line_or_expander(name: str, text: str) -> None:
    if len(text) <= LINE and "\n" not in text:
        st.text(say("{name}: {text}", name=name, text=text))
        return
    with st.expander(plain(name), icon=":material/notes:"):
        st.code(text, language=None, wrap_lines=True)


def _detail_as_text(detail: Any) -> str:
    """What a metric wrote down: yes and no, lists in a line or by paragraphs, few digits."""
    if isinstance(detail, bool):
        return say("yes") if detail else say("no")
    if isinstance(detail, float):
        return f"{detail:.4g}"
    if isinstance(detail, list | tuple):
        parts = list(map(_detail_as_text, detail))
        is_long = sum(map(len, parts)) > LINE
        return ("\n\n" if is_long else say(", ")).join(parts)
    if isinstance(detail, Mapping):
        parts = [
            say("{name}: {text}", name=title(str(name)), text=_detail_as_text(part))
            for name, part in detail.items()
        ]
        return in_a_line(parts)
    return "" if detail is None else str(detail)


def _judge_prompts(spec: EvaluatorSpec, sample: Sample, number: int) -> None:
    """What the judge is asked about this sample by a metric without a page of its own."""
    cls = evaluators().get(spec.name)
    if cls is None or cls.leads or not cls.most_judges():
        return
    try:
        prompts = prompts_of(from_spec(spec), sample)
    except ParameterError:
        # A metric of one's own may have other parameters by now.
        return
    label = say("Prompt")
    if number:
        label = f"{label} · {naming.metric_title(spec)}"
    with st.expander(plain(label), icon=":material/edit_note:", key=f"metric_prompt_{number}"):
        st.caption(
            say(
                "By today's prompt files; what depends on an earlier answer of the judge may "
                "differ."
            )
        )
        for prompt in prompts:
            st.code(prompt.text, language=None, wrap_lines=True)
