"""Tables of no known shape: their columns by name, and else by what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from evaluators.datasets.columns import Rows, objects_of
from evaluators.datasets.content import (
    LONG_TEXT,
    SHORT_DOCUMENT,
    Content,
    are_files,
    are_names,
    can_be,
    filled_cells,
    is_list,
    is_number,
    is_score,
    is_worded,
    may_be_documents,
)
from evaluators.datasets.conversations import ASSISTANT, USER
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
    field_in_words,
    field_of,
    folded,
    is_never_a_field,
    last_part,
)
from evaluators.datasets.references import is_reference
from evaluators.datasets.separators import Separator, separator_of_answers
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.words import joined_sentences

Columns = Sequence[str]
Taken = Mapping[str, str]

_GUESSED_IN_ORDER = ("retrieved_documents", "question", "response", "ground_truth")

_FOUND = (
    "context", "contexte", "contexto", "doc", "document", "documento", "chunk", "fragmento",
    "extrait", "source_document",
)  # fmt: skip
"""What the passages are called that a retriever found, one of many."""

UNNAMED = re.compile(r"column \d+")
"""What a column is called in a table whose rows are lists."""

_CALLED_TEXTS = frozenset(chain.from_iterable(KNOWN[field] for field in TEXT_FIELDS))


def plain_guess(columns: Columns, rows: Rows) -> Guess:
    """The columns of a table, and every reason to ask a person about them."""
    objects = objects_of(rows)

    def is_text_as_object(column: str) -> bool:
        return column in objects and canonical(column) in _CALLED_TEXTS

    # An object under the name of a text is read by its fields, which are columns of their own
    texts_as_objects = list(filter(is_text_as_object, columns))
    columns = [column for column in columns if column not in texts_as_objects]
    named = by_name(columns, rows)
    decided, certain, doubt = _decided_answer(columns, named, rows)
    taken = named | decided
    doubts = [doubt]
    if doubt := _other_doubt(columns, taken, rows):
        certain = min(certain, DOUBTFUL)
        doubts.append(doubt)
    for column in texts_as_objects:
        is_usual = any(column in COLUMNS[field] for field in {"question", "response"} - {*taken})
        if is_usual:
            certain = min(certain, DOUBTFUL)
            doubts.append(say("{column} holds objects.", column=_shown(column)))
    if "response" not in taken:
        possible_responses = _may_be_responses(columns, taken, rows)
        if possible_responses:
            certain = min(certain, DOUBTFUL)
            names = ", ".join(map(_shown, possible_responses[:4]))
            doubts.append(say("What is to be judged may be in {names}.", names=names))
    documents, doubt = _about_documents(columns, taken, rows)
    # A list of questions needs no person, a question beside unknown columns does
    others = [column for column in columns if column not in taken.values()]
    is_all = all(_says_nothing(column, rows) for column in others)
    confidence = _confidence(taken, certain, is_all)
    guessed: dict[str, str] = {}
    if confidence < SURE and not {"question", "response"} <= set(named):
        guessed = _by_content(columns, taken | documents, rows)
        guessed |= _by_order(columns, taken | documents | guessed, rows)
    if doubt or guessed or documents:
        confidence = min(confidence, DOUBTFUL)
        doubts.append(doubt)
    mapped = taken | documents | guessed
    mapped = {field: mapped[field] for field in FIELDS if field in mapped}
    used = {*objects, *mapped.values()}
    unused = [column for column in columns if column not in used]
    words = _how_guessed(named, doubts, documents | guessed, unused)
    has_documents = "retrieved_documents" in mapped or "gold_documents" in mapped
    remark = "" if doubt or has_documents else _about_names(unused, rows)
    return Guess(Shape.PLAIN, str(Shape.PLAIN), confidence, mapped, words, remark)


def _how_guessed(
    named: Mapping[str, str],
    doubts: Sequence[str],
    by_content: Mapping[str, str],
    unused: Sequence[str],
) -> str:
    """What a person is told of the columns: by name, in doubt, by content, and left over."""
    renamed = {field: column for field, column in named.items() if column != field}
    said = [
        *_taken_as(mark("{column} → {field} (by name)."), renamed),
        *doubts,
        *_taken_as(mark("{column} → {field} (guessed by content)."), by_content),
        _unused(unused),
    ]
    return joined_sentences(said)


def by_name(columns: Columns, rows: Rows) -> dict[str, str]:
    """The column for each field whose name is known and whose cells can be read.

    A column "answer" is left open.
    """
    named = columns_by_name(columns)
    taken: dict[str, str] = {}
    for field, names in KNOWN.items():
        groups = [named.get(name, []) for name in names if name not in ANSWER]
        for column in chain.from_iterable(groups):
            if column not in taken.values() and can_be(field, column, rows):
                taken[field] = column
                break
    taken |= _sides_of_a_talk(taken, named, rows)
    taught = _taught(named, rows)
    taken = {field: column for field, column in taken.items() if column not in taught.values()}
    taken |= taught
    documents = taken.get("retrieved_documents")
    # What the question lies in is the row, as lm-eval writes it, and not a document
    if documents and taken.get("question", "").startswith(f"{documents}."):
        documents = taken.pop("retrieved_documents") and None
    if documents is not None:
        taken["retrieved_documents"] = _list_inside(documents, columns, rows)
    reference = taken.get("ground_truth", "")
    is_reference_only = "retrieved_documents" not in taken and _is_called_reference(reference)
    # Phoenix calls so what was retrieved
    if is_reference_only and Content.of(reference, rows).length >= LONG_TEXT:
        taken["retrieved_documents"] = taken.pop("ground_truth")
    if _are_goldens(taken):
        taken["gold_documents"] = taken.pop("retrieved_documents")
    return taken | _gold_of_deepeval(taken, named, rows)


def _is_called_reference(column: str) -> bool:
    return canonical(last_part(column)) in ("reference", "ref")


def _sides_of_a_talk(
    taken: Taken,
    named: Mapping[str, list[str]],
    rows: Rows,
) -> dict[str, str]:
    """The columns of a question and its answer that are named for who speaks: "user" and "bot"."""
    if "question" in taken or "response" in taken:
        return {}
    sides: dict[str, str] = {}
    for field, speakers in (("question", USER), ("response", ASSISTANT)):
        columns = chain.from_iterable(named.get(speaker, ()) for speaker in speakers)
        # "user" may name who asked, and "model" what answered
        texts = [column for column in columns if Content.of(column, rows).worded > 0.5]
        if not texts:
            return {}
        sides[field] = texts[0]
    return sides


def _taught(named: Mapping[str, list[str]], rows: Rows) -> dict[str, str]:
    """The columns of a file that teaches a model to answer: instruction, input and output, of which
    the input is the question where all have one instruction, and else what it is about.
    """
    if not {"instruction", "output"} <= named.keys():
        return {}
    instruction, output = named["instruction"][0], named["output"][0]
    own_input = named.get("input", [""])[0]
    instructions = set(map(str, filled_cells(instruction, rows)))
    if own_input and len(instructions) == 1 < len(rows):
        return {"question": own_input, "ground_truth": output}
    taught = {"question": instruction, "ground_truth": output}
    if own_input and Content.of(own_input, rows).length >= LONG_TEXT:
        taught["retrieved_documents"] = own_input
    return taught


def _are_goldens(taken: Taken) -> bool:
    """Whether these are DeepEval's goldens, which nobody has answered yet."""
    fields = ("question", "ground_truth", "retrieved_documents")
    names = [canonical(last_part(taken.get(field, ""))) for field in fields]
    # Beside a response the context is what was retrieved for it
    is_open = "response" not in taken and "gold_documents" not in taken
    return is_open and names == ["input", "expected_output", "context"]


