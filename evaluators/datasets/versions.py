"""Columns whose values are versions of a system that answered the same questions: prompts, models,
sizes of chunks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, islice
from types import NoneType
from typing import Any

from evaluators.datasets.names import SCORES, folded, is_never_a_field, last_part
from evaluators.datasets.table import Table
from evaluators.text.normalise import one_line

FEWEST, MOST = 2, 20
"""Versions that are compared: more of them would be ids."""
LONGEST = 100
"""Characters of a value: a longer one is a text and names no version."""
MOST_COLUMNS = 200
MOST_ROWS = 2_000
"""Rows of the first repeated questions, wherever they stand, by which a column is judged."""
REPEATED = 0.25
"""The least share of rows whose question is asked again: fewer are repeated by mistake."""
EVEN = 0.9
"""The least share of versions that answered their questions equally often, as verdicts do not."""

_Answer = tuple[str, str, str]
"""A question, the version that answered, and what."""

_OF_A_VERSION = (str, int, float, NoneType)
_BLANK = frozenset(("", None))

_KNOWN = re.compile(
    "(^|_)(version|variant|prompt|template|system_prompt|model|llm|generator|chunk_size|chunking"
    "|chunk_overlap|top_?k|k|retriever|reranker|embeddings?|embedding_model|temperature|system"
    "|config|configuration|experiment|pipeline|strategy|setting|release|branch)(_|$)|版本|模型|提示"
)
"""Stands in the name of a column that says how answers were made."""
_OTHER = frozenset(
    (
        "label", "labels", "correct", "repeat", "repetition", "trial", "seed", "fold", "turn",
        "rank", "position", "annotator", "rater", "split", "row", "passage", "document", "doc",
        "title", "page",
    )
)  # fmt: skip
"""Words in the name of a column that says something else."""


def versions_in(table: Table, names: Sequence[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    """The columns by which answers to the same questions can be compared, the likeliest first.

    `columns` are those of the fields of a sample. Where there are no answers to differ, the name
    must say that it is a version: other rows of one question are its passages.
    """
    question = columns.get("question")
    if question is None:
        return ()
    asked = [one_line(str(_cell(row, question))) for _, row in table.rows]
    times = Counter(asked)
    repeated = [place for place, text in enumerate(asked) if text and times[text] > 1]
    if len({asked[place] for place in repeated}) < FEWEST:
        return ()
    if len(repeated) < REPEATED * len(asked):
        return ()
    response = columns.get("response")
    responses = [str(_cell(row, response) or "") if response else "" for _, row in table.rows]
    questions = dict.fromkeys(asked[place] for place in repeated)
    together = accumulate(times[question] for question in questions)
    few = sum(rows <= MOST_ROWS for rows in together)
    read = set(islice(questions, few))
    places = [place for place in repeated if asked[place] in read]
    found = []
    for name in names[:MOST_COLUMNS]:
        if name in columns.values() or _says_something_else(name):
            continue
        if values := _few_values([_cell(table.rows[place][1], name) for place in places]):
            answers = [
                (asked[place], value, responses[place])
                for place, value in zip(places, values, strict=True)
            ]
            may_be = _differ(answers) if any(responses) else is_version(name)
            if may_be and _are_even(answers):
                found.append(name)
    # Sorting keeps the order of the file.
    return tuple(sorted(found, key=lambda name: not is_version(name)))


def is_version(name: str) -> bool:
    return bool(_KNOWN.search(folded(last_part(name))))


def _says_something_else(name: str) -> bool:
    words = folded(last_part(name))
    is_of_answer = SCORES.search(words) or not _OTHER.isdisjoint(words.split("_"))
    return is_never_a_field(last_part(name)) or bool(is_of_answer)


def _cell(row: Mapping[str, Any], column: str) -> Any:
    """What the row holds, in an object too; objects that are texts are not read for it."""
    if column in row:
        return row[column]
    value: Any = row
    for name in column.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _few_values(cells: Sequence[Any]) -> list[str]:
    """Each cell as a text, empty for a blank; none where they are too many, or texts."""
    texts: dict[Any, str] = {}
    for cell in cells:
        if not isinstance(cell, _OF_A_VERSION):
            return []
        if cell not in texts and cell == cell:
            texts[cell] = "" if cell is None else str(cell)
            if len(texts) > MOST + len(_BLANK.intersection(texts)) or len(texts[cell]) > LONGEST:
                return []
    is_enough = len(texts.keys() - _BLANK) >= FEWEST
    # What is not equal to itself (NaN) is blank.
    return [texts.get(cell, "") for cell in cells] if is_enough else []


def _are_even(answers: Collection[_Answer]) -> bool:
    """Whether most questions were answered by several versions, and by each as often."""
    counts = Counter((question, version) for question, version, _ in answers if version)
    questions = Counter(question for question, _ in counts)
    if not counts or 2 * sum(count > 1 for count in questions.values()) < len(questions):
        return False
    [(_, usual)] = Counter(counts.values()).most_common(1)
    return usual >= EVEN * len(counts)


def _differ(answers: Collection[_Answer]) -> bool:
    """Whether two versions answered any question otherwise."""
    first: dict[str, tuple[str, str]] = {}
    for question, version, response in answers:
        other, earlier = first.setdefault(question, (version, response))
        if version != other and response != earlier:
            return True
    return False
