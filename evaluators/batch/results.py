"""What came out of a batch: means with intervals and coverage, read from the files of results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError
from rich.table import Table as RichTable

from evaluators.batch.columns import FAILED, MetricColumns
from evaluators.batch.folder import Folder
from evaluators.batch.groups import Group
from evaluators.batch.sources import Fragment
from evaluators.document.blocks import Blocks, Passage, Table
from evaluators.document.tables import NUMBERS, VALUE, mean_cells
from evaluators.document.terminal import as_text, rich_table
from evaluators.errors import ParameterError
from evaluators.runs.aggregate import Mean, mean_of
from evaluators.runs.findings import OF_THE_HEURISTIC
from evaluators.runs.shown_values import why_no_interval
from evaluators.runs.store import Spent
from evaluators.text.language import mark, say
from evaluators.text.printable import printable
from evaluators.text.words import counted

# More lines than anybody reads; a column of ids would else make one line of each row.
MOST_GROUPS = 500

MOST_REASONS = 1000
"""Different reasons of failures that are counted."""
OF_A_SAMPLE = r"^(Sample .+?): "
"""How a reason in a file of results names its sample, without which failures are counted."""

OTHER_REASONS = "Reasons of fewer rows."

MOST_TOLD = 3
"""Reasons of failures that the results name when they are printed."""

EACH_ROW_COUNTS = mark(
    "Each row counts for itself: where the same questions stand in several rows, the intervals are "
    "too narrow."
)

NONE = ""
"""The group of rows whose cell is empty."""

Means = dict[str, Mean]


class FileRows(NamedTuple):
    """The rows of one file of results, and how many of them a metric failed on."""

    rows: int
    failed: int


class FailedRows(NamedTuple):
    """How many rows failed for one reason, and the first of them: its file and its number there."""

    rows: int
    file: str
    row: int

    def __str__(self) -> str:
        place = f"{self.file}, row {self.row:,}"
        return f"1 row ({place})" if self.rows == 1 else f"{self.rows:,} rows (first: {place})"


@dataclass(frozen=True)
class BatchResults:
    """What is in the folder: `rows` judged, of `finished` files among `files`.

    `failures` says by reason which rows failed, the most frequent first; `problems` of each file
    that cannot be read why; `stopped` why the batch did not come to its end, empty where it did;
    `spent` is what judges were paid, over all attempts; `by_file` are the rows of each finished
    file.
    """

    folder: str
    rows: int
    finished: tuple[str, ...]
    means: Means
    groups: Mapping[str, Mapping[str, Means]] = field(default_factory=dict)
    failures: Mapping[str, FailedRows] = field(default_factory=dict)
    files: int = 0
    problems: Mapping[str, str] = field(default_factory=dict)
    spent: Mapping[str, Spent] = field(default_factory=dict)
    stopped: str = ""
    by_file: Mapping[str, FileRows] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        folder: Folder,
        fragments: Sequence[Fragment],
        columns: Sequence[MetricColumns],
        groups: Sequence[Group],
    ) -> BatchResults:
        """The results of these files; a column at a time is in memory."""
        files = _Files(folder, tuple(fragment.name for fragment in fragments))
        by_group = {group.text: _means_by(files, columns, group) for group in groups}
        by_file, failures = _rows_and_failures(files, columns)
        return cls(
            folder=folder.address,
            rows=sum(own.rows for own in by_file.values()),
            finished=files.names,
            means=_means(files, columns, {"": slice(None)})[""],
            groups=by_group,
            failures=failures,
            by_file=by_file,
        )

    @classmethod
    def of_manifest(cls, folder: str, manifest: Mapping[str, Any]) -> BatchResults:
        """The results that `manifest()` told of; raises `ValueError` where it is not whole."""
        content = {**manifest, "folder": folder, "means": manifest.get("values")}
        try:
            return _WHOLE.validate_python(content)
        except ValidationError as error:
            raise ValueError("it is not whole") from error

    def __fspath__(self) -> str:
        return self.folder

    @property
    def is_complete(self) -> bool:
        """Whether every file is judged."""
        return len(self.finished) == self.files

    def summary(self) -> Means:
        """The mean of each value with its 95 % interval and its coverage, over all rows."""
        return dict(self.means)

    def by(self, group: str) -> dict[str, Means]:
        """The same for each group of rows, in the order of the groups' names.

        The group "" are rows whose cell is empty. Raises `ParameterError` for a group that the
        batch was not made with, and for one of more than 500 different values.
        """
        if group not in self.groups:
            known = ", ".join(self.groups) or "none"
            raise ParameterError(
                f"The batch was not grouped by {printable(group)[:60]}. It was by: {known}."
            )
        if self._has_too_many(group):
            raise ParameterError(_too_many(group))
        return {name: dict(own) for name, own in self.groups[group].items()}

    def _has_too_many(self, group: str) -> bool:
        """Whether there are so many groups that nothing was summed up by them."""
        return self.rows > 0 and not self.groups[group]

    def headline(self) -> str:
        """How far it came: "2 of 3 files, 1,200 rows"."""
        files = f"{len(self.finished):,} of {self.files:,} files"
        return f"{printable(self.folder)}: {files}, {counted(self.rows, 'row')}"

    @property
    def cautions(self) -> list[str]:
        """What to beware of: labels of the heuristic, questions that repeat, means of one row."""
        means = self.means.values()
        groups = chain.from_iterable(group.values() for group in self.groups.values())
        of_groups = chain.from_iterable(own.values() for own in groups)
        cautions = [say(OF_THE_HEURISTIC)] if any(mean.estimated for mean in means) else []
        if any(mean.low is not None for mean in means):
            cautions.append(say(EACH_ROW_COUNTS))
        further = (why_no_interval(means), why_no_interval(of_groups, of_groups=True))
        return [*cautions, *filter(None, further)]

    def document(self, groups: Iterable[str] = ()) -> Blocks:
        """How far it came, what to beware of, and the means, by these groups as well."""
        shown = ["", *(group for group in groups if self.groups[group])]
        heads = map(Passage, [self.headline(), *self.cautions])
        return [*heads, *map(self._means_table, shown)]

    def table(self, group: str = "") -> RichTable:
        """The means as a table for a terminal, of all rows or by group."""
        return rich_table(self._means_table(group))

    def _means_table(self, group: str = "") -> Table:
        by_name = self.by(group) if group else {"": self.means}
        lines = []
        # One value after the other: so it is seen how each changes from group to group.
        for value in self.means:
            for name, means in by_name.items():
                of_group = [name or "(none)"] if group else []
                lines.append([value, *of_group, *mean_cells(means[value])])
        headings = [VALUE, *([group] if group else []), *NUMBERS]
        return Table(headings, lines, NUMBERS)

    def manifest(self) -> dict[str, Any]:
        """All of it for a program."""
        content = _WHOLE.dump_python(self, mode="json", exclude={"folder"})
        return {"values": content.pop("means"), **content}

    def __str__(self) -> str:
        return "\n".join([as_text(self.document()), *self.shortcomings()])

    def shortcomings(self) -> list[str]:
        """What is wanting, a sentence each; none where every row of every file is judged."""
        lines = []
        if not self.is_complete:
            unfinished = self.files - len(self.finished)
            lines.append(
                f"Not finished: {unfinished:,} of {self.files:,} files. The same command goes on."
            )
        lines += [self.stopped] if self.stopped else []
        lines += [f"{name}: {why}" for name, why in self.problems.items()]
        lines += [_too_many(group) for group in self.groups if self._has_too_many(group)]
        reasons = list(self.failures.items())
        lines += [f"{failed}: {why}" for why, failed in reasons[:MOST_TOLD]]
        if len(reasons) > MOST_TOLD:
            lines.append(f"... and {len(reasons) - MOST_TOLD:,} more reasons.")
        return list(map(printable, lines))


def _too_many(group: str) -> str:
    return (
        f"{printable(group)[:60]} has more than {MOST_GROUPS} different values. Group by a column "
        "with fewer."
    )


_WHOLE = TypeAdapter(BatchResults)


class _Files(NamedTuple):
    """The columns of all files of results, one after the other."""

    folder: Folder
    names: tuple[str, ...]

    def columns(self, name: str) -> Iterator[pa.ChunkedArray]:
        """A column, file by file."""
        for file_name in self.names:
            with self.folder.results(file_name) as file:
                column = file.read([name]).column(0)
            yield column

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers; NaN where there is none."""
        none = np.empty(0)
        return np.concatenate([none, *(column.to_numpy() for column in self.columns(name))])

    def are(self, name: str, text: str) -> NDArray[np.bool_]:
        """Where a column of texts says this."""
        none = np.empty(0, dtype=bool)
        every = (pc.equal(column, text).to_numpy() for column in self.columns(name))
        return np.concatenate([none, *every])

    def numbered(self, name: str) -> tuple[NDArray[np.int64], list[str]]:
        """A column of texts as numbers, and the text of each number, as far as they are few."""
        known: dict[str, int] = {}
        parts = [np.empty(0, dtype=np.int64)]
        for column in self.columns(name):
            # Codes take a fraction of the memory that a text for each row would.
            encoded = column.fill_null(NONE).combine_chunks().dictionary_encode()
            texts = encoded.dictionary.to_pylist()
            own = [known.setdefault(text, len(known)) for text in texts]
            if len(known) > MOST_GROUPS:
                return np.empty(0, dtype=np.int64), []
            codes = encoded.indices.to_numpy()
            # A file without rows has no text for a code.
            parts.append(np.array(own, dtype=np.int64)[codes] if own else codes)
        return np.concatenate(parts), list(known)


