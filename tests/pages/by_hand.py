"""A run of two models, stored by hand,
whose every number can be worked out from the lists below.
"""

from __future__ import annotations

from evaluators.llm.catalogue import model_title
from evaluators.prompts import load
from evaluators.records import (
    Ability,
    Call,
    Cap,
    Cell,
    Completion,
    Dataset,
    EvaluatorSpec,
    JudgedRate,
    ModelSpec,
    RGBTask,
    RuleEvidence,
    Run,
    Sample,
    SampleResult,
    Score,
    Usage,
    Verdict,
)
from tests.stored import stored_run
from ui import session

OSS = ModelSpec(provider="groq", model="openai/gpt-oss-20b", effort="low")
LUNA = ModelSpec(provider="openai", model="gpt-6-luna", temperature=None, answer_tokens=2048)
JUDGE = ModelSpec(provider="groq", model="openai/gpt-oss-120b", effort="low")
TITLES = model_title(OSS), model_title(LUNA)

ACCURACY = [(1, 1), (1, 0), (1, 0), (0, None)]
"""Of both models, for two questions without noise and two with 40 %; None failed."""

REJECTION = [(1, 0), (0, 0)]
JUDGED = [(1, 0), (1, 1)]
"""Of both models, by the rules and by the judge."""

FAILURE = "GPT is overloaded. Try again."
DETAILS = "HTTP 503 · request req_7 · ![x](http://127.0.0.1:9/x.png)"
SAMPLES = len(ACCURACY) + len(REJECTION)


def two_models(
    cap: Cap | None = None, *, run_id: str = "two", results: bool = True, use_cache: bool = True
) -> Run:
    """The run in the store of this test; every answer of the first model cost $0.002, the second
    has no price.
    """
    data = Dataset(name="By hand", samples=tuple(map(_sample, range(SAMPLES))))
    run = stored_run(
        session.store(),
        data,
        EvaluatorSpec(name="rgb", params={"policy": "documented"}),
        id=run_id,
        models=(OSS, LUNA),
        prompt=load("rgb_en"),
        judges=(JUDGE,),
        seed=0,
        cap=cap or Cap(),
        use_cache=use_cache,
    )
    if results:
        for position in range(SAMPLES):
            for model in (0, 1):
                save(run, Cell(position, model))
    return run


def save(run: Run, cell: Cell) -> None:
    """The result of one cell, with its call."""
    values = _values(cell)
    spec = run.models[cell.model]
    text = f"Answer {cell.position + 1} of model {cell.model + 1}."
    usage, cost = Usage(prompt_tokens=100, answer_tokens=10), (0.002, None)[cell.model]
    facts = {**cell._asdict(), "usage": usage, "calls": 1, "cost": cost, "seconds": 1.25}
    if values is None:
        result = SampleResult(
            status="failed", error=FAILURE, details=DETAILS, **facts | {"calls": 0, "cost": 0.0}
        )
    else:
        score = Score(values=values, evidence=_evidence(values))
        result = SampleResult(status="scored", score=score, response=text, **facts)
    call = Call(
        key=f"{cell}", model=spec.id, completion=Completion(text=text, usage=usage), cost=cost
    )
    session.store().results.save(run.id, result, [call] if result.calls else [])


def _sample(position: int) -> Sample:
    if position < len(ACCURACY):
        noise = (0.0, 0.4)[position // 2]
        task = RGBTask(ability=Ability.NOISE, noise=noise, effective_noise=noise)
    else:
        task = RGBTask(ability=Ability.REJECTION, noise=1.0, effective_noise=1.0)
    return Sample(
        id=f"s{position}",
        question=f"Question {position + 1}?",
        retrieved_documents=("It was in May.",),
        ground_truth="May",
        rgb=task,
    )


def _values(cell: Cell) -> dict[str, float | None] | None:
    if cell.position < len(ACCURACY):
        value = ACCURACY[cell.position][cell.model]
        return None if value is None else {"accuracy": float(value)}
    row = cell.position - len(ACCURACY)
    return {
        "rejection": float(REJECTION[row][cell.model]),
        "rejection_judged": float(JUDGED[row][cell.model]),
    }


def _evidence(values: dict[str, float | None]) -> RuleEvidence:
    name = "accuracy" if "accuracy" in values else "rejection"
    verdicts = {name: Verdict(bool(values[name]), "keyword", ("Answer",))}
    if name == "accuracy":
        return RuleEvidence(verdicts=verdicts)
    words = "![x](http://127.0.0.1:9/x.png) It declines."
    judged = JudgedRate(passed=bool(values["rejection_judged"]), words=words)
    return RuleEvidence(verdicts=verdicts, judged={"rejection": judged})
