"""A round of a run: which answers teach most, what stands in them, and the labeller it becomes."""

from __future__ import annotations

import csv
import io
import random
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Literal, NamedTuple

from evaluators.catalogue import leads
from evaluators.errors import ParameterError
from evaluators.people.labels import sentence_hash
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import Cell, LabelEvidence, Run, Sample, Score, Sentences, Support
from evaluators.rounds.codes import HOLDS, new_code
from evaluators.rounds.records import MOST_ANSWERS, AskedAnswer, AskedPlace, Round, RoundKind
from evaluators.rounds.tally import answer_support, class_labels, spreads
from evaluators.runs.run_view import Content, RunView
from evaluators.runs.store import Answer, Store
from evaluators.runs.store.bodies import timestamp
from evaluators.text.spreadsheet import safe
from evaluators.trace.labelling import HEURISTIC, labellings
from evaluators.trace_evaluator import TRACEEvaluator

Kind = Literal["disputed", "unsupported", "supported"]
"""What an answer teaches: labellers differ on it, it says too much, or there is nothing wrong."""

USUAL = 8
MOST_ROUNDS = 50
"""Rounds of a run: years of lessons, and a bound on what a link can fill."""
LOOKED_AT = 40
"""Answers of each kind that are read to find short ones."""
SENTENCES = (2, 6)
"""Of an answer that a class can label in a minute; others come after those."""


# Which answers


def kinds(view: RunView) -> dict[Answer, Kind]:
    """What each answer of a TRACE run that can be labelled teaches, in the run's order."""
    if leads(view.run.evaluator.name) != "trace":
        return {}
    differ = set(view.labelled().differ)
    found: dict[Answer, Kind] = {}
    for row in view.of_metric(0):
        answer, adherence = Answer(row.position, row.model), row.values.get("adherence")
        if row.status != "scored" or adherence is None:
            continue
        kind: Kind = "supported" if adherence else "unsupported"
        found[answer] = "disputed" if answer in differ else kind
    return found


def instructive(view: RunView, n: int = USUAL, seed: int = 0) -> list[Answer]:
    """Some answers of each kind, short ones first, shuffled; another seed finds others.

    Of eight, three are disputed, three unsupported and two supported, as far as there are any.
    """
    by_kind: dict[Kind, list[Answer]] = {"disputed": [], "unsupported": [], "supported": []}
    for answer, kind in kinds(view).items():
        by_kind[kind].append(answer)
    shuffle = random.Random(seed)
    queues = []
    for answers in by_kind.values():
        shuffle.shuffle(answers)
        queues.append(_short_first(view, answers))
    chosen: list[Answer] = []
    # In turns, so that what one kind lacks is made up for by the others.
    while len(chosen) < n and any(queues):
        for queue in queues:
            if queue and len(chosen) < n:
                chosen.append(queue.pop(0))
    # The order must not tell of which kind the next one is.
    shuffle.shuffle(chosen)
    return chosen


def _short_first(view: RunView, answers: Sequence[Answer]) -> list[Answer]:
    contents = view.contents(answers[:LOOKED_AT])
    lengths = {}
    for answer, content in contents.items():
        sentences = _sentences_judged(content.sample, _score_of(content))
        if sentences is None or not sentences.response:
            continue
        fewest, most = SENTENCES
        is_handy = fewest <= len(sentences.response) <= most
        words = sum(map(len, content.sample.retrieved_documents))
        lengths[answer] = (not is_handy, words)
    return sorted(lengths, key=lengths.__getitem__)


def class_name(view: RunView, today: date) -> str:
    """What a round of that day is called as a labeller: "Class of 22 November", (2) the next."""
    day = f"Class of {today.day} {today:%B}"
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
    *,
    kind: RoundKind = "support",
    has_board: bool = True,
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
    made = Round(
        id=secrets.token_urlsafe(16),
        run_id=view.run.id,
        name=name,
        created=timestamp(),
        # 128 bits, as of the id: the link is all that keeps strangers out.
        join=secrets.token_urlsafe(16),
        **fresh_code(),
        kind=kind,
        has_board=has_board,
        answers=tuple(AskedAnswer(*answer) for answer in answers),
    )
    view.store.rounds.save(made)
    return made


def fresh_code() -> dict[str, str]:
    """The fields of a code that holds from now on."""
    return {"code": new_code(), "code_until": timestamp(datetime.now(UTC) + HOLDS)}


# What stands in them


class RoundAnswer(NamedTuple):
    """An answer of a round with its sentences, and how each labeller labels them, by key.

    `by` is the run's own labeller.
    """

    sample: Sample
    sentences: Sentences
    by: str
    supports: Mapping[str, Mapping[str, Support]]


class RoundContent(NamedTuple):
    """All that can be read of a round's answers, by their place; the same until the run changes."""

    kind: RoundKind
    answers: Mapping[int, RoundAnswer]

    @property
    def places(self) -> list[AskedPlace]:
        """All that is labelled, in order: sentences, or answers where their verdict is guessed."""
        if self.kind == "guess":
            return [AskedPlace(number, "") for number in self.answers]
        return [
            AskedPlace(number, sentence.key)
            for number, answer in self.answers.items()
            for sentence in answer.sentences.response
        ]

    @property
    def own_labeller(self) -> str:
        """Whose labels the run goes by: a judge, the jury or the heuristic."""
        by = [answer.by for answer in self.answers.values()]
        # Of a hybrid run some answers have the heuristic's only: the judge is who was asked.
        return next((name for name in by if name != HEURISTIC), HEURISTIC)

    def text(self, place: AskedPlace) -> str:
        """The sentence, or the question of a whole answer."""
        if not place.key:
            return self.answers[place.answer].sample.question
        response = self.answers[place.answer].sentences.response
        return next(sentence.text for sentence in response if sentence.key == place.key)

    def labels_by(self, labeller: str) -> dict[AskedPlace, Support]:
        """What the labeller says of what is asked; nothing of what it left out."""
        labels = {}
        for number, answer in self.answers.items():
            supports = answer.supports.get(labeller, {})
            if self.kind == "guess" and supports:
                labels[AskedPlace(number, "")] = answer_support(supports.values())
            elif self.kind == "support":
                for key, support in supports.items():
                    labels[AskedPlace(number, key)] = support
        return labels


