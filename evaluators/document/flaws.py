"""What is wrong with a run's answers, as blocks for every door."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.document.blocks import Block, Items, Passage, Section, Table
from evaluators.flaws.citations import Carries
from evaluators.flaws.declined import Outcome
from evaluators.flaws.kinds import IN_WORDS
from evaluators.records import Fault
from evaluators.runs import run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.flaw_figures import Counted, Flaws
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import counted, in_a_line, joined_sentences, name_and_text

HEADINGS = (mark("Kind"), mark("Answers"), mark("Share"), mark("Look at"), mark("Samples"))
HELD, ANSWERED, DECLINED = mark("The documents"), mark("Answered"), mark("Declined")
DRAWN = mark("Counted over {read:,} answers drawn at random from {all}.")
DECLINING = mark(
    "Answers that decline: {count:,}. Kinds read from labels are counted without them."
)
OUTCOMES = mark("Answered or declined, with evidence or without")
NAMED = 3
"""Samples that are named of each kind."""
SUSPICION = mark("A question mark is a suspicion: read these answers before you call them wrong.")


def flaws(view: RunView, by: View, *, advises: bool = False) -> Iterator[Section]:
    """A section for each model with an answer that has a flaw, or of which it is known whether
    it should have been declined; with what helps where it `advises`.
    """
    titles = run_facts.titles(view.run) or [""]
    for model, title in enumerate(titles):
        own = view.flaws(model, by)
        if own.kinds or own.outcomes:
            heading = say("What is wrong")
            if len(titles) > 1:
                heading = name_and_text(title, heading)
            blocks = list(_of_model(own))
            if advises:
                blocks.append(_advice(own))
            yield Section(heading, blocks)


def _of_model(flaws: Flaws) -> Iterator[Block]:
    rows = []
    for one in flaws.kinds:
        count = say("{part:,} of {all:,}", part=len(one.answers), all=one.rate.scored)
        rows.append([title_of(one), count, RATE.estimate(one.rate), *_where(one)])
    yield Table(HEADINGS, rows, HEADINGS[1:3])
    for one in flaws.kinds:
        if split := split_in_words(one):
            yield Passage(name_and_text(title_of(one), split), "facts")
    yield Passage(caution(flaws), "facts")
    yield outcomes(flaws)
    yield Passage(basis_in_words(flaws), "facts")
    yield Passage(citations_in_words(flaws))
    yield Passage(facts_in_words(flaws))


def _advice(flaws: Flaws) -> Section:
    advice = [name_and_text(say(one.kind.title), say(one.kind.remedy)) for one in flaws.kinds]
    return Section(say("What helps"), [Items(advice)], is_folded=True)


def title_of(one: Counted) -> str:
    """The kind in words; a suspicion has a sign."""
    title = say(one.kind.title)
    return say("{title}?", title=title) if one.is_suspicion else title


def split_in_words(one: Counted) -> str:
    """Answers that are partly supported at worst, and what is wrong with sentences, where said."""
    split = {words: one.sentences.get(kind, 0) for kind, words in IN_WORDS.items()}
    if not one.sentences.keys() - {Fault.UNKNOWN}:
        split = {}
    split = {mark("partly supported at worst"): one.partly} | split
    return " · ".join(f"{say(words)} {number:,}" for words, number in split.items() if number)


def _where(one: Counted) -> tuple[str, str]:
    named = [f"{answer.position + 1:,}" for answer in one.answers[:NAMED]]
    if (further := len(one.answers) - NAMED) > 0:
        named.append(say("{more:,} more", more=further))
    return say(one.kind.place), in_a_line(named)


def caution(flaws: Flaws) -> str:
    """What to beware of in the kinds; empty where nothing is."""
    drawn = ""
    if flaws.read < flaws.drawn_from:
        drawn = say(DRAWN, read=flaws.read, all=counted(flaws.drawn_from, "answer"))
    without = ""
    if flaws.declining and any(one.kind.is_of_labels for one in flaws.kinds):
        without = say(DECLINING, count=flaws.declining)
    suspected = any(one.is_suspicion for one in flaws.kinds)
    return joined_sentences([drawn, without, say(SUSPICION) if suspected else ""])


def outcomes(flaws: Flaws) -> Table:
    """Two by two: whether the documents hold the answer, and whether one was given."""
    cells = {
        one.name: f"{len(one.answers):,} · {RATE.estimate(one.rate)}" for one in flaws.outcomes
    }
    halves = {
        say("hold the answer"): (Outcome.ANSWERED, Outcome.DECLINED_WRONGLY),
        say("do not hold it"): (Outcome.ANSWERED_WITHOUT, Outcome.DECLINED),
    }
    rows = []
    if cells:
        rows = [[held, *(cells[one.value] for one in own)] for held, own in halves.items()]
    return Table([HELD, ANSWERED, DECLINED], rows, [ANSWERED, DECLINED])


def basis_in_words(flaws: Flaws) -> str:
    """By what it is known whether documents hold the answer; empty where nothing tells."""
    known = [
        say("{basis} ({answers})", basis=say(basis), answers=counted(number, "answer"))
        for basis, number in flaws.bases.items()
    ]
    if not known:
        return ""
    return say("Whether the documents hold the answer is told by {basis}.", basis=in_a_line(known))


def facts_in_words(flaws: Flaws) -> str:
    """How many facts of the true answers are given, the vital ones first; empty without any."""
    vital, every = flaws.vital_facts, flaws.all_facts
    if vital.mean is None:
        return ""
    words = mark("Facts of the true answers that are given: {vital}, over {answers}.")
    if vital.mean != every.mean:
        words = mark(
            "Facts of the true answers that are given: {vital} of the vital ones, {every} of all, "
            "over {answers}."
        )
    answers = counted(vital.scored, "answer")
    shares = {"vital": SCORE.estimate(vital), "every": SCORE.estimate(every)}
    return say(words, answers=answers, **shares)


def citations_in_words(flaws: Flaws) -> str:
    """How many citations are right, and of the others why not; empty where nothing is cited."""
    if not flaws.citations:
        return ""
    kinds = [
        say("{number:,} {what}", number=flaws.citations[one.value], what=say(one.value))
        for one in Carries
        if one.value in flaws.citations
    ]
    counts = say(
        "{citations}: {kinds}; precision {precision}, recall {recall}, over {answers} with "
        "citations.",
        citations=counted(sum(flaws.citations.values()), "citation"),
        kinds=in_a_line(kinds),
        precision=SCORE.estimate(flaws.precision),
        recall=SCORE.estimate(flaws.recall),
        answers=counted(flaws.precision.scored, "answer"),
    )
    numbered = say("They count documents from {first}.", first=flaws.first_document)
    return joined_sentences([counts, numbered])