def _list_inside(column: str, columns: Columns, rows: Rows) -> str:
    """The column of the texts in an object of parallel lists, as MS MARCO writes its passages."""
    objects = [cell for cell in filled_cells(column, rows) if isinstance(cell, dict)]
    keys = set(map(text_list_of, objects))
    if len(keys) != 1:
        return column
    inside = f"{column}.{keys.pop()}"
    return inside if inside in columns else column


def _gold_of_deepeval(
    taken: Taken,
    named: Mapping[str, list[str]],
    rows: Rows,
) -> dict[str, str]:
    """DeepEval calls the true contexts "context", beside the retrieved ones."""
    is_deepeval = canonical(taken.get("retrieved_documents", "")) == "retrieval_context"
    called_context = named.get("context")
    if not is_deepeval or not called_context or "gold_documents" in taken:
        return {}
    column = called_context[0]
    return {"gold_documents": column} if can_be("gold_documents", column, rows) else {}


def _decided_answer(
    columns: Columns,
    named: Taken,
    rows: Rows,
) -> tuple[dict[str, str], float, str]:
    """The field that a column "answer" is beside the others, how certain that is, and the doubt."""
    called = columns_by_name(columns)
    answers = chain.from_iterable(called.get(name, ()) for name in ANSWER)
    readable = (column for column in answers if can_be("ground_truth", column, rows))
    answer = next(readable, None)
    if answer is None or answer in named.values():
        return {}, 1.0, ""
    if "response" in named and "ground_truth" in named:
        return {}, 1.0, ""
    if "response" in named:
        return {"ground_truth": answer}, 1.0, ""
    cells = filled_cells(answer, rows)
    if "ground_truth" in named:
        if not can_be("response", answer, rows):
            return {}, 0.9, ""
        return {"response": answer}, 0.9, ""
    # Several spellings are accepted answers; a response is one text
    are_joined = separator_of_answers(answer, rows) is Separator.BAR
    if are_joined or any(is_list(cell) or isinstance(cell, dict | list) for cell in cells):
        return {"ground_truth": answer}, 0.7, ""
    is_recorded = any(RECORDED.search(folded(column)) for column in columns)
    # What an object holds is as often about its own text as about the row
    own = [folded(column) for column in columns if "." not in column]
    is_published = any(map(PUBLISHED.search, own))
    has_scores = _has_scores(columns, rows)
    if "question" in named and is_published and not is_recorded and not has_scores:
        return {"ground_truth": answer}, 0.7, ""
    documents = named.get("retrieved_documents")
    # The first columns of RAGAS: what was retrieved for a question and what was answered by it
    is_own = "." not in answer
    if "question" in named and is_own and documents and _are_retrieved(documents, rows):
        return {"response": answer}, 0.9, ""
    is_judged = documents is not None or is_recorded or has_scores
    field = "response" if is_judged or "question" not in named else "ground_truth"
    return (
        {field: answer},
        DOUBTFUL,
        say("{column} may be the answer to judge or the true one.", column=answer[:30]),
    )