def content(store: Store, run: Run, made: Round) -> RoundContent:
    """The answers of a round, with everybody's labels; the heuristic's are worked out if need be.

    An answer that cannot be read any more is left out.
    """
    asked = [Answer(*answer) for answer in made.answers]
    samples = store.samples.get_many(run.fingerprint, {answer.position for answer in asked})
    results = store.results.of_answers(run.id, asked)
    answers = {}
    for number, answer in enumerate(asked):
        sample = samples[answer.position]
        if isinstance(sample, Sample):
            score = _score_of(Content(sample, results.get(answer, {})))
            read = _round_answer(sample, score)
            # Of an answer without a sentence nothing can be said.
            if read is not None and read.sentences.response:
                answers[number] = read
    return RoundContent(made.kind, answers)


def _score_of(content: Content) -> Score | None:
    result = content.results.get(0)
    return result.score if result else None


def _sentences_judged(sample: Sample, score: Score | None) -> Sentences | None:
    if score is None or not isinstance(score.evidence, LabelEvidence):
        return None
    return score.evidence.sentences or sample.sentences


def _round_answer(sample: Sample, score: Score | None) -> RoundAnswer | None:
    sentences = _sentences_judged(sample, score)
    if score is None or sentences is None:
        return None
    by_labeller = {by: own.labels for by, own in labellings(score, sample).items()}
    by = next(iter(by_labeller))
    if HEURISTIC not in by_labeller:
        # A model's answer stands in the score and not in the sample; its sentences are at hand.
        by_labeller[HEURISTIC] = TRACEEvaluator().label(sentences, sample.question)
    keys = {sentence.key for sentence in sentences.response}
    supports = {}
    for name, labels in by_labeller.items():
        own = {label.key: label.support for label in labels.sentence_support}
        supports[name] = {key: support for key, support in own.items() if key in keys}
    return RoundAnswer(sample, sentences, by, supports)


# What it becomes


def close(store: Store, run: Run, made: Round, *, reveal: bool = False) -> None:
    """Ends the round: from now on the class is a labeller of the run, by its majorities.

    Guesses of a verdict are none of its own, and stay in the round. Closed again, it takes the
    place of what it said before. Raises `ParameterError` where the run or the round is gone.
    """
    # The state first: what would come now is refused, not lost in between.
    store.rounds.change(made.id, state="revealed" if reveal else "closed")
    _withdraw(store, run, made)
    if made.kind == "guess":
        return
    read = content(store, run, made)
    voted = class_labels(spreads(store.rounds.labels(made.id), read.places))
    for number, answer in read.answers.items():
        texts = {sentence.key: sentence.text for sentence in answer.sentences.response}
        labels = []
        for key, text in texts.items():
            support = voted.get(AskedPlace(number, key))
            if support:
                labels.append(_class_label(made, "support", key, support, sentence_hash(text)))
        if labels:
            labels.append(_class_label(made, "sample", "", DONE, ""))
            store.person_labels.save(run.id, _cell_of_answer(made, number), *labels)


def reopen(store: Store, run: Run, made: Round) -> None:
    """Goes on with a round, under a new code; until it is closed again it is not a labeller."""
    store.rounds.change(made.id, state="open", **fresh_code())
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
        drawn="by hand",
    )


def labels_csv(store: Store, run: Run, made: Round) -> bytes:
    """Every label of every participant, one a line, beside the labels of all others (UTF-8)."""
    read = content(store, run, made)
    labellers: dict[str, dict[AskedPlace, Support]] = {}
    for answer in read.answers.values():
        for by in answer.supports:
            labellers.setdefault(by, read.labels_by(by))
    nicknames = {each.number: each.nickname for each in store.rounds.participants(made.id)}
    # Of an answer that cannot be read any more there is no text to put beside a label.
    readable = set(read.places)
    labels = [label for label in store.rounds.labels(made.id) if label.place in readable]
    voted = class_labels(spreads(labels, read.places))
    file = io.StringIO()
    writer = csv.writer(file)
    head = ("sample", "id", "model", "sentence", "text", "nickname", "label", "time", "class")
    writer.writerow((*head, *map(safe, labellers)))
    for label in labels:
        place, answer = label.place, read.answers[label.place.answer]
        asked = made.answers[place.answer]
        others = [own.get(place, "") for own in labellers.values()]
        cells = [asked.position + 1, safe(answer.sample.id), asked.model + 1, place.key]
        # A spreadsheet would take a name or a text that begins with = for a formula.
        cells += [safe(read.text(place)), safe(nicknames.get(label.participant, ""))]
        writer.writerow((*cells, label.support, label.created, voted[place], *others))
    # With a mark at the beginning, by which spreadsheets know UTF-8. A text may hold half a
    # character, which UTF-8 cannot write.
    return file.getvalue().encode("utf-8-sig", errors="replace")
