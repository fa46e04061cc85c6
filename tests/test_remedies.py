"""A remedy is a code that the app, the terminal and Python word; the core names no screen."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from evaluators.errors import IN_PYTHON, AccessError, LLMError, ParameterError
from evaluators.own_command import own_command
from evaluators.records import Reason, Remedy, RemedyCode
from evaluators.terminal.remedies import IN_TERMINAL
from ui.parts.remedies import IN_APP, ON_PUBLIC_HOST, ON_SETTINGS, worded

ROOT = Path(__file__).parents[1]
DOORS = {
    "Python": IN_PYTHON,
    "terminal": IN_TERMINAL,
    "app": IN_APP,
    "public host": ON_PUBLIC_HOST,
    "Settings page": ON_SETTINGS,
}
CORE = sorted(
    path.relative_to(ROOT)
    for path in (ROOT / "evaluators").rglob("*.py")
    if "terminal" not in path.relative_to(ROOT).parts
)
SCREEN = re.compile(r"(?i:\bpages?\b|\bbuttons?\b)|\bSettings\b|(?<![\w-])--[a-z]")
"""A page of the app, a button, or an option of the command line."""

OTHER_PAGES = {
    "The key {problem}. Copy it again from the provider's page, and nothing else.",
    "{host} answered with a web page.",
    "page",
    ", page ",
    ", pages ",
    "{name} holds a picture of its one page, not the text. Run a text recognition (OCR) over it and "
    "choose the result.",
    "{name} holds pictures of its {pages:d} pages, not the text. Run a text recognition (OCR) over "
    "it and choose the result.",
    "{blank:d} of {pages:d} pages hold no text that can be read.",
}
"""Pages of providers and of documents."""


@pytest.mark.parametrize("words", DOORS.values(), ids=DOORS)
def test_a_door_has_words_for_every_remedy(words):
    assert set(words) == set(get_args(RemedyCode))
    for code in get_args(RemedyCode):
        # The app fills in how the command begins, as its texts are keys of translations.
        sentence = words[code].format(name="NAME", plumbline="plumbline")
        assert sentence.endswith(".")
        assert not re.search(r"{\w*}", sentence)


@pytest.mark.parametrize(
    ("error", "python", "terminal", "app"),
    [
        (
            AccessError("No key for Groq.", remedy=Remedy("enter_key", "GROQ_API_KEY")),
            "No key for Groq. Set GROQ_API_KEY, or pass api_key to connect.",
            "No key for Groq. Set GROQ_API_KEY.",
            "No key for Groq. Enter one on the Settings page or set GROQ_API_KEY.",
        ),
        (
            ParameterError("G-Eval asks a judge, and none is named.", remedy=Remedy("name_judge")),
            'G-Eval asks a judge, and none is named. Name one: judge="groq/openai/gpt-oss-120b".',
            "G-Eval asks a judge, and none is named. Name one: --judge groq/openai/gpt-oss-120b.",
            "G-Eval asks a judge, and none is named. Choose one.",
        ),
        (LLMError("Cut off."), "Cut off.", "Cut off.", "Cut off."),
    ],
    ids=["a key", "a judge", "the same everywhere"],
)
def test_each_door_words_the_remedy_for_itself(error, python, terminal, app):
    assert str(error) == python
    assert error.reason.worded(IN_TERMINAL) == terminal
    assert worded(error) == worded(error.reason) == app


def test_the_app_names_a_command_that_works_here():
    reason = Reason(message="It is damaged.", remedy=Remedy("save_run", "3f9a"))

    assert f"({own_command()} export 3f9a --format raw)" in worded(reason)
    assert f"({own_command()} export 3f9a --format raw)" in reason.worded(IN_TERMINAL)


def test_a_visitor_of_a_public_host_is_not_told_to_set_a_variable(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    reason = Reason(message="No key for Groq.", remedy=Remedy("enter_key", "GROQ_API_KEY"))

    assert worded(reason) == "No key for Groq. Enter one on the Settings page."


def test_a_message_with_half_a_character_can_be_shown_and_stored():
    error = LLMError("It wrote \ud83d.")

    assert str(error) == "It wrote \ud83d."
    assert error.reason.model_dump_json()


def texts_of(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        # A pattern with the word "pages" looks for it in answers, and shows it to nobody.
        if id(node) not in docstrings and not re.search(r"\\b|\(\?:", node.value)
    ]


def test_the_core_names_no_screen_and_no_option():
    assert len(CORE) > 200
    naming = [(path.as_posix(), text) for path in CORE for text in texts_of(path) if SCREEN.search(text)]  # fmt: skip
    assert [(path, text) for path, text in naming if text not in OTHER_PAGES] == []
