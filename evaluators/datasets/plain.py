"""Tables of no known shape: their columns by name, and else by what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from evaluators.datasets.columns import Rows, objects_of
from evaluators.datasets.content import (
    LONG_TEXT,
    Content,
    are_names,
    can_be,
    filled_cells,
    is_list,
    is_score,
    is_worded,
    may_be_documents,
)
from evaluators.datasets.document_texts import text_list_of
from evaluators.datasets.guess import DOUBTFUL, SURE, Guess, Shape
from evaluators.datasets.names import (
    ANSWER,
    COLUMNS,
    FIELDS,
    HINTS,
    KNOWN,
    PUBLISHED,
    RECORDED,
    SCORES,
    TEXT_FIELDS,
    canonical,
    columns_by_name,
    field_of,
    folded,
    is_never_a_field,
    last_part,
)
from evaluators.surrogates import without_surrogates

Columns = Sequence[str]
Taken = Mapping[str, str]

_CALLED_TEXTS = frozenset(chain.from_iterable(KNOWN[field] for field in TEXT_FIELDS))


def plain_guess(columns: Columns, rows: Rows) -> Guess:
    """The columns of a table, and every reason to ask a person about them."""
    objects = objects_of(rows)
    columns = [
        column
        for column in columns
        if column not in objects or canonical(column) not in _CALLED_TEXTS
    ]
    named = by_name(columns, rows)
    decided, certain, doubt = _decided_answer(columns, named, rows)
    taken = named | decided
    doubts = [doubt]
    if doubt := _other_doubt(columns, taken, rows):
        certain = min(certain, DOUBTFUL)
        doubts.append(doubt)
    if "response" not in taken and (maybe := _may_be_responses(columns, taken, rows)):
        certain = min(certain, DOUBTFUL)
        names = ", ".join(map(_shown, maybe[:4]))
        doubts.append(f"What is to be judged may be in {names}.")
    documents, doubt = _about_documents(columns, taken, rows)
    confidence = _confidence(taken, certain, set(columns) <= set(taken.values()))
    guessed: dict[str, str] = {}
    if confidence < SURE and not {"question", "response"} <= set(named):
        guessed = _by_content(columns, taken | documents, rows)
    if doubt or guessed or documents:
        confidence = min(confidence, DOUBTFUL)
        doubts.append(doubt)
    mapped = taken | documents | guessed
    mapped = {field: mapped[field] for field in FIELDS if field in mapped}
    unused = [column for column in columns if column not in {*objects, *mapped.values()}]
    why = [_renamed(named), *doubts, _by_look(documents | guessed), _unused(unused)]
    return Guess(Shape.PLAIN, str(Shape.PLAIN), confidence, mapped, " ".join(filter(None, why)))


def by_name(columns: Columns, rows: Rows) -> dict[str, str]:
    """The column for each field whose name is known and whose cells can be read; "answer" is left
    open.
    """
    named = columns_by_name(columns)
    taken: dict[str, str] = {}
    for field, names in KNOWN.items():
        candidates = (named.get(name, []) for name in names if name not in ANSWER)
        usable = (
            column
            for column in chain.from_iterable(candidates)
            if column not in taken.values() and can_be(field, column, rows)
        )
        if (column := next(usable, None)) is not None:
            taken[field] = column
    if (documents := taken.get("retrieved_documents")) is not None:
        taken["retrieved_documents"] = _list_inside(documents, columns, rows)
    if _are_goldens(taken):
        taken["gold_documents"] = taken.pop("retrieved_documents")
    return taken | _gold_of_deepeval(taken, named, rows)


def _are_goldens(taken: Taken) -> bool:
    """Whether these are DeepEval's goldens, which nobody has answered yet."""
    fields = ("question", "ground_truth", "retrieved_documents")
    names = [canonical(last_part(taken.get(field, ""))) for field in fields]
    is_open = "response" not in taken and "gold_documents" not in taken
    return is_open and names == ["input", "expected_output", "context"]


def _list_inside(column: str, columns: Columns, rows: Rows) -> str:
    """The column of the texts in an object of parallel lists, as MS MARCO writes its passages."""
    keys = {text_list_of(cell) for cell in filled_cells(column, rows) if isinstance(cell, dict)}
    inside = f"{column}.{next(iter(keys))}" if len(keys) == 1 else ""
    return inside if inside in columns else column


