"""One answer of a run: asked for once, judged by each metric; calls and results are stored."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.errors import MissingInputError, UnstorableError
from evaluators.llm.budget import Share
from evaluators.llm.call_log import CallLog
from evaluators.llm.clients import ModelSession, RunContext
from evaluators.records import (
    Call,
    Cell,
    Completion,
    Run,
    Sample,
    SampleResult,
    Score,
    with_documents,
)
from evaluators.runs import pool
from evaluators.runs.failure_streaks import Failure
from evaluators.runs.forecast import most_of, requests_of
from evaluators.runs.run_control import RunControl
from evaluators.runs.scoring import (
    Outcome,
    checked_score,
    failure_details,
    failure_reason,
    generated,
    outcome_of,
)
from evaluators.runs.store import Store
from evaluators.runs.tasks import SamplePrefetch, Task
from evaluators.text.language import say

Unstored = deque[Future[None]]
"""What one thread has put into the store and is not known to be on the disk, the oldest first."""


@dataclass
class OpenAnswer:
    """An answer at work: its sample and response are there from the first metric on.

    `earlier` are its stored results by metric; `generator` is the model to be asked for a response,
    where the data has none; `documents` are what it retrieved, if it is a system; `is_paid` once a
    model has answered.
    """

    task: Task
    samples: SamplePrefetch
    generator: ModelSession | None
    earlier: Mapping[int, SampleResult] = field(default_factory=dict)
    response: str | None = None
    documents: tuple[str, ...] | None = None
    share: Share = field(default_factory=Share)
    sample: Sample | None = None
    error: Exception | None = None
    is_paid: bool = False

    @property
    def hides_documents(self) -> bool:
        """Whether a system that looks for its own documents answered, and does not tell them."""
        is_answered = self.response is not None and self.documents is None
        return is_answered and self.generator is not None and self.generator.spec.retrieves_itself


class AnswerScorer:
    """Scores answers of one run; its threads share it."""

    def __init__(
        self,
        run: Run,
        store: Store,
        judges: Sequence[ModelSession],
        context: RunContext,
        control: RunControl,
    ) -> None:
        self._run = run
        self._store = store
        self.judges = judges
        self.control = control
        self._cache = context.cache
        self._meter = context.meter
        self._pool = pool.shared()
        self._evaluators = tuple(map(from_spec, run.evaluators))
        counts = store.results.counts(run)
        # A new run has no earlier results: it need not look for them before each answer.
        self._is_resumed = counts.open < counts.asked

    def answers(
        self,
        tasks: Sequence[Task],
        generator: ModelSession | None,
    ) -> Iterator[OpenAnswer]:
        """The answers with their earlier results; a response in these is not asked for again.

        They are opened in the order of their turns, in which a budget is given to them.
        """
        positions = [task.position for task in tasks]
        samples = SamplePrefetch(self._store, self._run.fingerprint, positions)
        for task in tasks:
            answer = OpenAnswer(task, samples, generator)
            if self._is_resumed:
                results = self._store.results
                answer.earlier = results.of_answer(self._run.id, task.position, task.model)
            for result in answer.earlier.values():
                if result.response is not None:
                    answer.response, answer.documents = result.response, result.retrieved_documents
                    break
            self._meter.on_loop(self._meter.announce, answer.share)
            yield answer

    def hurry(self) -> None:
        """Has all that was put so far stored at once."""
        self._store.writer.hurry()

    def close(self, answer: OpenAnswer) -> None:
        """Lets go of what the budget still holds for the answer."""
        self._meter.on_loop(self._meter.close, answer.share)

    def score(self, answer: OpenAnswer, metric: int, unstored: Unstored) -> Failure:
        """Has the result of one cell stored, behind the calls it took; see `unstored`."""

        # Kept when it is answered: judging may take long, and the process may end meanwhile.
        def keep(call: Call) -> None:
            answer.is_paid = True
            unstored.append(self._store.writer.put_call(self._run.id, call))

        call_log = CallLog(self._cache, answer.share, keep)
        try:
            result, failure = self._result(answer, metric, call_log)

            # The value is at fault then, not the store: the cell fails, and the run goes on.
            def without_value(error: UnstorableError) -> SampleResult:
                texts = dict.fromkeys(("score", "response", "retrieved_documents"))
                blank = {**texts, **_failed_fields(error)}
                return result.model_copy(update=blank)

            stored = self._store.writer.put_result(
                self._run.id, result, without_value, call_log.useless
            )
            unstored.append(stored)
            return failure
        finally:
            if unstored:
                # What is put last is stored last.
                unstored[-1].add_done_callback(lambda _: call_log.mark_stored())

    def _result(
        self,
        answer: OpenAnswer,
        metric: int,
        call_log: CallLog,
    ) -> tuple[SampleResult, Failure]:
        """The result of one cell, and the kind of its failure."""
        started = time.perf_counter()

        def judged(evaluator: Evaluator) -> Score:
            sample = self._sample(answer, call_log)
            if answer.hides_documents and "retrieved_documents" in evaluator.needed_for(sample):
                raise MissingInputError(
                    say(
                        "{model} does not say what it retrieved, and {metric} needs it. Let it "
                        "return retrieved_documents, or choose the documents in its reply.",
                        model=answer.generator.name if answer.generator else "",
                        metric=say(evaluator.title),
                    )
                )
            # In a worker process, where one can do it, the threads of the pages hardly wait for it.
            if pool.is_sent(evaluator, sample) and self._pool.can_take(sample):
                return self._pool.score(evaluator, sample, lambda: self.control.is_cancelled)
            return checked_score(evaluator, sample)

        repeat = self._run.repeat_of(answer.task.position)
        evaluator = self._evaluators[metric]
        score, error = outcome_by(evaluator, self.judges, call_log, judged, repeat)
        outcome: dict[str, object] = {"status": "scored", "score": score}
        if error:
            self.control.log_foreign(error)
            outcome = {**_failed_fields(error), "details": failure_details(error)}
        cell = Cell(answer.task.position, answer.task.model, metric)
        result = {
            **cell._asdict(),
            "response": answer.response,
            "retrieved_documents": answer.documents,
            "seconds": time.perf_counter() - started,
            **call_log.totals(answer.earlier.get(metric)),
            **outcome,
        }
        return SampleResult.model_validate(result), type(error) if error else None

    def _sample(self, answer: OpenAnswer, call_log: CallLog) -> Sample:
        """The sample with its response, asked for once.

        Whichever metric comes later gets the same, or the same error.
        """
        if answer.error is not None:
            raise answer.error
        if answer.sample is None:
            try:
                answer.sample = self._with_response(answer, call_log)
            except Exception as error:
                # Kept, so that a second metric does not pay for the same failure again.
                answer.error = error
                raise
        return answer.sample

    def _with_response(self, answer: OpenAnswer, call_log: CallLog) -> Sample:
        sample = answer.samples.take(answer.task.position)
        if self._meter.is_capped:
            self._plan_share(answer, sample)
        if sample.response is not None or answer.generator is None:
            return sample
        if answer.response is None:
            completion = self._generated(answer.generator, sample, call_log)
            answer.response, answer.documents = completion.text, completion.documents
        answered = sample.model_copy(update={"response": answer.response})
        return with_documents(answered, () if answer.hides_documents else answer.documents)

    def _plan_share(self, answer: OpenAnswer, sample: Sample) -> None:
        """Says what the whole sample can take: it is begun only where the budget has all of it."""
        generator = None
        if sample.response is None and answer.response is not None:
            sample = sample.model_copy(update={"response": answer.response})
        elif sample.response is None:
            generator = answer.generator
        evaluators = [self._evaluators[metric] for metric in answer.task.metrics]
        requests = requests_of(sample, evaluators, self.judges, generator, self._run.prompt)
        to_come = generator.spec.answer_tokens if generator else 0
        answer.share.calls, answer.share.cost = most_of(requests, to_come)

    def _generated(
        self,
        generator: ModelSession,
        sample: Sample,
        call_log: CallLog,
    ) -> Completion:
        """What the model answers; the offline reader does so in a worker process."""
        prompt = self._run.prompt
        if not generator.is_remote and self._pool.can_take(sample):
            text = self._pool.answer(sample, prompt, lambda: self.control.is_cancelled)
            return Completion(text=text)
        return generated(sample, prompt, generator.client(call_log, sample.repeat))


def outcome_by(
    evaluator: Evaluator,
    judges: Sequence[ModelSession],
    call_log: CallLog,
    score: Callable[[Evaluator], Score],
    repeat: int = 1,
) -> Outcome:
    """What the evaluator says of a sample once it has its judges; raises as `outcome_of` does."""

    def judged() -> Score:
        clients = [judge.client(call_log, repeat) for judge in judges[: evaluator.most_judges()]]
        if not clients:
            return score(evaluator)
        # Several are a jury.
        client = tuple(clients) if len(clients) > 1 else clients[0]
        return score(evaluator.model_copy(update={"llm_client": client}))

    outcome = outcome_of(judged)
    # Asked again, the model may say it better. Also what an earlier attempt had stored.
    call_log.discard(getattr(outcome.error, "texts", ()))
    return outcome


def wait_for(unstored: Unstored, most: int = 0) -> None:
    """Waits until so many are left, the newest; raises what went wrong with the others."""
    errors = []
    while len(unstored) > most:
        if error := unstored.popleft().exception():
            errors.append(error)
    if errors:
        raise errors[0]


def _failed_fields(error: BaseException) -> dict[str, object]:
    """The fields of a result that failed with this error."""
    why = failure_reason(error)
    return {"status": "failed", "error": why.message, "error_kind": why.kind, "remedy": why.remedy}
