"""What a list says of each run: how far it is, its headline means, its bill; kept with the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import compress

from evaluators.errors import StoreError
from evaluators.records import Record, Run
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Counted, questions_of, units, with_questions
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Counts, Store
from evaluators.trace.labelling import has_heuristic
from evaluators.values import Kind

KEPT_AS = "summary"
"""The name under which the store keeps what is said of a run."""

HEADLINES = 4
"""Means that a list has room for."""


class Headline(Record):
    """A mean without its interval, which takes longer to work out than all else of a list.

    `questions` as in `Mean`; `estimated` of the scored have labels of the heuristic.
    """

    mean: float | None
    scored: int
    asked: int
    questions: int | None
    estimated: int = 0
    kind: Kind

    @property
    def checked(self) -> str:
        """ "182 / 182 (91 questions)"."""
        return with_questions(f"{self.scored:,} / {self.asked:,}", self.questions)


class Summary(Record):
    """How far a run is, and the first means of each of its models, by name."""

    counts: Counts
    means: tuple[dict[str, Headline], ...] = ()


def summary(view: RunView) -> Summary:
    """What is said of a run, kept in the store until a result or a label changes it."""

    return view.kept(KEPT_AS, Summary, lambda: _summary(view))


def kept_summaries(store: Store, workspace: str) -> dict[str, Summary]:
    """Those of a workspace's runs that are worked out and still hold, by the run's id."""
    summaries = {}
    for run_id, body in store.figures.of_workspace(workspace, KEPT_AS).items():
        # What another version of the program kept is worked out again.
        with suppress(ValueError):
            summaries[run_id] = Summary.model_validate_json(body)
    return summaries


def worked_out(
    store: Store,
    runs: Iterable[Run],
    summaries: Mapping[str, Summary],
    most_cells: int,
) -> dict[str, Summary]:
    """The summaries that are missing, of as many runs as have about so many results together.

    The others get theirs at the next call.
    """
    added: dict[str, Summary] = {}
    bodies = {}
    for run in runs:
        if run.id in summaries:
            continue
        view = RunView.read(store, run)
        added[run.id] = _summary(view)
        bodies[run.id] = view.revision, added[run.id].model_dump_json()
        most_cells -= view.counts.asked
        if most_cells <= 0:
            break
    # On a full disk they are worked out again.
    with suppress(StoreError):
        store.figures.save_for_runs(KEPT_AS, bodies)
    return added


def _summary(view: RunView) -> Summary:
    rows = view.counted()
    means = []
    for model in range(max(1, len(view.run.models))):
        own = aggregate.of_model(rows, model)
        values = aggregate.named_values(view.run.evaluators, own)
        # Of equal ranks those that a metric names first.
        in_order = sorted(values, key=lambda name: values[name].record.rank)[:HEADLINES]
        means.append({name: _headline(values[name]) for name in in_order})
    return Summary(counts=view.counts, means=tuple(means))


def _headline(value: Counted) -> Headline:
    is_judged = [row.values.get(value.name) is not None for row in value.rows]
    scored = [*compress(value.rows, is_judged)]
    judged = [row.values[value.name] or 0 for row in scored]
    return Headline(
        mean=sum(judged) / len(judged) if judged else None,
        scored=len(judged),
        asked=len(value.rows),
        questions=questions_of(units(value.rows)[is_judged]),
        estimated=sum(has_heuristic([row.by]) for row in scored),
        kind=value.record.kind,
    )
