"""A judge made better by its own errors, and whether it is: by answers that it has not seen.

What people say of its answers falls into two halves, by question. Examples for the labelling prompt
come from the errors in one of them; an ordinary run labels the other one anew with them, and only
there the judge with examples is laid beside the judge without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import chain, islice, zip_longest
from typing import Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator
from evaluators.catalogue import from_spec, metric_named
from evaluators.comparison.paired import Difference, Pair, in_points, paired
from evaluators.errors import ParameterError
from evaluators.flaws.mismatches import mismatches
from evaluators.people.records import LabelledSample
from evaluators.prompts import filled, load
from evaluators.records import Cell, Dataset, Record, Run, Support
from evaluators.runs.aggregate import View
from evaluators.runs.formulas import formula_of
from evaluators.runs.labelled import labelled
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import WHAT_COUNTS, Content, RunView
from evaluators.runs.store import Answer, Outline
from evaluators.text.language import mark, say
from evaluators.text.normalise import one_line
from evaluators.text.scale import POINTS
from evaluators.text.words import counted, signed
from evaluators.trace.labelling import PEOPLE
from evaluators.trace.metrics import TRACEScores

FROM = "examples_from"
"""Where the origin of such data names the run that its answers are from."""
VERDICTS = "verdicts"
"""Where it has what people say of each sample, by its id, and what the judge said; 1 or 0."""
TOO_STRICT, TOO_MILD = "too_strict", "too_mild"
LEAST = 10
"""Labelled questions in each half: fewer tell nothing of others."""
MOST_EXAMPLES = 6
MOST_OF_A_TEXT = 250
"""Characters of a sentence, and of its evidence, in an example: six fit into the prompt."""
MOST_READ = 500
"""Wrong answers that are read for examples, and answers that they are tried on."""

MOST_CHARACTERS = 10_000_000
"""Of what is stored of them, for the same."""

Verdict = Literal[0, 1]
_VERDICTS = TypeAdapter(dict[str, tuple[Verdict, Verdict]])


class Proposal(Record):
    """What a judge got wrong in the half that examples may come from.

    `wrong` of its `answers` have another verdict than people gave. `kinds` counts the sentences by
    which they differ: "too_strict" (people find it supported), "too_mild" (the judge does), or the
    kind of flaw that such a sentence has. `unseen` answers are in the other half, `left_out` have
    no verdict by judge and people both. `examples` is the proposed text.
    """

    answers: int
    wrong: int
    kinds: dict[str, int]
    unseen: int
    left_out: int
    examples: str


class Trial(Record):
    """Whether a judge agrees more with people when it has examples.

    `difference` is that of agreement, without examples and with them, over the answers that both
    judged; `None` before the run is through, and of fewer than `LEAST` questions. `left_out` of the
    answers `asked` about failed or have no verdict. Of several `trials` of one run the p-value is
    multiplied by their number (Bonferroni). `sentence` says what came out.
    """

    sentence: str
    asked: int
    left_out: int = 0
    trials: int = 1
    difference: Difference | None = None


class _Halves(NamedTuple):
    """The answers with a verdict by judge and people, and how many labelled ones have not both."""

    seen: dict[Cell, LabelledSample]
    unseen: dict[Cell, LabelledSample]
    questions: Mapping[Cell, str]
    left_out: int


def is_offered(run: Run) -> bool:
    """Whether a judge labels every answer of the run, so that examples can make a difference."""
    cls = metric_named(run.evaluator.name)
    return cls is not None and issubclass(cls, AdvancedRAGEvaluator)


def proposal(view: RunView, by: View = WHAT_COUNTS) -> Proposal:
    """The errors of the judge in the first half, and examples of them.

    Raises `ParameterError` for a run without such a judge, and where the labels are too few, of one
    kind only, or all as the judge's.
    """
    halves = _checked_halves(view, by)
    seen = halves.seen.items()
    wrong = [cell for cell, one in seen if one.judged["adherence"] != one.people["adherence"]]
    if not wrong:
        raise ParameterError(
            say(
                "The judge agrees with people on all {answers} that examples may come from: there "
                "is no error to show it. Label more answers, best those that it doubts.",
                answers=counted(len(halves.seen), "answer"),
            )
        )
    kinds: Counter[str] = Counter()
    examples: dict[str, dict[str, str]] = {}
    for answer, content in _read(view, [Answer(cell.position, cell.model) for cell in wrong]):
        judge = view.labelled_sentences(answer, content, View(by.definition))
        people = view.labelled_sentences(answer, content, View(by.definition, PEOPLE))
        if judge and people:
            for kind, example in _errors(judge, people, content.sample.question):
                kinds[kind] += 1
                # One of each question: many of one answer would teach that answer.
                question = halves.questions[Cell(*answer)]
                examples.setdefault(kind, {}).setdefault(question, example)
    # Of every kind in turn.
    turns = zip_longest(*(of_kind.values() for of_kind in examples.values()))
    in_turn = [example for example in chain.from_iterable(turns) if example]
    return Proposal(
        answers=len(halves.seen),
        wrong=len(wrong),
        kinds=kinds,
        unseen=len(halves.unseen),
        left_out=halves.left_out,
        examples="\n".join(in_turn[:MOST_EXAMPLES]).strip(),
    )


def plan_of_trial(view: RunView, by: View = WHAT_COUNTS, examples: str | None = None) -> RunPlan:
    """The run that labels the other half anew with the examples, by default the proposed ones.

    Raises `ParameterError` as `proposal` does, and for examples that are empty or too long.
    """
    run = view.run
    if examples is None:
        examples = proposal(view, by).examples
    if not examples.strip():
        raise ParameterError(say("There is no example to try. Write at least one."))
    halves = _checked_halves(view, by)
    samples, verdicts = [], {}
    unseen = {Answer(cell.position, cell.model): one for cell, one in halves.unseen.items()}
    for answer, content in _read(view, list(unseen)):
        named = f"{content.sample.id} · {answer.position + 1}.{answer.model + 1}"
        changes = {"id": named, "repeat": 1, "labels": None}
        samples.append(content.answered.model_copy(update=changes))
        both = unseen[answer].people, unseen[answer].judged
        verdicts[named] = [int(values["adherence"] or 0) for values in both]
    dataset = Dataset(
        name=say("Examples tried: {run}", run=run.title),
        samples=tuple(samples),
        # With the labels as they are now: who has seen the outcome changes it no more.
        origin={FROM: run.id, "seed": run.seed or 0, VERDICTS: verdicts},
    )
    # Both verdicts by one formula, whichever the new run is looked at by.
    formula = formula_of(run, by.definition)
    params = {**run.evaluator.params, "examples": examples, "definition": formula}
    evaluator = from_spec(run.evaluator.model_copy(update={"params": params}))
    return RunPlan(dataset, [evaluator], judges=run.judges, seed=run.seed)


def trial(view: RunView) -> Trial | None:
    """What came out of such a run; `None` for any other."""
    run = view.run
    if FROM not in run.origin:
        return None
    # By its own labels and formula, whatever else is looked at.
    rows = view.of_metric(0)
    if left := view.counts.open:
        words = say(
            "Cannot be told before all is labelled: {left} of {answers} are left.",
            left=f"{left:,}",
            answers=counted(view.counts.asked, "answer"),
        )
        return Trial(sentence=words, asked=view.counts.asked)
    verdicts: dict[str, tuple[Verdict, Verdict]] = {}
    # A file of a run may hold anything.
    with suppress(ValidationError):
        verdicts = _VERDICTS.validate_python(run.origin.get(VERDICTS))
    pairs = []
    for row in rows:
        verdict = row.values.get("adherence")
        if row.sample_id in verdicts and verdict is not None:
            people, before = verdicts[row.sample_id]
            agrees = float(before == people), float(verdict == people)
            pairs.append(Pair(*agrees, _question(row)))
    newest = view.store.runs.newest(run.workspace)
    trials = max(1, sum(other.origin.get(FROM) == run.origin[FROM] for other in newest))
    difference = told(pairs, trials)
    return Trial(
        sentence=in_words(difference),
        asked=len(rows),
        left_out=len(rows) - len(pairs),
        trials=trials,
        difference=difference,
    )


def told(pairs: list[Pair], trials: int = 1) -> Difference | None:
    """How much more often the second judge of each pair agrees; `None` of fewer than `LEAST`.

    A pair is whether each of the two agrees with people (1 or 0), by question. Whoever tries often
    finds by chance what helps: the p-value is multiplied by the number of trials.
    """
    if len({pair.cluster for pair in pairs}) < LEAST:
        return None
    difference = paired(pairs)
    p = None if difference.p is None else min(1.0, difference.p * trials)
    return difference.model_copy(update={"adjusted": p})


def in_words(difference: Difference | None) -> str:
    """Whether the judge is better, in a sentence."""
    if difference is None:
        return say(
            "Cannot be told: fewer than {least} questions have a verdict by both. Label more "
            "answers, or resume what failed.",
            least=LEAST,
        )
    low, high = difference.low, difference.high
    points = POINTS.number(abs(difference.difference))
    if not difference.is_told_apart or low is None or high is None:
        points = signed(in_points(difference.difference), digits=1)
        text = mark(
            "Cannot be told: the difference is {points} points ({ends}) on {answers} it has not "
            "seen. Label more answers."
        )
    elif low > 0:
        text = mark("Better by {points} points ({ends}) on {answers} it has not seen.")
    else:
        text = mark("Worse by {points} points ({ends}) on {answers} it has not seen.")
        low, high = -high, -low
    answers = counted(difference.rows, "answer")
    return say(text, points=points, ends=POINTS.ends(low, high), answers=answers)


def _checked_halves(view: RunView, by: View) -> _Halves:
    if not is_offered(view.run):
        raise ParameterError(
            say("Examples stand in the prompt of a judge: take a run of TRACE (GPT labelling).")
        )
    halves = _halves(view, by)
    both = (halves.seen, halves.unseen)
    least = min(len({halves.questions[cell] for cell in half}) for half in both)
    if least < LEAST:
        raise ParameterError(
            say(
                "One half of the labelled questions has {questions}; {least} are needed in each. "
                "Label answers to some {more} more questions.",
                questions=f"{least:,}",
                least=LEAST,
                more=2 * (LEAST - least),
            )
        )
    for half in both:
        if len({one.people["adherence"] for one in half.values()}) < 2:
            raise ParameterError(
                say(
                    "People gave all answers of a half the same verdict: where the line runs "
                    "cannot be learned or tested. Label answers of which the judge says the other."
                )
            )
    return halves


def _halves(view: RunView, by: View) -> _Halves:
    """Both halves: a question is always in the same one, whoever labels further answers."""
    questions = {}
    for row in view.of_metric(0):
        questions[Cell(row.position, row.model)] = _question(row)
    seen: dict[Cell, LabelledSample] = {}
    unseen: dict[Cell, LabelledSample] = {}
    for one in labelled(view, definition=by.definition):
        # A class learns: what it says is not the measure of a judge.
        has_both = "adherence" in one.people and one.judged.get("adherence") is not None
        if has_both and one.drawn != "in class":
            text = f"{view.run.seed or 0} {questions[one.cell]}".encode(errors="replace")
            half = seen if sha256(text).digest()[0] % 2 else unseen
            half[one.cell] = one
    # Of other metrics people say other things.
    begun = sum(cell.metric == 0 for cell in view.people)
    return _Halves(seen, unseen, questions, begun - len(seen) - len(unseen))


def _read(view: RunView, answers: list[Answer]) -> Iterator[tuple[Answer, Content]]:
    """The first of the answers with their texts, as many as are read at a look."""
    yield from view.contents_one_by_one(view.first_within(answers[:MOST_READ], MOST_CHARACTERS))


def _question(row: Outline) -> str:
    return one_line(row.question).casefold()


def _errors(judge: TRACEScores, people: TRACEScores, question: str) -> Iterator[tuple[str, str]]:
    """The kind and the example of each sentence of which judge and people differ."""
    own = {item.key: item for item in judge.labels.sentence_support}
    texts = {item.key: item.text for part in judge.sentences.documents for item in part}
    suspicions = mismatches(judge.sentences, judge.labels, question)
    flaws = {suspicion.key: suspicion.kind.name for suspicion in suspicions}
    sentences = {sentence.key: sentence.text for sentence in judge.sentences.response}
    for item in people.labels.sentence_support:
        is_full = item.support is Support.FULL
        by_judge = own.get(item.key)
        if by_judge is None or is_full == (by_judge.support is Support.FULL):
            continue
        kind = TOO_STRICT if is_full else flaws.get(item.key, TOO_MILD)
        keys = item.supporting_keys or by_judge.supporting_keys or judge.labels.utilized_keys
        first_keys = islice(dict.fromkeys(keys), MOST_OF_A_TEXT)
        evidence = " ".join(texts[key] for key in first_keys if key in texts)
        called = "fully supported", "not fully supported"
        example = filled(
            load("trace_example_en"),
            sentence=one_line(sentences[item.key])[:MOST_OF_A_TEXT],
            evidence=one_line(evidence)[:MOST_OF_A_TEXT] or "none",
            judge=called[is_full],
            people=called[not is_full],
        )
        yield kind, example
