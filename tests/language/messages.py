"""The texts of the code that people read on the screen, and the catalogue of their translations.

`python -m tests.language` brings the catalogue up to date.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from evaluators.catalogue import catalogue, explanations, ships
from evaluators.runs.glossary import terms
from evaluators.text.language import CHINESE, COUNTED, PLACES
from ui.script import texts_of

ROOT = Path(__file__).parents[2]
FILE = ROOT / "data" / "languages" / f"{CHINESE}.po"
HEAD = "# Simplified Chinese of Plumbline's screens. The English texts of the code are the keys."
SINCE = datetime(2026, 11, 23, tzinfo=UTC)
FOLDERS = ("evaluators", "ui", "pages")
LESSONS = ROOT / "data" / "lessons"
TABLES = [
    ROOT / "data" / f"{name}.toml"
    for name in ("alphabets", "columns", "findings", "shapes", "traces")
]


class Text(NamedTuple):
    """A text of the code; nouns beside a number, and texts that mean two things, have a context."""

    context: str | None
    english: str


ARGUMENTS: Mapping[str, tuple[int, str | None]] = {
    "say": (0, None),
    "mark": (0, None),
    "counted": (1, COUNTED),
    "places": (1, PLACES),
    "RefusedError": (0, None),
}
"""The functions that take a text: which argument it is, and its context."""


@cache
def texts_of_code() -> Mapping[Text, str]:
    """Every text of the code, each with the file it stands in first."""
    found = {text: min(files) for text, files in places_of_texts().items()}
    for text, path in _texts_of_tables():
        found.setdefault(Text(None, text), path)
    for cls in catalogue().values():
        if ships(cls):
            path = f"{cls.__module__.replace('.', '/')}.py"
            found |= {Text(None, text): path for text in explanations(cls)}
    # The noun that `places` takes where none is named.
    found.setdefault(Text(PLACES, "row"), "evaluators/text/words.py")
    return found


@cache
def places_of_texts() -> Mapping[Text, set[str]]:
    """The files of code, scripts of the browser among them, that say or mark each text."""
    found: dict[Text, set[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for text in _texts_in(path):
                found.setdefault(text, set()).add(path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "ui" / "static").glob("*.js")):
        for english in texts_of(path.read_text(encoding="utf-8")):
            place = path.relative_to(ROOT).as_posix()
            found.setdefault(Text(None, english), set()).add(place)
    return found


def _texts_in(path: Path) -> Iterator[Text]:
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        place, context = ARGUMENTS.get(name, (0, ""))
        if context == "" or len(call.args) <= place:
            continue
        given = call.args[place]
        if name in ("say", "mark") and len(call.args) > 1:
            # Which of several, where it depends, no reader of the code could tell.
            context = ast.literal_eval(call.args[1])
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            yield Text(context, given.value)
        if name in ("say", "mark") and isinstance(given, ast.JoinedStr):
            where = f"{path.relative_to(ROOT)}:{call.lineno}"
            raise ValueError(f"{where}: an f-string cannot be translated. Name its blanks.")


def _texts_of_tables() -> Iterator[tuple[str, str]]:
    """The texts of the glossary, of tables, and of the lesson that is played in each language."""
    for term in terms().values():
        shown = (term.group, term.title, term.meaning, term.formula, term.ideal, term.advice)
        for text in shown:
            # A range may be a number alone.
            if any(map(str.isalpha, text)):
                yield text, "data/glossary.toml"
    for file in (*sorted(LESSONS.glob("*.toml")), *TABLES):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        for text in _texts_under(table, table["translated"]):
            yield text, str(file.relative_to(ROOT))


def _texts_under(table: object, names: Collection[str]) -> Iterator[str]:
    """The texts that stand under these names, however deep."""
    if isinstance(table, list):
        for entry in table:
            yield from _texts_under(entry, names)
    if isinstance(table, dict):
        for name, value in table.items():
            if name in names:
                yield from filter(None, [value] if isinstance(value, str) else value)
            elif name != "translated":
                yield from _texts_under(value, names)


def stored_catalogue() -> Catalog:
    with FILE.open("rb") as file:
        return read_po(file, locale=CHINESE)


@cache
def translations() -> Mapping[Text, str]:
    """What the catalogue has for each text; an empty text where it is missing."""
    return {
        Text(message.context, str(message.id)): "" if message.fuzzy else str(message.string)
        for message in stored_catalogue()
        if message.id
    }


def write(said: Mapping[Text, str]) -> None:
    """Writes the catalogue, its texts in order: so that a change of one is a change of one place."""
    catalogue = Catalog(
        CHINESE,
        header_comment=HEAD,
        project="Plumbline",
        # Else every writing would change the head.
        creation_date=SINCE,
        revision_date=SINCE,
        fuzzy=False,
    )
    for text in sorted(said, key=lambda text: (text.english, text.context or "")):
        blanks = {"python-brace-format"} if "{" in text.english else set()
        entry = Message(text.english, said[text], context=text.context, flags=blanks)
        catalogue[text.english] = entry
    with FILE.open("wb") as file:
        write_po(file, catalogue, width=0)
