"""What a run is, planned alike by forms, terminal and Python, and what keeps it from being run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from typing import Any

from evaluators.base import Evaluator, missing
from evaluators.datasets.names import COLUMNS
from evaluators.errors import ParameterError
from evaluators.llm import catalogue
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.estimate import unpriced
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import check
from evaluators.records import (
    Ability,
    Cap,
    Dataset,
    ModelSpec,
    Remedy,
    Run,
    Sample,
    with_documents,
)
from evaluators.runs.run_options import MOST_REPEATS, llms_of
from evaluators.text.language import mark, say
from evaluators.text.printable import printable

HANDED_OVER = frozenset({Ability.REJECTION, Ability.COUNTERFACTUAL})
"""What is tested by the documents that a model is given: not where it looks for its own."""


@dataclass(frozen=True)
class RunPlan:
    """A run before it exists: samples, the evaluators that judge them, and who is asked.

    `models` answer where responses are missing, with the template `prompt`; `judges` decide where
    an evaluator asks an LLM. Everything is asked `repeats` times, 1 to 10. Without a `title` one is
    suggested.
    """

    data: Dataset | Callable[[], Dataset]
    """The samples, or what composes them.

    Those of a large test bed take seconds and hundreds of megabytes, and a form, which is drawn
    again at every click, needs them at the start of the run only.
    """
    evaluators: Sequence[Evaluator]
    _: KW_ONLY
    models: tuple[ModelSpec, ...] = ()
    prompt: str = ""
    judges: tuple[ModelSpec, ...] = ()
    seed: int | None = None
    cap: Cap = field(default_factory=Cap)
    use_cache: bool = True
    repeats: int = 1
    overnight: bool = False
    """Its models answer in batches, by tomorrow and for less money."""
    title: str = ""
    again_of: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings that have no field of their own, by their names in `run_options.SETTINGS`."""

    @cached_property
    def dataset(self) -> Dataset:
        data = self.data if isinstance(self.data, Dataset) else self.data()
        if self.retrieves_itself:
            data = asked_alone(data)
        return data.repeated(self.repeats) if self.repeats > 1 else data

    def as_run(self, name: str, origin: Mapping[str, Any], **facts: Any) -> Run:
        """The run that it will be, over data of this name and origin; `facts` are its other fields.

        Without them it is one that is nowhere stored, to lay its settings beside those of another.
        """
        shared = {field.name for field in fields(self)} & Run.model_fields.keys()
        settings = {name: getattr(self, name) for name in shared}
        unstored = {"id": "", "workspace": "", "created": "", "fingerprint": ""}
        planned = {
            "title": self.title or name,
            "is_title_suggested": not self.title,
            "dataset_name": name,
            "origin": origin,
            "evaluators": tuple(evaluator.spec() for evaluator in self.in_order),
        }
        return Run(**(settings | unstored | planned | facts))

    @property
    def in_order(self) -> list[Evaluator]:
        """The evaluators as the run numbers them: the one that leads it first."""
        # Of two truth values the false one comes first; the others keep their order.
        return sorted(self.evaluators, key=lambda evaluator: evaluator.leads is None)

    @property
    def retrieves_itself(self) -> bool:
        """Whether one of its models is a system that looks for its documents itself."""
        return any(spec.retrieves_itself for spec in self.models)

    @property
    def llms(self) -> list[ModelSpec]:
        """Whom it asks over a network, models before judges."""
        return llms_of(self)

    @property
    def repeats_alike(self) -> str:
        """Says where repeats may all be the same; empty where nothing is known of that."""
        is_steady = any(spec.temperature == 0 for spec in (*self.models, *self.judges))
        if self.repeats == 1 or not is_steady:
            return ""
        return say("At temperature 0 repeats may be identical. Raise it to see how answers vary.")

    def asking(self, number: int) -> list[Evaluator]:
        """The evaluators that ask the judge of this number: all do the first, a jury the others."""
        return [metric for metric in self.evaluators if number < metric.most_judges()]

    def check(self) -> None:
        """Raises a `PlumblineError` with the remedy where it could not be run."""
        # First, as too many repeats would fill the memory.
        self._check_repeats()
        self._check_evaluators()
        self._check_judges()
        # Other fields that are missing fail their samples, which the run shows one by one.
        self._check_samples(("response",))
        if any(spec.system is None for spec in self.models):
            check(self.prompt)
        check_cap(self.cap, (*self.models, *self.judges))
        if self.overnight:
            check_overnight(self.llms)

    def check_data(self) -> None:
        """Raises `ParameterError` where the data have no use for what was named.

        Asked at every door before a run is made; `check` is asked of any run.
        """
        name = printable(self.dataset.name)
        if self.models and all(sample.response is not None for sample in self.dataset.samples):
            raise ParameterError(
                say(
                    "Every sample of {name} has an answer already, so a model has nothing to "
                    "answer. Leave the model out, or the column response.",
                    name=name,
                )
            )
        self._check_retrieval()
        counts_abilities = any(own.of for metric in self.evaluators for own in metric.values)
        if counts_abilities and not any(sample.rgb for sample in self.dataset.samples):
            message = say(
                "Nothing in {data} says which ability of RGB its samples test.", data=name
            )
            raise ParameterError(message, remedy=Remedy("name_ability"))
        self._check_samples(tuple(Sample.model_fields))

    def _check_retrieval(self) -> None:
        """RGB hands its documents over: a system that looks for its own meets no noise of it."""
        if not (self.retrieves_itself and any(sample.rgb for sample in self.dataset.samples)):
            return
        own = [spec for spec in self.models if spec.retrieves_itself]
        if len(own) < len(self.models):
            raise ParameterError(
                say(
                    "{model} looks for its own documents, the others get those of the benchmark: "
                    "they do not compare. Start a run for each.",
                    model=own[0].model,
                )
            )
        abilities = {sample.rgb.ability for sample in self.dataset.samples if sample.rgb}
        if abilities & HANDED_OVER:
            raise ParameterError(
                say(
                    "Rejection and planted errors are tested by the documents that a model is "
                    "given, and {model} looks for its own. Leave these abilities out, or let it "
                    "take the documents ({blank} in its body, documents in its function).",
                    model=own[0].model,
                    blank="{{documents}}",
                )
            )

    def _check_evaluators(self) -> None:
        if not self.evaluators:
            raise ParameterError(say("No metric is chosen. Choose one."))
        leading = [say(evaluator.title) for evaluator in self.evaluators if evaluator.leads]
        if len(leading) > 1:
            message = say(
                "{metrics} cannot be in one run. Start a run for each.",
                metrics=say(" and ").join(leading),
            )
            raise ParameterError(message)
        for number, evaluator in enumerate(self.evaluators):
            if evaluator in self.evaluators[:number]:
                raise ParameterError(
                    say(
                        "{metric} is chosen twice with the same parameters. Remove one.",
                        metric=say(evaluator.title),
                    )
                )
            evaluator.check_ready()

    def _check_judges(self) -> None:
        check_asked(self.evaluators, self.judges)
        if OFFLINE in self.judges:
            raise ParameterError(
                say(
                    "The offline reader only quotes documents and cannot judge. Name an LLM as "
                    "the judge."
                )
            )
        for number, spec in enumerate(self.judges):
            decides = [metric for metric in self.asking(number) if metric.asks_decisions]
            if decides:
                check_decides(spec, self.overnight)
        most = max(evaluator.most_judges() for evaluator in self.evaluators)
        if len(self.judges) > most:
            titles = say(" with ").join(say(evaluator.title) for evaluator in self.in_order)
            raise ParameterError(
                say(
                    "{count} judges are chosen; {metrics} takes {most} at most. Remove some.",
                    count=len(self.judges),
                    metrics=titles,
                    most=most,
                )
            )
        if len(set(self.judges)) < len(self.judges):
            raise ParameterError(
                say("The same judge is chosen twice; its second vote would be a copy. Remove one.")
            )
        for evaluator in self.in_order:
            if evaluator.needs_judge and not self.judges:
                message = say(
                    "{metric} asks a judge, and none is named.", metric=say(evaluator.title)
                )
                raise ParameterError(message, remedy=Remedy("name_judge"))

    def _check_repeats(self) -> None:
        if not 1 <= self.repeats <= MOST_REPEATS:
            raise ParameterError(
                say(
                    "Repeats are {repeats}. Enter a number from 1 to {most}.",
                    repeats=self.repeats,
                    most=MOST_REPEATS,
                )
            )
        if self.repeats > 1 and not (self.models or self.judges):
            raise ParameterError(
                say("Nothing is asked in this run, so a repeat would be a copy. Set repeats to 1.")
            )

    @property
    def _given(self) -> tuple[str, ...]:
        """What of the samples is still to come."""
        if any(spec.system for spec in self.models):
            return ("response", "retrieved_documents")
        return ("response",) if self.models else ()

    def _check_samples(self, fields: Collection[str]) -> None:
        """Raises `ParameterError` where no sample has what an evaluator needs of these fields."""
        samples = self.dataset.samples
        for evaluator in self.in_order:
            lacking = []
            for sample in samples:
                needs = [field for field in evaluator.needed_for(sample) if field in fields]
                # A model gives the responses that are missing.
                lacking.append(missing(tuple(needs), sample, given=self._given))
            if lacking and all(lacking):
                raise ParameterError(_no_sample_has(evaluator, lacking, self.dataset.name))


