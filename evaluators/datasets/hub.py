"""Data sets of the Hugging Face hub: what there is, and the first rows of a split.

Nothing of a data set is run, no key is sent and nothing is kept on disk: its files are read as
uploads are. The environment variable HF_ENDPOINT of the hub's library names another host.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from evaluators.config import config
from evaluators.datasets.download import (
    REMEDY,
    SECONDS,
    Fetched,
    Progress,
    check_size,
    in_words,
    received,
)
from evaluators.datasets.readers import read_first
from evaluators.datasets.table import Problem, Row, Table
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say
from evaluators.text.words import joined_sentences

if TYPE_CHECKING:
    from httpx2 import Response

RAGBENCH = "rungalileo/ragbench"
SUBSETS = (
    "covidqa",
    "cuad",
    "delucionqa",
    "emanual",
    "expertqa",
    "finqa",
    "hagrid",
    "hotpotqa",
    "msmarco",
    "pubmedqa",
    "tatqa",
    "techqa",
)
"""The parts of RAGBench, each with the splits train, validation and test."""

MOST_FILES = 5000
MOST_PATTERNS = 1000
"""Of the files of one card, which may have a few for each of some hundred languages."""
MOST_COMPARED = 100_000
"""Paths that begin as a pattern does and are compared with the rest of it, which takes some
microseconds each.
"""
LONGEST_PATH = 200
"""Characters of a path, and of a pattern: to make sense of a long one takes time that grows with
its square.
"""
LONGEST_DESCRIPTION = 8 * 2**20
"""Bytes of what the hub tells of a data set: some 30,000 files. As objects it may take forty times
as much.
"""
_ADDRESS = "https://huggingface.co"
_ID = re.compile(
    r"(?:https://huggingface\.co/datasets/)?([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})/?",
    re.ASCII,
)
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,95}", re.ASCII)
_CELLS = (".csv", ".tsv")
_LINES = (*_CELLS, ".jsonl", ".ndjson")
"""Formats whose first rows are known before the last one is there."""
_FORMATS = (
    *_LINES,
    ".json",
    ".parquet",
    ".xlsx",
    *(f"{suffix}.gz" for suffix in (*_LINES, ".json")),
)
_ENDING = re.compile(r"(-\d{5}-of-\d{5})?\.[a-z]+(\.gz)?$")
_WILD = re.compile(r"[*?[]")
_NO_DATA = ("dataset_infos.json", "dataset_dict.json")
_SLACK = 100
"""Lines beyond the rows that are wanted: the names of the columns, and empty ones."""


class File(NamedTuple):
    """A file of a data set; its size in bytes is 0 where the hub does not tell."""

    path: str
    size: int


Splits = dict[str, tuple[File, ...]]


class _Sibling(BaseModel):
    rfilename: str
    size: int | None = None


class _Described(BaseModel):
    """What the hub tells of a data set, as far as it is used; strangers write the card's head."""

    siblings: tuple[_Sibling, ...] = ()
    card: dict[str, Any] | None = Field(None, alias="cardData")
    gated: bool | str = False
    sha: str | None = None


@dataclass(frozen=True)
class Listing:
    """What a data set has: the files of each split of each configuration.

    `license` is empty where none is stated.
    """

    id: str
    license: str
    revision: str
    configs: dict[str, Splits]


def files(dataset_id: str) -> Listing:
    """What there is of a data set, given as owner/name or by the address of its page.

    Raises `DatasetError` where the hub cannot be reached, or has no such data set that anybody may
    read.
    """
    name = checked_id(dataset_id)
    described = _described(name)
    if described.gated:
        raise DatasetError(say(_GATED, data_set=name, remedy=say(REMEDY)))
    return _listing(name, described)


def checked_id(dataset_id: str) -> str:
    """The id as owner/name, also of the address of a page; raises `DatasetError` for no id."""
    given = dataset_id.strip()
    if _NAME.fullmatch(given):
        raise DatasetError(
            say(
                "{given!r} has no owner. Write it as owner/name, such as rajpurkar/squad.",
                given=given,
            )
        )
    found = _ID.fullmatch(given)
    # The hub allows neither, and its library answers them with errors of its own
    if not found or ".." in found[1] or "--" in found[1]:
        raise DatasetError(
            say("{given!r} is not a data set of the hub. Write it as owner/name.", given=given[:80])
        )
    return found[1]


