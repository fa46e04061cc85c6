"""A run from Python: `evaluate` works as the app does, in the same store; `estimate` before it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, cast

from evaluators.catalogue import from_spec
from evaluators.declared import checks_types
from evaluators.errors import ParameterError
from evaluators.llm import Keys
from evaluators.llm.connect import accesses, connect, sdk_name
from evaluators.llm.keys import keys_from_environment
from evaluators.llm.offline_reader import OfflineReader
from evaluators.llm.own import systems
from evaluators.records import (
    Cap,
    EvaluatorSpec,
    ModelSpec,
    Run,
)
from evaluators.runs import inputs
from evaluators.runs.engine import create_run, registry
from evaluators.runs.forecast import Forecast, forecast
from evaluators.runs.plan import RunPlan, check_cap, check_overnight
from evaluators.runs.planning import planned
from evaluators.runs.run_options import RunOptions, lists_settings, llms_of
from evaluators.runs.store import Store

if TYPE_CHECKING:
    from evaluators.api.results import Results

# Whoever goes on with a run began it lately; a store of many thousands is not read whole for it.
MOST_LOOKED_AT = 1000
"""Runs among which one to go on with is looked for, the newest first."""


@lists_settings
@checks_types("dataset", "metrics")
def evaluate(
    dataset: inputs.Data,
    metrics: inputs.Metric | Sequence[inputs.Metric],
    *,
    run: str | None = None,
    keys: Keys | None = None,
    store: Store | None = None,
    workspace: str = inputs.WORKSPACE,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Results:
    """Runs the metrics over the samples and waits for the results; the run is in the app as well.

    `dataset` is a `Dataset`, a file, the name of bundled or uploaded data, a `DataFrame`, or a list
    with a mapping for each sample. `metrics` are names, evaluators, specs, or functions of
    a sample that return a number, yes or no, `None` or a mapping, one or several.
    `model` answers where responses are missing (with `prompt`, a template with $question and
    $documents), `judge` decides where a metric asks an LLM; both are ids such as
    `groq/openai/gpt-oss-20b`, objects of the SDKs of Groq and OpenAI, a judge of your own with
    `complete(prompt)`, or what `connect` gives, one or several. `system` is your own RAG system, a
    function that takes a question, sync or async, and returns a text or `{"response": ...,
    "retrieved_documents": [...]}`; what it retrieved is what its answer is judged by. Keys
    come from the environment unless they are given. Those named by their ids are asked with
    `temperature` and may write `answer_tokens`.

    `columns`, `table`, `encoding` and `skip_broken` say how a file or a table is read, see
    `load_data`.
    `sample` takes that many samples at random, by one `seed` the same ones in every run over the
    data. Each prompt is asked `repeats` times, 1 to 10: then means tell how far answers to the same
    prompt differ (`Mean.within`), and their intervals count each prompt once. RGB questions are
    composed into prompts by `ability`, `noise`, `passages` and `fill_up`, see `compose`.

    `overnight` has the models answer in batches within 24 hours, for less money (see
    `data/models.toml`): the results are empty at first, and the same call with the same `run`
    collects what has come back. Without `overnight` that call asks at once what is left. `cap` is
    the budget; `use_cache=False` asks again even where an answer is stored.

    `run` is the title. An unfinished run of that title over the same data, metrics, models, prompt
    and repeats goes on, what failed is tried again; else a new one begins. Ctrl-C stops it with
    everything kept. Raises `PlumblineError` where the run could not begin; what stopped it later is
    in `Results.stopped`.

    `definition` is the formula by which TRACE labels become values, a parameter of the metric that
    leads the run; `results.under(...)` shows the same labels by another one.
    """
    store = store or inputs.local_store()
    options, keys = _with_keys(options, keys)
    on_remark = _remarks(progress)
    plan = planned(
        dataset,
        metrics,
        options,
        keys=keys,
        store=store,
        workspace=workspace,
        on_remark=on_remark,
        title=run or "",
    )
    if plan.repeats_alike:
        on_remark(plan.repeats_alike)
    unfinished = _unfinished_run(store, workspace, plan) if run else None
    if unfinished:
        started = with_new_cap(store, unfinished, plan.cap)
        started = with_overnight(store, started, plan.overnight)
    else:
        started = create_run(store, plan, workspace=workspace)
    registry.start(started, store, keys)
    # Here, as it takes a fifth of a second to load: meanwhile the models are asked.
    from evaluators.api.results import results_of

    return results_of(started, store, keys, progress)


@lists_settings
@checks_types("dataset", "metrics")
def estimate(
    dataset: inputs.Data,
    metrics: inputs.Metric | Sequence[inputs.Metric],
    *,
    run: str | None = None,
    keys: Keys | None = None,
    store: Store | None = None,
    workspace: str = inputs.WORKSPACE,
    progress: bool = True,
    **options: Unpack[RunOptions],
) -> Forecast:
    """What `evaluate` with these arguments would take: nothing is sent, and no key is needed.

    It is that of a new run, also where one of the title `run` would go on. Unpacks to the estimates
    of the models and those of the judges, each with calls, stored answers, tokens, US dollars and
    minutes. Raises `PlumblineError` where the run could not begin.
    """
    store = store or inputs.local_store()
    options, keys = _with_keys(options, keys)
    keys = inputs.keys_for_estimates(keys)
    plan = planned(
        dataset,
        metrics,
        options,
        keys=keys,
        store=store,
        workspace=workspace,
        on_remark=_remarks(progress),
        title=run or "",
    )
    return forecast(plan, keys, partial(store.calls.answered, workspace))


def _connected(named: Any) -> Any:
    """The same, with objects that can be asked connected: a run needs the ids of their models."""
    if isinstance(named, list | tuple):
        return [_connected(one) for one in named]
    has_spec = isinstance(getattr(named, "spec", None), ModelSpec)
    is_own = callable(getattr(named, "complete", None)) and not isinstance(named, type)
    is_asked = sdk_name(named) or (is_own and not has_spec and not isinstance(named, OfflineReader))
    return connect(named) if is_asked else named


def _remarks(progress: bool) -> inputs.OnRemark:
    return inputs.print_remark if progress else lambda _: None


def _with_keys(options: RunOptions, keys: Keys | None) -> tuple[RunOptions, Keys]:
    """The options with models connected, and the keys, else those of the environment, with theirs.

    A connected model brings its own key.
    """
    llms: dict[str, Any] = {}
    for name in ("model", "judge"):
        llms[name] = _connected(options.get(name))
    own = systems(options.get("system"))
    llms["system"] = own
    usual = keys_from_environment(os.environ) if keys is None else keys
    keys = {**usual, **accesses(*llms.values()), **{access.provider: access for access in own}}
    return cast(RunOptions, {**options, **llms}), keys


def _unfinished_run(store: Store, workspace: str, plan: RunPlan) -> Run | None:
    """The newest run of that title that asks for the same and has something left to do."""
    fingerprint = plan.dataset.fingerprint
    evaluators = _unordered(evaluator.spec() for evaluator in plan.evaluators)
    for run in store.runs.newest(workspace, MOST_LOOKED_AT):
        asks_the_same = (
            run.title == plan.title
            and run.models == plan.models
            and run.prompt == plan.prompt
            and run.judges == plan.judges
            and run.use_cache == plan.use_cache
            and run.options == plan.options
            and _unordered(map(_with_defaults, run.evaluators)) == evaluators
        )
        if asks_the_same and run.fingerprint == fingerprint:
            counts = store.results.counts(run)
            # A finished one ends the search: an older one was given up, and is not gone on with.
            return run if counts.scored < counts.asked else None
    return None


def _unordered(specs: Iterable[EvaluatorSpec]) -> list[str]:
    """The metrics may be named in another order than the last time."""
    return sorted(spec.model_dump_json() for spec in specs)


def _with_defaults(spec: EvaluatorSpec) -> EvaluatorSpec:
    """As it would be stored today: with the parameters that its metric got since then."""
    with suppress(ParameterError):
        return from_spec(spec).spec()
    return spec


def with_new_cap(store: Store, run: Run, cap: Cap) -> Run:
    """The run with what it may spend from now on.

    Raises `ParameterError` for a cap that could not hold.
    """
    check_cap(cap, (*run.models, *run.judges))
    # Stored before the work begins: whoever resumes later, or looks at the run, has it as well.
    store.runs.set_cap(run.id, cap)
    return run.model_copy(update={"cap": cap})


def with_overnight(store: Store, run: Run, overnight: bool) -> Run:
    """The run with what is left of it asked overnight, or at once.

    Raises `ParameterError` where one of its models takes no batches.
    """
    if overnight:
        check_overnight(llms_of(run))
    store.runs.set_overnight(run.id, overnight)
    return run.model_copy(update={"overnight": overnight})
