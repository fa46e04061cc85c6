"""The report of a run: what was found, every figure, how it was done, and samples to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain

from evaluators.catalogue import declared_values, labels_sentences
from evaluators.drawing import DOUBLE, Size
from evaluators.paper import figures
from evaluators.records import Run
from evaluators.report import page, samples
from evaluators.report.picked import Picked, samples_to_read
from evaluators.runs import aggregate, bills, findings, run_facts
from evaluators.runs.aggregate import MOST_GROUPS, Mean, View
from evaluators.runs.card import run_card
from evaluators.runs.checks import checked
from evaluators.runs.counts import checked_and_failed, failed_in_words
from evaluators.runs.failures import HEADINGS, Worded, failures, in_python
from evaluators.runs.formulas import formula_in_words, formula_of
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.settings import settings_of
from evaluators.runs.shown_values import (
    Dot,
    Group,
    beside,
    column_titles,
    coverage,
    groups_of,
    of_series,
    why_no_interval,
)
from evaluators.runs.whose import labeller_in_words
from evaluators.text.language import mark, say
from evaluators.text.scale import NO_VALUE, SCORE
from evaluators.text.stored_texts import translated
from evaluators.text.words import counted, in_a_line, in_brackets, name_and_text, readable
from evaluators.trace.definitions import DEFINITIONS

PHONE = Size(92, 8)
"""The width of a phone in millimetres of a screen, and a font that is read there."""
MOST_REASONS = 8
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
    state = checked_and_failed(run, view.counts)
    facts = [*run_facts.method(run), run.dataset_name, state, begun(run)]
    if counted.by:
        facts.append(say("Labels: {labeller}", labeller=labeller_in_words(view, counted)))
    found = findings.of_run(view, counted)
    before = [
        page.title_and_finding(run.title, facts, [own.sentence for own in found]),
        # Of several models the caution is mostly one and the same.
        *map(page.warning, dict.fromkeys(own.caution for own in found if own.caution)),
        *_warnings(view),
        page.section(
            mark("Numbers"), *_charts_twice(view, counted), *_tables_of_means(view, counted)
        ),
        page.section(mark("Corrected by people"), *_corrected(view, counted)),
    ]
    after = [
        page.section(mark("How it was done"), *how_it_was_done(view, counted)),
        page.section(mark("Cost"), *cost(view)),
        page.section(mark("What did not work"), *_problems(view, worded)),
        page.section(mark("To run it again"), page.plain_text(run_card(view.store, run, counted))),
    ]

    def make(some: Sequence[Picked]) -> str:
        texts = samples.articles(view, counted, some)
        is_labelled = labels_sentences(run.evaluator)
        legend = samples.legend_of_verdicts(texts) if is_labelled and texts else ""
        to_read = page.section(mark("Samples to read"), legend, texts)
        return page.page(run.title, [*before, to_read, *after], moment)

    return page.within_size(make, samples_to_read(view, counted))


def begun(run: Run) -> str:
    moment = datetime.fromisoformat(run.created)
    # A run of somebody else's program may have no zone; the reader of a file has another one.
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.strftime(say("%d %b %Y, %H:%M UTC"))


def _warnings(view: RunView) -> Iterator[str]:
    if damage := view.damage().sentence():
        yield page.warning(damage)
    counts = view.counts
    if counts.open:
        words = say(
            "The run is not finished: {open:,} of {asked:,} are not checked yet.",
            open=counts.open,
            asked=counts.asked,
        )
        yield page.warning(words)
    if counts.failed:
        yield page.warning(failed_in_words(counts))
    for reason in view.store.runs.stop_reasons(view.run.id):
        why = translated(reason.message)
        yield page.warning(say("The run stopped: {why}", why=why))


# Figures


def _charts_twice(view: RunView, counted: View) -> Iterator[str]:
    if not view.counts.scored:
        yield page.paragraph(say("Nothing is checked yet."))
        return
    # A chart that is only made smaller has letters that nobody reads on a phone.
    on_phones = figures.figures_of_run(view, counted, PHONE)
    for name, drawn in figures.figures_of_run(view, counted, DOUBLE).items():
        # Values of metrics stand below the metric's name in the chart, curves have no words there.
        is_of_rgb = name == "rates" or name.endswith("by_noise")
        yield page.figure(readable(name) if is_of_rgb else "", drawn, on_phones[name])


def _tables_of_means(view: RunView, counted: View) -> Iterator[str]:
    """Every mean that the charts show, with its meaning; and those of groups of samples."""
    models = run_facts.titles(view.run)
    headings = [
        *(mark("Value"), mark("Model"), mark("Mean")),
        *(mark("95 % interval"), mark("Answers checked"), mark("Meaning")),
    ]
    rows = []
    for group in _dots_in_groups(view, counted):
        for dot in group.dots:
            model = models[dot.series] if models else ""
            rows.append(_mean_row(dot, model))
    if len(models) < 2:
        headings.remove("Model")
        rows = [[title, *others] for title, _, *others in rows]
    yield page.html_table(headings, rows)
    dots = (dot.mean for group in _dots_in_groups(view, counted) for dot in group.dots)
    yield page.paragraph(why_no_interval(dots))
    means = dict(list(view.by_group(None, counted).items())[:MOST_GROUPS])
    titles = column_titles(view)
    # Not every group has a mean of every value: the columns are all that occur.
    names = {name: titles.get(name, name) for own in means.values() for name in own}
    if means:
        lines = [
            [group, *(_brief(own.get(name)) for name in names)] for group, own in means.items()
        ]
        of_groups = (mean for own in means.values() for mean in own.values())
        yield page.foldout(
            say("By group"),
            page.html_table([mark("Group"), *names.values()], lines),
            page.paragraph(why_no_interval(of_groups, of_groups=True)),
        )


def _dots_in_groups(view: RunView, counted: View) -> list[Group]:
    run = view.run
    groups = []
    for number, spec in enumerate(run.evaluators):
        if any(value.kind == "rate" for value in declared_values(spec.name)):
            groups.append(Group("", "", _rate_dots(view, number, counted)))
        else:
            groups += groups_of(view, number, counted)
    return groups


def _rate_dots(view: RunView, number: int, counted: View) -> list[Dot]:
    rows = aggregate.of_metric(view.counted(counted), number)
    by_model = run_facts.rows(view.run, rows)
    declared = declared_values(view.run.evaluators[number].name)
    rates = {model: aggregate.rates(own, declared) for model, own in by_model.items()}
    dots = []
    for value in dict.fromkeys(chain.from_iterable(rates.values())):
        for model, own in enumerate(rates.values()):
            if value in own:
                dot = Dot(say(value.heading), own[value], (), say(value.meaning))
                dots.append(of_series(dot, list(by_model), model))
    return dots


def _mean_row(dot: Dot, model: str) -> list[str]:
    mean = dot.mean
    # Charts of several models name them in the place of the meaning.
    meaning = dot.meaning.removeprefix(model).removeprefix(". ") if model else dot.meaning
    meaning = "; ".join([*filter(None, [meaning]), *beside(mean)])
    return [
        dot.title,
        model,
        SCORE.shown(mean.mean),
        interval_in_words(mean),
        answers(mean),
        meaning,
    ]


def interval_in_words(mean: Mean) -> str:
    if mean.estimated:
        return say("an estimate")
    return SCORE.interval(mean.low, mean.high) or NO_VALUE


def answers(mean: Mean) -> str:
    """On how many answers the mean stands, and how often what was asked."""
    return "; ".join(filter(None, [coverage(mean), mean.repeated]))


def _brief(mean: Mean | None) -> str:
    return NO_VALUE if mean is None else in_brackets(SCORE.shown(mean.mean), coverage(mean))


def _corrected(view: RunView, counted: View) -> Iterator[str]:
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
    yield page.html_table(headings, rows)
    yield page.items(dict.fromkeys(remarks))


# How


def how_it_was_done(view: RunView, counted: View) -> Iterator[str]:
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
    yield page.html_table([mark("What"), mark("How")], settings)
    yield page.facts_line(" · ".join(run_facts.facts(run)))
    if labels_sentences(run.evaluator):
        yield page.paragraph(findings.who_labelled(run, view.figures()))
    if run.models and run.prompt:
        prompt = page.clipped(run.prompt, MOST_OF_A_PROMPT)
        yield page.foldout(say("Prompt"), page.plain_text(prompt))


def cost(view: RunView) -> Iterator[str]:
    """Calls, tokens and money by model; nothing where no LLM was asked."""
    spent = bills.rows(view.run, view.store.calls.spent(view.run.id))
    if spent:
        lines = []
        for row in spent:
            lines.append(
                [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row.values()]
            )
        yield page.html_table(list(spent[0]), lines)
    if reused := view.remarks().reused:
        words = counted(reused, "answer")
        yield page.facts_line(say("{answers} came from the store and cost nothing.", answers=words))


def _problems(view: RunView, worded: Worded) -> Iterator[str]:
    remarks = view.remarks()
    by_reason = failures(remarks.failures, worded)
    reasons = list(by_reason.items())[:MOST_REASONS]
    yield page.html_table(list(HEADINGS), [[f"{count:,}", reason] for reason, count in reasons])
    further = len(by_reason) - len(reasons)
    if further > 0:
        yield page.facts_line(say("And {reasons}.", reasons=counted(further, "further reason")))
    if remarks.refused:
        refused = "; ".join(map(translated, remarks.refused))
        refused = page.clipped(refused, MOST_OF_REFUSED)
        words = say("Some requests were not made as chosen: {which}.", which=refused)
        yield page.facts_line(words)
