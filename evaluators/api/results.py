"""What came out of a run, from Python: means, labels, files, and what to say of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from evaluators.api.progress_bar import work
from evaluators.api.shown import CheckOfRun, ProbabilityChecks
from evaluators.catalogue import goes_by_rules, labels_sentences
from evaluators.comparison.better_judge import Proposal, Trial, plan_of_trial, proposal, trial
from evaluators.comparison.repeated import Repeated, repeated
from evaluators.declared import checks_types
from evaluators.document import tables, terminal
from evaluators.document.blocks import Passage
from evaluators.errors import IN_PYTHON, ParameterError, RunFileError
from evaluators.exports import format_for
from evaluators.llm import Keys
from evaluators.llm.keys import keys_from_environment
from evaluators.named_files import read_file, write_file
from evaluators.people.checked import Against
from evaluators.people.score_columns import YES_FROM
from evaluators.records import (
    Reason,
    Run,
    Words,
)
from evaluators.report import page
from evaluators.report.run_report import brief_document, findings_of_run, run_report
from evaluators.report.sheet import sheet, sheet_key
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs import aggregate, inputs, rulings
from evaluators.runs.again import plan_again
from evaluators.runs.aggregate import Mean, View
from evaluators.runs.answer_rows import AnswerRows
from evaluators.runs.card import run_card
from evaluators.runs.checks import OwnDraw, OwnLabels, checked, checked_by, checked_scores
from evaluators.runs.counts import checked_and_failed
from evaluators.runs.engine import create_run
from evaluators.runs.failures import failures
from evaluators.runs.flaw_figures import Flaws
from evaluators.runs.formulas import formula_in_words, formula_of
from evaluators.runs.notes import Note
from evaluators.runs.overnight import state_of_batches
from evaluators.runs.planted import (
    ChangedMind,
    FoundErrors,
    changed_minds,
    found_errors,
    is_planted,
    plan_of_planted,
)
from evaluators.runs.probabilities import reliabilities
from evaluators.runs.recount import Recount, recounted
from evaluators.runs.rounds import USUAL
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Counts, Damage, Outline, Store
from evaluators.runs.whose import labeller_in_words
from evaluators.text.printable import printable, shown
from evaluators.trace.definitions import definition_named

if TYPE_CHECKING:
    import pyarrow
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class Results:
    """What came out of a run, as the store has it now.

    TRACE labels are counted by the `definition` (see `trace.definitions`; empty for that of the
    run), answers to RGB are read by the rules of the `policy` ("documented" or "paper"; `None` is
    that of the run). `labels` names whose labels count; `None` is the run's own labeller, which
    what people say never changes.
    """

    run: Run
    store: Store
    definition: str = ""
    policy: str | None = None
    labels: str | None = None
    _damage: list[Damage] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Frozen, and named from now on: by which formula values are counted is never left open.
        object.__setattr__(self, "definition", formula_of(self.run, self.definition))

    @checks_types()
    def under(
        self,
        definition: str | None = None,
        *,
        policy: str | None = None,
        labels: str | None = None,
    ) -> Results:
        """The same run by another TRACE definition, other rules of RGB, or somebody else's labels.

        `labels` are "corrected" (the run's own with what people changed), "people" (their majority
        alone), "person:" and a name, or another labeller of the run: a judge, "jury", "heuristic",
        "gold". Nobody is asked anew. Raises `ParameterError` for an unknown one.
        """
        if definition is not None:
            definition_named(definition)
        if policy is not None and self.has_rules:
            rulings.rgb_evaluator(self.run, policy)
        if labels is not None:
            self.read().check_labeller(labels)
        return replace(
            self,
            definition=definition or self.definition,
            policy=policy or self.policy,
            labels=labels or self.labels,
        )

    @property
    def title(self) -> str:
        """What the run is called, here as everywhere: as somebody named it, else as suggested."""
        return self.run.title

    @checks_types()
    def rename(self, title: str) -> Results:
        """The same run under another title, from now on everywhere; empty for the suggested one.

        Raises `ParameterError` where it is too long, or the run is an example or was deleted.
        """
        run = self.store.runs.save_title(self.run.id, title, self.run.note, self.run.tags)
        return replace(self, run=run)

    @property
    def has_rules(self) -> bool:
        """Whether sets of rules read its answers, so that the policy makes a difference."""
        return goes_by_rules(self.run.evaluator)

    @property
    def has_labels(self) -> bool:
        """Whether the run labels sentences, so that the definition makes a difference."""
        return labels_sentences(self.run.evaluator)

    @property
    def counted_policy(self) -> str | None:
        """The rules by which answers to RGB are read here; `None` for other runs."""
        return rulings.how_counted(self.run, self.view).get("policy")

    @property
    def counts(self) -> Counts:
        """How many results were asked for, are scored, and failed."""
        return self.store.results.counts(self.run)

    def damage(self) -> Damage:
        """How many samples, results and labels of people cannot be read as they were stored.

        Every row is read for it, once; damage is said on the error stream, once as well.
        """
        if not self._damage:
            self.read()
        return self._damage[0]

    def read(self) -> RunView:
        """The run as the store has it now; what of it cannot be read is said the first time."""
        view = RunView.read(self.store, self.run)
        if not self._damage:
            damage = view.damage()
            self._damage.append(damage)
            if sentence := damage.sentence():
                inputs.print_remark(sentence)
        return view

    @property
    def stop_reasons(self) -> tuple[Reason, ...]:
        """Why the run stopped by itself, each with a kind for programs; empty where it did not."""
        return self.store.runs.stop_reasons(self.run.id)

    @property
    def stopped(self) -> str:
        """The same in words, with what to do; empty where it did not stop."""
        return " ".join(reason.worded(IN_PYTHON) for reason in self.stop_reasons)

    @property
    def failures(self) -> dict[str, int]:
        """The messages of what failed, each with how often it occurs, the most frequent first.

        Those that differ only in the sample they name are one: "Sample 3 and others: ...".
        """
        return self.failures_in(IN_PYTHON)

    def failures_in(self, words: Words) -> dict[str, int]:
        """The same with the remedies in the words of another door."""
        stored = self.store.results.failures(self.run.id)
        return dict(failures(stored, lambda reason: reason.worded(words)))

    @property
    def notes(self) -> dict[Answer, Note]:
        """What persons wrote down about answers, by sample and model, both from 0."""
        return self.store.notes.by_answer(self.run.id)

    @checks_types()
    def summary(self, model: int = 0) -> dict[str, Mean]:
        """The mean of each value over what was judged, for the model of this number, from 0.

        RGB gives the rates of its abilities (`noise_robustness`, `negative_rejection`, ...). A name
        that two metrics give stands for the first, and with " (2)" for the second. A metric without
        any value stands under its name.
        """
        rows = aggregate.of_model(self.rows(), model)
        values = aggregate.named_values(self.run.evaluators, rows)
        return {name: value.mean for name, value in values.items()}

    @checks_types("labels")
    def correct(
        self,
        labels: OwnLabels | None = None,
        *,
        drawn: OwnDraw | None = None,
        against: Against = "people",
        metric: int = 0,
        model: int = 0,
        scores: str = "",
        of: str = "",
        scale: str = "",
        yes_from: float = YES_FROM,
    ) -> CheckOfRun:
        """How far the labeller can be trusted, and each mean corrected by labels of some answers.

        Without `labels` they are those that people gave in the app, or with `against="gold"` those
        of the data, for the metric of this number, from 0. `labels` of your own are of the first
        metric, by the samples' ids: `{"q1": 1, "q2": 0}` for its verdict (of TRACE adherence), or
        `{"q1": {"completeness": 0.5}}`. How their answers were found is told by `drawn`: at
        "random" among all, "by verdict" (at random among the labeller's yes and among its no), or
        "chosen". Not told is not known, and the check warns of it. However many there are of each
        verdict, they count for the answers that have it, unless they were chosen.

        `scores` names a column of scores of the data, which is checked in the labeller's place: see
        `check_scores` for `of`, `scale` and `yes_from`.
        """
        view = self.read()
        if scores:
            if labels is not None:
                raise ParameterError("Labels of your own correct the run's labeller. Leave scores.")
            check = checked_scores(
                view,
                scores,
                metric,
                against,
                self.definition,
                of=of,
                scale=scale,
                yes_from=yes_from,
            )
        elif labels is not None:
            check = checked_by(labels, view, model, self.definition, drawn)
        elif drawn is not None:
            raise ParameterError(
                f"drawn={drawn!r:.40} is of labels of your own: give them by the samples' ids. How "
                "labels of the app and of the data were drawn is known."
            )
        else:
            check = checked(view, metric, model, against, self.definition)
        return CheckOfRun(**dict(check))

    @checks_types()
    def probabilities(self, model: int = 0, *, against: Against = "people") -> ProbabilityChecks:
        """How far the probabilities of the labels can be trusted, where the labeller gives some.

        They are laid beside what people who are done, or with `against="gold"` the data, say of the
        same sentences, in answers of the model of this number, from 0. Its `by_kind` has what is
        known of "supported", "relevant" and "utilized": the `expected`, counted and `true` share,
        the calibration `error`, `auroc` with its interval, the curve as `tenths`, what a threshold
        gives (`at(0.7)`) and which is `cheapest(of_miss, of_alarm)`. It is empty without any.
        """
        return ProbabilityChecks(reliabilities(self.read(), model, against))

    def to_pandas(self) -> DataFrame:
        """One row for each sample and model: texts, values, status, and what failed.

        A value that does not apply or could not be judged is missing. `model` is there where the
        run has models, `ability` and `noise` where RGB judged, `tags` (a list) and `note`
        where somebody wrote notes.
        """
        # Here, as pandas takes longer to load than all of this package.
        from pandas import DataFrame

        rows = AnswerRows(self.read(), self.view)
        return DataFrame(rows.cells(), columns=rows.columns())

    def to_arrow(self) -> pyarrow.Table:
        """The same as a table of Arrow, which polars, DuckDB and `datasets` take without a copy."""
        return AnswerRows(self.read(), self.view).arrow()

    def lines(self) -> Iterator[dict[str, object]]:
        """The rows of `to_pandas` one by one, `None` for what is missing, with all that was judged.

        That is the ground truth, the documents, for RGB the task, and for each metric its status,
        reason and error. Read as data, the rows get the same scores again. `labels` are those that
        the data came with, or of whom the values are where somebody was named by `under`.
        """
        return AnswerRows(self.read(), self.view).lines()

    def findings(self) -> list[str]:
        """What the run found, in the sentences of its page, and what to beware of, each a line."""
        read = self.read()
        found = findings_of_run(read, self.view)
        passages = *found, tables.means_without_interval(read, self.view)
        return [passage.text for passage in passages if passage.text]

    @checks_types()
    def flaws(self, model: int = 0) -> Flaws:
        """What is wrong with the answers of the model of this number, from 0, by kind.

        Each kind has its share of answers with an interval, and which these are; `docs/flaws.md`
        has the kinds. Nobody is asked: all is read from labels, true answers and the texts.
        """
        return self.read().flaws(model, self.view)

    @checks_types()
    def plant_errors(
        self, *, seed: int = 0, keys: Keys | None = None, progress: bool = True
    ) -> Results:
        """Tests the labeller by errors of known kinds, planted into answers it calls supported.

        It is a run of its own over up to 60 of these answers, each as it is, with one error of each
        kind that fits, with its documents in the opposite order and with a courtesy line; of what
        comes back `found_errors` has the share found by kind and `changed_minds` how often the same
        is judged in another way. Keys come from the environment unless they are given. Raises
        `ParameterError` where fewer than 10 answers have a supported sentence with room for an
        error.
        """
        keys = keys_from_environment(os.environ) if keys is None else keys
        plan = plan_of_planted(self.read(), self.view, seed)
        run = create_run(self.store, plan, workspace=self.run.workspace)
        return results_of(run, self.store, keys, progress)

    def found_errors(self) -> list[FoundErrors]:
        """How many planted errors of each kind were found, false alarms last; none elsewhere."""
        return found_errors(self.read(), self.view) if is_planted(self.run) else []

    def changed_minds(self) -> list[ChangedMind]:
        """How often a labeller that is tested judges the same content in another way."""
        return changed_minds(self.read(), self.view) if is_planted(self.run) else []

    def judge_errors(self) -> Proposal:
        """What the judge got wrong on half of the questions that people labelled, by kind.

        Its `examples` are a proposal for the labelling prompt; the other half stays unseen. Raises
        `ParameterError` where the run has no judge that labels, or there are too few labels.
        """
        return proposal(self.read(), self.view)

    @checks_types()
    def try_examples(
        self, examples: str | None = None, *, keys: Keys | None = None, progress: bool = True
    ) -> Results:
        """Has the judge label the other half anew with examples in its prompt, a run of its own.

        They are those of `judge_errors` unless they are given; `tried_examples` of what comes back
        says whether the judge became better. Keys come from the environment unless they are given.
        Raises `ParameterError` as `judge_errors` does, and for examples that are empty or too long.
        """
        keys = keys_from_environment(os.environ) if keys is None else keys
        plan = plan_of_trial(self.read(), self.view, examples)
        run = create_run(self.store, plan, workspace=self.run.workspace)
        return results_of(run, self.store, keys, progress)

    def tried_examples(self) -> Trial | None:
        """Whether examples made the judge better on answers unseen; `None` for other runs."""
        return trial(self.read())

    def table(self) -> Table:
        """The means as a table for a terminal, a line for each value and model."""
        means, _ = tables.means(self.read(), self.view, by_name=True)
        return terminal.rich_table(means)

    def __repr__(self) -> str:
        return f"{self.headline()}\n{terminal.as_text(brief_document(self.read(), self.view))}"

    def _repr_html_(self) -> str:
        """The same for a notebook: without a script, in its colours, so light or dark."""
        blocks = [Passage(self.headline()), *brief_document(self.read(), self.view, by_name=False)]
        return page.rendered(blocks)

    def headline(self) -> str:
        """The run and how far it is, in a line."""
        counts = self.counts
        state = "finished"
        if counts.open:
            state = state_of_batches(self.store, self.run.id).lower() or "stopped"
        by = (
            f", TRACE formula {formula_in_words(self.run, self.definition)}"
            if self.has_labels
            else ""
        )
        if self.policy and self.has_rules:
            by = f", RGB policy {self.policy}"
        if self.labels:
            by += f", labels: {printable(self.labelled_by)}"
        checked = checked_and_failed(self.run, counts)
        return f"{printable(self.run.title)}: {state}, {checked}{by}"

    @property
    def labelled_by(self) -> str:
        """Whose labels count: "gold-judge, 21 answers relabelled by people"."""
        return labeller_in_words(self.read(), self.view)

    def card(self) -> str:
        """The reproducibility card: what the run was, as plain text of at most 80 columns."""
        return run_card(self.store, self.run, self.view)

    def recount(self) -> Recount:
        """Whether every value follows from the answers and labels of the run; nobody is asked.

        Tells of a run that somebody handed in whether its figures were changed.
        """
        return recounted(self.read())

    @checks_types()
    def again(
        self,
        *,
        keys: Keys | None = None,
        use_cache: bool = False,
        progress: bool = True,
    ) -> Repeated:
        """Does the run once more and waits: whether every value comes out the same, or where not.

        Models are asked anew unless `use_cache`; keys come from the environment unless they are
        given. Raises `PlumblineError` where the run could not begin.
        """
        keys = keys_from_environment(os.environ) if keys is None else keys
        plan = plan_again(self.store, self.run, use_cache=use_cache)
        run = create_run(self.store, plan, workspace=self.run.workspace)
        results = results_of(run, self.store, keys, progress)
        return repeated(self.store, self.run, results.run)

    @checks_types()
    def save(self, path: str | Path) -> Path:
        """Writes the run with all of it into one file, NAME.plumbline, that `open_run` opens."""
        return write_file(path, written(self.store, self.run))

    @checks_types()
    def export(self, path: str | Path, kind: str = "") -> Path:
        """Writes the results in a format of `plumbline export`, else in that of the path's ending.

        Raises `ParameterError` for a format that is not there.
        """
        # Made before the file is opened: what cannot be written leaves an earlier one as it was.
        content = format_for(Path(path).name, kind).whole(self.read(), self.view)
        return write_file(path, content)

    @checks_types()
    def report(self, path: str | Path) -> Path:
        """Writes a report of the run: one HTML page that opens offline and prints on A4.

        It has all figures, ten samples with their evidence, and how it was done; at most 6 MB.
        """
        # Made before the file is opened: a report that fails leaves an earlier one as it was.
        return write_file(path, run_report(self.read(), self.view))

    @checks_types()
    def sheet(self, path: str | Path, n: int = USUAL, *, key: bool = False) -> Path:
        """Writes a page to print: the `n` most instructive answers with empty boxes for labels.

        With `key` it is the page with the labels and values of the same answers. Raises
        `ParameterError` for a run without sentence labels, and for fewer than 1 or more than 20.
        """
        view = self.read()
        return write_file(path, sheet_key(view, n, self.view) if key else sheet(view, n))

    def rows(self) -> list[Outline]:
        """Every result without its texts, by the chosen labels, definition and policy."""
        # Who reads no more than the values learns of damage as well.
        return list(self.read().counted(self.view))

    @property
    def view(self) -> View:
        """Whose labels, and by which formula or rules."""
        return View(self.definition, self.labels, self.policy)


@checks_types()
def open_run(path: str | Path, *, store: Store | None = None) -> Results:
    """The results of a run file, which is in the store from now on as any other run.

    A file that was opened before is the same run. Raises `RunFileError` where it cannot be read,
    was changed, is damaged, too large or from a newer version. `path` may also be the folder of
    results of a finished batch over files, or what `evaluate_batch_files` gave.
    """
    address = os.fspath(path)
    is_folder = os.path.isdir(address) or "://" in address
    if not (is_folder or os.path.exists(address)):
        raise RunFileError(
            f"There is no run file {shown(address)}. Give what evaluate gave, or such a file: only "
            "a terminal names stored runs."
        )
    store = store or inputs.local_store()
    if is_folder:
        # Only here: it reads tables, and others need it not.
        from evaluators.batch.as_run import run_of

        return Results(run_of(address, store), store)
    return Results(opened(read_file(path, RunFileError), store, inputs.WORKSPACE), store)


def results_of(run: Run, store: Store, keys: Keys, progress: bool) -> Results:
    """Works on the run until its end."""
    try:
        work(run, store, keys, progress=progress)
    except KeyboardInterrupt:
        counts = store.results.counts(run)
        raise KeyboardInterrupt(
            f"Stopped with {counts.scored:,} of {counts.asked:,} checked; all of it is kept. "
            f"Call evaluate again with the same arguments and run={run.title!r} to go on."
        ) from None
    # Said at once: whoever only looks at the means would not see that they are of a part.
    results = Results(run, store)
    if results.stopped:
        print(printable(results.stopped), file=sys.stderr)
    return results
