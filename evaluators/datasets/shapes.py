"""Which kind of file this is, and which of its columns means what; a doubtful guess says so by its
confidence.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Any

from evaluators.datasets.table import Table
from evaluators.surrogates import without_surrogates
from evaluators.text.normalise import is_chinese, nfkc

SURE = 0.5
"""A guess with less confidence needs a person's confirmation."""

COLUMNS = {
    "question": ("question", "query", "user_input"),
    "response": ("response", "llm_response", "prediction", "output"),
    "retrieved_documents": (
        "retrieved_documents", "retrieved_contexts", "retrieval_context", "documents", "contexts",
        "context", "docs",
    ),
    "gold_documents": (
        "gold_documents", "gold_contexts", "gold_context", "reference_contexts", "gt_contexts",
    ),
    "ground_truth": ("ground_truth", "reference", "expected_answer", "answer", "ans"),
}  # fmt: skip
"""The usual names of each field, the best first: DeepEval has the true contexts as "context",
beside retrieved ones.
"""

FURTHER = {
    "question": (
        "user_query user_question question_text input 问题 提问 查询 用户问题 用户提问 "
        "frage fragen pregunta"
    ),
    "response": (
        "pred_answer predicted_answer generated_answer generated_response generated_text "
        "model_answer model_response model_output "
        "system_answer llm_answer llm_output rag_answer bot_answer "
        "chatbot_response actual_output completion generated pred "
        "回答 模型回答 回复 答复 输出 生成答案 modellantwort generierte_antwort "
        "réponse_générée respuesta_generada"
    ),
    "retrieved_documents": (
        "retrieved_doc passage retrieved_passage chunk retrieved_chunk ctx "
        "source_document source_node search_result knowledge evidence "
        "上下文 文档 检索文档 检索结果 检索到的文档 召回文档 参考文档 资料 段落 "
        "kontext kontexte dokument dokumente textstelle textstellen contexte extrait "
        "contexto documento fragmento"
    ),
    "gold_documents": (
        "gold_doc gold_passage golden_context ground_truth_context relevant_document "
        "supporting_document 标准上下文"
    ),
    "ground_truth": (
        "expected_output expected_response gold_answer golden_answer correct_answer "
        "reference_answer target_answer ground_truth_answer gt_answer gt expected ideal target "
        "ref 标准答案 参考答案 正确答案 真实答案 "
        "musterlösung musterloesung lösung referenzantwort musterantwort "
        "erwartete_antwort richtige_antwort "
        "réponse_attendue réponse_correcte respuesta_esperada respuesta_correcta"
    ),
    "id": "id sample_id question_id query_id qid idx index uuid 编号 序号",
    "generator": "generator generation_model_name",
    "situation": "situation",
    "labels": "labels",
}
"""Names that are known beside the usual ones, as `canonical` writes them."""

FIELDS = tuple(FURTHER)
"""What a column can be mapped to."""

TEXT_FIELDS = ("question", "response", "id", "generator", "situation")
"""Of these, what is an object cannot be read."""

ANSWER = ("answer", "答案", "antwort", "antworten", "réponse", "reponse", "respuesta")
"""Either the response or the ground truth; what else the table has decides."""

_ANSWERS = re.compile(
    "answer|response|repl(y|ie)|output|prediction|completion|result|generat|答|antwort|réponse|respuesta"
)
"""Stands in the name of a column that may hold responses."""

_HINTS = {
    "question": re.compile("question|query|prompt|message|utterance|user|问|frage|pregunta"),
    "response": _ANSWERS,
}
"""Stands in the name of a column that may hold such texts."""

INNER_DEPTH = 3
MOST_INNER = 200
"""Fields in the objects of one row that are columns of their own."""

_PATH = re.compile(r"\w+(\.\w+)+")
"""How a field in an object is named, and a column that a program made of one."""

TEXT_KEYS = ("text", "page_content", "content", "passage", "document", "body", "value")
"""What the text in an object is called, the usual first,
as retrievers and chat programs write it.
"""

LOOKED_AT = 50
"""Rows whose content a guess looks at."""

LONG_TEXT = 200
"""Characters from which a column's texts on average may be documents."""

