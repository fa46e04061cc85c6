"""What columns are called: the names of each field, and names that never hold one."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from evaluators.config import ROOT
from evaluators.text.language import say
from evaluators.text.normalise import nfkc

_TABLES = tomllib.loads((ROOT / "data" / "columns.toml").read_text(encoding="utf-8"))
_FIELDS: Mapping[str, Mapping[str, str]] = _TABLES["fields"]

COLUMNS = {
    field: tuple(entry["usual"].split()) for field, entry in _FIELDS.items() if "usual" in entry
}
"""The usual names of each field, the best first."""

MEANINGS = {field: entry["meaning"] for field, entry in _FIELDS.items()}

FIELDS = tuple(_FIELDS)
"""What a column can be mapped to."""

TEXT_FIELDS = ("question", "response", "id", "generator", "group")
"""Of these, what is an object cannot be read."""

ANSWER = tuple(_TABLES["other"]["answer"].split())
"""Either the response or the ground truth; what else the table has decides."""

TEXT_KEYS = ("text", "page_content", "content", "passage", "document", "body", "value")
"""What the text in an object is called, the usual first,
as retrievers and chat programs write it.
"""

HINTS = {
    "question": re.compile(
        "question|query|prompt|message|utterance|user|问|問|frage|pregunta|consulta|requete"
        "|pergunta|domanda|sp[øo]rgsmal|вопрос|질문|سوال|سؤال"
    ),
    "response": re.compile(
        "answer|response|repl(y|ie)|output|prediction|completion|result|generat|summary|答"
        "|antwort|reponse|respuesta|resposta|risposta|ответ|답변|응답|اجاب|جواب"
    ),
    "retrieved_documents": re.compile(
        "context|passage|chunk|docs|document|retriev|evidence|snippet|source|paragraph|knowledge"
        "|excerpt|检索|召回|片段|资料|上下文|文档|kontext|dokument|quell|textstelle|fundstelle"
        "|context[eo]|fragment|extrait|контекст|документ|文脈|文書|検索|문서|문맥|سياق|مستند|وثائق"
    ),
    "ground_truth": re.compile(
        "gold|ideal|ideel|expected|erwartet|reference|correct|right|truth|标准|参考|正确|attendu"
        "|esperad|muster|soll|эталон|ожида|правильн|正解|模範|期待|정답|모범|صحيح|مرجعي|متوقع"
    ),
}
"""Stands in the name of a column that may hold such texts."""

SCORES = re.compile(
    "score|faithful|relevan|adheren|grounded|utiliz|completeness|precision|recall|bleu|rouge|f1"
    "|similarity|rating|accuracy|truthful|hallucinat|confidence|得分|评分"
)
"""Stands in the name of a column that says how good an answer was."""

RECORDED = re.compile("(^|_)(model|temperature|latency|retriev|top_k|token)")
"""Stands in the name of a column that says how an answer was made."""

PUBLISHED = re.compile(
    "supporting_fact|is_supporting|alias|(^|_)alt_ans|justification|answerable|decomposition"
    "|is_impossible|distractor|evidence_doc|(^|_)doc_name"
)
"""Stands in the name of a column of published questions, whose answers are the true ones."""

LONGEST = 200
"""Characters of a column's name that are looked at; none that is known is as long."""

_NEVER = frozenset(_TABLES["other"]["never"].split())
"""A column with one of these words in its name holds no field, unless the name is known."""

_PATH = re.compile(r"\w+(\.\w+)+")
"""How a field in an object is named, and a column that a program made of one."""


def canonical(name: str) -> str:
    """A column name without case, spaces, punctuation and plural: "Retrieved Contexts" is
    "retrieved_context".
    """
    singular = re.sub(r"ies$", "y", folded(name))
    # Neither "corpus" nor "class" is a plural
    return re.sub(r"(?<=[a-z][^su])s$", "", singular)


