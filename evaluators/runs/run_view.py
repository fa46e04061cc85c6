"""A run as it is at one moment: its figures, kept with it, and its answers, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, product, takewhile
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import TypeAdapter

from evaluators.catalogue import goes_by_rules, labels_sentences
from evaluators.config import config
from evaluators.errors import ParameterError, StoreError
from evaluators.fact_recall import facts_said
from evaluators.flaws.citations import first_number, numbers_cited
from evaluators.flaws.of_answer import AnswerFlaws, LabelledAnswer, flaws_of
from evaluators.groups import MOST_TOGETHER, in_groups
from evaluators.messages import STORED
from evaluators.people.labels import (
    PERSON,
    is_of_people,
    is_people_alone,
    is_relabelled,
    labels_by_labeller,
)
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import (
    Cell,
    Nugget,
    Reason,
    Record,
    Run,
    Sample,
    SampleResult,
    Score,
    with_documents,
)
from evaluators.runs import aggregate, flaw_figures, rulings
from evaluators.runs.aggregate import Figures, Labelled, Mean, SupportCounts, View
from evaluators.runs.flaw_figures import Flaws
from evaluators.runs.formulas import formula_of, stored_formula
from evaluators.runs.store import (
    CORRECTED_VIEW,
    USUAL,
    Answer,
    Counter,
    Counts,
    Damage,
    Outline,
    Selection,
    Store,
    StoredRows,
    StoredView,
    ValueName,
    ViewedValues,
)
from evaluators.trace import jury
from evaluators.trace.agreement import (
    Agreement,
    GroupAgreement,
    LabelsOfAll,
    agreement,
    group_agreement,
)
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.labelling import CORRECTED, PEOPLE, has_heuristic
from evaluators.trace.metrics import VALUES, TRACEScores

LAST_CHOICES = 3
"""Of the rows that depend on a choice, such as a view, those of so many choices are in memory."""
LAST_FIGURES = 100
MOST_READ_IN_SIGHT = 2000
"""Results of a run all of whose rows a page reads to know whether they are as they were stored."""
MOST_WITH_FLAWS, CHARACTERS_WITH_FLAWS = 4000, 60_000_000
"""Answers that are read for what is wrong with them, and how much is stored of them: each takes
about a millisecond."""
MOST_WITH_FLAWS_OF_VISITORS, CHARACTERS_WITH_FLAWS_OF_VISITORS = 1000, 8_000_000
"""The same on a public host, whose process all visitors share."""
MOST_COMPARED = 20
"""People who stand side by side: a page has a column for each, and a cell for any two of them."""

WHAT_COUNTS = View()
"""The run's own labels, by its own formula: whatever people say, they stay as they are."""

T = TypeVar("T")
Rows = Iterable[tuple[Cell, Sample, Score]]


class Remarks(Record):
    """What a run's page says beside its figures.

    `failures` are the reasons why cells failed with how often each occurs, the most frequent
    first; `refused` is what providers would not accept; `reused` counts answers from the store.
    """

    failures: tuple[tuple[Reason, int], ...]
    refused: tuple[str, ...]
    reused: int


class Content(NamedTuple):
    """An answer with its texts: the sample, and what each metric says, by its number."""

    sample: Sample
    results: Mapping[int, SampleResult]

    @classmethod
    def of(cls, sample: Sample, results: Mapping[int, SampleResult]) -> Content:
        """With the documents from which it was answered, where a system retrieved them itself."""
        found = (result.retrieved_documents for result in results.values())
        documents = next((each for each in found if each is not None), None)
        return cls(with_documents(sample, documents), results)

    @property
    def response(self) -> str | None:
        """What was judged: a model's answer, or the one in the data."""
        written = (result.response for result in self.results.values())
        return next((text for text in written if text is not None), self.sample.response)

    @property
    def answered(self) -> Sample:
        """The sample with the answer that was judged."""
        return self.sample.model_copy(update={"response": self.response})