def _are_retrieved(column: str, rows: Rows) -> bool:
    """Whether a column holds what a retriever found, by its name or as lists; the one text that a
    question was made from is called "context", and published passages are "paragraphs".
    """
    name = last_part(column)
    if "retriev" in canonical(name):
        return True
    if canonical(name) not in _FOUND:
        return False
    cells = filled_cells(column, rows)
    are_lists = all(isinstance(cell, list) or is_list(cell) for cell in cells)
    return canonical(name) != folded(name) or are_lists


def _other_doubt(columns: Columns, taken: Taken, rows: Rows) -> str:
    """Why the field of a text is in doubt, although its name is known."""
    names = set(map(canonical, columns))
    response, truth = taken.get("response"), taken.get("ground_truth")
    if truth and response is None and {"instruction", "output"} <= names:
        return say("{column} may be the answer to judge or the true one.", column=_shown(truth))
    for column in columns:
        field = next((field for field, usual in COLUMNS.items() if column in usual), "")
        cells = filled_cells(column, rows)
        if not field or field in taken or not cells:
            continue
        is_of_documents = field.endswith("_documents")
        # Ids of documents have words of their own
        if is_of_documents and are_names(column, cells):
            continue
        if not can_be(field, column, rows):
            words = field_in_words(field)
            return say("{column} cannot be read as {words}.", column=_shown(column), words=words)
    documents = taken.get("retrieved_documents")
    reference = documents or truth or ""
    is_alone = _is_called_reference(reference) and (truth is None or documents is None)
    if response and is_alone and Content.of(reference, rows).length >= SHORT_DOCUMENT:
        return say(
            "{column} may be the true answer, or what was retrieved.", column=_shown(reference)
        )
    # Scores were given to an answer, and no other column holds one
    if truth and response is None and _has_scores(columns, rows):
        return say("{column} may be what was scored.", column=_shown(truth))
    return ""