def _means_by(files: _Files, columns: Sequence[MetricColumns], group: Group) -> dict[str, Means]:
    """The means of each group, by its name; empty where there are too many groups."""
    codes, names = files.numbered(group.name)
    # Sorted once: a look at all rows for each group would take as long as there are groups.
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    parts = zip(names, pairwise([0, *ends]), strict=True)
    own = {name: order[start:end] for name, (start, end) in parts}
    return _means(files, columns, {name: own[name] for name in sorted(own)})


def _means(
    files: _Files,
    columns: Sequence[MetricColumns],
    rows: Mapping[str, NDArray[np.int64] | slice],
) -> dict[str, Means]:
    """The means over these rows, by the name of what they are."""
    means: dict[str, Means] = {name: {} for name in rows}
    for metric in columns if rows else ():
        has_failed = files.are(metric.status, FAILED)
        for column in metric.values.values():
            values = files.numbers(column)
            for name, own in rows.items():
                means[name][column] = _mean(values[own], has_failed[own], metric.is_estimate)
    return means


def _mean(
    values: NDArray[np.float64],
    has_failed: NDArray[np.bool_],
    is_estimate: bool,
) -> Mean:
    """The mean of a value over rows: what did not fail and has no value is not applicable."""
    judged = values[~np.isnan(values)]
    failed = int(has_failed.sum())
    return mean_of(
        judged,
        asked=len(values),
        not_applicable=len(values) - len(judged) - failed,
        failed=failed,
        estimated=len(judged) if is_estimate else 0,
    )


