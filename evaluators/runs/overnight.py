"""A run that is asked overnight: batches are collected, what they answered is judged, more is sent.

Each resume goes through the same steps. What has ended at the provider becomes stored answers, as
if they had come one by one. Samples for which nothing is on its way go through the run's usual
steps: they find the answers stored, and ask at once, for the usual price, where a batch brought
none or one that cannot be read. What was never asked goes into the next batch: a judge's prompts
about answers that a batch brought, for instance.
"""

from __future__ import annotations

import secrets
from collections.abc import Container, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from evaluators.catalogue import from_spec
from evaluators.errors import AccessError, LLMError, PlumblineError, StoreError
from evaluators.llm import Keys, ModelRequest
from evaluators.llm.batches import NEVER_ASKED, BatchFile, BatchState, lines_of
from evaluators.llm.budget import NOTHING, Amount, Meter
from evaluators.llm.clients import ModelSession, RunContext, open_sessions
from evaluators.llm.layers import ResponseCache, cost_of, is_whole
from evaluators.llm.offline_reader import OfflineReader
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import fill
from evaluators.records import Call, Cap, Completion, ModelSpec, Reason, Remedy, Run, Sample
from evaluators.runs.forecast import most_of, requests_of
from evaluators.runs.run_control import RunControl
from evaluators.runs.scoring import generated_response
from evaluators.runs.store import Store
from evaluators.runs.store.batches import Batch, SentRequest
from evaluators.runs.tasks import SamplePrefetch, Task
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark
from evaluators.text.words import joined_sentences

DAY = timedelta(hours=24)
BY_TOMORROW = mark("Answers by tomorrow")


class UnaskedTask(NamedTuple):
    """A task with the requests to send for it now, and its share with what comes after them."""

    requests: Sequence[ModelRequest]
    share: Amount


class Collected(NamedTuple):
    """How many answers came, `None` where none was out, and what went wrong with batches."""

    answers: int | None = None
    problems: Sequence[Reason] = ()


class NextSteps(NamedTuple):
    """What to do now with each open task; `reserved` is for those that wait for a batch.

    `beside` are the requests that wait for a batch of another run, by its id.
    """

    ready: list[Task]
    unasked: list[UnaskedTask]
    reserved: Amount
    beside: Mapping[str, set[str]]


