"""What judges said of one sample beside their labels: reasons, raw output, and their prompt."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator
from evaluators.decision_evaluator import DecisionEvaluator
from evaluators.errors import AccessError
from evaluators.llm import clients
from evaluators.llm.decisions import MODE
from evaluators.people.labellers import labeller_title
from evaluators.prompts import Prompt
from evaluators.records import Judgement, Run, Sentences, prompt_hash
from evaluators.text.language import say, translated
from evaluators.trace.jury import names
from ui import session
from ui.parts.untrusted import plain

Judges = Mapping[str, Judgement]
"""What each judge said, by the judge's name."""


def warn(judges: Judges) -> None:
    """Says where the texts may speak to the judge."""
    warnings = dict.fromkeys(
        warning for judgement in judges.values() for warning in judgement.warnings
    )
    if warnings:
        st.warning(
            say(
                "The texts may hold instructions to the judge: {warnings}. They count as "
                "content, and the score is as judged. Read the judge's reasons.",
                warnings=plain("; ".join(map(translated, warnings))),
            ),
            icon=":material/policy_alert:",
        )


def show(run: Run, judges: Judges, sentences: Sentences, question: str) -> None:
    """Everything behind the labels, in closed expanders."""
    _judges_reasons(judges)
    _judges_raw_output(judges)
    _judges_prompts(run, judges, sentences, question)


def _judges_reasons(judges: Judges) -> None:
    with st.expander(say("Judge's reasons"), icon=":material/gavel:", key="judge_s_reasons"):
        for by, judgement in judges.items():
            st.markdown(f"**{plain(labeller_title(by))}**")
            if judgement.mode == MODE:
                st.caption(say("A decision model gives probabilities and no reasons."))
                continue
            none = say("no reason given")
            relevance = judgement.relevance_explanation or none
            st.text(say("Relevance: {reason}", reason=relevance))
            whole = judgement.overall_supported_explanation or none
            if judgement.overall_supported:
                st.text(say("As a whole supported: {reason}", reason=whole))
            else:
                st.text(say("As a whole not supported: {reason}", reason=whole))


def _judges_raw_output(judges: Judges) -> None:
    with st.expander(
        say("Raw judge output"), icon=":material/data_object:", key="raw_judge_output"
    ):
        for by, judgement in judges.items():
            facts = []
            if judgement.mode == MODE:
                facts.append(say("asked for probabilities"))
            elif judgement.mode:
                facts.append(say("JSON asked for by: {mode}", mode=judgement.mode))
            if judgement.repaired:
                facts.append(say("repaired"))
            if judgement.asked_again:
                facts.append(say("asked again"))
            st.markdown(f"**{plain(labeller_title(by))}**")
            if facts:
                st.caption(plain(" · ".join(facts)))
            for output in judgement.outputs:
                st.code(output, language="json", wrap_lines=True)


def _judges_prompts(
    run: Run,
    judges: Judges,
    sentences: Sentences,
    question: str,
) -> None:
    """Each prompt once, as the judges' limits cut it.

    Prompts are not stored but made again, and the page says where they may differ from what was
    sent.
    """
    labeller = _labelling_evaluator(run)
    sent = {}
    for by in judges:
        prompts = labeller.prompts(sentences, question, _prompt_budget(run, by))
        sent[by] = [_as_sent(prompt) for prompt in prompts]
    with st.expander(say("Prompt"), icon=":material/edit_note:", key="prompt"):
        today = prompt_hash(labeller.template)
        if any(judgement.template != today for judgement in judges.values()):
            st.caption(say("The prompt has changed since then: this is what would be sent today."))
        elif any(_is_cut_otherwise(judges[by], len(sent[by])) for by in judges):
            st.caption(say("The documents were sent in other parts, by the limits of that day."))
        # Judges with the same limit are sent the same text, which is shown once.
        distinct = dict.fromkeys(itertools.chain.from_iterable(sent.values()))
        for text in distinct:
            st.code(text, language=None, wrap_lines=True)


def _as_sent(prompt: Prompt) -> str:
    """The text of a prompt, and below it the questions to a decision model."""
    asked = [f"{question.name}: {question.text}" for question in prompt.questions]
    return "\n".join([prompt.text, *asked])


def _labelling_evaluator(run: Run) -> AdvancedRAGEvaluator | DecisionEvaluator:
    if run.evaluator.name == DecisionEvaluator.name:
        return DecisionEvaluator.build(**run.evaluator.params)
    # A hybrid run has parameters of its own beside those of the labelling.
    fields = AdvancedRAGEvaluator.model_fields
    stored = run.evaluator.params
    return AdvancedRAGEvaluator.build(**{name: stored[name] for name in stored if name in fields})


def _prompt_budget(run: Run, by: str) -> int | None:
    """What this judge takes at once; unknown without its key."""
    # Two judges of a jury may be one model, so they go by the names that the jury gave them.
    named = names([spec.id for spec in run.judges])
    by_name = dict(zip(named, run.judges, strict=True))
    spec = by_name.get(by)
    if spec is None:
        return None
    with suppress(AccessError):
        return clients.prompt_budget(spec, session.keys())
    return None


def _is_cut_otherwise(judgement: Judgement, parts: int) -> bool:
    return not judgement.asked_again and len(judgement.outputs) != parts
