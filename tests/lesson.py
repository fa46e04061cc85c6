"""A run for a class, stored by hand: two answers of two sentences, with a judge and gold labels.

| sentence | gold    | judge | heuristic | Ann     | Ben     | Cid     |
|----------|---------|-------|-----------|---------|---------|---------|
| 1 a      | full    | full  | full      | full    | full    | full    |
| 1 b      | none    | full  | full      | none    | none    | full    |
| 2 a      | full    | full  | full      | full    | partial |         |
| 2 b      | partial | none  | full      | partial | partial | partial |

By majority the class says full, none, partial (a tie, so the stricter one) and partial.
"""

from __future__ import annotations

from evaluators.records import (
    Ability,
    Dataset,
    DocumentRole,
    Labelling,
    Labels,
    ModelSpec,
    RGBTask,
    Run,
    Sample,
    SentenceSupport,
    Support,
)
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rounds.records import AskedAnswer, AskedPlace, Asking, Participant, Round, RoundKind
from evaluators.runs import rounds
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Store
from evaluators.text.sentences import cut
from evaluators.trace.labelling import HEURISTIC, labelled_score
from tests.stored import save_score, stored_run

FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE
PLACES = [AskedPlace(0, "a"), AskedPlace(0, "b"), AskedPlace(1, "a"), AskedPlace(1, "b")]
GOLD = [FULL, NONE, FULL, PARTIAL]
JUDGED = [FULL, FULL, FULL, NONE]
ESTIMATED = [FULL, FULL, FULL, FULL]
SAID = {
    "Ann": [FULL, NONE, FULL, PARTIAL],
    "Ben": [FULL, NONE, PARTIAL, PARTIAL],
    "Cid": [FULL, FULL, None, PARTIAL],
}
JUDGE = ModelSpec(provider="openai", model="judge-by-hand")
NO_CLAIM = (
    "A sentence that claims nothing counts as supported: a remark that the documents do not give "
    "the answer, a heading, a table head, a source line, a word to the reader. Citation marks, "
    "list numbers and emphasis claim nothing either."
)
"""The one rule that everybody is told who labels, judges or reads."""
HOSTILE = "<script>![x](http://127.0.0.1:9/x.png)"


def run(store: Store, workspace: str = "local", run_id: str = "lesson") -> Run:
    """The run, with its results."""
    data = Dataset(name="Mills", samples=tuple(_sample(number) for number in (0, 1)))
    facts = {"id": run_id, "workspace": workspace, "judges": (JUDGE,), "seed": 0}
    made = stored_run(store, data, "gpt_labeling", **facts)
    for position, sample in enumerate(data.samples):
        assert sample.sentences
        judged = Labelling(by=JUDGE.id, labels=_labels(JUDGED, position))
        estimated = Labelling(by=HEURISTIC, labels=_labels(ESTIMATED, position))
        score = labelled_score(sample, sample.sentences, [judged, estimated], judged)
        save_score(store, made.id, score, position=position)
    return made


CAPITALS = {
    "Australia": ("Canberra", "Perth"),
    "Canada": ("Ottawa", "Toronto"),
}
"""Countries with their capital and the planted error."""
NOTICED = "The documents contain factual errors: the capital is Canberra."
SAID_BY_MODELS = [
    # The first model notices one error of two and gives the true answer; the second one repeats.
    [NOTICED, "It is Toronto."],
    ["It is Perth.", "It is Toronto."],
]
MODELS = (
    ModelSpec(provider="openai", model="model-by-hand"),
    ModelSpec(provider="openai", model="other-by-hand"),
)


def run_with_errors(store: Store, workspace: str = "local", run_id: str = "errors") -> Run:
    """A run of two models over two prompts; documents A and C of each are forged, B is not."""
    samples = tuple(_sample_with_errors(country) for country in CAPITALS)
    data = Dataset(name="Capitals", samples=samples)
    facts = {"id": run_id, "workspace": workspace, "models": MODELS, "seed": 0}
    made = stored_run(store, data, "rgb", **facts)
    for model, answers in enumerate(SAID_BY_MODELS):
        for position, (sample, said) in enumerate(zip(samples, answers, strict=True)):
            answered = sample.model_copy(update={"response": said})
            score = RGBEvaluator().score(answered)
            save_score(store, made.id, score, position=position, model=model, response=said)
    return made


def _sample_with_errors(country: str) -> Sample:
    capital, planted = CAPITALS[country]
    documents = (
        f"The capital of {country} is {planted}.",
        f"{country} has a parliament.",
        f"All embassies are in {planted}, the capital of {country}.",
    )
    return Sample(
        id=country,
        question=f"What is the capital of {country}?",
        retrieved_documents=documents,
        ground_truth=capital,
        rgb=RGBTask(ability=Ability.COUNTERFACTUAL, noise=0, counterfactual=planted),
        roles=(DocumentRole.PLANTED, DocumentRole.BESIDE, DocumentRole.PLANTED),
    )


def view(store: Store, made: Run) -> RunView:
    return RunView.read(store, made)


def started(store: Store, made: Run, kind: RoundKind = "support", value: str = "") -> Round:
    """A round over both answers; where sentences are labelled the wall shows who says what."""
    answers = [Answer(0, 0), Answer(1, 0)]
    return rounds.start(
        view(store, made),
        answers,
        "Class of 22 November",
        Asking(kind, value=value),
        hides_spread=kind != "support",
    )


def take_part(store: Store, lesson: Round) -> dict[str, Participant]:
    """Ann, Ben and Cid label as in the table."""
    joined = {}
    for nickname, said in SAID.items():
        joined[nickname] = store.rounds.join(lesson.id, nickname)
        for place, support in zip(PLACES, said, strict=True):
            if support:
                store.rounds.label(joined[nickname], place, support)
    return joined


def by_hand(answers: int = 2) -> Round:
    """A round that is not stored."""
    return Round(
        id="lead",
        run_id="lesson",
        name="Class of 22 November",
        created="2026-11-22T09:00:00+00:00",
        join="join",
        code="ACDEFG",
        code_until="2026-11-22T12:00:00+00:00",
        answers=tuple(AskedAnswer(number, 0) for number in range(answers)),
    )


def _labels(supports: list[Support], position: int) -> Labels:
    own = supports[2 * position : 2 * position + 2]
    pairs = zip("ab", own, strict=True)
    return Labels(
        # Both sentences of the documents are relevant to the first question, one to the second.
        relevant_keys=("0a", "1a")[: 2 - position],
        sentence_support=tuple(SentenceSupport(key=key, support=support) for key, support in pairs),
    )


def _sample(position: int) -> Sample:
    response = f"Mill {position + 1} grinds rye. It is painted blue {HOSTILE}."
    documents = (f"Mill {position + 1} grinds rye.", "Its wheel is made of oak.")
    return Sample(
        id=f"mill-{position + 1}",
        question=f"What does mill {position + 1} grind?",
        response=response,
        retrieved_documents=documents,
        sentences=cut(response, documents),
        labels=_labels(GOLD, position),
    )
