"""The report of a run: what was found, every figure, how it was done, and samples to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from evaluators.catalogue import labels_sentences
from evaluators.document import tables
from evaluators.document.better_judge import tried_examples
from evaluators.document.blocks import (
    Block,
    Blocks,
    Charts,
    Evidence,
    Items,
    Passage,
    Section,
    Table,
)
from evaluators.document.flaws import flaws
from evaluators.document.planted import planted_errors
from evaluators.paper import figures
from evaluators.prompts import shipped
from evaluators.records import Run
from evaluators.report import page, samples
from evaluators.report.picked import Picked, samples_to_read
from evaluators.runs import findings, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.card import run_card
from evaluators.runs.checks import checked
from evaluators.runs.counts import checked_and_failed, failed_in_words
from evaluators.runs.failures import Worded, failures, in_python
from evaluators.runs.formulas import formula_in_words, formula_of
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.settings import settings_of
from evaluators.runs.whose import labeller_in_words
from evaluators.text.language import mark, say, translated
from evaluators.text.scale import SCORE
from evaluators.text.words import counted, in_a_line, name_and_text, readable
from evaluators.trace.definitions import DEFINITIONS

MOST_OF_A_PROMPT = 20_000
MOST_OF_REFUSED = 2_000


def run_report(
    view: RunView,
    counted: View = WHAT_COUNTS,
    written: datetime | None = None,
    worded: Worded = in_python,
) -> str:
    """The report of a run as the view counts it, at most 6 MB of HTML.

    Remedies of what failed are `worded` as by the door that it is taken from.
    It is the same for the same results at one time `written`, which is now where it is not given.
    """
    run = view.run
    moment = written or datetime.now(UTC)
    head = page.head(run.title, facts_of_run(view, counted))
    before = page.rendered(found_in_run(view, counted, worded))
    card = Section(say("To run it again"), [Passage(run_card(view.store, run, counted), "plain")])
    after = page.rendered([*how_of_run(view, counted, worded), card])

    def make(some: Sequence[Picked]) -> str:
        texts = samples.articles(view, counted, some)
        is_labelled = labels_sentences(run.evaluator)
        legend = samples.legend_of_verdicts(texts) if is_labelled and texts else ""
        to_read = Section(say("Samples to read"), [Evidence(legend + texts)])
        return page.page(run.title, [head, before, page.rendered([to_read]), after], moment)

    return page.within_size(make, samples_to_read(view, counted))


def brief_document(
    view: RunView, counted: View, worded: Worded = in_python, *, by_name: bool = True
) -> Blocks:
    """What is read first of a run: what was found, its means, and why samples failed."""
    return [
        *findings_of_run(view, counted),
        *_warnings(view, worded),
        *tables.means(view, counted, by_name=by_name),
        *planted_errors(view, counted),
        *tried_examples(view),
        *flaws(view, counted),
        *tables.failures(failures(view.remarks().failures, worded)),
    ]


def facts_of_run(view: RunView, counted: View) -> list[str]:
    """Who judged what, how far it is, and when it began."""
    run = view.run
    state = checked_and_failed(run, view.counts)
    what = [*run_facts.method_beside_title(run), *run_facts.data_beside_title(run)]
    facts = [*what, state, begun(run)]
    # A prompt of one's own decides what the run can be compared with; a shipped one is usual.
    if run.prompt and run.prompt not in shipped():
        facts.append(say("own prompt {hash}", hash=run.prompt_hash))
    if counted.by:
        facts.append(say("Labels: {labeller}", labeller=labeller_in_words(view, counted)))
    return facts


def found_in_run(view: RunView, counted: View, worded: Worded, *, by_name: bool = False) -> Blocks:
    """What was found, what to beware of, every figure, and what people say of them."""
    charts: Block = Charts(partial(figures.figures_of_run, view, counted), is_named=True)
    if not view.counts.scored:
        charts = Passage(say("Nothing is checked yet."))
    means = tables.means(view, counted, by_name=by_name)
    groups = tables.groups(view, counted, by_name=by_name)
    return [
        *findings_of_run(view, counted),
        *_warnings(view, worded),
        *planted_errors(view, counted),
        *tried_examples(view),
        *flaws(view, counted, advises=True),
        Section(say("Numbers"), [charts, *means, groups]),
        Section(say("Corrected by people"), list(_corrected(view, counted))),
    ]


def how_of_run(view: RunView, counted: View, worded: Worded) -> Blocks:
    """How it was done, what it cost, and what did not work."""
    return [
        Section(say("How it was done"), list(how_it_was_done(view, counted))),
        Section(say("Cost"), list(cost(view))),
        Section(say("What did not work"), list(_problems(view, worded))),
    ]


def begun(run: Run) -> str:
    moment = datetime.fromisoformat(run.created)
    # A run of somebody else's program may have no zone; the reader of a file has another one.
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.strftime(say("%d %b %Y, %H:%M UTC"))


def findings_of_run(view: RunView, counted: View) -> list[Passage]:
    """What was found, model by model, and what to beware of."""
    found = findings.of_run(view, counted)
    # Of several models the caution is mostly one and the same.
    cautions = dict.fromkeys(own.caution for own in found if own.caution)
    return [
        *(Passage(own.sentence, "finding") for own in found),
        *(Passage(caution, "warning") for caution in cautions),
    ]


def _warnings(view: RunView, worded: Worded) -> Iterator[Block]:
    yield Passage(view.damage().sentence(), "warning")
    counts = view.counts
    if counts.open:
        words = say(
            "The run is not finished: {open:,} of {asked:,} are not checked yet.",
            open=counts.open,
            asked=counts.asked,
        )
        yield Passage(words, "warning")
    if counts.failed:
        yield Passage(failed_in_words(counts), "warning")
    for reason in view.store.runs.stop_reasons(view.run.id):
        yield Passage(say("The run stopped: {why}", why=worded(reason)), "warning")


def _corrected(view: RunView, counted: View) -> Iterator[Block]:
    """What people's labels make of each mean, where they are enough; what else they say of it."""
    if not view.people:
        return
    models = run_facts.titles(view.run) or [""]
    rows: list[list[str]] = []
    remarks: list[str] = []
    # The same check as on the run's page: below 15 labels no mean is corrected.
    for metric in range(len(view.run.evaluators)):
        for model, name in enumerate(models):
            check = checked(view, metric, model, definition=counted.definition)
            for own in check.values:
                if own.corrected is None:
                    continue
                whose = f"{name}: " if len(models) > 1 else ""
                estimate = own.corrected
                rows.append(
                    [
                        f"{whose}{readable(own.name)}",
                        SCORE.shown(own.judged),
                        SCORE.shown(estimate.mean),
                        SCORE.interval(estimate.low, estimate.high),
                        say("{count:,} of {all:,}", count=own.labelled, all=own.answers),
                    ]
                )
                remarks += own.warnings
    headings = [
        *(mark("Value"), mark("The labeller says"), mark("People say")),
        *(mark("95 % interval"), mark("Answers people labelled")),
    ]
    yield Table(headings, rows, headings[1:])
    yield Items(dict.fromkeys(remarks))