def folded(name: str) -> str:
    """A column name without case, accents and punctuation: "userQuestions" is "user_questions"."""
    return _folded(name[:LONGEST])


# Each column's name is folded for each of the first rows, and some seventy times beside.
@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    # One letter may stand for eighteen.
    known_by = _without_accents(nfkc(name)[:LONGEST])
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", known_by)
    return re.sub(r"[\W_]+", "_", split.casefold()).strip("_")


def _without_accents(name: str) -> str:
    """A name as people write it who have no accents on their keyboard: "reponse_generee"."""
    if name.isascii():
        return name
    letters = unicodedata.normalize("NFD", name)
    kept = [letter for letter in letters if not unicodedata.combining(letter)]
    return unicodedata.normalize("NFC", "".join(kept))


def is_plural(name: str) -> bool:
    """Whether a column is named for many; Chinese makes no difference between one and many."""
    return canonical(name) != folded(name) or not name.isascii()


def is_called_documents(name: str) -> bool:
    """Whether a column of this name holds documents."""
    return canonical(name) in KNOWN["retrieved_documents"] + KNOWN["gold_documents"]


def is_never_a_field(name: str) -> bool:
    """Whether the name says that the column holds a score, an id, a reason or a wrong answer.

    What begins with two underscores is an instruction to promptfoo, such as "__expected".
    """
    words = folded(name).split("_")
    return name.startswith("__") or not _NEVER.isdisjoint(words)


def field_of(name: str) -> str:
    """The field that a column of this name holds; empty where the name is not known."""
    known = canonical(last_part(name))
    return next((field for field, names in KNOWN.items() if known in names), "")


def last_part(column: str) -> str:
    """The name by which a column is known; of a field in an object the last telling part.

    "output.text" says what it is by the object's name, "input.passage" by its own; whose answer
    "outputs.answer" and "reference_outputs.answer" hold, LangSmith says by the object alone.
    """
    if len(column) > LONGEST or not _PATH.fullmatch(column):
        return column
    *_, outer, last = column.split(".")
    is_only_text = last.casefold() in TEXT_KEYS and last.casefold() not in _ALL_KNOWN
    is_either_answer = canonical(last) in ANSWER
    is_told_by_object = is_either_answer and canonical(outer) in _ANSWERS
    return outer if is_only_text or is_told_by_object else last


def columns_by_name(columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each canonical name, in the order of the file.

    A name that several objects have in them, equally deep, says nothing: which of them is meant?
    """
    named: dict[str, list[str]] = {}
    deep = [column for column in columns if "." in column]
    inside = Counter((last_part(column), _depth(column)) for column in deep)
    for column in columns:
        name = last_part(column)
        # DeepEval's and promptfoo's results name the same thing in each of many objects
        is_ambiguous = "." in column and inside[name, _depth(column)] > 1
        if is_ambiguous or column.startswith("__"):
            continue
        # They are true answers in one file, and what was cited in another
        if name.casefold() == "references":
            continue
        named.setdefault(canonical(name), []).append(column)
    # What lies less deep is the row's own: a result repeats the test case that it belongs to
    for columns_of_name in named.values():
        columns_of_name.sort(key=_depth)
    return named


def _depth(column: str) -> int:
    return column.count(".")


def _known_names(field: str) -> tuple[str, ...]:
    names = (*COLUMNS.get(field, ()), *_FIELDS[field]["further"].split())
    return tuple(dict.fromkeys(map(canonical, names)))


KNOWN = {field: _known_names(field) for field in FIELDS}
"""All names of each field in canonical form, the best first."""

_ALL_KNOWN = frozenset(chain.from_iterable(KNOWN.values()))
_ANSWERS = frozenset(KNOWN["response"] + KNOWN["ground_truth"])


def field_in_words(field: str) -> str:
    """What a field of a sample is called in a sentence."""
    words = _FIELDS.get(field, {}).get("words")
    return say(words) if words else field.replace("_", " ")