def fetch(
    listing: Listing,
    config_name: str,
    split: str,
    rows: int | None = None,
    on_progress: Progress | None = None,
) -> Fetched:
    """The first rows of a split, at most as many as a data set may have.

    Raises `DatasetError` where there is no such split, or it cannot be read.
    """
    chosen = _files_of_split(listing, config_name, split)
    most = config().rows_per_dataset
    wanted = min(rows or most, most)
    found = _rows_of_files(listing, chosen, wanted, on_progress)
    # "default" is what the hub calls the only configuration, which says nothing
    configuration = [] if config_name == "default" else [config_name]
    name = " ".join([listing.id.split("/")[1], *configuration, split])
    origin = {
        "id": listing.id,
        "config": config_name,
        "split": split,
        "rows": wanted,
        "revision": listing.revision,
        "license": listing.license,
    }
    return Fetched(name, found, {"hub": origin})


def host() -> str:
    """The name of the hub's host."""
    return urlsplit(endpoint()).netloc


# Listing


def _described(dataset_id: str) -> _Described:
    address = f"{endpoint()}/api/datasets/{dataset_id}?blobs=true"
    with _answer(dataset_id, address) as response:
        name = say("The list of files of {data_set}", data_set=dataset_id)
        data = received(name, response, LONGEST_DESCRIPTION)
    try:
        return _Described.model_validate_json(data)
    except ValidationError as error:
        raise DatasetError(
            say(
                "{host} does not answer as the hub does. Check HF_ENDPOINT. {remedy}",
                host=host(),
                remedy=say(REMEDY),
            )
        ) from error


def _listing(dataset_id: str, described: _Described) -> Listing:
    card = described.card or {}
    usable: list[File] = []
    for sibling in described.siblings:
        if len(usable) == MOST_FILES:
            break
        if _is_data(sibling.rfilename):
            usable.append(File(sibling.rfilename, sibling.size or 0))
    if not usable:
        raise DatasetError(
            say(
                "{data_set} holds no CSV, JSON, Parquet or XLSX files. {remedy}",
                data_set=dataset_id,
                remedy=say(REMEDY),
            )
        )
    files = tuple(usable)
    configs = _declared(card.get("configs"), files)
    if not configs:
        configs = _by_folder(files)
    stated = card.get("license")
    # A licence that is none of the usual ones has a name of its own
    if stated == "other":
        stated = card.get("license_name")
    names = stated if isinstance(stated, list) else [stated]
    license_names = ", ".join(str(name)[:80] for name in names if name)
    return Listing(dataset_id, license_names, described.sha or "main", configs)


def _is_data(path: str) -> bool:
    if len(path) > LONGEST_PATH:
        return False
    parts = PurePosixPath(path).parts
    if parts[-1] in _NO_DATA or any(part.startswith(".") for part in parts):
        return False
    return path.lower().endswith(_FORMATS)


def _declared(configs: Any, usable: tuple[File, ...]) -> dict[str, Splits]:
    """The configurations that a card declares, as far as they have files."""
    declared = configs if isinstance(configs, list) else []
    entries = [entry for entry in declared if isinstance(entry, dict)]
    left = _Left(MOST_PATTERNS, MOST_COMPARED)
    splits_by_name: dict[str, Splits] = {}
    for entry in entries[:MOST_PATTERNS]:
        name = str(entry.get("config_name", "default"))[:100]
        splits_by_name[name] = _splits(entry, usable, left)
    return {name: splits for name, splits in splits_by_name.items() if splits}


@dataclass
class _Left:
    """How much more of a card is looked at; it may be written to cost hours."""

    patterns: int
    compared: int