def _has_scores(columns: Columns, rows: Rows) -> bool:
    """Whether a column says how good answers were: then those beside it are what was judged."""
    for column in columns:
        is_named_so = SCORES.search(folded(last_part(column)))
        if is_named_so and any(map(is_score, filled_cells(column, rows))):
            return True
    return False


def _says_nothing(column: str, rows: Rows) -> bool:
    """Whether a column holds ids, addresses or flags only, which no field is read from."""
    for cell in filled_cells(column, rows):
        for text in cell if isinstance(cell, list) else [cell]:
            if isinstance(text, bool):
                continue
            if not isinstance(text, str) or is_number(text) or not is_reference(text):
                return False
    return True


def _may_be_responses(columns: Columns, taken: Taken, rows: Rows) -> list[str]:
    """Unread columns that by their names and texts may hold what is to be judged."""
    likely: list[str] = []
    for column in columns:
        if column in taken.values() or is_never_a_field(column):
            continue
        if field_of(column) not in ("", "response"):
            continue
        is_hinted = HINTS["response"].search(folded(last_part(column)))
        if is_hinted and any(map(is_worded, filled_cells(column, rows))):
            likely.append(column)
    return likely


def _about_documents(
    columns: Columns,
    taken: Taken,
    rows: Rows,
) -> tuple[dict[str, str], str]:
    """The likely column of documents where none is taken, and why a person is asked."""
    if "retrieved_documents" in taken:
        return {}, ""
    if "question" not in taken and "response" not in taken:
        return {}, ""
    # The messages of a conversation were read as its question and its answer
    outer = [column.rpartition(".")[0] for column in taken.values()]
    read = {*taken.values(), *outer}
    free = [column for column in columns if column not in read]
    hint = HINTS["retrieved_documents"]
    likely: list[str] = []
    for column in free:
        if is_never_a_field(last_part(column)) or _is_hinted_otherwise(column):
            continue
        if may_be_documents(column, rows, is_named=bool(hint.search(folded(column)))):
            likely.append(column)
    likely = [column for column in likely if not are_names(column, filled_cells(column, rows))]
    hinted = [column for column in likely if hint.search(folded(column))]
    if hinted:
        likely = hinted
    # A test set for a retriever has the documents that are to be found, and none found yet
    elif "gold_documents" in taken:
        return {}, ""
    if not likely:
        return {}, _about_ids(free, rows)
    names = ", ".join(map(_shown, likely[:4]))
    is_clear = bool(hinted) or len(likely) == 1
    chosen = {"retrieved_documents": likely[0]} if is_clear else {}
    return chosen, say("The documents may be in {names}.", names=names)


def _about_ids(free: Columns, rows: Rows) -> str:
    """What is said of a column that is named for documents and holds their ids or file names."""
    for column in free:
        name = canonical(last_part(column))
        # Where a text is from is mostly told beside the text
        if name not in KNOWN["retrieved_documents"] or name.startswith("source"):
            continue
        cells = filled_cells(column, rows)
        if cells and are_names(column, cells):
            return _holds_names(column)
    return ""


def _about_names(free: Columns, rows: Rows) -> str:
    """The same of a column of any other name, which no text of a document is expected in."""
    for column in free:
        cells = filled_cells(column, rows)
        is_hinted = HINTS["retrieved_documents"].search(folded(last_part(column)))
        are_named = are_names(column, cells) if is_hinted else are_files(cells)
        if cells and are_named:
            return _holds_names(column)
    return ""


def _holds_names(column: str) -> str:
    return say("{column} holds ids or names of documents, not their texts.", column=_shown(column))


def _is_hinted_otherwise(column: str) -> bool:
    """Whether the name says that a column holds questions or answers, and not documents."""
    name = folded(last_part(column))
    if HINTS["retrieved_documents"].search(name):
        return False
    return any(HINTS[field].search(name) for field in ("question", "response", "ground_truth"))


def _confidence(taken: Taken, certain: float, is_all: bool) -> float:
    """How sure the names make it; all that counts is on which side of `SURE` it lies."""
    if "question" not in taken:
        return 0.3 if "response" in taken else 0.0
    has_more = "retrieved_documents" in taken or "ground_truth" in taken
    if "response" in taken:
        return min(certain, 0.95 if has_more else 0.9)
    is_clear = has_more or "gold_documents" in taken or is_all
    return min(certain, 0.8 if is_clear else DOUBTFUL)


