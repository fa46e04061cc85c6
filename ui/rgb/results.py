"""What an RGB run shows: accuracy by noise, the rates of the four abilities, every sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import streamlit as st

from evaluators.catalogue import declared_values
from evaluators.records import Ability, Run
from evaluators.rgb_words import ASKED
from evaluators.runs import aggregate, findings, rulings, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.engine import registry
from evaluators.runs.published import other_figures
from evaluators.runs.rgb_figures import (
    Curves,
    charts_of,
    deciding,
    in_reach,
    is_right,
    noise_curves,
)
from evaluators.runs.run_view import Content, RunView
from evaluators.runs.shown_values import column_titles, groups_of
from evaluators.runs.store import Answer, Outline, Selection
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.normalise import is_chinese
from evaluators.text.scale import SCORE
from evaluators.text.words import (
    name_and_text,
    readable,
)
from evaluators.values import Value
from ui.metrics import results as metric_results
from ui.parts import (
    charts,
    chosen_view,
    corrected,
    dots,
    explained,
    flaw_cards,
    highlight,
    samples,
    tables,
)
from ui.parts.present import Block
from ui.parts.samples import Verdict
from ui.parts.untrusted import plain
from ui.rgb import rules

FROM_THE_PAPER = mark("From the paper (other prompt and questions): look at the shape.")
FACETS = {
    "ability": mark("Ability"),
    "noise_reached": mark("Noise"),
    "forged": mark("Forged"),
    "situation": mark("Group"),
}


def show(view: RunView) -> None:
    """Charts, numbers and samples of an RGB run by the chosen rules, as far as it is."""
    # Filled later: the rules are chosen below what they change.
    story = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        policy = rules.switch(view.run).policy
        shown = View(by=chosen_view.labels_switch(view, view.labellers()), policy=policy)
    rows = aggregate.of_metric(view.counted(shown), 0)
    with story:
        if any(row.status == "scored" for row in rows):
            corrected.say_headlines(view)
            chosen_view.say_whose(view, shown)
            _rgb_charts(view, shown, rows)
        else:
            st.caption(say("Nothing is checked yet."))
        _beside_judge(view.run, rows)
    # What people changed counts by all rules: it is no difference between them.
    by_own_rules = view.counted(shown._replace(policy=None))
    differ = rulings.differing(aggregate.of_metric(by_own_rules, 0), rows)
    if differ:
        st.info(
            say(
                "Verdicts that differ from the run's own rules: {count:,}. They are below.",
                count=len(differ),
            )
        )
    elif rulings.policy_of(view.run, shown.policy):
        st.info(say("By these rules no verdict differs from the run's own."))
    _flipped_verdicts(rows)
    if not registry.moves(view.run.id, view.store):
        flaw_cards.show(view, shown)
    metric_results.further(view, shown)
    samples.heading()
    samples.show(_rgb_table(view, shown, rows, differ))


def _rgb_table(
    view: RunView,
    shown: View,
    rows: Sequence[Outline],
    differ: tuple[Answer, ...],
) -> samples.Table:
    """The samples of the model and ability that are chosen above the table."""
    model, ability = _model_and_ability(view)
    filters = {
        mark("Right"): Selection(values=deciding(view.run), low=1),
        mark("Wrong"): Selection(values=deciding(view.run), high=0),
        mark("Verdicts differ by rules"): Selection(among=differ),
        mark("Rule and judge differ"): Selection(among=rulings.rule_and_judge_differ(rows)),
        mark("Failed"): Selection(is_failed=True),
        mark("Changed by people"): Selection(is_corrected=True),
        **flaw_cards.filters(view, shown),
    }
    # A column of an ability that is filtered out would be empty from top to bottom.
    values = column_titles(view, _values_of(view, rows, ability))
    return samples.Table(
        view,
        values,
        filters,
        partial(_right_or_wrong_verdict, view.run),
        counts_by=shown,
        model=model,
        ability=ability,
        facets=_rgb_facets(rows, ability),
    )


def blocks(view: RunView) -> list[Block]:
    """The finding, the charts and the rates, each for a screen of its own."""
    run = view.run
    chosen = chosen_view.of(run)
    rows = aggregate.of_metric(view.counted(chosen), 0)
    by_model = run_facts.rows(run, rows)
    declared = declared_values(run.evaluator.name)
    curves = {model: noise_curves(own, declared) for model, own in by_model.items()}
    shown = [Block(run.title, partial(_say_the_finding, by_model, declared))]
    for chart in charts_of(curves):
        key = f"presented_{chart.title}"
        height = charts.PRESENTED - charts.NOTE * bool(chart.note)
        draw = partial(charts.show, chart, key, height, is_presented=True)
        shown.append(Block(chart.title, draw))
    [rates] = groups_of(view, 0, chosen)
    # Every rate has a screen of its own, with all models on it.
    judged = [dot for dot in rates.dots if dot.mean.mean is not None]
    for title, own in groupby(judged, key=lambda dot: dot.title):
        shown += dots.blocks(rates._replace(title=title, dots=list(own)))
    return shown + metric_results.blocks(view, chosen, first=1)


def card(run: Run) -> None:
    """What this run was: enough to run it again."""
    policy = readable(str(run.evaluator.params.get("policy")))
    facts = [say("Rules: {policy}", policy=policy), *metric_results.also(run)]
    facts += run_facts.facts(run)
    if run.models:
        prompt = say("Prompt: {hash}", hash=run.prompt_hash)
        if source := run.origin.get("prompt"):
            prompt += f" ({say(source)})"
        facts.append(prompt)
        facts.append(say("Seed: {seed}", seed=run.seed))
    else:
        facts.append(say("Answers: from the file"))
    st.caption(plain(" · ".join(facts)))


def _rgb_charts(view: RunView, shown: View, rows: Sequence[Outline]) -> None:
    run = view.run
    by_model = run_facts.rows(run, rows)
    declared = declared_values(run.evaluator.name)
    moves = registry.moves(run.id, view.store)
    if not moves or view.counts.scored >= findings.LEAST_AT_WORK:
        _say_the_finding(by_model, declared)
    curves = {model: noise_curves(own, declared) for model, own in by_model.items()}
    # Runs of planted errors and of rejection alone have no noise levels.
    if any(curves.values()):
        is_english = not any(is_chinese(row.question) for row in rows)
        _accuracy_charts(run, curves, is_english, is_at_work=moves)
    st.header(say("Rates"))
    groups = groups_of(view, 0, shown)
    dots.show(groups, is_at_work=moves)
    if moves:
        return
    dots.say_what_marks_mean(groups)
    rates = {model: aggregate.rates(own, declared) for model, own in by_model.items()}
    with st.expander(say("Numbers"), icon=":material/table_rows:"):
        tables.rates(rates)
        st.caption(say(FROM_THE_PAPER))
        tables.plain_rows(other_figures(), say("Published figures"))


def _say_the_finding(by_model: Mapping[str, Sequence[Outline]], declared: Sequence[Value]) -> None:
    if finding := findings.sentence_of_values(by_model, declared):
        highlight.style_of_marks()
        # A sign at the beginning of a line would be looked for at the end of the last one.
        words = html(finding).replace(" %", "&nbsp;%")
        st.html(f'<p class="pl-finding">{words}</p>')


def _accuracy_charts(
    run: Run, curves: Mapping[str, Curves], is_english: bool, *, is_at_work: bool
) -> None:
    """One chart of a model's abilities; of several models one for each ability."""
    place = st.container()
    published: list[str] = []
    # The published questions are English.
    if in_papers := in_reach(curves) if is_english else {}:
        published = st.multiselect(
            say("Show published curves underneath"), list(in_papers), key=f"published_{run.id}"
        )
    if published:
        st.caption(say(FROM_THE_PAPER))
    # Of several models each chart bears an ability's name, which is explained with its rate.
    explanation = explained.help_of("Accuracy by noise") if len(curves) == 1 else None
    with place:
        for chart in charts_of(curves, published, is_at_work=is_at_work):
            st.header(chart.title, help=explanation)
            charts.show(chart, f"noise_{chart.title}_{run.id}")
    if is_at_work:
        return
    with st.expander(say("Numbers"), icon=":material/table_rows:"):
        tables.noise_levels(curves)