def asked_alone(dataset: Dataset) -> Dataset:
    """RGB's questions without the documents composed for them, each once for an ability.

    At several noise levels they would be the same question.
    """
    asked: dict[tuple[str, Any], Sample] = {}
    for sample in dataset.samples:
        if sample.rgb is None:
            return dataset
        task = sample.rgb.model_copy(update={"noise": None, "effective_noise": None})
        alone = with_documents(sample, ()).model_copy(update={"rgb": task})
        asked.setdefault((sample.question, task.ability), alone)
    return dataset.model_copy(update={"samples": tuple(asked.values())})


def check_asked(evaluators: Iterable[Evaluator], judges: object) -> None:
    """Raises `ParameterError` where a judge is named, and none of the evaluators asks one."""
    named = list(evaluators)
    if judges and not any(evaluator.most_judges() for evaluator in named):
        titles = list(dict.fromkeys(say(evaluator.title) for evaluator in named))
        text = mark("A judge is named, and {metrics} asks none. Leave the judge out.")
        if len(titles) > 1:
            text = mark("A judge is named, and {metrics} ask none. Leave the judge out.")
        raise ParameterError(say(text, metrics=say(" and ").join(titles)))


def check_decides(spec: ModelSpec, overnight: bool) -> None:
    """Raises `ParameterError` where the judge is no decision model, or is to answer overnight."""
    model = catalogue.find(spec.id)
    if model is None and spec.provider in PROVIDERS:
        model = catalogue.unlisted(spec.provider, spec.model)
    title = catalogue.model_title(spec)
    if model is not None and not model.decides:
        raise ParameterError(
            say(
                "{model} is not known to be a decision model. Choose one, or let it label as a "
                "judge.",
                model=title,
            )
        )
    if overnight:
        raise ParameterError(
            say("{model} is not known to answer overnight. Run it now.", model=title)
        )


