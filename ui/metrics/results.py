"""What metrics show: their values, how these are spread, how each works, and every sample."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any

import streamlit as st

from evaluators import prompts
from evaluators.base import Evaluator
from evaluators.catalogue import catalogue, explanations, from_spec, metric_named
from evaluators.errors import ParameterError
from evaluators.params import Parameter, parameters
from evaluators.records import EvaluatorSpec, Run
from evaluators.runs import findings, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.engine import registry
from evaluators.runs.rgb_figures import charts_over_noise
from evaluators.runs.run_view import WHAT_COUNTS, Content, RunView
from evaluators.runs.shown_values import Group, column_titles, metric_dots, title
from evaluators.runs.store import Answer, Outline, Selection, Store, ValueName
from evaluators.text.language import mark, say
from evaluators.text.words import counted, in_a_line, in_brackets, joined_sentences, name_and_text
from ui import session
from ui.parts import charts, chosen_view, corrected, dots, flaw_cards, forms, samples
from ui.parts.present import Block
from ui.parts.samples import Verdict
from ui.parts.untrusted import plain

# Bounds of a selection belong to it, so this is the last number before a half.
BELOW_A_HALF = math.nextafter(0.5, 0)
MOST_OF_A_VALUE = 60
"""Characters of a parameter's value that the card shows."""


def card(run: Run) -> None:
    """What this run was."""
    label = say("Metrics") if len(run.evaluators) > 1 else say("Metric")
    facts = [
        name_and_text(label, in_a_line(_with_params(run))),
        *run_facts.facts(run),
        *how_answered(run),
    ]
    st.caption(plain(" · ".join(facts)))


def how_answered(run: Run) -> list[str]:
    """By which prompt a run's models answered, and how many responses were there before.

    Nothing without models.
    """
    if not run.models:
        return []
    facts = [say("Prompt: {hash}", hash=run.prompt_hash)]
    count = _responses_in_data(session.store(), run.fingerprint)
    if count:
        facts.append(
            say(
                "{responses} from the data, the same for every model",
                responses=counted(count, "response"),
            )
        )
    return facts


# The data of a run never change, and every sample is read to count this.
@lru_cache(maxsize=32)
def _responses_in_data(store: Store, fingerprint: str) -> int:
    return store.samples.with_response(fingerprint)


def also(run: Run) -> list[str]:
    """The metrics of a run beside the first, for its card."""
    others = _with_params(run)[1:]
    return [say("Also: {metrics}", metrics=in_a_line(others))] if others else []


def _with_params(run: Run) -> list[str]:
    """The metrics of the run, each with its parameters."""
    metrics = []
    for name, spec in zip(run_facts.metric_titles(run), run.evaluators, strict=True):
        stated = params(spec)
        metrics.append(in_brackets(name, say("; ").join(stated)) if stated else name)
    return metrics


def params(spec: EvaluatorSpec, leave_out: Collection[str] = ("title",)) -> list[str]:
    """Its parameters in words, without those that are empty or left out.

    By default that is the title of a metric from a prompt, which stands before the parameters.
    """
    cls = metric_named(spec.name)
    declared = {parameter.name: parameter for parameter in parameters(cls)} if cls else {}
    words = []
    for name, value in spec.params.items():
        if name not in leave_out and value not in ("", None):
            words.append(_param_in_words(declared.get(name), name, value))
    return words


def _param_in_words(declared: Parameter | None, name: str, value: Any) -> str:
    if declared is None:
        return name_and_text(title(name), _short_value(value))
    return name_and_text(say(declared.title), _short_value(forms.as_in_widget(declared, value)))


def _short_value(value: object) -> str:
    if isinstance(value, list | tuple):
        return in_a_line(map(_short_value, value))
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    if len(text) <= MOST_OF_A_VALUE:
        return text
    return f"{text[:MOST_OF_A_VALUE]}…"


def show(view: RunView) -> None:
    """Each metric with its values, and the samples, as far as the run is."""
    shown = View(by=chosen_view.labels_switch(view, view.labellers()))
    for number in range(len(view.run.evaluators)):
        _one_metric(view, number, shown)
    moves = registry.moves(view.run.id, view.store)
    if not moves:
        flaw_cards.show(view, shown)
    titles = column_titles(view)
    samples.heading()
    filters = {}
    filter_titles = {}
    for (metric, name), column in view.columns().items():
        values = (ValueName(metric, name),)
        filters[column] = Selection(values=values, high=BELOW_A_HALF)
        filter_titles[column] = say("{value} below a half", value=titles[column])
    filters["Failed"] = Selection(is_failed=True)
    filters["Changed by people"] = Selection(is_corrected=True)
    if not moves:
        filters |= flaw_cards.filters(view, shown)
    # Without models the answers are those in the data, which count as one model's
    count = max(1, len(view.run.models))
    has_situations = any(view.figures(0, model).situations for model in range(count))
    facets = {"situation": mark("Group")} if has_situations else {}
    table = samples.Table(
        view,
        titles,
        filters,
        _checked_verdict,
        counts_by=shown,
        facets=facets,
        filter_titles=filter_titles,
    )
    samples.show(table)


