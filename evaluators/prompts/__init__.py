"""Prompts are prose in files: `string.Template` texts with $blanks; this module only fills them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path
from string import Template

from evaluators.errors import PromptError
from evaluators.records import Record
from evaluators.surrogates import without_surrogates

FOLDER = Path(__file__).parent


class Markers(Record):
    """The sentences a generator is asked to use, and the words in them that the rules look for."""

    rejection: str
    rejection_words: str
    errors: str
    errors_words: str


MARKERS = {
    "en": Markers(
        rejection=(
            "I can not answer the question because of the insufficient information in documents."
        ),
        rejection_words="insufficient information",
        errors="There are factual errors in the provided documents.",
        errors_words="factual errors",
    ),
    "zh": Markers(
        rejection="由于文档信息不足，我无法回答这个问题。",
        rejection_words="信息不足",
        errors="所给文档中存在事实性错误。",
        errors_words="事实性错误",
    ),
}


class Question(Record):
    """What a decision model is asked of a text: how likely a statement is true, or each option."""

    name: str
    text: str
    options: tuple[str, ...] = ()


class Prompt(Record):
    """A prompt ready to send: the text, and the facts it was filled with.

    The offline reader reads the facts. `schema_text` is the JSON schema that the answer shall
    follow; empty where it is free text. `attempt` counts from 1 how often one thing is asked.
    A prompt with `questions` is for a decision model, see `llm.decisions`.
    """

    text: str
    question: str = ""
    documents: tuple[str, ...] = ()
    schema_text: str = ""
    attempt: int = 1
    questions: tuple[Question, ...] = ()


@cache
def load(name: str) -> str:
    """The template in `evaluators/prompts/<name>.md`."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@cache
def shipped() -> frozenset[str]:
    """All templates that come with Plumbline."""
    return frozenset(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))


def check(template: str, blanks: Collection[str] = ("question", "documents")) -> None:
    """Raises `PromptError` unless the template holds exactly these blanks."""
    present = _blanks_of(template)
    if present is None:
        raise PromptError("A lone $ stands in the prompt. Write $$ for a dollar sign.")
    for blank in blanks:
        if blank not in present:
            raise PromptError(f"The prompt lacks ${blank}. Put it where the {blank} should stand.")
    if unknown := present.difference(blanks):
        filled_ones = " and ".join(f"${blank}" for blank in blanks)
        raise PromptError(
            f"The prompt has an unknown blank ${min(unknown)}. Only {filled_ones} are filled."
        )


# Remembered, as all prompts of a run are made from one template.
@lru_cache(maxsize=64)
def _blanks_of(template: str) -> frozenset[str] | None:
    """The blanks of a template; `None` where it is not one."""
    if not Template(template).is_valid():
        return None
    return frozenset(Template(template).get_identifiers())


def filled(template: str, **facts: str) -> str:
    """The template with the facts in its blanks.

    Raises `PromptError` unless each fact has a blank and no blank is left.
    """
    check(template, facts)
    return without_surrogates(Template(template).substitute(facts))


def fill(template: str, question: str, documents: tuple[str, ...]) -> Prompt:
    """Fills a generator's template; the documents are numbered from 1, one paragraph each.

    Without a template, as a system has none, it is the question alone.
    """
    if not template:
        return Prompt(text=question, question=question, documents=documents)
    numbered = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(documents, start=1))
    text = filled(template, question=question, documents=numbered)
    return Prompt(text=text, question=question, documents=documents)


def fenced(template: str, **material: str) -> str:
    """Fills a template with texts of strangers, each between marks that hold its blank $tag.

    The tag is made from the template and all of the material: the same for the same prompt (so that
    a stored answer is found again), and beyond the reach of whoever wrote the material, as every
    change to it changes the tag.
    """
    whole = json.dumps([template, material])
    tag = hashlib.sha256(whole.encode()).hexdigest()[:16]
    # No text holds the tag by chance; one that did would end its own fence.
    harmless = {blank: text.replace(tag, "") for blank, text in material.items()}
    return filled(template, tag=tag, **harmless)