def _splits(entry: Mapping[str, Any], usable: tuple[File, ...], left: _Left) -> Splits:
    folder = str(entry.get("data_dir") or "").strip("/")
    inside = f"{folder}/" if folder else ""
    if not entry.get("data_files"):
        in_folder: list[File] = []
        if folder:
            in_folder = [file for file in usable if file.path.startswith(inside)]
        in_folder = in_folder[: max(0, left.compared)]
        left.compared -= len(in_folder)
        return _by_name(in_folder)
    splits: Splits = {}
    for split, patterns in _patterns(entry["data_files"]):
        looked_at = patterns[: max(0, left.patterns)]
        left.patterns -= len(looked_at)
        named: set[File] = set()
        for pattern in looked_at:
            path = inside + pattern.removeprefix("./")
            named.update(_files_named(path, usable, left))
        if named:
            # In the order of the listing, so that numbered parts follow each other
            matching = tuple(file for file in usable if file in named)
            splits[split] = splits.get(split, ()) + matching
    return splits


def _patterns(declared: Any) -> Iterator[tuple[str, list[str]]]:
    """Each split with the patterns of its files.

    A card may write them as a text, a list or an object.
    """
    if isinstance(declared, dict):
        declared = [{"split": split, "path": path} for split, path in declared.items()]
    entries = declared[:MOST_PATTERNS] if isinstance(declared, list) else [declared]
    for entry in entries:
        # The hub's library calls files without a split "train" as well
        split = "train"
        paths = entry
        if isinstance(entry, dict):
            split = entry.get("split") or split
            paths = entry.get("path")
        if not isinstance(paths, list):
            paths = [paths]
        yield str(split)[:100], [str(path) for path in paths if path]


def _files_named(pattern: str, usable: tuple[File, ...], left: _Left) -> list[File]:
    """The files that a pattern names.

    Only ** goes into folders, as the slashes of both are counted.
    """
    if len(pattern) > LONGEST_PATH:
        return []
    begins = _WILD.split(pattern, maxsplit=1)[0]
    possible = [file for file in usable if file.path.startswith(begins)]
    # fnmatch lets * go into folders
    if "**" not in pattern:
        slashes = pattern.count("/")
        possible = [file for file in possible if file.path.count("/") == slashes]
    possible = possible[: max(0, left.compared)]
    left.compared -= len(possible)
    wildcard = pattern.replace("**/", "*")
    return [file for file in possible if fnmatchcase(file.path, wildcard)]


def _by_folder(usable: tuple[File, ...]) -> dict[str, Splits]:
    """A configuration for each folder, for data sets whose card declares none."""
    folders: dict[str, list[File]] = {}
    for file in usable:
        folder = str(PurePosixPath(file.path).parent)
        name = "default" if folder == "." else folder
        folders.setdefault(name, []).append(file)
    return {name: _by_name(inside) for name, inside in folders.items()}


def _by_name(inside: Any) -> Splits:
    """A split for each name of a file; numbered parts belong together."""
    splits: dict[str, list[File]] = {}
    for file in sorted(inside):
        split = _ENDING.sub("", PurePosixPath(file.path).name)
        splits.setdefault(split, []).append(file)
    return {split: tuple(files) for split, files in splits.items()}


# Rows


def _files_of_split(listing: Listing, config_name: str, split: str) -> tuple[File, ...]:
    splits = listing.configs.get(config_name, {})
    if split in splits:
        return splits[split]
    words = mark("{data_set} has no split {name!r}. Choose one of: {known}.")
    name, there = split, list(splits)
    if config_name not in listing.configs:
        words = mark("{data_set} has no configuration {name!r}. Choose one of: {known}.")
        name, there = config_name, list(listing.configs)
    known = ", ".join(there[:20])
    raise DatasetError(say(words, data_set=listing.id, name=name[:60], known=known))


def _rows_of_files(
    listing: Listing,
    chosen: tuple[File, ...],
    wanted: int,
    on_progress: Progress | None,
) -> Table:
    """The rows of all files, one after the other, until there are enough."""
    tables: list[Table] = []
    missing = wanted
    here = 0
    in_all = sum(file.size for file in chosen)

    def report(in_file: int, size: int) -> None:
        if on_progress:
            on_progress(here + in_file, in_all or here + size)

    for file in chosen:
        data = _file_bytes(listing, file, missing, report)
        here += len(data)
        table = read_first(PurePosixPath(file.path).name, data, missing)
        tables.append(table)
        # Broken rows count too, or a file of nothing else would be read to its end
        missing -= len(table.rows) + len(table.problems)
        if missing <= 0:
            return _joined_tables(
                tables, say("These are the first {wanted:,} rows of the split.", wanted=wanted)
            )
    return _joined_tables(tables)