def _rows_and_failures(
    files: _Files,
    columns: Sequence[MetricColumns],
) -> tuple[dict[str, FileRows], dict[str, FailedRows]]:
    """The rows of each file, and why rows failed: each reason with its rows, most frequent first.

    A reason does not say which sample it is: whatever rows are called, they failed alike.
    """
    by_file: dict[str, FileRows] = {}
    found: dict[str, FailedRows] = {}
    rarer = FailedRows(0, "", 0)
    for name in files.names:
        parts = []
        with files.folder.results(name) as file:
            rows = file.metadata.num_rows
            for metric in columns:
                numbers, reasons = file.read(["row", metric.error]).drop_null().columns
                alike = pc.replace_substring_regex(reasons, OF_A_SAMPLE, "")
                parts.append(pa.table({"row": numbers, "reason": alike}))
        failed = pa.concat_tables(parts)
        by_file[name] = FileRows(rows, pc.count_distinct(failed["row"]).as_py())
        # A row that fails as a whole fails by every metric: it counts once for each reason.
        by_reason = failed.group_by(["reason"]).aggregate(
            [("row", "count_distinct"), ("row", "min")]
        )
        for reason, count, first in zip(*by_reason.to_pydict().values(), strict=True):
            before = found.get(reason, FailedRows(0, name, first))
            found[reason] = before._replace(rows=before.rows + count)
        in_order = sorted(found.items(), key=lambda item: item[1].rows, reverse=True)
        # A reason may quote its row, and then each row has one of its own.
        for _, failures in in_order[MOST_REASONS:]:
            rarer = (rarer if rarer.rows else failures)._replace(rows=rarer.rows + failures.rows)
        found = dict(in_order[:MOST_REASONS])
    return by_file, {**found, OTHER_REASONS: rarer} if rarer.rows else found
