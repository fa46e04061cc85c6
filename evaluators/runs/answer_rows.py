"""The answers of a run in rows, as tables and files have them: texts, values, and what failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evaluators.catalogue import goes_by_rules
from evaluators.errors import IN_PYTHON
from evaluators.people.labels import labels_by
from evaluators.records import (
    Cell,
    EvaluatorSpec,
    JudgeEvidence,
    LabelEvidence,
    Sample,
    SampleResult,
)
from evaluators.runs import rulings
from evaluators.runs.aggregate import View
from evaluators.runs.formulas import labelling_prompt
from evaluators.runs.run_view import MOST_WITH_FLAWS, Content, RunView
from evaluators.runs.store import Answer, Outline
from evaluators.text.sentences import cut

if TYPE_CHECKING:
    import pyarrow

# Columns of every table; a value of a metric that is called so gets another name.
FACTS = (
    "id", "repeat", "model", "question", "response", "group", "ability", "noise", "labels_by",
    "definition", "policy", "status", "error", "tags", "note",
)  # fmt: skip
MORE = (
    "ground_truth", "retrieved_documents", "gold_documents", "effective_noise", "counterfactual",
    "labels", "labelling_prompt", "metrics", "flaws", "citations", "facts", "nuggets",
)  # fmt: skip
NOTE = ("tags", "note")
UNREADABLE = "unreadable"
"""The status in files of an answer whose sample or result cannot be read."""
AT_A_TIME = 500
"""Answers whose texts are read together."""

Row = dict[str, Any]


class AnswerRows:
    """The rows of a run as the view `by` counts them, a row for each sample and model."""

    def __init__(self, view: RunView, by: View) -> None:
        self._view, self._run, self._by = view, view.run, by
        self._rows = view.merged(by)
        self._notes = view.store.notes.by_answer(view.run.id)
        self._counted = {"labels_by": by.by} if by.by else {}
        self._counted |= rulings.how_counted(view.run, by)

    def columns(self) -> list[str]:
        """The names of the columns in their order; of what most runs do not have there is none."""
        run, rows = self._run, self._rows
        is_there = {
            "id": True,
            "repeat": run.repeats > 1,
            "model": bool(run.models),
            "question": True,
            "response": True,
            "group": any(row.situation for row in rows),
            "ability": (has_ability := any(row.ability for row in rows)),
            "noise": has_ability,
        }
        columns = [name for name, there in is_there.items() if there]
        for row in rows:
            columns += map(_column_of_value, row.values)
        columns += self._counted
        # Values of several metrics may have one name, and a table has no two columns of one name.
        return [*dict.fromkeys(columns), "status", "error", *(NOTE if self._notes else ())]

    def cells(self) -> Iterator[Row]:
        """The rows one by one, each with at least the `columns`."""
        for row, content, problem in self._contents():
            yield self._cells_of(row, content, problem)

    def arrow(self) -> pyarrow.Table:
        """The same as a table of Arrow."""
        from pyarrow import table

        cells = list(self.cells())
        return table({name: [row.get(name) for row in cells] for name in self.columns()})

    def lines(self) -> Iterator[Row]:
        """The rows with all that was judged, so that they get the same scores when they are read.

        That is the ground truth, the documents, for RGB the task, and for each metric its status,
        reason and error; the labels are those of the data, or of whom the view names.
        """
        columns = self.columns()
        prompt = labelling_prompt(self._run)
        for row, content, problem in self._contents():
            cells, sample = self._cells_of(row, content, problem), content.sample
            metrics = [
                _outcome_of_metric(spec, content.results.get(number))
                for number, spec in enumerate(self._run.evaluators)
            ]
            yield {
                **{name: cells.get(name) for name in columns},
                "ground_truth": sample.ground_truth,
                "retrieved_documents": sample.retrieved_documents,
                **_further_facts(sample),
                **self._labels_beside(row, content),
                **({"labelling_prompt": prompt} if prompt else {}),
                **self._flaws(row, content),
                "metrics": metrics,
            }

    def _contents(self) -> Iterator[tuple[Outline, Content, str]]:
        """Each row with its texts, and why its sample cannot be read, where that is so."""
        store = self._view.store
        for start in range(0, len(self._rows), AT_A_TIME):
            rows = self._rows[start : start + AT_A_TIME]
            answers = [Answer(row.position, row.model) for row in rows]
            positions = {answer.position for answer in answers}
            samples = store.samples.get_many(self._run.fingerprint, positions)
            results = store.results.of_answers(self._run.id, answers)
            for row, answer in zip(rows, answers, strict=True):
                sample, problem = samples[row.position], ""
                if not isinstance(sample, Sample):
                    # One damaged row must not take the table with it: its question is known.
                    sample, problem = Sample(id=row.sample_id, question=row.question), str(sample)
                yield row, Content.of(sample, results.get(answer, {})), problem

    def _cells_of(self, row: Outline, content: Content, problem: str) -> Row:
        errors = [result.reason.worded(IN_PYTHON) for result in content.results.values()]
        # Metrics of one answer that nobody gave fail of the same: it is said once.
        different_errors = dict.fromkeys([problem, *errors])
        answer = Answer(row.position, row.model)
        unreadable = self._view.damage().reasons.get(answer, "")
        if unreadable and not any(different_errors):
            different_errors = {unreadable: None}
        models = self._run.models
        note = self._notes.get(answer)
        return {
            **{_column_of_value(name): value for name, value in row.values.items()},
            **self._counted,
            "id": content.sample.id,
            "repeat": row.repeat,
            "question": content.sample.question,
            "response": content.response,
            "group": row.situation,
            "ability": row.ability,
            "noise": row.noise,
            "status": UNREADABLE if unreadable else row.status or "open",
            "error": " ".join(filter(None, different_errors)),
            "model": models[row.model].id if models else "",
            "tags": list(note.tags) if note else [],
            "note": note.text if note else "",
        }

    def _flaws(self, row: Outline, content: Content) -> Row:
        """What is wrong with an answer, by the names of the kinds, and its citations."""
        if row.status != "scored" or len(self._rows) > MOST_WITH_FLAWS:
            return {}
        first = self._view.flaws(row.model, self._by).first_document
        flaws = self._view.flaws_of(row, content, self._by, first)
        facts: Row = {"flaws": [kind.name for kind in flaws.kinds]}
        if flaws.cited and flaws.cited.citations:
            facts["citations"] = [citation._asdict() for citation in flaws.cited.citations]
        if flaws.facts:
            facts["facts"] = [
                {**one.model_dump(include={"text", "vital"}), "stands": one.stands}
                for one in flaws.facts
            ]
        return facts

    def _labels_beside(self, row: Outline, content: Content) -> Row:
        """The labels that stand beside an answer in a file; none where sentences are cut otherwise
        than whoever reads the file would cut them.
        """
        sample, by = content.sample, self._by.by
        labels, sentences = sample.labels, sample.sentences
        score = content.results[0].score if 0 in content.results else None
        if by and score and isinstance(score.evidence, LabelEvidence):
            given = self._view.people.get(Cell(row.position, row.model), ())
            labels = labels_by(by, sample, score, given)
            sentences = score.evidence.sentences or sentences
        is_cut_otherwise = sentences and sentences != cut(
            content.response or "", sample.retrieved_documents, sample.earlier_turns
        )
        if labels is None or is_cut_otherwise:
            return {}
        return {"labels": labels.model_dump(mode="json", exclude_defaults=True)}


def facts(view: RunView, by: View) -> dict[Answer, Row]:
    """What files say of each answer beside its values, by column: of RGB how it came about.

    Where somebody wrote notes, the tags and the text of those are the last columns.
    """
    facts: dict[Answer, Row] = {}
    if goes_by_rules(view.run.evaluator):
        facts |= rulings.facts(view.run, view.scored(by), by.policy)
    for answer, note in view.store.notes.by_answer(view.run.id).items():
        facts.setdefault(answer, {}).update(tags=note.joined_tags, note=note.text)
    return facts


def _column_of_value(name: str) -> str:
    """What the value is called in a table that has columns of its own."""
    return f"{name} (value)" if name in (*FACTS, *MORE) else name


def _further_facts(sample: Sample) -> dict[str, object]:
    """What some metrics need of a sample, and few samples have."""
    facts: dict[str, object] = {}
    if sample.gold_documents:
        facts["gold_documents"] = sample.gold_documents
    if sample.rgb is not None:
        facts["effective_noise"] = sample.rgb.effective_noise
        facts["counterfactual"] = sample.rgb.counterfactual
    # What came with a trace
    for name in ("sources", "conversation", "earlier_turns", "scores"):
        if value := getattr(sample, name):
            facts[name] = value
    if sample.nuggets:
        facts["nuggets"] = [nugget.model_dump() for nugget in sample.nuggets]
    return facts


def _outcome_of_metric(spec: EvaluatorSpec, result: SampleResult | None) -> dict[str, object]:
    """What became of one metric, and why: its own reason, or the judge's."""
    if result is None:
        return {"metric": spec.name, "status": "open", "reason": "", "error": "", "error_kind": ""}
    reason = ""
    if result.score:
        evidence = result.score.evidence
        judges_reason = evidence.reason if isinstance(evidence, JudgeEvidence) else ""
        reason = result.score.reason or judges_reason
    return {
        "metric": spec.name,
        "status": result.status,
        "reason": reason,
        "error": result.reason.worded(IN_PYTHON),
        "error_kind": result.error_kind,
    }