class Overnight:
    """The batches of one run; raises `AccessError` where a model has no key."""

    def __init__(
        self,
        run: Run,
        store: Store,
        keys: Keys,
        cache: ResponseCache,
        control: RunControl,
    ) -> None:
        self._run = run
        self._store = store
        self._cache = cache
        self._control = control
        self._evaluators = tuple(map(from_spec, run.evaluators))
        # Nothing is asked through these sessions, so that their meter has nothing to count.
        context = RunContext(control.scope, Meter(Cap()), cache, has_batches=True)
        specs = dict.fromkeys((*run.models, *run.judges))
        self._sessions = dict(zip(specs, open_sessions(specs, keys, context), strict=True))

    def close(self) -> None:
        """Lets the connections go, and forgets the keys."""
        for session in self._sessions.values():
            session.close()

    # What comes back

    def collect(self) -> Collected:
        """Keeps what ended batches have brought; one that cannot be collected holds no other up."""
        before = self._store.batches.open(self._run.id)
        if not before:
            return Collected()
        answers = 0
        problems = []
        for batch in before:
            try:
                came, problem = self._collect(batch)
            except (AccessError, LLMError) as error:
                came, problem = 0, error.reason
            answers += came
            problems.append(problem)
        return Collected(answers, _distinct(problems))

    def cancel(self) -> Sequence[Reason]:
        """Has providers stop, and says where that went wrong.

        What they have answered by then is paid for, and comes with the next `collect`.
        """
        problems = []
        for batch in self._store.batches.open(self._run.id):
            try:
                self._cancel(batch)
            except (AccessError, LLMError) as error:
                problems.append(error.reason)
        return _distinct(problems)

    def _collect(self, batch: Batch) -> tuple[int, Reason | None]:
        """How many answers the batch has brought, and what went wrong with it."""
        state = self._look(batch)
        if state is None:
            return 0, self._note_unknown(batch)
        # Refused as a whole: nothing was asked or paid, so its requests count as never sent.
        if state.end == "failed":
            self._store.batches.forget(self._run.id, batch)
            return 0, _not_taken(batch, state)
        was_told_of = batch.status == "unknown"
        batch = self._note(batch, state)
        if not state.end:
            return 0, None
        contents = [self._content(batch, file) for file in state.files]
        if None in contents and not was_told_of:
            gone = mark(
                "{provider} no longer has the answers of batch {name}, which it may have billed: "
                "its {number:,} requests will be asked anew, now or overnight."
            )
            return 0, self._told_of(batch, gone)
        answers = self._keep(batch, state, contents)
        was_cut_off = state.is_cancelled and answers < batch.requests
        return answers, _cut_off(batch, answers) if was_cut_off else None

    def _cancel(self, batch: Batch) -> None:
        state = self._look(batch)
        # What has ended, or is not known, cannot be cancelled: the next `collect` says what it is.
        if state is None or state.end:
            return
        batches = self._sessions[batch.spec].batches()
        self._note(batch, self._control.scope.run(batches.cancel(state.id)))

    def _look(self, batch: Batch) -> BatchState | None:
        """How far the batch is; `None` where the provider does not know it."""
        batches = self._sessions[batch.spec].batches()
        # Without an id where the process that sent it ended before it knew.
        look = batches.look(batch.batch_id) if batch.batch_id else batches.find(batch.mark)
        return self._control.scope.run(look)

    def _note(self, batch: Batch, state: BatchState) -> Batch:
        """Writes down what the provider says of the batch."""
        status = "cancelling" if state.is_cancelled else "sent"
        update = {"status": status, "batch_id": state.id, "answered": state.answered}
        now = batch.model_copy(update=update)
        if now != batch:
            self._store.batches.update(self._run.id, now)
        return now

    def _note_unknown(self, batch: Batch) -> Reason | None:
        """What to say of a batch that the provider does not know, for the first time.

        Whoever goes on after that has its requests asked anew.
        """
        # It was told of, or surely never sent.
        if batch.status in ("unknown", "planned"):
            self._store.batches.forget(self._run.id, batch)
            return None
        message = mark(
            "{provider} no longer knows batch {name}: its {number:,} requests will be asked anew, "
            "now or overnight. If it was sent with another key, use that one."
        )
        if not batch.batch_id:
            message = mark(
                "It is not known whether a batch of {number:,} requests was sent: {provider} does "
                "not list it. If it was sent with another key, use that one. Going on looks for it "
                "once more, and asks its requests anew where it is still not there."
            )
        return self._told_of(batch, message)

    def _told_of(self, batch: Batch, message: str) -> Reason:
        """Says what became of a batch; whoever goes on after that pays for its requests again."""
        self._store.batches.update(self._run.id, batch.model_copy(update={"status": "unknown"}))
        title = PROVIDERS[batch.spec.provider].title
        return Reason(
            kind="batch",
            message=message.format(provider=title, name=batch.batch_id, number=batch.requests),
        )

    def _content(self, batch: Batch, file_id: str) -> bytes | None:
        """A file of answers or errors; `None` where it is gone."""
        return self._control.scope.run(self._sessions[batch.spec].batches().content(file_id))

    def _keep(
        self,
        batch: Batch,
        state: BatchState,
        contents: Sequence[bytes | None],
    ) -> int:
        """Stores the answers of a batch that has ended, each once and only those asked for.

        Returns how many there are.
        """
        requests = self._store.batches.requests(self._run.id, [batch])
        batches = self._sessions[batch.spec].batches()
        calls: dict[str, Call] = {}
        refused: set[str] = set()
        for content in contents:
            for line in lines_of(content or b"", len(requests)):
                request = requests.get(line.key)
                earlier = calls.get(line.key)
                if request is None or (earlier and earlier.reusable):
                    continue
                if line.answer:
                    completion = batches.completion(line.answer, batch.spec, *request)
                    calls[line.key] = _call(line.key, batch.spec, completion)
                elif line.code not in NEVER_ASKED:
                    refused.add(line.key)
        answered = {key for key, call in calls.items() if call.reusable}
        # What a batch that ended early, or brought nothing at all, did not come to goes into the
        # next one.
        is_all = state.end == "completed" and None not in contents and any(contents)
        tried = requests.keys() if is_all else refused | calls.keys()
        unanswered = sorted(tried - answered)
        self._store.batches.end(self._run.id, batch, [*calls.values()], unanswered)
        return len(answered)

    # What comes next

    def steps(self, tasks: Sequence[Task]) -> NextSteps:
        """What each task waits for: an answer on its way, one not asked for yet, or nothing."""
        on_their_way, in_vain = self._requests_of_batches()
        runs_of = self._requests_beside()
        beside: dict[str, set[str]] = {}
        positions = [task.position for task in tasks]
        samples = SamplePrefetch(self._store, self._run.fingerprint, positions)
        steps = NextSteps([], [], NOTHING, beside)
        for task in tasks:
            if self._control.is_cancelled:
                raise CancelledError
            requests, later = self._requests(task, samples)
            without = [request for request in requests if not self._cache.find(request.key)]
            usual = [request for request in without if request.key in in_vain]
            waiting = [request for request in without if request.key in on_their_way]
            others = _without(without, in_vain | on_their_way)
            new = _without(others, runs_of)
            sent_beside = [request.key for request in others if request.key in runs_of]
            for key in sent_beside:
                beside.setdefault(runs_of[key], set()).add(key)
            # Resumed with `--now`: what was never asked is asked at once.
            if not self._run.overnight:
                new = []
            # Of later prompts the answer that is asked for first is a part, of any length.
            to_come = requests[0].spec.answer_tokens if later else 0
            share = most_of(usual).plus(most_of([*waiting, *new], in_batch=True))
            share = share.plus(most_of(later, to_come, in_batch=True))
            if new:
                steps.unasked.append(UnaskedTask(new, share))
            elif waiting or sent_beside:
                steps = steps._replace(reserved=steps.reserved.plus(share))
            else:
                steps.ready.append(task)
        return steps

    def send(self, steps: NextSteps) -> list[Reason]:
        """Sends what was never asked, as far as the budget allows; says where it does not."""
        samples = self._within_budget(steps)
        requests: dict[ModelSpec, dict[str, ModelRequest]] = {}
        for sample in samples:
            for request in sample.requests:
                # Samples that ask the same share an answer.
                requests.setdefault(request.spec, {})[request.key] = request
        for spec, own in requests.items():
            batches = self._sessions[spec].batches()
            for file in batches.files(own.values()):
                self._send(spec, file)
        number, unasked = len(samples), len(steps.unasked)
        if number == unasked:
            return []
        message = mark(
            "The budget allows {number:,} of {unasked:,} samples to be asked overnight."
        ).format(number=number, unasked=unasked)
        return [Reason(kind="cap", message=message, remedy=Remedy("raise_cap"))]

    def _requests_of_batches(self) -> tuple[set[str], set[str]]:
        """The keys of requests that are on their way, and of those that came back in vain."""
        run_id, table = self._run.id, self._store.batches
        batches = table.of_run(run_id)
        ended = [batch for batch in batches if batch.status == "ended"]
        on_their_way = [batch for batch in batches if batch.status != "ended"]
        return {*table.requests(run_id, on_their_way)}, {*table.requests(run_id, ended)}

    def _requests_beside(self) -> dict[str, str]:
        """The run that waits for each request that another run of the workspace has sent.

        What it brings is stored for this run as well, so that nothing is paid for twice.
        """
        if not (self._run.overnight and self._run.use_cache):
            return {}
        runs_of = {}
        for run_id, batches in self._store.batches.open_beside(self._run).items():
            for key in self._store.batches.requests(run_id, batches):
                runs_of[key] = run_id
        return runs_of

    def waiting_beside(self, steps: NextSteps) -> list[Reason]:
        """What this run waits for that other runs have sent, in a sentence for each."""
        reasons = []
        for run_id, keys in steps.beside.items():
            run = self._store.runs.get(run_id)
            message = mark(
                "{number:,} of its requests are on their way in the run “{title}” already: collect "
                "that one first."
            )
            title = run.title if run else run_id
            message = message.format(number=len(keys), title=title)
            reasons.append(Reason(kind="batch", message=message))
        return reasons

    def _requests(
        self,
        task: Task,
        samples: SamplePrefetch,
    ) -> tuple[list[ModelRequest], list[ModelRequest]]:
        """What the task asks as far as that is known, and about what of it is not known yet."""
        # Whatever is wrong with a sample shows when its turn comes.
        with suppress(PlumblineError):
            sample = samples.take(task.position)
            generator = None
            if sample.response is None and self._run.models:
                generator = self._sessions[self._run.models[task.model]]
                response = self._response(task, sample, generator)
                if response is not None:
                    generator = None
                    sample = sample.model_copy(update={"response": response})
            metrics = [self._evaluators[metric] for metric in task.metrics]
            asking = [metric for metric in metrics if metric.asks_about(sample)]
            judges = [self._sessions[spec] for spec in self._run.judges]
            requests = requests_of(sample, asking, judges, generator, self._run.prompt)
            # What judges are asked about an answer hangs on the answer.
            known = 1 if generator else len(requests)
            return requests[:known], requests[known:]
        return [], []

    def _response(self, task: Task, sample: Sample, generator: ModelSession) -> str | None:
        """What the model has answered, in an earlier try or a batch; `None` where it has not."""
        results = self._store.results
        earlier = results.of_answer(self._run.id, task.position, task.model)
        for result in earlier.values():
            if result.response is not None:
                return result.response
        if not generator.is_remote:
            return generated_response(sample, self._run.prompt, OfflineReader())
        prompt = fill(self._run.prompt, sample.question, sample.evidence)
        request = generator.request(prompt, sample.repeat)
        completion = self._cache.find(request.key)
        return without_surrogates(completion.text) if completion else None

    def _within_budget(self, steps: NextSteps) -> list[UnaskedTask]:
        """The first samples that the budget can finish, in their order."""
        taken = self._store.calls.paid(self._run.id).plus(steps.reserved)
        samples = []
        for sample in steps.unasked:
            taken = taken.plus(sample.share)
            if not taken.fits(self._run.cap):
                break
            samples.append(sample)
        return samples

    def _send(self, spec: ModelSpec, file: BatchFile) -> None:
        """Writes down what is about to be sent, and then sends it.

        Whenever this process ends in between, the next one looks for the batch by its mark, so
        that it is neither lost nor sent twice. One that surely was not sent is forgotten.
        """
        batches = self._sessions[spec].batches()
        now = datetime.now(UTC)
        batch = Batch(
            spec=spec,
            # By chance, as several machines may send under one key.
            mark=secrets.token_hex(16),
            created=now.isoformat(timespec="seconds"),
            expires=(now + DAY).isoformat(timespec="seconds"),
            requests=len(file.requests),
        )
        requests = {}
        for request in file.requests:
            tokens = request.prompt_tokens
            requests[request.key] = SentRequest(tokens, batches.mode(request))
        self._store.batches.plan(self._run.id, batch, requests)
        try:
            file_id = self._control.scope.run(batches.upload(file, batch.mark))
            batch = batch.model_copy(update={"status": "sending"})
            self._store.batches.update(self._run.id, batch)
            state = self._control.scope.run(batches.send(file_id, batch.mark))
        except LLMError as error:
            if batch.status == "planned" or error.did_nothing:
                self._store.batches.forget(self._run.id, batch)
            raise
        self._note(batch, state)


