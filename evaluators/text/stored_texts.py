"""Stored English texts in the language of their reader: found again in the catalogue by their form.

Runs and files keep the text alone: what was filled into its blanks must be found in it. So a text
is cut at the blanks of each one of the catalogue until one fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from evaluators.text.language import (
    COUNTED,
    ENGLISH,
    PLACES,
    catalogue_of,
    language,
    say,
    speaking,
)

LEAST_LETTERS = 6
"""Letters beside its blanks by which a stored text is known to be made from a text of the code."""
LEAST_LETTERS_WITH_NUMBER = 3
"""Letters that do beside a blank for a number, which only a number fills."""
STRANGERS = frozenset(
    (
        *("column", "columns", "data_set", "file", "host", "last_column", "list", "lists", "model"),
        *("models", "name", "names", "others", "part", "path", "program", "sheet", "sheets"),
        *("answer", "choices", "error", "given", "known", "shown", "there", "value"),
    )
)
"""Blanks that hold names and texts of files, people and models: a column may be called Home."""
LONGEST = 4_000
"""Characters of a stored text whose sentences are looked at, and whose translation is kept; a
longer one quotes a stranger's."""
MOST_SENTENCES = 12
MOST_NESTED = 3
"""Texts within a text: a reason has another one in it, and a stranger's may have thousands."""
FULL_STOPS = ("。", "！", "？", "；", "：", "）")
_BLANK = re.compile(r"\{(\w+)((?:[^\w{}][^{}]*)?)\}")
_NUMBER_FORM = re.compile(r":[+,.\d]*[%fgd]?")
_NUMBER = re.compile(r"[-+±$]?[\d.,]+%?")
_PLACES = re.compile(r"([a-z]+?)s? (\d[\d, ]*?)(?: and ([\d,]+) more)?")
_SENTENCE_END = re.compile(r"(?<=[.!?)]) ")


def translated(stored: str) -> str:
    """An English text that was stored, filled blanks and all, in the language of this moment.

    A text that was not made from one of the catalogue stays as it is.
    """
    code = language()
    return stored if code == ENGLISH else _translated_into(code, stored)


def _translated_into(code: str, stored: str, depth: int = 0) -> str:
    is_long = len(stored) > LONGEST
    return (_in_words_of.__wrapped__ if is_long else _in_words_of)(code, stored, depth)


# A table shows the same few reasons in hundreds of rows.
@lru_cache(maxsize=2000)
def _in_words_of(code: str, stored: str, depth: int) -> str:
    said = _as_one_text(code, stored, depth, is_one=len(stored) > LONGEST)
    if said is None and len(stored) <= LONGEST:
        said = _sentence_by_sentence(code, stored, depth)
        if said == stored:
            said = _as_one_text(code, stored, depth, is_one=True)
    return stored if said is None else said


def _as_one_text(
    code: str,
    stored: str,
    depth: int,
    *,
    is_one: bool,
) -> str | None:
    """The translation of a text that is one of the catalogue as a whole, else `None`.

    Unless it must be one text, a name or what stands in front has no end of a sentence in it.
    """
    known = catalogue_of(code)
    whole = known.get((None, stored)) or _number_with_noun(code, stored)
    if whole is not None:
        return whole
    for parts, numbers, said in _texts_with_blanks(code):
        blanks = _blanks_of(stored, parts)
        if blanks is None:
            continue
        if not all(_NUMBER.fullmatch(blanks[name]) for name in numbers):
            continue
        # A template would else swallow the sentences before or behind its own.
        single = STRANGERS if parts[0] else {*STRANGERS, parts[1]}
        names = blanks.keys() & single
        if not is_one and any(_SENTENCE_END.search(blanks[name]) for name in names):
            continue
        if depth < MOST_NESTED:
            for name in blanks.keys() - STRANGERS:
                blanks[name] = _translated_into(code, blanks[name], depth + 1)
        return said.format(**blanks)
    return None