# How


def how_it_was_done(view: RunView, counted: View) -> Iterator[Block]:
    """Data, method, models, judges and parameters, and the prompt word by word."""
    run = view.run
    settings = [[readable(name), words] for name, words in settings_of(run).items()]
    if run.note:
        settings.append([say("Note"), run.note])
    if run.tags:
        settings.append([say("Tags"), in_a_line(run.tags)])
    if labels_sentences(run.evaluator):
        definition = DEFINITIONS[formula_of(run, counted.definition)]
        formula = formula_in_words(run, counted.definition)
        words = name_and_text(formula, say(definition.meaning))
        settings.append([say("Labels"), labeller_in_words(view, counted)])
        settings.append([say("Formula"), words])
    yield Table([mark("What"), mark("How")], settings)
    yield Passage(" · ".join(run_facts.facts(run)), "facts")
    if labels_sentences(run.evaluator):
        yield Passage(findings.who_labelled(run, view.figures()))
    if run.models and run.prompt:
        prompt = page.clipped(run.prompt, MOST_OF_A_PROMPT)
        yield Section(say("Prompt"), [Passage(prompt, "plain")], is_folded=True)


def cost(view: RunView) -> Iterator[Block]:
    """Calls, tokens and money by model; nothing where no LLM was asked."""
    yield tables.cost(view.run, view.store.calls.spent(view.run.id))
    if reused := view.remarks().reused:
        words = counted(reused, "answer")
        yield Passage(
            say("{answers} came from the store and cost nothing.", answers=words), "facts"
        )


def _problems(view: RunView, worded: Worded) -> Iterator[Block]:
    remarks = view.remarks()
    yield from tables.failures(failures(remarks.failures, worded))
    if remarks.refused:
        refused = "; ".join(map(translated, remarks.refused))
        refused = page.clipped(refused, MOST_OF_REFUSED)
        words = say("Some requests were not made as chosen: {which}.", which=refused)
        yield Passage(words, "facts")