class OnTheirWay(NamedTuple):
    """What one provider has of a run and will answer, or is about to cancel; times are UTC."""

    provider: str
    requests: int
    answered: int
    since: datetime
    until: datetime
    is_cancelling: bool


def on_their_way(store: Store, run_id: str) -> list[OnTheirWay]:
    """The requests of a run whose answers are awaited, by provider; empty where there are none.

    Without those of which it is not known whether they were sent, or where they are, and none where
    they cannot be read: that is said where the run goes on.
    """
    groups: dict[tuple[str, str], list[Batch]] = {}
    open_batches: list[Batch] = []
    with suppress(StoreError):
        open_batches = store.batches.open(run_id)
    for batch in open_batches:
        if batch.status in ("sent", "cancelling"):
            groups.setdefault((batch.spec.provider, batch.status), []).append(batch)
    waiting = []
    for (provider, status), batches in groups.items():
        waiting.append(
            OnTheirWay(
                provider=PROVIDERS[provider].title,
                requests=sum(batch.requests for batch in batches),
                answered=sum(batch.answered for batch in batches),
                since=datetime.fromisoformat(min(batch.created for batch in batches)),
                until=datetime.fromisoformat(max(batch.expires for batch in batches)),
                is_cancelling=status == "cancelling",
            )
        )
    return waiting