def blocks(view: RunView, shown: View = WHAT_COUNTS, first: int = 0) -> list[Block]:
    """The metrics of a run from this number on, for a screen each."""
    groups = [
        Group(title, "", metric_dots(view, number, shown))
        for number, title in enumerate(run_facts.metric_titles(view.run))
    ]
    return list(chain.from_iterable(map(dots.blocks, groups[first:])))


def _checked_verdict(_answer: Answer, row: Outline, _content: Content | None) -> Verdict:
    if all(value is None for value in row.values.values()):
        return Verdict(say("not applicable"))
    return Verdict(say("checked"), "good")


def further(view: RunView, shown: View) -> None:
    """The metrics of a run beside the one whose page shows it."""
    for number in range(1, len(view.run.evaluators)):
        _one_metric(view, number, shown)


def _one_metric(view: RunView, number: int, seen: View) -> None:
    """One metric of the run under its title; several models stand below one another."""
    run = view.run
    titles = run_facts.metric_titles(run)
    heading = titles[number] if len(titles) > 1 else ""
    if shown := metric_dots(view, number, seen):
        chosen_view.say_whose(view, seen)
        corrected.say_headlines(view, number)
        moves = registry.moves(run.id, view.store)
        if not moves and (finding := findings.of_values(view, number, seen)):
            st.markdown(f"**{plain(finding)}**")
        # Of a run of several metrics each is a section of the page.
        term = run.evaluators[number].name
        groups = [Group(heading, "", shown, term)]
        dots.show(groups, level=2, is_at_work=moves)
        if not moves:
            dots.say_what_marks_mean(groups)
        for chart in charts_over_noise(view, number, seen):
            st.subheader(chart.title, anchor=False)
            charts.show(chart, f"noise_{chart.title}_{run.id}")
    else:
        by_model = [view.figures(number, model) for model in range(max(1, len(run.models)))]
        asked = sum(figures.asked for figures in by_model)
        failed = sum(figures.failed for figures in by_model)
        st.caption(plain(_nothing_checked(heading, failed, asked)))
    spec = run.evaluators[number]
    if spec.name not in catalogue():
        gone = say(
            "There is no metric {metric} here any more. Its results stay, but the run "
            "cannot go on.",
            metric=spec.name,
        )
        st.warning(plain(gone), icon=":material/extension_off:")
    # Metrics of one's own change: one that no longer takes these parameters is not explained.
    with suppress(ParameterError):
        metric = from_spec(spec)
        about(type(metric), f"{run.id}_{number}", metric.needed)


def _nothing_checked(heading: str, failed: int, asked: int) -> str:
    samples = counted(asked, "sample")
    if heading and failed:
        return say(
            "{metric}: nothing is checked yet; {failed:,} of {samples} failed.",
            metric=heading,
            failed=failed,
            samples=samples,
        )
    if heading:
        return say("{metric}: nothing is checked yet.", metric=heading)
    if failed:
        return say(
            "Nothing is checked yet; {failed:,} of {samples} failed.",
            failed=failed,
            samples=samples,
        )
    return say("Nothing is checked yet.")


# How it works


def about(cls: type[Evaluator], place: str, needs: Sequence[str]) -> None:
    """How the metric works: what it needs and computes, its prompts, its code."""
    with st.expander(
        say("About this metric"),
        icon=":material/menu_book:",
        key=f"about_{cls.name}_{place}",
    ):
        files = _prompt_files(cls)
        names = [say("Meaning"), say("Source")]
        if files:
            names.insert(1, say("Prompts"))
        meaning, *prompts_of_metric, source = st.tabs(names)
        with meaning:
            _meaning(cls, needs)
        for tab in prompts_of_metric:
            with tab:
                for name, text in files.items():
                    st.caption(plain(name))
                    st.code(text, language=None, wrap_lines=True)
        with source:
            _source_code(cls)


def needs_in_words(fields: Sequence[str]) -> str:
    """What a metric needs, in words."""
    titles = in_a_line(map(title, fields)).lower()
    return say("Needs: {fields}.", fields=titles or say("nothing but the question"))


def _meaning(cls: type[Evaluator], needs: Sequence[str]) -> None:
    asks = say("Asks no LLM.")
    if cls.most_judges():
        asks = say("Asks one LLM as its judge.")
    st.caption(plain(joined_sentences([needs_in_words(needs), asks])))
    for text in explanations(cls):
        st.text(say(text))


def _prompt_files(cls: type[Evaluator]) -> dict[str, str]:
    """The prompts of the metric, which bear its name, by file."""
    if not cls.most_judges():
        return {}
    texts = {}
    for file in sorted(prompts.FOLDER.glob("*.md")):
        if file.stem == cls.name or file.stem.startswith(f"{cls.name}_"):
            texts[file.name] = prompts.load(file.stem)
    return texts


def _source_code(cls: type[Evaluator]) -> None:
    """The file in which the metric stands."""
    st.caption(plain(f"{cls.__module__.replace('.', '/')}.py"))
    module = inspect.getmodule(cls)
    code = ""
    # Its owner may take the file of a metric away at any moment.
    with suppress(OSError, TypeError):
        code = inspect.getsource(module) if module else ""
    if code:
        st.code(code, language="python", wrap_lines=True)
    else:
        st.caption(say("The code cannot be read here."))