def _joined_tables(tables: list[Table], *notes: str) -> Table:
    """One table of several, its rows numbered on."""
    rows: list[Row] = []
    problems: list[Problem] = []
    last = 0
    for table in tables:
        # Whichever of row and problem ends the file: the next one goes on counting from there
        end = last
        for number, cells in table.rows:
            rows.append((last + number, cells))
            end = max(end, last + number)
        for problem in table.problems:
            problems.append(replace(problem, row=last + problem.row))
            end = max(end, last + problem.row)
        last = end
    notes_of_tables = [table.note for table in tables]
    # Parts of one split mostly need the same remark
    sentences = dict.fromkeys(filter(None, [*notes_of_tables, *notes]))
    return Table(rows, problems, tables[0].format, joined_sentences(sentences))


def _file_bytes(
    listing: Listing,
    file: File,
    rows: int,
    on_progress: Progress,
) -> bytes:
    """A file, or as much of it as holds the rows that are wanted."""
    from huggingface_hub import hf_hub_url

    limit = config().decoded_bytes
    path = file.path.lower()
    ends: _RowEnds | None = None
    if path.endswith(_LINES):
        ends = _RowEnds(rows + _SLACK, has_quoted_cells=path.endswith(_CELLS))
    else:
        # Only lines can be read in part; of another format nothing is fetched that is too large
        check_size(file.path, file.size, limit)
    address = hf_hub_url(
        listing.id,
        file.path,
        repo_type="dataset",
        revision=listing.revision,
        endpoint=endpoint(),
    )
    with _answer(listing.id, address) as response:
        is_enough = ends.are_reached if ends else None
        data = received(file.path, response, limit, on_progress, is_enough)
    if ends and ends.left <= 0:
        # The last line may have come in part
        return data[: data.rfind(b"\n") + 1]
    return data


class _RowEnds:
    """Counts down the rows of a text file while it arrives; in CSV a line that ends between quotes
    ends no row.
    """

    def __init__(self, most: int, has_quoted_cells: bool) -> None:
        self.left = most
        self._has_quoted_cells = has_quoted_cells
        self._is_quoted = False

    def are_reached(self, piece: bytes) -> bool:
        """Whether as many rows as are wanted have ended with this piece."""
        # Every second part is quoted; the first one is where the last piece ended between quotes
        parts = piece.split(b'"') if self._has_quoted_cells else [piece]
        self.left -= sum(part.count(b"\n") for part in parts[self._is_quoted :: 2])
        self._is_quoted ^= len(parts) % 2 == 0
        return self.left <= 0


# The host


def endpoint() -> str:
    """The address of the hub, without a path."""
    return os.environ.get("HF_ENDPOINT", _ADDRESS).rstrip("/")


@contextmanager
def _answer(dataset_id: str, address: str) -> Iterator[Response]:
    """What the hub answers, to be read in pieces; raises `DatasetError` where it refuses.

    Of a refusal nothing is read but its head: the rest may be endless.
    """
    from huggingface_hub import get_session

    headers = {"accept-encoding": "identity"}
    with (
        in_words(host()),
        get_session().stream("GET", address, headers=headers, timeout=SECONDS) as response,
    ):
        if response.status_code != 200:
            code = response.headers.get("x-error-code", "")
            raise DatasetError(_refusal_of_the_hub(dataset_id, response.status_code, code))
        yield response


_GATED = mark(
    "{data_set} asks its readers to accept conditions first. Do that with an account of your own. "
    "{remedy}"
)


def _refusal_of_the_hub(dataset_id: str, status: int, code: str) -> str:
    words = mark("{host} answers with error {status}. Try again later. {remedy}")
    if code == "GatedRepo" or status == 403:
        words = _GATED
    elif code == "EntryNotFound":
        words = mark("{data_set} has changed while it was read. Look it up again.")
    elif status in (401, 404):
        words = mark("{host} has no data set {data_set} that anybody may read. Check its name.")
    elif status == 429:
        words = mark(
            "{host} does not answer for now, because this address has asked too often. "
            "Try again in a few minutes."
        )
    return say(words, host=host(), data_set=dataset_id, status=status, remedy=say(REMEDY))