def _beside_judge(run: Run, rows: Sequence[Outline]) -> None:
    """How often rule and judge say the same, in the four ways that there are."""
    lines = []
    for model, own in run_facts.rows(run, rows).items():
        for name in rulings.VERDICTS_OF_JUDGES:
            beside = rulings.beside_judge(own, name)
            if beside is None:
                continue
            agreement = "–"
            if beside.kappa is not None:
                agreement = SCORE.with_interval(beside.kappa, *beside.kappa_interval or ())
            lines.append(
                {
                    say("Asked"): say(ASKED[name]),
                    **({say("Model"): model} if len(run.models) > 1 else {}),
                    say("Both yes"): beside.both,
                    say("Only the rule"): beside.rule_only,
                    say("Only the judge"): beside.judge_only,
                    say("Both no"): beside.neither,
                    say("Kappa"): agreement,
                }
            )
    if lines:
        st.markdown(f"**{say('Rule beside judge')}**")
        tables.plain_rows(lines, say("Rule beside judge"))
        st.caption(
            say(
                "Kappa: agreement beyond chance, 1 at most. The samples on which they "
                "differ are below."
            )
        )


def _flipped_verdicts(rows: Sequence[Outline]) -> None:
    flips = aggregate.flips(rows)
    if not flips:
        return
    names = {
        "nfkc": mark("look-alike characters (NFKC)"),
        "remove_reasoning": mark("reasoning removal"),
    }
    # A run file may name an option that there is not.
    parts = [name_and_text(say(names.get(option, option)), flips[option]) for option in flips]
    changes = plain(say("; ").join(parts))
    st.info(
        say("Verdicts that an option changed: {changes}.", changes=changes),
        icon=":material/swap_horiz:",
    )


