"""The reproducibility card: what a run was, as plain text to copy into a paper or a hand-in."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from evaluators.catalogue import labels_sentences
from evaluators.datasets.origin import source_in_words
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.money import dollars
from evaluators.messages import from_stored
from evaluators.prompts import FOLDER
from evaluators.records import EvaluatorSpec, ModelSpec, Run, prompt_hash
from evaluators.runs import rulings
from evaluators.runs.aggregate import View
from evaluators.runs.counts import checked_in_words
from evaluators.runs.environment import AskedModel, Environment
from evaluators.runs.formulas import formula_in_words, labelling_prompt
from evaluators.runs.naming import metric_title
from evaluators.runs.run_facts import options_in_words
from evaluators.runs.run_options import SETTINGS
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Store
from evaluators.runs.whose import labeller_in_words
from evaluators.text.language import ENGLISH, speaking
from evaluators.text.printable import printable
from evaluators.text.words import counted
from evaluators.trace.labelling_prompt import labelling_template

WIDTH = 80
LABEL = 14
"""Columns of what stands before each fact."""
SHORT_TEXT = 600
"""Characters up to which a prompt stands on the card; of a longer one its hash does."""
SHORT_VALUE = 120
UNKNOWN = "not recorded"
"""What runs of earlier versions say of what they did not keep."""

Fact = tuple[str, str]


# Read by programs and by those who rerun it, wherever its page is read.
@speaking(ENGLISH)
def run_card(store: Store, run: Run, seen: View = WHAT_COUNTS) -> str:
    """The card of a run: lines of at most 80 characters, the same at every call, never a key.

    Hashes are SHA-256. `seen` says by which formula or rules the run is read.
    """
    title = printable(run.title)
    lines = [title[:WIDTH], "=" * len(title[:WIDTH])]
    for label, text in card_facts(store, run, seen):
        lines += _wrapped(label, text)
    return "\n".join(lines) + "\n"


@speaking(ENGLISH)
def card_facts(store: Store, run: Run, seen: View = WHAT_COUNTS) -> list[Fact]:
    """The same as labels with their texts, each on one line."""
    environment = store.environments.of(run)
    return [
        *_of_state(store, run, environment),
        *_of_data(store, run),
        *_of_method(run, seen),
        *_label_facts(store, run, seen),
        *_of_models(run, environment),
        *_of_prompts(run),
        *_of_settings(store, run),
        *_of_versions(environment),
        ("Results hash", results_hash(store, run)),
    ]


def results_hash(store: Store, run: Run) -> str:
    """SHA-256 of every state and value, 64 hex digits: the same for a run that is reproduced.

    Without what people said, times and costs.
    """
    digest = hashlib.sha256()
    for cell, status, values in store.results.states(run.id):
        line = json.dumps([*cell, status, values], sort_keys=True)
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _of_state(store: Store, run: Run, environment: Environment) -> Iterator[Fact]:
    yield "Begun", _moment(run.created)
    if environment.ended:
        yield "Ended", _moment(environment.ended)
    counts = store.results.counts(run)
    words = [checked_in_words(run, counts)]
    words += [f"{counts.failed:,} failed"] if counts.failed else []
    words += [f"{counts.open:,} open"] if counts.open else []
    yield "State", ", ".join(words)


def _of_data(store: Store, run: Run) -> Iterator[Fact]:
    count = store.samples.number_of(run.id) // run.repeats
    yield "Data", f"{run.dataset_name}, {counted(count, 'sample')}"
    yield "Data hash", run.data_fingerprint
    if run.repeats > 1:
        yield "Repeats", f"each prompt {run.repeats} times"
    made = []
    for setting in SETTINGS.values():
        folder, _, name = setting.place.partition(".")
        if folder == "origin" and setting.title and (value := run.origin.get(name)):
            made.append(f"{name.replace('_', ' ')} {_in_words(value)}")
    if made:
        yield "Drawn", "; ".join(made)
    if read_as := run.origin.get("read_as"):
        yield "Read", from_stored(read_as)
    if source := source_in_words(run.origin):
        yield "From", source


def _of_method(run: Run, seen: View) -> Iterator[Fact]:
    for spec in run.evaluators:
        yield "Metric", _metric(spec)
    if labels_sentences(run.evaluator):
        yield "Formula", formula_in_words(run, seen.definition)
    if policy := rulings.policy_of(run, seen.policy):
        yield "Rules", policy


def _metric(spec: EvaluatorSpec) -> str:
    name = f"{metric_title(spec)} ({spec.name})"
    params = [f"{field}={_in_words(value)}" for field, value in spec.params.items()]
    return f"{name}: {', '.join(params)}" if params else name


def _label_facts(store: Store, run: Run, seen: View) -> Iterator[Fact]:
    by = Counter(row.by for row in store.results.outlines(run) if row.by and row.metric == 0)
    labellers = [f"{name} {count:,}" for name, count in sorted(by.items())]
    if labellers:
        yield "Labelled by", ", ".join(labellers)
    people: Counter[str] = Counter()
    for labels in store.person_labels.by_cell(run.id).values():
        people.update({label.person for label in labels})
    if people:
        answers = [f"{name} {count:,}" for name, count in sorted(people.items())]
        yield "", f"and by people, answers: {', '.join(answers)}"
    if seen.by:
        yield "Seen by", labeller_in_words(RunView.read(store, run), seen)


def _of_models(run: Run, environment: Environment) -> Iterator[Fact]:
    asked = {model.id: model for model in environment.models}
    for kind, specs in (("Model", run.models), ("Judge", run.judges)):
        for spec in specs:
            yield kind, _asked_as(spec)
            if spec != OFFLINE and spec.id in asked:
                yield "", _answered_as(asked[spec.id])
    for model in environment.models:
        if model.calls:
            yield "Spent", _bill(model)


def _asked_as(spec: ModelSpec) -> str:
    if spec == OFFLINE:
        return spec.id
    options = [spec.id]
    # The address itself may be one inside a company.
    if spec.base_url:
        options.append("at an address of its own")
    return ", ".join([*options, *options_in_words(spec)])


def _answered_as(model: AskedModel) -> str:
    return f"answered as {', '.join(model.served) or UNKNOWN}"


def _bill(model: AskedModel) -> str:
    tokens = f"{model.prompt_tokens:,} prompt and {model.answer_tokens:,} answer tokens"
    bill = f"{model.id}: {model.calls:,} calls, {tokens}, {dollars(model.cost)}"
    if model.price_in is None or model.price_out is None:
        return f"{bill}; prices unknown"
    prices = f"{dollars(model.price_in)} and {dollars(model.price_out)} for a million"
    return f"{bill}; prices {prices} ({model.price_date or 'no date'})"


def _of_prompts(run: Run) -> Iterator[Fact]:
    if run.models and run.prompt:
        yield "Prompt", _prompt(run.prompt)
        if len(run.prompt) <= SHORT_TEXT:
            for line in run.prompt.splitlines():
                yield "", line or " "
    if name := labelling_prompt(run):
        template = name
        with suppress(ParameterError):
            template = f"{name}, {_prompt(labelling_template(name))}"
        yield "Label prompt", template


def _prompt(template: str) -> str:
    """The name of a prompt that ships, and its hash."""
    names = [
        path.name
        for path in sorted(FOLDER.glob("*.md"))
        if path.read_text(encoding="utf-8") == template
    ]
    return f"{names[0] if names else 'of its own'}, SHA-256 {prompt_hash(template)} …"


def _of_settings(store: Store, run: Run) -> Iterator[Fact]:
    for name, setting in SETTINGS.items():
        # The others have a place of their own on the card, or say nothing of the results.
        is_shown = name in ("seed", "cap") or setting.has_no_field
        if is_shown and (words := setting.in_words(run)):
            yield setting.title.capitalize()[: LABEL - 1], words
    if run.models or run.judges:
        yield "Asked", "where no stored answer was" if run.use_cache else "always anew"
    if batches := store.batches.of_run(run.id):
        requests = sum(batch.requests for batch in batches)
        yield "Overnight", f"{requests:,} requests sent in batches, at their price"


def _of_versions(environment: Environment) -> Iterator[Fact]:
    if not environment.versions:
        yield "Versions", UNKNOWN
    for number, versions in enumerate(environment.versions):
        packages = [f"{name} {version}" for name, version in sorted(versions.packages.items())]
        plumbline = f"Plumbline {versions.plumbline} (rules and prompts {versions.judging})"
        parts = [plumbline, f"Python {versions.python}", *packages]
        yield ("then" if number else "Versions"), ", ".join(parts)


def _wrapped(label: str, text: str) -> list[str]:
    """The fact in lines, its label before the first; an empty label goes on with the last one."""
    start = f"{label:<{LABEL}}"
    lines = textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * LABEL,
        break_on_hyphens=False,
    )
    return lines or [start.rstrip()]


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        value = json.dumps(value, sort_keys=True, ensure_ascii=False)
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    # Prompts and questions of one's own are parameters too.
    if len(text) > SHORT_VALUE or "\n" in text:
        return f"a text with SHA-256 {prompt_hash(text)} …"
    return text


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(text)
    # A run of somebody else's program may have no zone.
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
