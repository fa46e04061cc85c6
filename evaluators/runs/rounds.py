"""A round of a run: which answers teach most, its start and end, and the labeller it becomes."""

from __future__ import annotations

import random
import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Literal, get_args

from evaluators.catalogue import labels_sentences
from evaluators.errors import ParameterError
from evaluators.people.labels import sentence_hash
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import Ability, Cell, Run, Support
from evaluators.rounds.codes import HOLDS, new_code
from evaluators.rounds.kinds import KINDS
from evaluators.rounds.records import (
    MOST_ANSWERS,
    OF_SENTENCES,
    AskedAnswer,
    AskedPlace,
    Asking,
    Round,
    RoundKind,
)
from evaluators.rounds.tally import class_labels, spreads
from evaluators.runs.round_content import content, height, preferred, sentences_judged
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Store
from evaluators.runs.store.bodies import timestamp
from evaluators.text.language import say
from evaluators.text.spreadsheet import as_csv
from evaluators.trace.claims import is_refusal
from evaluators.trace.quality import SHARES

Lesson = Literal[
    "disputed",
    "unsupported",
    "supported",
    "unnoticed",
    "noticed",
    "told apart",
    "alike",
    "high",
    "middle",
    "low",
]
"""What an answer teaches.

Labellers differ on it, it says too much, or there is nothing wrong; no model notices the planted
error, or one does; the metric prefers one of two answers, or neither; its value is high or low.
"""
LABELLED: Sequence[RoundKind] = ("support", "guess", "score")
"""The kinds whose answers are labelled sentence by sentence in the run."""

USUAL = 8
MOST_ROUNDS = 50
"""Rounds of a run: years of lessons, and a bound on what a link can fill."""
LOOKED_AT = 40
"""Answers of each kind that are read to find short ones."""
SENTENCES = (2, 6)
"""Of an answer that a class can label in a minute; others come after those."""


# Which answers


def kinds_of(view: RunView) -> list[RoundKind]:
    """The kinds of round that the run has answers for."""
    found: list[RoundKind] = []
    if lessons(view):
        found += ["support", "guess"]
    if values_of(view):
        found.append("score")
    if lessons(view, Asking("planted")):
        found.append("planted")
    if len(view.run.models) > 1:
        found.append("better")
    return found


def values_of(view: RunView) -> list[str]:
    """The names of the run's values whose height can be guessed."""
    return [value for value in SHARES if lessons(view, Asking("score", value=value))]


def lessons(view: RunView, asking: Asking = OF_SENTENCES) -> dict[Answer, Lesson]:
    """What each answer that can be asked about teaches, in the run's order."""
    if asking.kind == "planted":
        return _of_planted_errors(view)
    if asking.kind == "better":
        return _of_two_answers(view, asking.models)
    if asking.kind == "score":
        return _of_value(view, asking.value)
    return _of_labels(view)


def _of_labels(view: RunView) -> dict[Answer, Lesson]:
    if not labels_sentences(view.run.evaluator):
        return {}
    differ = set(view.labelled().differ)
    found: dict[Answer, Lesson] = {}
    for row in view.of_metric(0):
        answer, adherence = Answer(row.position, row.model), row.values.get("adherence")
        if row.status != "scored" or adherence is None:
            continue
        lesson: Lesson = "supported" if adherence else "unsupported"
        found[answer] = "disputed" if answer in differ else lesson
    return found


def _of_value(view: RunView, name: str) -> dict[Answer, Lesson]:
    if not labels_sentences(view.run.evaluator):
        return {}
    words: dict[Support, Lesson] = {
        Support.FULL: "high",
        Support.PARTIAL: "middle",
        Support.NONE: "low",
    }
    found: dict[Answer, Lesson] = {}
    for row in view.of_metric(0):
        value = row.values.get(name)
        if row.status == "scored" and value is not None:
            found[Answer(row.position, row.model)] = words[height(value)]
    return found


def _of_planted_errors(view: RunView) -> dict[Answer, Lesson]:
    """By the first model's answers, as all are asked with the same documents."""
    found: dict[Answer, Lesson] = {}
    for row in view.of_metric(0):
        if row.ability != Ability.COUNTERFACTUAL or row.status != "scored" or row.repeat > 1:
            continue
        answer = Answer(row.position, 0)
        has_noticed = row.values.get("detection") or found.get(answer) == "noticed"
        found[answer] = "noticed" if has_noticed else "unnoticed"
    # Answers that were read from a file do not tell which documents are forged.
    is_known = any(content.sample.roles for content in view.contents(list(found)[:1]).values())
    return found if is_known else {}