def _gold_of_deepeval(taken: Taken, named: Mapping[str, list[str]], rows: Rows) -> dict[str, str]:
    """DeepEval calls the true contexts "context", beside the retrieved ones."""
    is_deepeval = canonical(taken.get("retrieved_documents", "")) == "retrieval_context"
    column = next(iter(named.get("context", ())), None)
    if not is_deepeval or column is None or "gold_documents" in taken:
        return {}
    return {"gold_documents": column} if can_be("gold_documents", column, rows) else {}


def _decided_answer(
    columns: Columns, named: Taken, rows: Rows
) -> tuple[dict[str, str], float, str]:
    """The field that a column "answer" is beside the others, how certain that is, and the doubt."""
    called = columns_by_name(columns)
    answers = chain.from_iterable(called.get(name, ()) for name in ANSWER)
    answer = next((column for column in answers if can_be("ground_truth", column, rows)), None)
    if answer is None or {"response", "ground_truth"} <= set(named) or answer in named.values():
        return {}, 1.0, ""
    if "response" in named:
        return {"ground_truth": answer}, 1.0, ""
    cells = filled_cells(answer, rows)
    if "ground_truth" in named:
        return ({"response": answer} if can_be("response", answer, rows) else {}), 0.9, ""
    if any(is_list(cell) or isinstance(cell, dict | list) for cell in cells):
        return {"ground_truth": answer}, 0.7, ""
    is_recorded = any(RECORDED.search(folded(column)) for column in columns)
    own = [folded(column) for column in columns if "." not in column]
    is_published = any(map(PUBLISHED.search, own))
    has_scores = _has_scores(columns, rows)
    if "question" in named and is_published and not is_recorded and not has_scores:
        return {"ground_truth": answer}, 0.7, ""
    is_judged = "retrieved_documents" in named or is_recorded or has_scores
    field = "response" if is_judged or "question" not in named else "ground_truth"
    return {field: answer}, DOUBTFUL, f"{answer[:30]} may be the answer to judge or the true one."


def _other_doubt(columns: Columns, taken: Taken, rows: Rows) -> str:
    """Why the field of a text is in doubt, although its name is known."""
    names = set(map(canonical, columns))
    response, truth = taken.get("response"), taken.get("ground_truth")
    if response and canonical(response) == "output" and {"instruction", "input"} <= names:
        return f"{_shown(response)} may be the true answer: such files teach models to answer."
    for column in columns:
        field = _field_usually_called(column)
        if field and field not in taken and filled_cells(column, rows):
            # Ids of documents have words of their own
            is_named = field.endswith("_documents") and are_names(
                column, filled_cells(column, rows)
            )
            if not is_named and not can_be(field, column, rows):
                return f"{_shown(column)} cannot be read as {field.replace('_', ' ')}."
    if truth and response is None and _has_scores(columns, rows):
        return f"{_shown(truth)} may be what was scored."
    return ""


def _field_usually_called(column: str) -> str:
    return next((field for field, names in COLUMNS.items() if column in names), "")


def _has_scores(columns: Columns, rows: Rows) -> bool:
    """Whether a column says how good answers were: then those beside it are what was judged."""
    scores = [column for column in columns if SCORES.search(folded(last_part(column)))]
    return any(any(map(is_score, filled_cells(column, rows))) for column in scores)


def _may_be_responses(columns: Columns, taken: Taken, rows: Rows) -> list[str]:
    """Columns that nothing is read from, although by their names and texts they may hold what is to
    be judged.
    """
    return [
        column
        for column in columns
        if column not in taken.values()
        and HINTS["response"].search(folded(last_part(column)))
        and field_of(column) in ("", "response")
        and not is_never_a_field(column)
        and any(map(is_worded, filled_cells(column, rows)))
    ]


def _about_documents(columns: Columns, taken: Taken, rows: Rows) -> tuple[dict[str, str], str]:
    """Where nothing is taken for documents although there may be some: the likely column, and why a
    person is asked.
    """
    if "retrieved_documents" in taken or ("question" not in taken and "response" not in taken):
        return {}, ""
    # The messages of a conversation were read as its question and its answer
    read = {*taken.values(), *(column.rpartition(".")[0] for column in taken.values())}
    free = [column for column in columns if column not in read]
    likely = [
        column
        for column in free
        if not is_never_a_field(last_part(column))
        and not _is_hinted_otherwise(column)
        and may_be_documents(column, rows)
        and not are_names(column, filled_cells(column, rows))
    ]
    hinted = [column for column in likely if HINTS["retrieved_documents"].search(folded(column))]
    likely = hinted or ([] if "gold_documents" in taken else likely)
    if likely:
        names = ", ".join(map(_shown, likely[:4]))
        chosen = {"retrieved_documents": likely[0]} if hinted or len(likely) == 1 else {}
        return chosen, f"The documents may be in {names}."
    return {}, "" if "gold_documents" in taken else _about_ids(free, rows)