Rows = Sequence[Mapping[str, Any]]


class Shape(StrEnum):
    """The kinds of file that are known by their columns."""

    BED = "RGB test bed"
    ANSWERS = "RGB prediction file"
    RAGBENCH = "RAGBench rows"
    RAGAS = "RAGAS table"
    ADALFLOW = "AdalFlow lists"
    VALUES = "Plumbline table of values"
    LABELS = "Plumbline labels"
    PLAIN = "Plain table"


@dataclass(frozen=True)
class Guess:
    """What a table seems to be; `columns` names the file's column for each field, `confidence` is
    from 0 to 1.
    """

    shape: Shape
    title: str
    confidence: float
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    why: str = ""

    @property
    def is_sure(self) -> bool:
        return self.confidence >= SURE


def recognise(table: Table) -> Guess:
    """The shape of a table by its column names, and where they tell nothing by what the columns
    hold.
    """
    columns = names_of(table)
    rows = [{**dict(_inner(row)), **row} for row in _first(table)]
    found = (recogniser(columns, rows) for recogniser in _RECOGNISERS)
    return next((guess for guess in found if guess), None) or _plain(columns, rows)


def names_of(table: Table) -> tuple[str, ...]:
    """The names of all columns, in the order of the file, and those of fields in objects, such as
    "input.query".
    """
    names = dict.fromkeys(name for _, row in table.rows for name in row)
    return tuple(names | dict.fromkeys(name for row in _first(table) for name, _ in _inner(row)))


def objects_of(rows: Rows) -> set[str]:
    """The columns that hold nothing but objects."""
    cells = [
        (name, isinstance(cell, dict))
        for row in rows
        for name, cell in row.items()
        if cell is not None
    ]
    return {name for name, is_object in cells if is_object} - {
        name for name, is_object in cells if not is_object
    }


def inner(row: Mapping[str, Any], column: str) -> Any:
    """What a field in an object of the row holds; `None` where there is none."""
    value: Any = row
    for name in column.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _first(table: Table) -> list[dict[str, Any]]:
    return [row for _, row in islice(table.rows, LOOKED_AT)]