# By what columns hold


def _by_content(columns: Columns, taken: Taken, rows: Rows) -> dict[str, str]:
    """Columns for the fields still open, by what their cells hold.

    Lists or the longest texts are documents, texts that ask are questions. Where a name hints at
    questions or responses it decides, and of several that may be the responses none is taken.
    """
    free = {
        column: Content.of(column, rows)
        for column in columns
        if column not in taken.values() and not is_never_a_field(last_part(column))
    }
    guessed: dict[str, str] = {}
    for field in _GUESSED_IN_ORDER:
        if field in taken:
            continue
        likely = _likely(field, free, rows)
        is_ranked = field in ("retrieved_documents", "question")
        if len(likely) == 1 or (likely and is_ranked):
            guessed[field] = likely[0]
            del free[likely[0]]
    return guessed


def _by_order(columns: Columns, taken: Taken, rows: Rows) -> dict[str, str]:
    """Response and true answer of rows without names, in the order in which RAGAS writes them.

    Taken only where two texts are left after question and documents.
    """
    is_unnamed = all(UNNAMED.fullmatch(column) for column in columns)
    begun = [taken.get("question"), taken.get("retrieved_documents")]
    if not is_unnamed or list(columns[:2]) != begun:
        return {}
    if "response" in taken or "ground_truth" in taken:
        return {}
    texts = [column for column in columns[2:] if Content.of(column, rows).worded > 0.5]
    if len(texts) != 2:
        return {}
    response, truth = texts
    return {"response": response, "ground_truth": truth}


def _likely(field: str, free: Mapping[str, Content], rows: Rows) -> list[str]:
    """The columns that may hold a field, the likeliest first."""
    worded = [column for column in free if free[column].worded > 0.5]

    def hinted_at(name: str) -> list[str]:
        hint = HINTS[name]
        return [column for column in worded if hint.search(folded(column))]

    truths = hinted_at("ground_truth")
    if field == "ground_truth":
        return [column for column in truths if can_be(field, column, rows)]
    # "correct_answer" hints at both, and is the true one
    responses = [column for column in hinted_at("response") if column not in truths]
    # Of a true answer and other texts nobody knows which of these is to be judged
    if field == "response" and truths and not responses:
        return []
    hinted = {"question": hinted_at("question"), "response": responses}
    likelihood: dict[str, float] = {}
    for column, content in free.items():
        likelihood[column] = _likelihood(field, content)
    likely = hinted.get(field)
    if not likely:
        elsewhere = {*truths, *hinted["question"], *responses}
        likely = []
        for column in free:
            is_free = column not in elsewhere and field_of(column) in ("", field)
            if is_free and likelihood[column] > 0 and can_be(field, column, rows):
                likely.append(column)
    return sorted(likely, key=likelihood.__getitem__, reverse=True)


def _likelihood(field: str, content: Content) -> float:
    """How likely a column of this content holds a field; 0 where it cannot."""
    is_worded = content.worded > 0.5
    if field == "retrieved_documents":
        # Any list is likelier than the longest text
        if content.lists > 0.5:
            return 1e6 * content.lists
        return content.length if content.length >= LONG_TEXT else 0
    if field == "question":
        return content.asking if content.asking >= 0.5 else 0
    if field == "response":
        is_varied = content.different > 0.5 and content.length >= 15
        return content.length if is_worded and is_varied else 0
    return content.length if is_worded else 0


# Words


def _taken_as(words: str, taken: Taken) -> list[str]:
    """Which columns were taken in this way, a sentence each."""
    # In one sentence the names of fields would stand among those of strangers, untranslated.
    return [
        say(words, column=_shown(column), field=field_in_words(field))
        for field, column in taken.items()
    ]


def _unused(columns: Columns) -> str:
    if not columns:
        return ""
    names = ", ".join(map(_shown, columns[:8]))
    if len(columns) > 8:
        more = len(columns) - 8
        return say("Not used: {columns} and {more:d} more.", columns=names, more=more)
    return say("Not used: {columns}.", columns=names)


def _shown(column: str) -> str:
    return without_surrogates(column)[:30]
