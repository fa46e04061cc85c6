"""The models and metrics of a run in words: their names, and how they were asked."""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.datasets.origin import source_in_words
from evaluators.llm.catalogue import OFFLINE, model_title
from evaluators.llm.money import dollars
from evaluators.messages import from_stored
from evaluators.records import ModelSpec, Run
from evaluators.runs import aggregate
from evaluators.runs.examples import ILLUSTRATION
from evaluators.runs.naming import PARTS, metric_title
from evaluators.runs.store import Outline
from evaluators.text.language import ENGLISH, mark, say, speaking, translated
from evaluators.text.words import counted, in_a_line, in_brackets, short_name


def titles(run: Run) -> list[str]:
    """A name for each model of the run, no two alike."""
    return numbered_where_alike([say(model_title(spec)) for spec in run.models])


def rows(run: Run, outlines: Sequence[Outline]) -> dict[str, Sequence[Outline]]:
    """The rows of each model under its name; where answers were given all under an empty one."""
    if not run.models:
        return {"": outlines}
    by_model: dict[str, Sequence[Outline]] = {}
    for number, name in enumerate(titles(run)):
        by_model[name] = aggregate.of_model(outlines, number)
    return by_model


def judge_titles(run: Run) -> list[str]:
    """A name for each judge of the run, no two alike."""
    return numbered_where_alike([model_title(spec) for spec in run.judges])


def metric_titles(run: Run) -> list[str]:
    """A name for each metric of the run, no two alike."""
    return numbered_where_alike([say(metric_title(spec)) for spec in run.evaluators])


def method(run: Run) -> list[str]:
    """Who judges or labels the run, and whose answers, in as few words as they have."""
    metrics = in_a_line(metric_titles(run))
    words = [metrics]
    if judges := judge_titles(run):
        words = [say("{metrics} by {judges}", metrics=metrics, judges=in_a_line(judges))]
    if models := titles(run):
        words.append(in_a_line(models))
    return words


def method_beside_title(run: Run) -> list[str]:
    """The same without what the run's title says already."""
    metrics, judges, models = metric_titles(run), judge_titles(run), titles(run)
    words = []
    if not _is_in_title(run, metrics):
        words = method(run)[:1]
    elif judges and not _is_in_title(run, judges):
        words = [say("by {judges}", judges=in_a_line(judges))]
    if models and not _is_in_title(run, models):
        words.append(in_a_line(models))
    return words


def data_beside_title(run: Run) -> list[str]:
    """The name of the run's data, unless its title says it."""
    return [] if _is_in_title(run, [run.dataset_name]) else [run.dataset_name]


def _is_in_title(run: Run, names: Sequence[str]) -> bool:
    """Whether the title names all of these; it leaves out what stands in brackets of a model."""
    stored = [part for parts in run.title.split(PARTS) for part in parts.split(", ")]
    named = {part.removeprefix("by ") for part in stored}
    # A suggested title is stored in English.
    with speaking(ENGLISH):
        english = [say(name) for name in names]
    both = zip(names, english, strict=True)
    return all(not named.isdisjoint([*pair, *map(short_name, pair)]) for pair in both)


def facts(run: Run) -> list[str]:
    """Where the data are from, who was asked and how, what it might cost.

    A part of what it takes to run it again.
    """
    read_as = translated(from_stored(run.origin.get("read_as", ""))).rstrip(".。")
    facts = list(filter(None, (source_in_words(run.origin), read_as)))
    if models := list(map(_with_options, titles(run), run.models)):
        asked = mark("Models: {models}") if len(models) > 1 else mark("Model: {models}")
        facts.append(say(asked, models=in_a_line(models)))
    if judges := list(map(_with_options, judge_titles(run), run.judges)):
        judging = mark("Jury: {judges}") if len(judges) > 1 else mark("Judge: {judges}")
        facts.append(say(judging, judges=in_a_line(judges)))
    limits = []
    if run.cap.calls:
        limits.append(counted(run.cap.calls, "call"))
    if run.cap.cost:
        limits.append(dollars(run.cap.cost))
    if limits:
        facts.append(say("Budget: {limits}", limits=in_a_line(limits)))
    if run.repeats > 1:
        facts.append(say("Each prompt asked {repeats} times", repeats=run.repeats))
    if not run.use_cache:
        facts.append(say("Stored answers not used"))
    return facts


def numbered_where_alike(names: Sequence[str]) -> list[str]:
    """The names, those that are alike with their place."""
    return [
        f"{name} ({number})" if names.count(name) > 1 else name
        for number, name in enumerate(names, start=1)
    ]


def _with_options(name: str, spec: ModelSpec) -> str:
    if spec.provider in (OFFLINE.provider, ILLUSTRATION):
        return name
    return in_brackets(name, in_a_line(options_in_words(spec)))


def options_in_words(spec: ModelSpec) -> list[str]:
    """How a model is asked: its temperature, its effort and the room for its answer."""
    options = []
    if spec.temperature is None:
        options.append(say("temperature left to the model"))
    else:
        options.append(say("temperature {temperature:g}", temperature=spec.temperature))
    if spec.effort:
        options.append(say("effort {effort}", effort=spec.effort))
    options.append(say("up to {tokens:,} answer tokens", tokens=spec.answer_tokens))
    return options
