"""What is wrong with the answers of a run, counted by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from evaluators.flaws.declined import Basis, Outcome
from evaluators.flaws.kinds import DECLINED_WRONGLY, KINDS, UNSUPPORTED, Kind
from evaluators.flaws.of_answer import AnswerFlaws
from evaluators.records import Record, Support
from evaluators.runs.aggregate import Mean, mean_of_rows, units
from evaluators.runs.store import Answer, Outline

Value = Callable[[AnswerFlaws], float | None]
"""What counts of an answer, from 0 to 1; `None` where it does not apply."""


class Counted(Record):
    """How many of the answers that it applies to have a flaw, or came out in one way.

    `name` is that of a kind of flaw, or of an outcome. Answers of a suspicion must be read before
    they are called wrong. Of the unsupported `sentences` counts what is wrong with those that are
    not fully supported, and `partly` the answers of which the worst is partly supported.
    """

    name: str
    rate: Mean
    answers: tuple[Answer, ...]
    is_suspicion: bool = False
    sentences: dict[str, int] = {}
    partly: int = 0

    @property
    def kind(self) -> Kind:
        return KINDS[self.name]


class Flaws(Record):
    """The flaws of one model's answers.

    `kinds` are those that some answer has, the most frequent first. `outcomes` are the four
    ways of answering or declining, with evidence or without; none where nothing tells whether
    the documents hold an answer. `bases` counts by what it is known, `declined` is the share of
    answers that decline, `declining` their number. `citations` counts what the labels say of
    each, `precision` and `recall` are means over the answers that cite; these count documents
    from `first_document`. `vital_facts` and `all_facts` are how many facts of the true answers
    are given, means over the answers that have some. `read` answers were looked at, of many
    drawn at random from `drawn_from`.
    """

    kinds: tuple[Counted, ...]
    outcomes: tuple[Counted, ...]
    bases: dict[str, int]
    declined: Mean
    declining: int
    citations: dict[str, int]
    precision: Mean
    recall: Mean
    first_document: int
    vital_facts: Mean
    all_facts: Mean
    read: int
    drawn_from: int


def count(
    rows: Sequence[Outline],
    flaws: Mapping[Answer, AnswerFlaws],
    first_document: int,
    drawn_from: int,
) -> Flaws:
    """The figures of one model's rows; an answer whose flaws are not there is not judged."""
    figures = _Figures(rows, flaws)
    every = flaws.values()
    bases = Counter(own.evidence.basis.value for own in every if own.outcome and own.evidence)
    kinds = []
    for kind in KINDS.values():
        one = figures.counted(kind.name, partial(_has, kind), is_of_labels=kind.is_of_labels)
        # What is relevant by labels need not hold the answer; test beds and true answers tell it.
        is_sure = kind is DECLINED_WRONGLY and Basis.LABELS.value not in bases
        is_suspicion = bool(one.rate.estimated) or (kind.is_suspicion and not is_sure)
        own = [flaws[answer].unsupported for answer in one.answers if kind is UNSUPPORTED]
        update = {
            "is_suspicion": is_suspicion,
            "sentences": Counter(each.kind.value for each in chain.from_iterable(own)),
            "partly": sum(
                all(each.support is Support.PARTIAL for each in each_own) for each_own in own
            ),
        }
        if one.answers:
            kinds.append(one.model_copy(update=update))
    outcomes = [figures.counted(outcome.value, partial(_came_out, outcome)) for outcome in Outcome]
    cited = [own.cited for own in every if own.cited]
    return Flaws(
        kinds=tuple(sorted(kinds, key=lambda one: -len(one.answers))),
        outcomes=tuple(outcomes) if any(one.answers for one in outcomes) else (),
        bases=bases,
        declined=figures.mean(lambda own: own.declines),
        declining=sum(bool(own.declines) for own in every),
        citations=Counter(one.carries.value for own in cited for one in own.citations),
        precision=figures.mean(lambda own: own.cited and own.cited.precision, is_of_labels=True),
        recall=figures.mean(lambda own: own.cited and own.cited.recall, is_of_labels=True),
        first_document=first_document,
        vital_facts=figures.mean(lambda own: own.share_given(vital=True)),
        all_facts=figures.mean(lambda own: own.share_given(vital=False)),
        read=len(rows),
        drawn_from=drawn_from,
    )


def _has(kind: Kind, own: AnswerFlaws) -> bool | None:
    return own.has.get(kind)


def _came_out(outcome: Outcome, own: AnswerFlaws) -> bool | None:
    return None if own.outcome is None else own.outcome is outcome


class _Figures:
    """Means over the answers of some rows, each question counted once."""

    def __init__(self, rows: Sequence[Outline], flaws: Mapping[Answer, AnswerFlaws]) -> None:
        self._rows = rows
        self._answers = [Answer(row.position, row.model) for row in rows]
        self._flaws = [flaws.get(answer) for answer in self._answers]
        self._units = units(rows)

    def mean(self, value: Value, *, is_of_labels: bool = False) -> Mean:
        """The mean over those to which it applies; an estimate where the heuristic labelled."""
        values = [value(own) if own else None for own in self._flaws]
        return mean_of_rows(self._rows, values, self._units, is_of_labels=is_of_labels)

    def counted(self, name: str, value: Value, *, is_of_labels: bool = False) -> Counted:
        pairs = zip(self._answers, self._flaws, strict=True)
        having = tuple(answer for answer, own in pairs if own and value(own))
        return Counted(name=name, rate=self.mean(value, is_of_labels=is_of_labels), answers=having)