def _number_with_noun(code: str, stored: str) -> str | None:
    """What `counted` and `places` made in English: "2,000 answers", "rows 3, 5 and 2 more"."""
    known = catalogue_of(code)
    number, _, noun = stored[:100].partition(" ")
    singular = noun if number == "1" else noun.removesuffix("s")
    said = known.get((COUNTED, singular))
    if said is not None and _NUMBER.fullmatch(number):
        return said.format(number=number)
    match = _PLACES.fullmatch(stored[:1000])
    said = known.get((PLACES, match[1])) if match else None
    if match is None or said is None:
        return None
    comma = known.get((None, ", "), ", ")
    shown = match[2].replace(", ", comma)
    if match[3]:
        with speaking(code):
            more = int(match[3].replace(",", ""))
            shown = say("{places} and {more:,} more", places=shown, more=more)
    return said.format(places=shown)


def _sentence_by_sentence(code: str, stored: str, depth: int) -> str:
    """The translations of several texts that stand one after the other, a remedy for instance.

    Of the sentences at the front as many as possible are taken for one text.
    """
    sentences = _SENTENCE_END.split(stored, maxsplit=MOST_SENTENCES - 1)
    shown = ""
    while sentences:
        for count in range(len(sentences), 0, -1):
            first = " ".join(sentences[:count])
            said = _as_one_text(code, first, depth, is_one=False)
            if said is not None:
                break
        # Chinese puts no space behind a full stop of its own.
        space = " " if shown and not shown.endswith(FULL_STOPS) else ""
        shown += space + (said or sentences[0])
        sentences = sentences[count:]
    return shown


@cache
def _texts_with_blanks(code: str) -> Sequence[tuple[Sequence[str], Sequence[str], str]]:
    """Texts cut at their blanks, the names of those for numbers, and each text's translation.

    A cut text has its letters at even places and the names of its blanks between. Those of the
    most letters come first.
    """
    cut = []
    for (context, text), said in catalogue_of(code).items():
        # Letters, name and format of a blank, letters, and so on.
        pieces = _BLANK.split(text)
        words = "".join(pieces[::3])
        letters = len(re.sub(r"\W", "", words))
        names, forms = pieces[1::3], pieces[2::3]
        numbers = []
        for name, form in zip(names, forms, strict=True):
            if _NUMBER_FORM.fullmatch(form):
                numbers.append(name)
        least = LEAST_LETTERS_WITH_NUMBER if numbers else LEAST_LETTERS
        # Between two blanks without a letter nobody knows where one ends.
        is_clear = "" not in pieces[3:-1:3]
        if context is None and len(pieces) > 1 and letters >= least and is_clear:
            parts = [piece for at, piece in enumerate(pieces) if at % 3 != 2]
            # What fills a blank is text by now: there is no number left to format.
            cut.append((letters, parts, numbers, _BLANK.sub(r"{\1}", said)))
    # Who has the most letters says the most of what a text is.
    cut.sort(key=lambda each: each[0], reverse=True)
    return [(parts, numbers, said) for _, parts, numbers, said in cut]


def _blanks_of(stored: str, parts: Sequence[str]) -> dict[str, str] | None:
    """What fills the blanks of the cut text, if the stored one is made from it.

    Each piece is looked for once, from left to right: a reason may quote a stranger's text, which
    must not make this slow as a regular expression would be.
    """
    first, last = parts[0], parts[-1]
    if len(stored) < len(first) + len(last):
        return None
    # Before anything is cut out: most texts end here, and a stored one may be long.
    if not stored.startswith(first) or not stored.endswith(last):
        return None
    inside = stored[len(first) : len(stored) - len(last)]
    blanks = {}
    names, letters = parts[1:-2:2], parts[2:-1:2]
    for name, following in zip(names, letters, strict=True):
        blanks[name], found, inside = inside.partition(following)
        if not found:
            return None
    return {**blanks, parts[-2]: inside}