def _of_two_answers(
    view: RunView,
    models: tuple[int, int],
) -> dict[Answer, Lesson]:
    values: dict[int, dict[int, Mapping[str, float | None]]] = {}
    for row in view.of_metric(0):
        if row.status == "scored" and row.model in models:
            values.setdefault(row.position, {})[row.model] = row.values
    found: dict[Answer, Lesson] = {}
    first, second = models
    for position, own in values.items():
        if len(own) == 2:
            opinion = preferred(own[first], own[second])
            is_alike = opinion in (None, Support.PARTIAL)
            found[Answer(position, first)] = "alike" if is_alike else "told apart"
    return found


def instructive(
    view: RunView,
    n: int = USUAL,
    seed: int = 0,
    asking: Asking = OF_SENTENCES,
    asked_before: Collection[Answer] = (),
) -> list[Answer]:
    """Some answers of each lesson, short ones first, shuffled; another seed finds others.

    Answers that begin by declining are left out where sentences are labelled or guessed; those
    `asked_before` come where there are no others.
    Of eight, three are disputed, three unsupported and two supported, as far as there are any.
    """
    by_lesson: dict[str, list[Answer]] = {lesson: [] for lesson in get_args(Lesson)}
    for answer, lesson in lessons(view, asking).items():
        by_lesson[lesson].append(answer)
    shuffle = random.Random(seed)
    for answers in by_lesson.values():
        shuffle.shuffle(answers)
    chosen: list[Answer] = []
    questions = {row.position: row.question for row in view.of_metric(0)}
    for is_repeated in (False, True):
        queues = []
        for answers in by_lesson.values():
            own = [answer for answer in answers if (answer in asked_before) is is_repeated]
            queues.append(_short_first(view, own, asking.kind))
        chosen += _in_turns(queues, questions, {questions[each.position] for each in chosen})
    del chosen[n:]
    # The order must not tell of which lesson the next one is.
    shuffle.shuffle(chosen)
    return chosen


def _in_turns(
    queues: Sequence[list[Answer]],
    questions: Mapping[int, str],
    asked: set[str],
) -> list[Answer]:
    """The first of each queue in turns, so that what one lacks is made up for by the others.

    A question that was `asked` comes again where there is no other: under more noise, or of another
    model, it teaches the same.
    """
    chosen: list[Answer] = []
    again: list[Answer] = []
    while any(queues):
        for queue in filter(None, queues):
            answer = queue.pop(0)
            question = questions[answer.position]
            (again if question in asked else chosen).append(answer)
            asked.add(question)
    return chosen + again


def asked_before(view: RunView) -> set[Answer]:
    """The answers of the run's earlier rounds: a class that saw their reveal is asked others."""
    earlier = view.store.rounds.of_run(view.run.id)
    return {Answer(*answer) for made in earlier for answer in made.answers}


def _short_first(
    view: RunView,
    answers: Sequence[Answer],
    kind: RoundKind,
) -> list[Answer]:
    contents = view.contents(answers[:LOOKED_AT])
    lengths = {}
    for answer, read in contents.items():
        is_handy = True
        if kind in LABELLED:
            sentences = sentences_judged(read)
            if sentences is None or not sentences.response:
                continue
            # It claims nothing, so whether the documents support it puzzles beginners.
            if is_refusal(sentences.response[0].text):
                continue
            fewest, most = SENTENCES
            is_handy = fewest <= len(sentences.response) <= most
        words = sum(map(len, read.sample.evidence))
        lengths[answer] = (not is_handy, words)
    return sorted(lengths, key=lengths.__getitem__)


def class_name(view: RunView, today: date) -> str:
    """What a round of that day is called as a labeller: "Class of 22 November", (2) the next."""
    # Without the noughts of one-digit days and months.
    day = today.strftime(say("Class of %d %B")).replace(" 0", " ").lstrip("0")
    labels = (label for own in view.people.values() for label in own)
    taken = {label.person for label in labels}
    taken.update(made.name for made in view.store.rounds.of_run(view.run.id))
    name, number = day, 1
    while name in taken:
        number += 1
        name = f"{day} ({number})"
    return name


def start(
    view: RunView,
    answers: Sequence[Answer],
    name: str,
    asking: Asking = OF_SENTENCES,
    *,
    has_board: bool = True,
    hides_spread: bool = True,
) -> Round:
    """A new round over these answers, open at once.

    Raises `ParameterError` for no answers or too many, and for a name that somebody has.
    """
    if not 0 < len(answers) <= MOST_ANSWERS:
        raise ParameterError(f"A round has 1 to {MOST_ANSWERS} answers. Choose as many.")
    earlier = view.store.rounds.of_run(view.run.id)
    if len(earlier) >= MOST_ROUNDS:
        raise ParameterError(f"This run has {MOST_ROUNDS} rounds, the most it keeps.")
    people = {label.person for own in view.people.values() for label in own}
    if name in people or any(made.name == name for made in earlier):
        raise ParameterError("Somebody has labelled under this name here. Choose another one.")
    described = KINDS[asking.kind]
    made = Round(
        id=secrets.token_urlsafe(16),
        run_id=view.run.id,
        name=name,
        created=timestamp(),
        # 128 bits, as of the id: the link is all that keeps strangers out.
        join=secrets.token_urlsafe(16),
        **fresh_code(),
        kind=asking.kind,
        has_board=has_board,
        hides_spread=hides_spread,
        models=asking.models if described.is_preference else None,
        value=asking.value,
        answers=tuple(AskedAnswer(*answer) for answer in answers),
    )
    view.store.rounds.save(made)
    return made


