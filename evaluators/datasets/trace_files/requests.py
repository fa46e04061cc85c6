"""One sample for each request: of all its steps what was asked, found and answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from evaluators.config import config
from evaluators.datasets.table import Table
from evaluators.datasets.trace_files.spans import Span, spans_of
from evaluators.datasets.trace_files.texts import (
    answer_of,
    conversation_of,
    in_time,
    question_of,
)
from evaluators.datasets.traces import CAPTURE, trace_of
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from evaluators.text.words import joined_sentences

MOST_DOCUMENTS = 1000
"""Of one trace."""
MOST_EARLIER = 6
"""Earlier messages of a conversation that are evidence of an answer, the last ones."""
MOST_SCORES = 100
"""Of one trace, the first ones that came with it."""
LOOKED_AT = 50
"""Rows by which a file is known."""


class Outcome(StrEnum):
    """What becomes of a trace."""

    TAKEN = "taken"
    NO_RETRIEVAL = "no retrieval"
    HIDDEN = "hidden"
    NO_ANSWER = "no answer"
    NO_START = "no start"


class _Request(NamedTuple):
    """A trace as far as it can be read."""

    outcome: Outcome
    id: str
    conversation: str
    question: str
    answer: str
    documents: dict[str, str]
    """Where each was found, by its text."""
    earlier: list[str]
    scores: Mapping[str, Any]
    program: str
    start: tuple[float, str]


def with_requests(name: str, table: Table) -> Table:
    """The table with a row for each trace in place of its steps; another table as it is.

    Raises `DatasetError` where no trace can be used, with the reason.
    """
    program = program_of(row for _, row in table.rows[:LOOKED_AT])
    if not program:
        return table
    try:
        with in_time():
            requests = _requests(row for _, row in table.rows)
    except TimeoutError:
        words = "{name} holds too much text. Split it or leave out columns."
        raise DatasetError(say(words, name=name)) from None
    if program == "OpenTelemetry":
        program = next((request.program for request in requests if request.program), program)
    counts = Counter(request.outcome for request in requests)
    taken = [request for request in requests if request.outcome is Outcome.TAKEN]
    if not taken and not counts[Outcome.HIDDEN]:
        # Nothing was searched for: questions and answers are all there is
        taken = [request for request in requests if request.outcome is Outcome.NO_RETRIEVAL]
    words = _counted(counts, len(requests), len(taken), program)
    if not taken:
        raise DatasetError(_refusal(name, program, requests, words))
    most = config().rows_per_dataset
    if len(taken) > most:
        message = "{name} has more than {limit} traces, the limit. Split the file."
        raise DatasetError(say(message, name=name, limit=f"{most:,}"))
    rows = [(number, _row(request)) for number, request in enumerate(taken, start=1)]
    return replace(table.with_rows(rows, words), program=program)


def program_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """The program that wrote these rows, if they are steps of requests; else empty."""
    return next(filter(None, map(trace_of, rows)), "")


def _refusal(name: str, program: str, requests: Sequence[_Request], words: str) -> str:
    start = say(
        "{name} is a trace of {program}: its entries are steps of an application, not questions "
        "with answers.",
        name=name,
        program=say(program),
    )
    if not requests:
        words = say("No step says of which trace it is.")
    otherwise = say(
        "Or save a table with the question, the answer and the documents of each request."
    )
    return joined_sentences([start, words, otherwise])


def _counted(counts: Mapping[Outcome, int], traces: int, taken: int, program: str) -> str:
    """What became of how many traces, in sentences."""
    blanks = {"program": say(program), "traces": traces, "taken": taken}
    words = [say("Traces of {program} that became samples: {taken:,} of {traces:,}.", **blanks)]
    if count := counts[Outcome.NO_RETRIEVAL]:
        left_out = mark("{count:,} show no retrieval and were left out.")
        if taken and not counts[Outcome.TAKEN]:
            left_out = mark("None shows what it retrieved: these samples have no documents.")
        words.append(say(left_out, count=count))
    if count := counts[Outcome.HIDDEN]:
        words.append(say("{count:,} have no contents that can be judged.", count=count))
        words.append(say(CAPTURE[program]) if program in CAPTURE else "")
    if count := counts[Outcome.NO_ANSWER]:
        words.append(say("{count:,} have no answer.", count=count))
    if count := counts[Outcome.NO_START]:
        without = mark("Without the step that they begin with: {count:,}. Export whole traces.")
        words.append(say(without, count=count))
    return joined_sentences(filter(None, words))


def _row(request: _Request) -> dict[str, Any]:
    sources = list(request.documents.values())
    return {
        "id": request.id,
        "question": request.question,
        "response": request.answer,
        "retrieved_documents": list(request.documents),
        "sources": sources if any(sources) else [],
        "conversation": request.conversation,
        "earlier_turns": request.earlier,
        "scores": request.scores,
    }


# From steps to requests


def _requests(rows: Iterable[Mapping[str, Any]]) -> list[_Request]:
    traces: dict[str, dict[str, Span]] = {}
    for span in _with_traces([span for row in rows for span in spans_of(row)]):
        own = traces.setdefault(span.trace, {})
        own[span.id] = _merged(own[span.id], span) if span.id in own else span
    requests = [_request(trace, list(spans.values())) for trace, spans in traces.items()]
    return _with_earlier_turns(requests)


def _with_traces(spans: list[Span]) -> list[Span]:
    """The spans, those that only name their parents with the trace of the first of these."""
    parents = {span.id: span.parent for span in spans if not span.trace}
    roots: dict[str, str] = {}
    for start in parents:
        path: list[str] = []
        at = start
        while at in parents and at not in roots and len(path) <= len(parents):
            path.append(at)
            roots[at] = at
            at = parents[at]
        root = roots.get(at, at) if at in parents else path[-1] if path else start
        roots.update(dict.fromkeys(path, root))
    return [span if span.trace else span._replace(trace=roots[span.id]) for span in spans]


def _merged(one: Span, other: Span) -> Span:
    """Two halves of a step: LangSmith writes what began, and what ended."""
    filled = {name: value for name, value in other._asdict().items() if value not in (None, "")}
    filled["scores"] = _with_scores(one.scores, other.scores)
    filled["start"] = max(one.start, other.start) if not any(one.start) else one.start
    return one._replace(**filled)


def _with_scores(scores: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    # A step may stand there in any number of parts: no more is copied than is kept
    if not more or len(scores) >= MOST_SCORES:
        return scores
    return dict(islice({**scores, **more}.items(), MOST_SCORES))


def _request(trace: str, every: list[Span]) -> _Request:
    scores: Mapping[str, Any] = {}
    for span in every:
        scores = _with_scores(scores, span.scores)
    in_order = sorted(every, key=lambda span: span.start)
    spans = [span for span in in_order if span.kind != "evaluator"]
    found = {span.id: span.with_documents for span in spans if not span.is_summary}
    steps = [span for span, _ in found.values()]
    # A chain that has "retrieve" in its name searches only where no step is marked for it
    if any(span.has_searched and not span.is_named for span in steps):
        named = {span.id for span in steps if span.is_named}
        found |= {s.id: (s, None) for s in spans if s.id in named}
        steps = [span for span, _ in found.values()]
    texts = {span_id: documents for span_id, (_, documents) in found.items() if documents}
    documents = _documents(steps, texts)
    searches = [found[span.id][1] for span in steps if span.has_searched]
    tops = [span for span in spans if span.is_summary]
    tops += [span for span in steps if not span.parent]
    # What called it may be of another program, such as a server; a call of a model is no request
    tops += [s for s in steps if s.parent and s.parent not in found and not s.kind]
    models = [span for span in steps if span.kind == "model"]
    question, answer = _question_and_answer(tops, models, steps)
    outcome = Outcome.TAKEN
    if not tops:
        outcome = Outcome.NO_START
    # An empty list is what some searches find
    elif not question or (None in searches and not documents):
        outcome = Outcome.HIDDEN
    elif not answer:
        contents = [text for span in [*tops, *models] for text in (span.input, span.output)]
        outcome = Outcome.NO_ANSWER if any(contents) else Outcome.HIDDEN
    elif not documents and not searches:
        outcome = Outcome.NO_RETRIEVAL
    session = next((span.session for span in spans if span.session), "")
    earlier = _earlier([*tops, *models])
    program = next((span.program for span in spans if span.program), "")
    start = min((span.start for span in every if any(span.start)), default=(0.0, ""))
    return _Request(
        outcome, trace, session, question, answer, documents, earlier, scores, program, start
    )


def _question_and_answer(
    tops: Sequence[Span], models: Sequence[Span], steps: Sequence[Span]
) -> tuple[str, str]:
    """Those of one step that has both, else the first question and the last answer."""
    # What a search gave is no answer, where it is all that was asked for
    talks = [span for span in tops if not span.has_searched and span.kind != "tool"]
    own = [(question_of(span.input), answer_of(span.output)) for span in talks]
    if both := next((pair for pair in own if all(pair)), None):
        return both
    searched = next(filter(None, (question_of(s.input) for s in steps if s.has_searched)), "")
    asked = next(filter(None, (question_of(span.input) for span in models)), "")
    # What a model was asked is often a prompt that was written with the question
    if searched and (not asked or searched in asked):
        asked = searched
    answered = next(filter(None, (answer_of(span.output) for span in reversed(models))), "")
    question = next((question for question, _ in own if question), asked)
    return question, next((answer for _, answer in reversed(own) if answer), answered)


def _earlier(spans: Iterable[Span]) -> list[str]:
    """What was said before the last question, where a request holds it."""
    inputs = (span.input for span in spans if span.input is not None)
    messages = conversation_of(next(inputs, None))
    while messages and messages[-1].role != "user":
        messages.pop()
    said = [message.text for message in messages[:-1] if message.role in ("user", "assistant")]
    return [text for text in said if text.strip()][-MOST_EARLIER:]


def _documents(steps: Sequence[Span], texts: Mapping[str, list[str]]) -> dict[str, str]:
    """What was found, in order and once, with where; a reranker's instead of what it was given.

    Of searches in searches the outer one counts: what it gave is what was left of the others. A
    tool that searched is told by its search.
    """
    by_id = {step.id: step for step in steps}
    finders = [step for step in steps if step.id in texts]
    searches = [step for step in finders if step.kind != "tool"]
    within = _within(searches, by_id, texts)
    tools = {step for outer in within.values() for step in outer if by_id[step].kind == "tool"}
    documents: dict[str, str] = {}
    pending: dict[str, str] = {}
    for step in finders:
        if step.kind == "tool":
            if step.id not in tools:
                source = say("tool {name}", name=step.name[:60]) if step.name else say("tool")
                documents |= {text: source for text in texts[step.id] if text not in documents}
            continue
        if any(by_id[outer].kind != "tool" for outer in within[step.id]):
            continue
        if step.kind == "reranker":
            pending = {}
            documents |= {text: "" for text in texts[step.id] if text not in documents}
        else:
            pending |= {text: "" for text in texts[step.id]}
    documents |= {text: "" for text in pending if text not in documents}
    return dict(list(documents.items())[:MOST_DOCUMENTS])


def _within(
    searches: Sequence[Span], by_id: Mapping[str, Span], texts: Mapping[str, list[str]]
) -> dict[str, frozenset[str]]:
    """The searches and tools that gave documents in which each of these lies."""
    # Around each step that was looked at, and around what lies in it
    around: dict[str, frozenset[str]] = {}
    inside: dict[str, frozenset[str]] = {}
    for search in searches:
        path: list[str] = []
        at = search.id
        # Parents of a broken file go in circles
        seen: set[str] = set()
        while at in by_id and at not in inside and at not in seen:
            seen.add(at)
            path.append(at)
            at = by_id[at].parent
        outer = inside.get(at, frozenset())
        for step in reversed(path):
            around[step] = outer
            if step in texts:
                # The nearest of each kind says enough
                same = {each for each in outer if by_id[each].kind == by_id[step].kind}
                outer = (outer - same) | {step}
            inside[step] = outer
    return {search.id: around[search.id] for search in searches}


def _with_earlier_turns(requests: list[_Request]) -> list[_Request]:
    """The requests, with what was said before in their conversations."""
    said: dict[str, list[str]] = {}
    earlier: dict[str, list[str]] = {}
    for request in sorted(requests, key=lambda request: request.start):
        if request.conversation and request.question:
            turns = said.setdefault(request.conversation, [])
            earlier[request.id] = turns[-MOST_EARLIER:]
            turns += [request.question, request.answer]
    talks = Counter(request.conversation for request in requests if request.conversation)
    whole = []
    for request in requests:
        # A request may hold the whole conversation before it
        own = request.earlier or [text for text in earlier.get(request.id, ()) if text]
        is_talk = bool(own) or talks[request.conversation] > 1
        conversation = request.conversation or (request.id if own else "")
        whole.append(request._replace(earlier=own, conversation=conversation if is_talk else ""))
    return whole