def state_of_batches(store: Store, run_id: str) -> str:
    """What the run waits for, in two or three words; empty where nothing is out."""
    out = on_their_way(store, run_id)
    if not out:
        return ""
    if all(own.is_cancelling for own in out):
        return mark("Being cancelled")
    if max(own.until for own in out) < datetime.now(UTC):
        return mark("Answers are due")
    return BY_TOMORROW


def waiting(store: Store, run: Run) -> list[Reason]:
    """What the run waits for, in a sentence for each provider; empty where nothing is open."""
    reasons = []
    for own in on_their_way(store, run.id):
        words = mark(
            "{answered:,} of {number:,} requests are answered by {provider}, "
            "all of them by {until} UTC."
        )
        if own.is_cancelling:
            words = mark(
                "{provider} is cancelling {number:,} requests; what it has answered by then is "
                "kept and paid for."
            )
        message = words.format(
            answered=own.answered,
            number=own.requests,
            provider=own.provider,
            until=f"{own.until:%Y-%m-%d %H:%M}",
        )
        remedy = Remedy("collect")
        reasons.append(Reason(kind="batch", message=message, remedy=remedy))
    return reasons


def collection_note(store: Store, run: Run, collected: Collected) -> list[Reason]:
    """How many answers came and how many requests are out now; empty where none was out before."""
    if collected.answers is None:
        return []
    out = sum(own.requests for own in on_their_way(store, run.id))
    message = mark("Answers collected: {answers:,}. Requests still out: {out:,}.")
    return [Reason(kind="batch", message=message.format(answers=collected.answers, out=out))]


