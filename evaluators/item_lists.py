"""Items in lists, as the documented `compute` takes them: each is judged, and fails, alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from evaluators import arguments
from evaluators.config import config
from evaluators.datasets.cells import is_missing
from evaluators.errors import ParameterError, PlumblineError
from evaluators.records import Sample
from evaluators.text.printable import shown

T = TypeVar("T")
AverageT = TypeVar("AverageT")
ItemT = TypeVar("ItemT")

Outcomes = tuple[list[T | None], dict[int, str]]
"""The value of each item, `None` where it failed, and the messages by number from 0."""


@dataclass(frozen=True)
class AveragedItems(Sequence[Any], Generic[AverageT, ItemT]):
    """What `compute` gives; it is read like the pair (average, value of each item).

    An item that could not be judged is `None`, has no part in the average, and its message is in
    `errors` by its number from 0.
    """

    avg_score: AverageT
    per_item_scores: list[ItemT | None]
    errors: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: Any) -> Any:
        return (self.avg_score, self.per_item_scores)[place]


Averaged = AveragedItems[float | None, float]
"""The average is `None` where nothing was judged."""


def item_rows(needed: Collection[str], **columns: Iterable[Any] | None) -> list[tuple[Any, ...]]:
    """The items, one value from each column in their order.

    Of a column that was not given each value is `None`. Raises `ParameterError` where a needed
    column is missing, where one is not a list, or where their lengths differ.
    """
    for name in needed:
        if columns[name] is None:
            raise ParameterError(f"{name} is missing. Give a list with one entry for each item.")
    entries: dict[str, list[Any]] = {}
    for name, column in columns.items():
        if column is None:
            continue
        in_order = arguments.entries(column)
        if in_order is None:
            raise ParameterError(
                f"{name} is {shown(column)}. Give a list with one entry for each item."
            )
        entries[name] = in_order
    lengths = {name: len(column) for name, column in entries.items()}
    if len(set(lengths.values())) > 1:
        listing = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ParameterError(
            f"The lists are not equally long: {listing}. Give one entry for each item."
        )
    nothing = [None] * max(lengths.values(), default=0)
    return list(zip(*(entries.get(name, nothing) for name in columns), strict=True))


def outcomes(judge: Callable[..., T], items: Iterable[tuple[Any, ...]]) -> Outcomes[T]:
    """What `judge` says of each item."""
    values: list[T | None] = []
    errors: dict[int, str] = {}
    for number, item in enumerate(items):
        try:
            values.append(judge(*item))
        except PlumblineError as error:
            values.append(None)
            errors[number] = str(error)
    return values, errors


def at_once(
    judge: Callable[..., T],
    items: Iterable[tuple[Any, ...]],
    on_progress: Callable[[float], object] = lambda share: None,
) -> Outcomes[T]:
    """The same with many items at once, which pays where judging is waiting for an LLM.

    `on_progress` is told the share that is done, on the thread that waits.
    """
    pool = ThreadPoolExecutor(config().workers)
    try:
        futures = [pool.submit(judge, *item) for item in items]

        def in_order() -> Iterator[tuple[Future[T]]]:
            # Read in the order of the items, whichever is ready first.
            for number, future in enumerate(futures):
                on_progress(number / len(futures))
                yield (future,)

        return outcomes(Future.result, in_order())
    finally:
        # After Ctrl-C or a mistake in the code nothing more is asked.
        pool.shutdown(cancel_futures=True)


def averaged(judge: Callable[..., float], **columns: Iterable[Any]) -> Averaged:
    """What `judge` says of each item, and the mean over the judged; every column is needed."""
    values, errors = outcomes(judge, item_rows(tuple(columns), **columns))
    return Averaged(mean(values), values, errors)


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the known values, `None` where there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def item_as_sample(
    *,
    question: object,
    response: object = None,
    contexts: object = None,
    ground_truth: object = None,
) -> Sample:
    """One item as a sample; what is `None` or an empty cell is absent, an absent question empty.

    Raises `MissingInputError` for what is not text.
    """
    fields: dict[str, Any] = {"question": ""}
    if not is_missing(question):
        fields["question"] = arguments.text(question, "question")
    if not is_missing(response):
        fields["response"] = arguments.text(response, "response")
    if not is_missing(contexts):
        fields["retrieved_documents"] = arguments.retrieved(contexts, "contexts")
    if not is_missing(ground_truth):
        fields["ground_truth"] = arguments.accepted(ground_truth, "ground_truth")
    return Sample(id="item", **fields)