@dataclass(frozen=True, eq=False)
class RunView:
    """A run at one revision.

    What is worked out of its results is kept in the store until the revision changes, so that it
    is worked out once, whoever asks. One view may serve several threads: at worst two of them work
    out the same thing.
    """

    store: Store
    run: Run
    revision: int
    results_revision: int
    stored: StoredRows
    counts: Counts
    people: Mapping[Cell, Sequence[PersonLabel]]

    _kept: dict[str, dict[Hashable, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, store: Store, run: Run, revision: int | None = None) -> RunView:
        # The revision first: with an older one than its results a view is only read once more.
        revision = store.figures.revision(run.id) if revision is None else revision
        # Before what is there: more than was stored is no damage.
        stored = store.damage.stored(run)
        labels_state = store.figures.labels_state(run.id)
        people = store.person_labels.by_cell(run.id)
        return cls(
            store=store,
            run=run,
            revision=revision,
            results_revision=store.figures.revision(run.id, "results"),
            stored=stored,
            counts=store.results.counts(run),
            people=people,
            # Of a run that nobody has labelled since they are not read once more.
            _kept={"given": {labels_state: people}},
        )

    # Figures

    def figures(
        self,
        metric: int = 0,
        model: int = 0,
        view: View = WHAT_COUNTS,
    ) -> Figures:
        """Means and spreads of one metric over one model's answers, as the view counts them."""

        def work_out() -> Figures:
            of_metric = aggregate.of_metric(self.counted(view), metric)
            rows = aggregate.of_model(of_metric, model)
            return aggregate.figures(rows)

        name = f"figures {metric} {model} {self._stored(view).name}"
        return self._from_store(name, Figures, work_out, is_of_people=is_of_people(view.by))

    def by_group(
        self,
        model: int | None = None,
        view: View = WHAT_COUNTS,
    ) -> Mapping[str, Mapping[str, Mean]]:
        """The means of each group of samples, over all models' answers or those of one."""

        def work_out() -> dict[str, dict[str, Mean]]:
            rows = self.counted(view)
            if model is not None:
                rows = aggregate.of_model(rows, model)
            return aggregate.by_group(rows)

        name = f"groups {model} {self._stored(view).name}"
        kind = dict[str, dict[str, Mean]]
        return self._from_store(name, kind, work_out, is_of_people=is_of_people(view.by))

    def columns(self) -> Mapping[ValueName, str]:
        """What each value is called in the merged rows, by metric and its own name."""

        def work_out() -> list[tuple[ValueName, str]]:
            titles = aggregate.value_titles(self.rows)
            return list(titles.items())

        kind = list[tuple[ValueName, str]]
        return dict(self._from_store("columns", kind, work_out))

    def labelled(self) -> Labelled:
        """Who labelled, and where they differ; every sample is read for it."""

        def work_out() -> Labelled:
            if not labels_sentences(self.run.evaluator):
                return Labelled(labellers=(), differ=())
            return aggregate.labelled(self.run, self.scored())

        return self._from_store("labelled", Labelled, work_out)

    def labellers(self) -> Sequence[str]:
        """Whose labels can be looked at, beside those of the run."""
        return [*self.labelled().labellers, *self._people_together(), *self._answers_by_person()]

    def compared_people(self) -> Sequence[str]:
        """Those who judged most answers, so many that they can stand side by side."""
        answers = self._answers_by_person()
        most = set(sorted(answers, key=answers.__getitem__, reverse=True)[:MOST_COMPARED])
        return [by for by in answers if by in most]

    def _people_together(self) -> list[str]:
        corrected = [CORRECTED] if self.relabelled() else []
        return corrected + ([PEOPLE] if self._answers_by_person() else [])

    def _answers_by_person(self) -> Mapping[str, int]:
        """How many answers each person has judged; who did so first comes first."""

        def count() -> dict[str, int]:
            answers: dict[str, int] = {}
            for own in self.people.values():
                # Who has begun with the sentences of an answer has not judged it yet.
                judged = [by.person for by in own if by.value == DONE or by.label == "verdict"]
                for person in dict.fromkeys(judged):
                    name = f"{PERSON}{person}"
                    answers[name] = answers.get(name, 0) + 1
            return answers

        return self._once("people", "answers", count)

    def relabelled(self, model: int | None = None) -> frozenset[Answer]:
        """The answers, of one model or of all, of which people's labels count."""
        return frozenset(
            Answer(cell.position, cell.model)
            for cell, own in self.people.items()
            if model in (None, cell.model) and is_relabelled(own)
        )

    def check_labeller(self, by: str | None) -> None:
        """Raises `ParameterError` for a labeller that has labelled nothing of this run."""
        if by is not None and by not in self.labellers():
            known = ", ".join(self.labellers())
            there_are = f"There are: {known}." if known else "Only its own can be shown."
            # Of several runs it must be told which one.
            raise ParameterError(f"{by!r:.60} did not label {self.run.title!r:.60}. {there_are}")

    def means_by_labeller(
        self,
        model: int,
        definition: str | None = None,
    ) -> Mapping[str, Mapping[str, Mean]]:
        """The TRACE means of one model's answers by each labeller, over those it labelled."""
        formula = formula_of(self.run, definition)
        by_labeller = self.labelled().labellers
        together = self._people_together()

        def count() -> dict[str, dict[str, Mean]]:
            rows = (row for row in self.scored() if row[0].model == model)
            views = {by: View(formula, by) for by in by_labeller}
            usual = self.figures(model=model)
            return aggregate.means_by_labeller(rows, views, self.people, usual)

        def count_people() -> dict[str, dict[str, Mean]]:
            means = {}
            for by in together:
                rows = aggregate.of_metric(self.counted(View(formula, by)), 0)
                own = aggregate.of_model(rows, model)
                means[by] = {name: aggregate.summarise(own, name) for name in VALUES}
            scored = (row for row in self._scored_by_people() if row[0].model == model)
            views = {by: View(formula, by) for by in self.compared_people()}
            usual = self.figures(model=model)
            return means | aggregate.means_by_labeller(scored, views, self.people, usual)

        kind = dict[str, dict[str, Mean]]
        name = f"labellers {model} {formula}"
        means = self._from_store(name, kind, count)
        if not together:
            return means
        # Apart, as they change with every label of a person.
        return means | self._from_store(f"people as {name}", kind, count_people, is_of_people=True)

    def agreements(self, model: int) -> Sequence[Agreement]:
        """How far any two labellers of one model's answers agree; every sample is read for it."""

        def compare() -> list[Agreement]:
            judges = jury.names([judge.id for judge in self.run.judges])
            return agreement(self._labels(model, self.scored(), {}), judges)

        def compare_people() -> list[Agreement]:
            pairs = agreement(self._labels_beside_people(model))
            return [pair for pair in pairs if is_of_people(pair.first) or is_of_people(pair.second)]

        kind = list[Agreement]
        agreements = self._from_store(f"agreement {model}", kind, compare)
        if not self.people:
            return agreements
        of_people = self._from_store(
            f"agreement of people {model}", kind, compare_people, is_of_people=True
        )
        return [*agreements, *of_people]

    def group_agreements(self, model: int) -> Sequence[GroupAgreement]:
        """How far more than two people, or more than two judges, agree with each other."""
        judges = jury.names([judge.id for judge in self.run.judges])
        people = self.compared_people()

        def compare_people() -> list[GroupAgreement]:
            return group_agreement(self._labels_beside_people(model), [people])

        def compare_judges() -> list[GroupAgreement]:
            return group_agreement(self._labels(model, self.scored(), {}), [judges])

        kind = list[GroupAgreement]
        agreements: list[GroupAgreement] = []
        if len(people) > 2:
            agreements += self._from_store(
                f"people as a group {model}", kind, compare_people, is_of_people=True
            )
        if len(judges) > 2:
            agreements += self._from_store(f"judges as a group {model}", kind, compare_judges)
        return agreements

    def _labels_beside_people(self, model: int) -> Iterator[LabelsOfAll]:
        """Whose labels those answers have that people labelled, of people those compared."""
        compared = set(self.compared_people())
        for cell, sentences, labels in self._labels(model, self._scored_by_people(), self.people):
            left_out = {by for by in labels if by.startswith(PERSON) and by not in compared}
            yield cell, sentences, {by: own for by, own in labels.items() if by not in left_out}

    def _scored_by_people(self) -> Iterator[tuple[Cell, Sample, Score]]:
        """Of what the first metric scored those answers that people labelled, and few others."""
        positions = {cell.position for cell in self.people}
        return self.store.results.scored(self.run, positions=positions)

    def _labels(
        self,
        model: int,
        scored: Rows,
        people: Mapping[Cell, Sequence[PersonLabel]],
    ) -> Iterator[LabelsOfAll]:
        """Whose labels each of one model's answers has, with these by people."""
        for cell, sample, score in scored:
            if cell.model == model:
                yield cell, *labels_by_labeller(sample, score, people.get(cell, ()))

    def flaws(self, model: int = 0, view: View = WHAT_COUNTS) -> Flaws:
        """What is wrong with one model's answers, by kind; of many, some thousands are drawn."""

        def read() -> Flaws:
            every = aggregate.of_model(aggregate.of_metric(self.counted(view), 0), model)
            most, characters = MOST_WITH_FLAWS, CHARACTERS_WITH_FLAWS
            if config().public:
                most, characters = MOST_WITH_FLAWS_OF_VISITORS, CHARACTERS_WITH_FLAWS_OF_VISITORS
            # The same ones at every look.
            rows = Random(self.run.id).sample(every, min(most, len(every)))
            answers = [Answer(row.position, model) for row in rows]
            rows = rows[: len(self.first_within(answers, characters))]
            rows.sort(key=lambda row: row.position)
            return count(rows, len(every))

        def count(rows: Sequence[Outline], drawn_from: int, first_document: int = 1) -> Flaws:
            flaws, cited = {}, []
            for row, content in self._answered(rows):
                flaws[Answer(row.position, row.model)] = self.flaws_of(
                    row, content, view, first_document
                )
                documents = len(content.sample.retrieved_documents)
                cited.append((numbers_cited(content.response or ""), documents))
            first = first_number(cited)
            # Seldom, and known only when all are read.
            if first != first_document:
                return count(rows, drawn_from, first)
            return flaw_figures.count(rows, flaws, first, drawn_from)

        name = f"flaws {model} {self._stored(view).name}"
        if has_edited := bool(self._nuggets()):
            name = f"{name} by edited facts"
        is_of_any = has_edited or is_of_people(view.by)
        return self._from_store(name, Flaws, read, is_of_people=is_of_any)

    def flaws_of(
        self, row: Outline, content: Content, view: View, first_document: int
    ) -> AnswerFlaws:
        """What is wrong with one answer; its citations count documents from `first_document`."""
        scores = self.labelled_sentences(Answer(row.position, row.model), content, view)
        labelled = None
        if scores:
            compares_words = has_heuristic([row.by])
            labelled = LabelledAnswer(scores.sentences, scores.labels, compares_words)
        declines = None
        if goes_by_rules(self.run.evaluator):
            policy = view.policy
            rules = self._once("rules", policy, lambda: rulings.rgb_evaluator(self.run, policy))
            declines = rules.is_rejection
        sample = self.with_nuggets(content.answered, row.position)
        facts = facts_said(content.results.values())
        return flaws_of(sample, labelled, first_document, declines, facts)

    def with_nuggets(self, sample: Sample, position: int) -> Sample:
        """The sample with the facts of its true answer as a person has edited them, if one has."""
        nuggets = self._nuggets().get(position - sample.repeat + 1)
        return sample.model_copy(update={"nuggets": nuggets}) if nuggets else sample

    def _nuggets(self) -> Mapping[int, tuple[Nugget, ...]]:
        """By the positions of their prompts; of several models' answers the first has the note."""

        def read() -> dict[int, tuple[Nugget, ...]]:
            notes = self.store.notes.by_answer(self.run.id).items()
            return {answer.position: note.nuggets for answer, note in notes if note.facts}

        return self._once("nuggets", "edited", read)

    def _answered(self, rows: Sequence[Outline]) -> Iterator[tuple[Outline, Content]]:
        """The rows that are scored, each with its texts."""
        by_answer = {Answer(row.position, row.model): row for row in rows}
        scored = [answer for answer, row in by_answer.items() if row.status == "scored"]
        for answer, content in self.contents_one_by_one(scored):
            yield by_answer[answer], content

    def remarks(self) -> Remarks:
        """Why cells failed, and what a reader of the run's card should know beside it."""

        def read() -> Remarks:
            results = self.store.results
            return Remarks(
                failures=tuple(results.failures(self.run.id)),
                refused=tuple(results.notes(self.run.id)),
                reused=results.reused(self.run.id),
            )

        return self._from_store("remarks", Remarks, read)

    def damage(self) -> Damage:
        """What of the run cannot be read; every row is read for it."""

        def check() -> Damage:
            return self.store.damage.of(self.run, self.stored, self._labels_read())

        return self._once("damage", "whole", check)

    def damage_in_sight(self, most: int = MOST_READ_IN_SIGHT) -> Damage:
        """The same for a page, which only counts the rows of a run of more results than `most`."""
        if self.counts.asked <= most:
            return self.damage()
        return self.store.damage.counted(self.run, self.stored, self._labels_read())

    def _labels_read(self) -> int:
        return sum(map(len, self.people.values()))

    def prepare(self, goes_on: Callable[[], bool]) -> None:
        """Works out what the run's page shows, while it is wanted: later it is only looked up."""
        for step in self._steps():
            if not goes_on():
                return
            step()

    def _steps(self) -> Iterator[Callable[[], object]]:
        yield self.columns
        yield self.remarks
        for model in range(max(1, len(self.run.models))):
            yield partial(self.flaws, model)
        yield from self._steps_of(WHAT_COUNTS)
        if not labels_sentences(self.run.evaluator):
            return
        yield self.labelled
        for model in range(max(1, len(self.run.models))):
            yield partial(self._compare, model)
        for definition in DEFINITIONS:
            if definition != stored_formula(self.run):
                # Rows of its own, which nobody keeps: of a large run they take much memory.
                yield from replace(self, _kept={})._steps_of(View(definition))

    def _steps_of(self, view: View) -> Iterator[Callable[[], object]]:
        """The figures of all metrics and groups, as the view counts them."""
        models = range(max(1, len(self.run.models)))
        for metric, model in product(range(len(self.run.evaluators)), models):
            yield partial(self.figures, metric, model, view)
        for group_model in (None, *models):
            yield partial(self.by_group, group_model, view)

    def _compare(self, model: int) -> None:
        # A page compares labellers only where there are two.
        if len(self.labellers()) > 1:
            self.means_by_labeller(model)
            self.agreements(model)
            self.group_agreements(model)

    # Answers

    def answers(
        self,
        selection: Selection,
        view: View = WHAT_COUNTS,
    ) -> Sequence[Answer]:
        """The answers that the selection wants, in its order."""

        def select() -> list[Answer]:
            stored = self._prepared(view)
            return self.store.results.answers(self.run, selection, stored)

        return self._once("answers", (selection, view), select)

    def page(
        self,
        answers: Sequence[Answer],
        view: View = WHAT_COUNTS,
    ) -> list[Outline]:
        """One row for each of these answers, in their order, as `merged` has them."""
        stored = self._prepared(view)
        rows = _labelled_by(view.by, self.store.results.outlines(self.run, stored, answers))
        if len(self.run.evaluators) > 1:
            rows = aggregate.merged(rows, self.columns())
        by_answer = {Answer(row.position, row.model): row for row in rows}
        return [by_answer[answer] for answer in answers if answer in by_answer]

    def count(
        self,
        name: str,
        selection: Selection,
        view: View = WHAT_COUNTS,
    ) -> int:
        """How many answers the selection wants; `name` tells it from all others in this view."""

        def count() -> int:
            return len(self.answers(selection, view))

        of_people = is_of_people(view.by) or selection.is_corrected
        name = f"count {name} {self._stored(view).name}"
        return self._from_store(name, int, count, is_of_people=of_people)

    def contents(self, answers: Sequence[Answer]) -> Mapping[Answer, Content]:
        """The texts and results of these answers; one whose sample cannot be read is left out."""
        positions = {answer.position for answer in answers}
        samples = self.store.samples.get_many(self.run.fingerprint, positions)
        results = self.store.results.of_answers(self.run.id, answers)
        contents = {}
        for answer in answers:
            sample = samples[answer.position]
            if isinstance(sample, Sample):
                contents[answer] = Content.of(sample, results.get(answer, {}))
        return contents

    def contents_one_by_one(self, answers: Sequence[Answer]) -> Iterator[tuple[Answer, Content]]:
        """The same of any number of answers, few of which are in memory at a time."""
        for start in range(0, len(answers), MOST_TOGETHER):
            several = answers[start : start + MOST_TOGETHER]
            sized = zip(several, self._sizes(several), strict=True)
            for group in in_groups(sized, itemgetter(1)):
                yield from self.contents([answer for answer, _ in group]).items()

    def first_within(self, answers: Sequence[Answer], characters: int) -> Sequence[Answer]:
        """The first of these answers, of which no more characters are stored together."""
        held = accumulate(self._sizes(answers))
        return answers[: sum(1 for _ in takewhile(characters.__ge__, held))]

    def _sizes(self, answers: Sequence[Answer]) -> list[int]:
        sizes = self.store.results.sizes(self.run, {answer.position for answer in answers})
        return [sizes.get(answer.position, 0) for answer in answers]

    def labelled_sentences(
        self,
        answer: Answer,
        content: Content,
        view: View,
    ) -> TRACEScores | None:
        """An answer's sentences with the view's labels, where it has some."""
        result = content.results.get(0)
        if result is None or result.score is None:
            return None
        if not labels_sentences(self.run.evaluator):
            return None
        given = self.people.get(Cell(*answer), ())
        return aggregate.viewed_scores(content.sample, result.score, self._named(view), given)

    def support_counts(
        self,
        answer: Answer,
        content: Content,
        view: View,
    ) -> SupportCounts | None:
        """How far an answer's sentences are supported by the view's labels, where it has some."""
        counted = self.labelled_sentences(answer, content, view)
        return aggregate.support_counts(counted) if counted else None

    # Every row, for files and for what is drawn of single rows

    @property
    def rows(self) -> Sequence[Outline]:
        """Every cell, sample by sample, with the values that the labellers themselves gave."""
        return self.counted()

    def of_metric(self, number: int) -> list[Outline]:
        """The rows of one of the run's metrics, by its number from 0."""
        return aggregate.of_metric(self.rows, number)

    def counted(self, view: View = WHAT_COUNTS) -> Sequence[Outline]:
        """The rows with their values as the view counts them."""
        stored = self._prepared(view)

        def read() -> Sequence[Outline]:
            return _labelled_by(view.by, self.store.results.outlines(self.run, stored))

        return self._once("rows", stored, read)

    def merged(self, view: View = WHAT_COUNTS) -> Sequence[Outline]:
        """One row for each answer with the values of all metrics, under the names of `columns`."""
        if len(self.run.evaluators) == 1:
            return self.counted(view)

        def merge() -> Sequence[Outline]:
            return aggregate.merged(self.counted(view))

        return self._once("merged", view, merge)

    def scored(self, view: View = WHAT_COUNTS) -> Iterator[tuple[Cell, Sample, Score]]:
        """Every cell that the first metric scored, with its sample and score, read anew.

        Of RGB the scores are those by the rules of the view.
        """
        # Not kept: with their texts the samples of a large run would not fit into memory.
        scored = self.store.results.scored(self.run)
        if policy := rulings.policy_of(self.run, view.policy):
            return rulings.read_anew(self.store, self.run, scored, policy)
        return scored

    # What is kept

    def _stored(self, view: View) -> StoredView:
        """Where the values of the view are kept; a formula tells TRACE apart, rules RGB."""
        by = view.by or ""
        if policy := rulings.policy_of(self.run, view.policy):
            return StoredView(f"rules {policy} by {by}", is_usual=False)
        has_labels = labels_sentences(self.run.evaluator)
        formula = formula_of(self.run, view.definition) if has_labels else ""
        # Results are stored with the values by the run's formula, which may be gone by now.
        is_as_stored = not has_labels or formula == stored_formula(self.run)
        if is_as_stored and view.by is None:
            return USUAL
        is_by_own_formula = not has_labels or formula == formula_of(self.run, None)
        if is_by_own_formula and view.by == CORRECTED:
            return StoredView(CORRECTED_VIEW, is_usual=is_as_stored)
        return StoredView(f"{formula} by {by}", is_usual=False)

    def _named(self, view: View) -> View:
        """The view with the name of its formula, where it leaves that to the run."""
        return view._replace(definition=formula_of(self.run, view.definition))

    def _prepared(self, view: View) -> StoredView:
        """The same, with the values of all answers that have been scored so far."""
        stored = self._stored(view)
        # Beside every view stands how many labels people changed.
        if self.people and stored.name != CORRECTED_VIEW:
            self._prepared(View(by=CORRECTED))
        if stored == USUAL or (stored.is_usual and not self.people):
            return stored
        is_whole = False
        while not is_whole:
            state = self.store.figures.labels_state(self.run.id)
            # Once for the views of all people: of many labels each reading takes a while.
            given = self._once("given", state, self._labels_by_people)
            values: dict[Cell, ViewedValues] = {}
            for metric in range(len(self.run.evaluators)):
                is_as_stored = stored.is_usual or (metric > 0 and not is_people_alone(view.by))
                scored = self.store.results.not_viewed(
                    self.run, stored, metric, only_labelled=is_as_stored
                )
                policy = rulings.policy_of(self.run, view.policy)
                if policy and not metric:
                    scored = rulings.read_anew(self.store, self.run, scored, policy)
                values |= aggregate.viewed_values(scored, self._named(view), given)
            # Where a person labels meanwhile, what was read before may be old.
            is_whole = not values or self.store.figures.save_view(
                self.run.id, stored, values, state
            )
        return stored

    def _labels_by_people(self) -> Mapping[Cell, Sequence[PersonLabel]]:
        return self.store.person_labels.by_cell(self.run.id)

    def kept(self, name: str, kind: type[T], work_out: Callable[[], T]) -> T:
        """What others work out of this view, once for each state of results and labels."""
        return self._from_store(name, kind, work_out, is_of_people=True)

    def _from_store(
        self,
        name: str,
        kind: type[T],
        work_out: Callable[[], T],
        *,
        is_of_people: bool = False,
    ) -> T:
        """What is kept under the name, worked out where it is not there.

        What a labeller said stays when a person labels, but for what `is_of_people`.
        """
        counter: Counter = "revision" if is_of_people else "results"
        revision = self.revision if is_of_people else self.results_revision

        def read_or_work_out() -> T:
            adapter: TypeAdapter[T] = TypeAdapter(kind)
            body = self.store.figures.get(self.run.id, name, revision)
            # What another version of the program kept may no longer fit: it is worked out again.
            with suppress(ValueError):
                if body is not None:
                    return adapter.validate_json(body)
            figure = work_out()
            # On a full disk it is worked out again.
            with suppress(StoreError):
                body = adapter.dump_json(figure, context=STORED).decode()
                self.store.figures.save(self.run.id, name, revision, body, counter)
            return figure

        return self._once("figures", name, read_or_work_out, LAST_FIGURES)

    def _once(
        self,
        kind: str,
        choice: Hashable,
        make: Callable[[], T],
        most: int = LAST_CHOICES,
    ) -> T:
        kept = self._kept.setdefault(kind, {})
        value = kept.get(choice)
        if value is None:
            kept[choice] = value = make()
            # A copy of the keys, as another thread may keep something meanwhile.
            for earlier in list(kept)[:-most]:
                kept.pop(earlier, None)
        return cast(T, value)


def _labelled_by(by: str | None, rows: list[Outline]) -> list[Outline]:
    """The rows as labelled by whom the view chose, so that its figures name that labeller."""
    if by in (None, CORRECTED):
        return rows
    return [row._replace(by=by) if row.by else row for row in rows]