def _model_and_ability(view: RunView) -> tuple[int | None, str]:
    """The model and the ability whose samples are looked at, where one is chosen."""
    tested = {row.ability for row in view.of_metric(0)}
    abilities = [ability for ability in Ability if ability in tested]
    names = run_facts.titles(view.run)
    common: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}
    with st.container(horizontal=True):
        model = None
        if len(names) > 1:
            model = st.segmented_control(
                say("Model"),
                names,
                format_func=plain,
                key=f"model_{view.run.id}",
                **common,
            )
        ability = st.segmented_control(
            say("Ability"),
            abilities,
            format_func=lambda ability: say(ability.label),
            key=f"ability_{view.run.id}",
            **common,
        )
    return names.index(model) if model else None, ability or ""


def _right_or_wrong_verdict(
    run: Run, _answer: Answer, row: Outline, _content: Content | None
) -> Verdict:
    passes = is_right(run, row)
    if passes is None:
        return Verdict(say("not applicable"))
    return Verdict(say("right"), "good") if passes else Verdict(say("wrong"), "bad")


def _rgb_facets(rows: Sequence[Outline], ability: str) -> dict[str, str]:
    """The titles of those facts that any answer of the ability has."""
    own = [row for row in rows if ability in ("", row.ability)]
    return {
        name: title
        for name, title in FACETS.items()
        if any(getattr(row, name) not in (None, "") for row in own)
    }


def _values_of(view: RunView, rows: Sequence[Outline], ability: str) -> list[Value]:
    """What any answer of the ability has, each once, in the order in which it is declared."""
    measured: set[str] = set()
    for row in rows:
        if ability in ("", row.ability):
            measured.update(name for name, value in row.values.items() if value is not None)
    shown: dict[str, Value] = {}
    for value in declared_values(view.run.evaluator.name):
        # Without a heading of its own it is worked out of others that stand here.
        if value.column and value.in_score in measured:
            shown.setdefault(value.in_score, value)
    return list(shown.values())