def check_cap(cap: Cap, llms: Iterable[ModelSpec]) -> None:
    """Raises `ParameterError` where a cap in dollars could not hold because a price is unknown."""
    if cap.cost is None:
        return
    for spec in llms:
        model = catalogue.find(spec.id)
        if model is None or model.price_in is None:
            raise ParameterError(unpriced([catalogue.model_title(spec)]))


def check_overnight(llms: Sequence[ModelSpec]) -> None:
    """Raises `ParameterError` where one of those who are asked takes no batches, or nobody is."""
    if not llms:
        raise ParameterError(say("Nothing is asked in this run, so it need not wait. Run it now."))
    unfit = not_overnight(llms)
    if unfit:
        title = catalogue.model_title(unfit[0])
        raise ParameterError(
            say("{model} is not known to answer overnight. Run it now.", model=title)
        )


def not_overnight(llms: Iterable[ModelSpec]) -> list[ModelSpec]:
    """Those whose provider takes no batches, or of whom their price in one is not known."""
    unfit = []
    for spec in llms:
        model = catalogue.find(spec.id)
        if model is None or not model.takes_batches:
            unfit.append(spec)
    return unfit


def _no_sample_has(
    evaluator: Evaluator,
    lacking: Sequence[Sequence[str]],
    name: str,
) -> str:
    """What to add to the data; every field that is needed where each sample lacks another one."""
    absent = [field for field in evaluator.needed if all(field in fields for fields in lacking)]
    columns = []
    for name_of_field in absent or evaluator.needed:
        # Any of the names under which a reader finds the field.
        columns.append(say(" or ").join(COLUMNS.get(name_of_field, (name_of_field,))))
    text = mark(
        "No sample of {data} has what {metric} needs: {fields} missing or empty. Add a column, or "
        "fill it: {columns}."
    )
    if "response" in absent:
        text = mark(
            "No sample of {data} has what {metric} needs: {fields} missing or empty. Add a column, "
            "or fill it: {columns}, or name a model that answers, or your own system (in Python "
            "system=ask)."
        )
    elif "retrieved_documents" in absent:
        text = mark(
            "No sample of {data} has what {metric} needs: {fields} missing or empty. Add a column, "
            "or fill it: {columns}; of traces, trace the retriever, or take a metric that needs no "
            "documents."
        )
    return say(
        text,
        data=printable(name),
        metric=say(evaluator.title),
        fields=", ".join(absent or evaluator.needed),
        columns="; ".join(columns),
    )