def _about_ids(free: Columns, rows: Rows) -> str:
    """What is said of a column that is named for documents and holds their ids or file names."""
    for column in free:
        name = canonical(last_part(column))
        if name not in KNOWN["retrieved_documents"] or name.startswith("source"):
            continue
        cells = filled_cells(column, rows)
        if cells and are_names(column, cells):
            return f"{_shown(column)} holds ids or names of documents, not their texts."
    return ""


def _is_hinted_otherwise(column: str) -> bool:
    """Whether the name says that a column holds questions or answers, and not documents."""
    name = folded(last_part(column))
    if HINTS["retrieved_documents"].search(name):
        return False
    return any(HINTS[field].search(name) for field in ("question", "response", "ground_truth"))


def _confidence(taken: Taken, certain: float, is_all: bool) -> float:
    if "question" not in taken:
        return 0.3 if "response" in taken else 0.0
    if "response" in taken:
        return min(certain, 0.95 if {"retrieved_documents", "ground_truth"} & set(taken) else 0.9)
    has_more = {"retrieved_documents", "ground_truth", "gold_documents"} & set(taken)
    return min(certain, 0.8 if has_more or is_all else DOUBTFUL)


# By what columns hold


def _by_content(columns: Columns, taken: Taken, rows: Rows) -> dict[str, str]:
    """Columns for the fields still open: lists or the longest texts are documents, texts that ask
    are questions.

    Where a name hints at questions or responses it decides, and of several that may be the
    responses none is taken.
    """
    free = {
        column: Content.of(column, rows)
        for column in columns
        if column not in taken.values() and not is_never_a_field(last_part(column))
    }
    guessed: dict[str, str] = {}
    for field in [field for field in _LIKELIHOOD if field not in taken]:
        likely = _likely(field, free, rows)
        if likely and (field in ("retrieved_documents", "question") or len(likely) == 1):
            guessed[field] = likely[0]
            del free[likely[0]]
    return guessed


def _likely(field: str, free: Mapping[str, Content], rows: Rows) -> list[str]:
    """The columns that may hold a field, the likeliest first."""
    likelihood = _LIKELIHOOD[field]
    worded = [column for column in free if free[column].worded > 0.5]
    truths = [column for column in worded if HINTS["ground_truth"].search(folded(column))]
    if field == "ground_truth":
        return truths
    hinted = {
        name: [column for column in worded if HINTS[name].search(folded(column))]
        for name in ("question", "response")
    }
    hinted["response"] = [column for column in hinted["response"] if column not in truths]
    if field == "response" and truths and not hinted["response"]:
        return []
    elsewhere = {*truths, *hinted["question"], *hinted["response"]}
    others = [
        column
        for column in free
        if likelihood(free[column]) > 0
        and column not in elsewhere
        and field_of(column) in ("", field)
        and can_be(field, column, rows)
    ]
    likely = hinted.get(field) or others
    return sorted(likely, key=lambda column: likelihood(free[column]), reverse=True)


_LIKELIHOOD: dict[str, Callable[[Content], float]] = {
    "retrieved_documents": lambda it: (
        1e6 * it.lists if it.lists > 0.5 else it.length * (it.length >= LONG_TEXT)
    ),
    "question": lambda it: it.asking * (it.asking >= 0.5),
    "response": lambda it: it.length * (it.worded > 0.5 and it.different > 0.5 and it.length >= 15),
    "ground_truth": lambda it: it.length * (it.worded > 0.5),
}


# Words


def _renamed(taken: Taken) -> str:
    renamed = [f"{_shown(column)} as {field}" for field, column in taken.items() if column != field]
    return f"By name: {', '.join(renamed)}." if renamed else ""


def _by_look(guessed: Taken) -> str:
    words = ", ".join(f"{_shown(column)} as {field}" for field, column in guessed.items())
    return f"Guessed by content: {words}." if words else ""


def _unused(columns: Columns) -> str:
    more = f" and {len(columns) - 8} more" if len(columns) > 8 else ""
    return f"Not used: {', '.join(map(_shown, columns[:8]))}{more}." if columns else ""


def _shown(column: str) -> str:
    return without_surrogates(column)[:30]