def _without(requests: Iterable[ModelRequest], keys: Container[str]) -> list[ModelRequest]:
    return [request for request in requests if request.key not in keys]


def _call(key: str, spec: ModelSpec, completion: Completion) -> Call:
    cost = cost_of(spec, completion.usage, in_batch=True)
    return Call(
        key=key,
        model=spec.id,
        completion=completion,
        cost=cost,
        reusable=is_whole(completion),
    )


def _distinct(problems: Iterable[Reason | None]) -> list[Reason]:
    """Each once: a refused key is refused for every batch."""
    found: list[Reason] = []
    for problem in problems:
        if problem and problem not in found:
            found.append(problem)
    return found


def _cut_off(batch: Batch, answers: int) -> Reason:
    message = mark("{provider} cancelled {number:,} requests, {answers:,} of them with an answer.")
    title = PROVIDERS[batch.spec.provider].title
    message = message.format(provider=title, number=batch.requests, answers=answers)
    return Reason(kind="batch", message=message)


def _not_taken(batch: Batch, state: BatchState) -> Reason:
    title = PROVIDERS[batch.spec.provider].title
    what = mark("{provider} did not take a batch of {number:,} requests.").format(
        provider=title, number=batch.requests
    )
    remedy = mark("It can be sent again, or asked at once for the usual price.")
    message = joined_sentences([what, state.problem, remedy])
    return Reason(kind="batch", message=message)