def _inner(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields in the objects of a row, each by the names that lead to it."""
    return islice(_leaves(row), MOST_INNER)


def _leaves(row: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if "." in name:
            continue
        if isinstance(value, dict) and len(path) < INNER_DEPTH:
            yield from _leaves(value, (*path, name))
        elif path:
            yield ".".join((*path, name)), value


def canonical(name: str) -> str:
    """A column name without case, spaces, punctuation and plural: "Retrieved Contexts" is
    "retrieved_context".
    """
    return re.sub(r"(?<=[a-z][^su])s$", "", re.sub(r"ies$", "y", _folded(name)))


def is_plural(name: str) -> bool:
    """Whether a column is named for many; Chinese makes no difference between one and many."""
    return canonical(name) != _folded(name) or not name.isascii()


def is_called_documents(name: str) -> bool:
    """Whether a column of this name holds documents."""
    return canonical(name) in _KNOWN["retrieved_documents"] + _KNOWN["gold_documents"]


def _folded(name: str) -> str:
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", nfkc(name))
    return re.sub(r"[\W_]+", "_", split.casefold()).strip("_")


def by_name(columns: Sequence[str]) -> dict[str, str]:
    """The column for each field whose name is known; "answer" is left open."""
    named = _named(columns)
    wanted = {
        field: [name for name in names if name not in ANSWER] for field, names in _KNOWN.items()
    }
    found = {
        field: next((named[name] for name in names if name in named), None)
        for field, names in wanted.items()
    }
    return {field: column for field, column in found.items() if column is not None}


def _named(columns: Sequence[str]) -> dict[str, str]:
    """The column for each name; a name that several objects have in them is none."""
    named: dict[str, str] = {}
    inside = Counter(_called(column) for column in columns if "." in column)
    for column in columns:
        name = _called(column)
        if name.casefold() == "references" or (
            "." in column and inside[name] > 1
        ):  # true answers, or what was cited
            continue
        named.setdefault(canonical(name), column)
    return named


def _called(column: str) -> str:
    """The name of a column by which it is known; of a field in an object the last part that says
    something.

    "output.text" says what it is by the object's name, "input.passage" by its own.
    """
    if not _PATH.fullmatch(column):
        return column
    *_, outer, last = column.split(".")
    is_only_text = last in TEXT_KEYS and last not in _NAMES
    return outer if is_only_text else last


def _known(field: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            [*map(canonical, COLUMNS.get(field, ())), *map(canonical, FURTHER[field].split())]
        )
    )


_KNOWN = {field: _known(field) for field in FIELDS}
_NAMES = frozenset(chain.from_iterable(_KNOWN.values()))
_CALLED_TEXTS = frozenset(chain.from_iterable(_KNOWN[field] for field in TEXT_FIELDS))


# Known shapes


def _bed(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"query", "positive", "negative"} <= set(columns):
        return None
    found = dict.fromkeys(_tested(row) for row in rows)
    language = (
        "Chinese"
        if sum(is_chinese(str(row.get("query"))) for row in rows) * 2 > len(rows)
        else "English"
    )
    title = f"{Shape.BED}: {', '.join(found)} ({language})"
    return Guess(
        Shape.BED, title, 1.0, _present(columns, question="query", ground_truth="answer", id="id")
    )


def _tested(row: Mapping[str, Any]) -> str:
    if row.get("positive_wrong") not in (None, "", []):
        return "counterfactual robustness"
    positive = row.get("positive")
    first = positive[0] if isinstance(positive, list) and positive else positive
    is_nested = isinstance(first, list) or re.match(r"\s*\[\s*\[", str(first)[:20]) is not None
    return "information integration" if is_nested else "noise robustness and rejection"


def _answers(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"query", "prediction"} <= set(columns):
        return None
    known = {"retrieved_documents": "docs", "ground_truth": "ans", "id": "id"}
    found = _present(columns, question="query", response="prediction", **known)
    return Guess(Shape.ANSWERS, f"{Shape.ANSWERS}: recorded answers", 1.0, found)


def _ragbench(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"documents_sentences", "all_relevant_sentence_keys"} <= set(columns):
        return None
    baselines = any(column.startswith(("trulens_", "ragas_", "gpt3")) for column in columns)
    title = f"{Shape.RAGBENCH} with labels{' and baselines' if baselines else ''}"
    found = _present(
        columns, question="question", response="response", retrieved_documents="documents", id="id"
    )
    return Guess(
        Shape.RAGBENCH, title, 1.0, found | _present(columns, generator="generation_model_name")
    )


def _labels(columns: Sequence[str], rows: Rows) -> Guess | None:
    if not {"sample", "id", "question", "labels_by", "labels", "corrections"} <= set(columns):
        return None
    found = {"question": "question", "id": "id", "labels": "labels"}
    return Guess(
        Shape.LABELS,
        f"{Shape.LABELS} (an export)",
        1.0,
        found,
        "It holds labels without the texts.",
    )


def _values(columns: Sequence[str], rows: Rows) -> Guess | None:
    have = set(columns)
    if not {"sample", "id", "labels_by", "corrections", "question"} <= have or have.isdisjoint(
        {"status", "state"}
    ):
        return None
    found = _present(columns, question="question", id="id", generator="model", response="response")
    return Guess(
        Shape.VALUES,
        f"{Shape.VALUES} (an export)",
        1.0,
        found,
        "It holds values without the texts.",
    )


def _ragas(columns: Sequence[str], rows: Rows) -> Guess | None:
    """The second generation by `user_input`; the first by an answer beside contexts and a ground
    truth.
    """
    have = set(columns)
    if "user_input" in have and have & {
        "response",
        "retrieved_contexts",
        "reference",
        "reference_contexts",
    }:
        second = {"retrieved_documents": "retrieved_contexts", "ground_truth": "reference"}
        second |= {
            "question": "user_input",
            "response": "response",
            "gold_documents": "reference_contexts",
        }
        return Guess(Shape.RAGAS, f"{Shape.RAGAS} (user_input)", 0.95, _present(columns, **second))
    truth = next((name for name in ("ground_truth", "ground_truths") if name in have), None)
    if truth is None or not {"question", "answer", "contexts"} <= have or "response" in have:
        return None
    first = {
        "question": "question",
        "response": "answer",
        "retrieved_documents": "contexts",
        "ground_truth": truth,
    }
    return Guess(
        Shape.RAGAS, f"{Shape.RAGAS} (question, answer)", 0.95, _present(columns, **first, id="id")
    )


def _adalflow(columns: Sequence[str], rows: Rows) -> Guess | None:
    """The arguments of its evaluators: `pred_answers` and `gt_answers`, `retrieved_contexts` and
    `gt_contexts`.
    """
    named = {canonical(column): column for column in columns}
    pairs = ({"pred_answer", "gt_answer"}, {"retrieved_context", "gt_context"})
    if not any(pair <= set(named) for pair in pairs):
        return None
    return Guess(Shape.ADALFLOW, str(Shape.ADALFLOW), 0.9, by_name(columns))


def _present(columns: Sequence[str], **wanted: str) -> dict[str, str]:
    return {field: column for field, column in wanted.items() if column in columns}


_RECOGNISERS: tuple[Callable[[Sequence[str], Rows], Guess | None], ...] = (
    _bed, _answers, _ragbench, _labels, _values, _ragas, _adalflow,
)  # fmt: skip


# Plain tables


def _plain(columns: Sequence[str], rows: Rows) -> Guess:
    objects = objects_of(rows)
    columns = [
        column
        for column in columns
        if column not in objects or canonical(column) not in _CALLED_TEXTS
    ]
    named = by_name(columns)
    names = _named(columns)
    answer = next((names[name] for name in ANSWER if name in names), None)
    decided, certain, why = _answer(named, answer, rows)
    found = named | decided
    maybe = [] if "response" in found else _may_be_responses(columns, found, rows)
    if maybe:
        certain, why = (
            0.4,
            f"{why} What is to be judged may be in {', '.join(map(_shown, maybe[:4]))}.".strip(),
        )
    confidence = _confidence(found, certain, set(columns) <= set(found.values()))
    looked = confidence < SURE and not {"question", "response"} <= set(named)
    guessed = _by_content(columns, found, rows) if looked else {}
    mapped = {field: column for field in FIELDS if (column := (found | guessed).get(field))}
    unused = _unused([column for column in columns if column not in objects], mapped)
    told = " ".join(filter(None, [_renamed(named), why, _by_look(guessed), unused]))
    return Guess(
        Shape.PLAIN, str(Shape.PLAIN), min(confidence, 0.4) if guessed else confidence, mapped, told
    )


def _answer(
    named: Mapping[str, str], answer: str | None, rows: Rows
) -> tuple[dict[str, str], float, str]:
    """The field that a column "answer" is beside the others, how certain that is, and the doubt."""
    if answer is None or {"response", "ground_truth"} <= set(named):
        return {}, 1.0, ""
    if "response" in named:
        return {"ground_truth": answer}, 1.0, ""
    if "ground_truth" in named:
        return {"response": answer}, 0.9, ""
    if any(_is_list(row.get(answer)) or isinstance(row.get(answer), dict) for row in rows):
        return {"ground_truth": answer}, 0.7, ""
    field = (
        "ground_truth" if "question" in named and "retrieved_documents" not in named else "response"
    )
    return {field: answer}, 0.4, f"{answer[:30]} may be the answer to judge or the true one."


def _may_be_responses(columns: Sequence[str], found: Mapping[str, str], rows: Rows) -> list[str]:
    """Columns that nothing is read from, although by their names and texts they may hold what is to
    be judged.
    """
    unused = (
        column
        for column in columns
        if column not in found.values() and _ANSWERS.search(_folded(column))
    )
    return [column for column in unused if any(_is_worded(row.get(column)) for row in rows)]


def _confidence(found: Mapping[str, str], certain: float, is_all: bool) -> float:
    if "question" not in found:
        return 0.3 if "response" in found else 0.0
    if "response" in found:
        return min(certain, 0.95 if {"retrieved_documents", "ground_truth"} & set(found) else 0.9)
    has_more = {"retrieved_documents", "ground_truth", "gold_documents"} & set(found)
    return min(certain, 0.8 if has_more or is_all else 0.4)


def _by_content(columns: Sequence[str], found: Mapping[str, str], rows: Rows) -> dict[str, str]:
    """Columns for the fields still open: lists or the longest texts are documents, texts that ask
    are questions.

    Where a name hints at questions or responses it decides, and of several that may be the
    responses none is taken.
    """
    free = {column: _Content.of(column, rows) for column in columns if column not in found.values()}
    guessed: dict[str, str] = {}
    for field in [field for field in _LIKELY if field not in found]:
        likely = _likely(field, free)
        if likely and (field != "response" or len(likely) == 1):
            guessed[field] = likely[0]
            del free[likely[0]]
    return guessed


def _likely(field: str, free: Mapping[str, _Content]) -> list[str]:
    """The columns that may hold a field, the likeliest first."""
    score = _LIKELY[field]
    worded = [column for column in free if free[column].worded > 0.5]
    hinted = {
        of: [column for column in worded if hint.search(_folded(column))]
        for of, hint in _HINTS.items()
    }
    of_others = frozenset(chain(*hinted.values()))
    others = [column for column in free if score(free[column]) > 0 and column not in of_others]
    return sorted(hinted.get(field) or others, key=lambda column: score(free[column]), reverse=True)


@dataclass(frozen=True)
class _Content:
    """What a column holds: mean length, share of lists, of texts that ask, of texts of several
    words, of different.
    """

    length: float
    lists: float
    asking: float
    worded: float
    different: float

    @classmethod
    def of(cls, column: str, rows: Rows) -> _Content:
        cells = [row[column] for row in rows if row.get(column) not in (None, "")]
        if not cells:
            return cls(0, 0, 0, 0, 0)
        texts = [cell for cell in cells if _is_worded(cell)]
        return cls(
            length=sum(map(len, texts)) / max(1, len(texts)),
            lists=sum(map(_is_list, cells)) / len(cells),
            asking=sum(text.rstrip().endswith(("?", "？")) for text in texts) / len(cells),
            worded=sum(map(_has_words, texts)) / len(cells),
            different=len(set(texts)) / max(1, len(texts)),
        )


_LIKELY: dict[str, Callable[[_Content], float]] = {
    "retrieved_documents": lambda it: (
        1e6 * it.lists if it.lists > 0.5 else it.length * (it.length >= LONG_TEXT)
    ),
    "question": lambda it: it.asking * (it.asking >= 0.5),
    "response": lambda it: it.length * (it.worded > 0.5 and it.different > 0.5 and it.length >= 15),
}


def _is_list(cell: object) -> bool:
    """Whether the cell is a list of texts, or the text of one."""
    if isinstance(cell, list):
        return any(isinstance(item, str | list) for item in cell)
    return isinstance(cell, str) and re.match(r"\s*\[\s*[\[\"']", cell) is not None


def _is_worded(cell: object) -> bool:
    """Whether the cell is a text that is neither a number nor a list."""
    return isinstance(cell, str) and bool(cell) and not _is_number(cell) and not _is_list(cell)


def _has_words(text: str) -> bool:
    return not text.isascii() or len(text.split()) > 2


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"\s*[-+]?[\d.,]+(?:e[-+]?\d+)?\s*", cell[:50], re.IGNORECASE) is not None


def _renamed(found: Mapping[str, str]) -> str:
    renamed = [f"{_shown(column)} as {field}" for field, column in found.items() if column != field]
    return f"By name: {', '.join(renamed)}." if renamed else ""


def _by_look(guessed: Mapping[str, str]) -> str:
    words = ", ".join(f"{_shown(column)} as {field}" for field, column in guessed.items())
    return f"Guessed by content: {words}." if words else ""


def _unused(columns: Sequence[str], mapped: Mapping[str, str]) -> str:
    unused = [_shown(column) for column in columns if column not in mapped.values()]
    more = f" and {len(unused) - 8} more" if len(unused) > 8 else ""
    return f"Not used: {', '.join(unused[:8])}{more}." if unused else ""


def _shown(column: str) -> str:
    return without_surrogates(column)[:30]