def fresh_code() -> dict[str, str]:
    """The fields of a code that holds from now on."""
    return {"code": new_code(), "code_until": timestamp(datetime.now(UTC) + HOLDS)}


# What it becomes


def close(store: Store, run: Run, made: Round, *, reveal: bool = False) -> None:
    """Ends the round: from now on the class is a labeller of the run, by what most of it said.

    What is not a label of a sentence, or was given after the reveal, stays in the round alone.
    Closed again, it takes the
    place of what it said before. Raises `ParameterError` where the run or the round is gone.
    """
    # The state first: what would come now is refused, not lost in between.
    store.rounds.change(made.id, state="revealed" if reveal else "closed")
    _withdraw(store, run, made)
    if made.was_revealed or not KINDS[made.kind].is_labeller:
        return
    read = content(store, run, made)
    voted = class_labels(spreads(store.rounds.labels(made.id), read.places))
    for number, answer in read.answers.items():
        labels = []
        for key, text in answer.asked.items():
            support = voted.get(AskedPlace(number, key))
            if support:
                labels.append(_class_label(made, "support", key, support, sentence_hash(text)))
        if labels:
            labels.append(_class_label(made, "sample", "", DONE, ""))
            store.person_labels.save(run.id, _cell_of_answer(made, number), *labels)


def reopen(store: Store, run: Run, made: Round) -> None:
    """Goes on with a round, under a new code; until it is closed again it is not a labeller.

    Raises `ParameterError` once labels were revealed: what is said after that is not blind. Where
    nobody had labelled there is nothing to spoil, and the class is no labeller any more.
    """
    current = store.rounds.get(made.id)
    is_revealed = current is not None and current.state == "revealed"
    if is_revealed and store.rounds.labels(made.id):
        raise ParameterError("The class has seen what is right. Start another round instead.")
    was_revealed = made.was_revealed or is_revealed
    store.rounds.change(made.id, state="open", was_revealed=was_revealed, **fresh_code())
    _withdraw(store, run, made)


def _withdraw(store: Store, run: Run, made: Round) -> None:
    for number in range(len(made.answers)):
        store.person_labels.withdraw_all(run.id, _cell_of_answer(made, number), made.name)


def _cell_of_answer(made: Round, number: int) -> Cell:
    return Cell(*made.answers[number])


def _class_label(
    made: Round,
    label: Literal["support", "sample"],
    key: str,
    value: str,
    sentence: str,
) -> PersonLabel:
    return PersonLabel(
        person=made.name,
        label=label,
        key=key,
        value=value,
        sentence=sentence,
        created=timestamp(),
        # Nobody saw a labeller's labels, and the answers were picked because they teach something.
        blind=True,
        drawn="in class",
    )


def labels_csv(store: Store, run: Run, made: Round) -> bytes:
    """Every label of every participant, one a line, beside the labels of all others (UTF-8).

    Labels of support stand as files have them, votes of other kinds in the words of their targets.
    Of two answers the models that stood left and right are named.
    """
    read = content(store, run, made)
    described = KINDS[made.kind]
    labellers: dict[str, dict[AskedPlace, Support]] = {}
    for answer in read.answers.values():
        for by in answer.supports:
            labellers.setdefault(by, read.labels_by(by))
    nicknames = {each.number: each.nickname for each in store.rounds.participants(made.id)}
    # Of an answer that cannot be read any more there is no text to put beside a label.
    readable = set(read.places)
    labels = [label for label in store.rounds.labels(made.id) if label.place in readable]
    spread = spreads(labels, read.places)
    voted = class_labels(spread, is_preference=described.is_preference)
    is_scale = made.kind in ("support", "guess")

    def written(support: Support | None) -> str:
        if support is None:
            return ""
        return support.value if is_scale else described.words[support]

    head = ("sample", "id", "model", "sentence", "text", "nickname", "label", "time", "class")
    sides = ("left", "right") if described.is_preference else ()
    rows = []
    for label in labels:
        place, answer = label.place, read.answers[label.place.answer]
        asked = made.answers[place.answer]
        others = [written(own.get(place)) for own in labellers.values()]
        cells = [asked.position + 1, answer.sample.id, asked.model + 1, place.key]
        cells += [read.text(place), nicknames.get(label.participant, "")]
        cells += [written(label.support), label.created, written(voted[place]), *others]
        if made.models is not None:
            cells += [run.models[model].id for model in answer.models]
        rows.append(cells)
    return as_csv((*head, *labellers, *sides), rows)
