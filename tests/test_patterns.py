"""Every regular expression of the product is linear on strings made against it.

The test finds the expressions in the code by itself.
"""

import ast
import importlib
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evaluators.batch import sources
from evaluators.datasets import cells
from evaluators.datasets.alphabets import ALPHABETS
from evaluators.llm import provider_errors
from evaluators.llm.providers import PROVIDERS, AddressForm
from evaluators.retrieval import doubts
from evaluators.text import injection
from evaluators.trace.values import TRACE_VALUES
from tests.hostile import LENGTHS, TooSlowError, check, strings_for

ROOT = Path(__file__).parents[1]
FOLDERS = ("evaluators", "ui", "pages")

AT_ONE_PLACE = ("match", "fullmatch")
AT_ALL_PLACES = ("search", "findall", "finditer", "split", "sub", "subn")
OTHER_DOORS = ("fnmatch", "glob", "regex", "re2")
"""Modules that make patterns too; the product uses none of them, or this test has to learn it."""
HARMLESS = (
    "escape",
    "purge",
    "error",
    "Pattern",
    "Match",
    *(name for name in dir(re) if name.isupper()),
)
"""What else of the module `re` there is."""

NAMES_OF_FILES = ("*.csv", "data/**/train-*.parquet", "*a" * 99, "[" * 199, "*[a-z]?" * 28)
"""Patterns of a hub's card, of at most `hub.LONGEST_PATH` characters."""


def _address_forms() -> list[AddressForm]:
    return [record.address_form for record in PROVIDERS.values() if record.address_form]


MADE_WHILE_RUNNING: dict[str, tuple[str, Callable[[], list[re.Pattern]]]] = {
    "evaluators/batch/sources.py _listed": (
        "fullmatch",
        lambda: [re.compile(sources._as_expression(name)) for name in ("*.csv", "**/*.parquet")],
    ),
    "evaluators/datasets/alphabets.py _alphabet": (
        "match",
        lambda: [alphabet.letters for alphabet in ALPHABETS.values()],
    ),
    "evaluators/retrieval/doubts.py as_words": (
        "search",
        lambda: [
            doubts.as_words(words, "", doubts.Reading(10**6))
            for words in ("new york", "大桥", "a (b", "330")
        ],
    ),
    "evaluators/datasets/cells.py _written": ("fullmatch", lambda: [cells._DATA, cells._MADE]),
    "evaluators/datasets/hub.py": (
        "match",
        lambda: [re.compile(translate(name)) for name in NAMES_OF_FILES],
    ),
    "evaluators/llm/keys.py address_of": (
        "fullmatch",
        lambda: [re.compile(form.pattern) for form in _address_forms()],
    ),
    "evaluators/llm/keys.py _is_of_form": (
        "fullmatch",
        lambda: [re.compile(form.hosts) for form in _address_forms()],
    ),
    "evaluators/people/score_columns.py value_scored": (
        "search",
        lambda: [re.compile(value.called) for value in TRACE_VALUES if value.called],
    ),
    "evaluators/llm/provider_errors.py _meaning": (
        "search",
        lambda: [re.compile(pattern, re.IGNORECASE) for _, pattern, _ in provider_errors._TABLE],
    ),
    "evaluators/text/injection.py _way_to_speak": (
        "search",
        lambda: [way.pattern for way in injection._WAYS],
    ),
}
"""What nobody can read from the code: the file and the function, how patterns are used there, and
all it makes.
"""

UNCLEAR = (
    "{place}: this pattern cannot be read from the code. Write it as a constant, best as "
    "a compiled one at the top of "
    "the module. One that must be made while the program runs is listed in "
    "MADE_WHILE_RUNNING, tests/test_patterns.py."
)


class Patterns(ast.NodeVisitor):
    """The patterns of one module with places and uses, and where one is `unclear`."""

    def __init__(self, file: str, code: str, names: dict[str, Any]) -> None:
        self.places: dict[re.Pattern, str] = {}
        self.uses: dict[re.Pattern, set[str]] = defaultdict(set)
        self.unclear: list[str] = []
        self._file, self._names = file, names
        self._functions: list[str] = []
        self._own: list[set[str]] = [set()]
        self._called: set[ast.AST] = set()
        self.visit(ast.parse(code))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node.name)
        self._own.append(self._own[-1] | set(_own_names(node)))
        self.generic_visit(node)
        self._functions.pop()
        self._own.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Import(self, node: ast.Import) -> None:
        if any(
            alias.name in OTHER_DOORS or (alias.name == "re" and alias.asname)
            for alias in node.names
        ):
            self._tell(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module in ("re", *OTHER_DOORS):
            self._tell(node)

    def visit_Call(self, node: ast.Call) -> None:
        if _is_of_re(node.func) and node.func.attr not in HARMLESS:
            self._called.add(node.func)
            self._add(node, node.func.attr)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if _is_of_re(node) and node not in self._called and node.attr not in HARMLESS:
            self._tell(node)  # such as `map(re.search, ...)`
        value = self._value(node.value) if node.attr in (*AT_ONE_PLACE, *AT_ALL_PLACES) else None
        if isinstance(value, re.Pattern):
            self.uses[value].add(node.attr)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        value = self._value(node)
        if isinstance(value, re.Pattern):
            self.uses[value].add("search")  # it is handed on, and may be used in any way

    def _add(self, node: ast.Call, name: str) -> None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        pattern, *others = [self._value(argument) for argument in given] or [None]
        if not isinstance(pattern, str | bytes | re.Pattern):
            self._tell(node)
            return
        compiled = re.compile(
            pattern, *(other for other in others if isinstance(other, re.RegexFlag))
        )
        self.places.setdefault(compiled, f"{self._file}:{node.lineno}")
        self.uses[compiled].update({name} - {"compile"})

    def _value(self, node: ast.AST) -> Any:
        """What an expression stands for; `None` where only a running function knows."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        is_called = any(isinstance(part, ast.Call) for part in ast.walk(node))
        if names & self._own[-1] or (
            is_called and self._functions and not _is_of_re(getattr(node, "func", node))
        ):
            return None
        try:
            return eval(compile(ast.Expression(node), self._file, "eval"), self._names)
        except Exception:  # whatever the expression does
            return None

    def _tell(self, node: ast.AST) -> None:
        place = " ".join([self._file, *self._functions[-1:]])
        if place not in MADE_WHILE_RUNNING:
            self.unclear.append(f"{self._file}:{node.lineno}")


def _is_of_re(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "re"
    )


def _own_names(function: ast.FunctionDef) -> Iterator[str]:
    """The names that have their values only while the function runs."""
    for part in ast.walk(function):
        if isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


@cache
def product() -> Patterns:
    """The patterns of all modules, those that are made while running among them."""
    whole = Patterns("", "", {})
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        file, code = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        module = Patterns(file, code, _names(file, code))
        whole.places = module.places | whole.places
        whole.unclear += module.unclear
        for pattern, uses in module.uses.items():
            whole.uses[pattern] |= uses
    for place, (use, make) in MADE_WHILE_RUNNING.items():
        for pattern in make():
            whole.places.setdefault(pattern, place)
            whole.uses[pattern].add(use)
    return whole


def _names(file: str, code: str) -> dict[str, Any]:
    """What the names of a module mean.

    One without patterns of its own, which may be a script, is not imported.
    """
    if re.search(r"^\s*import re$", code, re.MULTILINE):
        return vars(
            importlib.import_module(
                file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            )
        )
    imports = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom))
    taken = (
        (sys.modules.get(node.module or ""), alias) for node in imports for alias in node.names
    )
    return {
        alias.asname or alias.name: getattr(module, alias.name, None) for module, alias in taken
    }


def run(pattern: re.Pattern, uses: set[str]) -> Callable[[str], object]:
    """Uses a pattern as the product does.

    Where nobody knows how, at all places of the text, which takes longest.
    """
    is_bytes = isinstance(pattern.pattern, bytes)

    def use(text: str) -> None:
        given = text.encode("latin-1", "replace") if is_bytes else text
        if uses and uses <= set(AT_ONE_PLACE):
            for name in uses:
                getattr(pattern, name)(given)
        else:
            for _ in pattern.finditer(given):
                pass

    return use


def test_every_pattern_of_the_product_can_be_read_from_the_code():
    assert not [UNCLEAR.format(place=place) for place in product().unclear]


def test_a_pattern_takes_linear_time_on_the_worst_strings_made_for_it():
    slower = {}
    for pattern, place in product().places.items():
        try:
            check(run(pattern, product().uses[pattern]), strings_for(pattern))
        except TooSlowError as error:
            slower[place] = str(error)
    assert not slower


# The test itself


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"(a*)*b", "search"),
        (r"(?:a|a)*$", "match"),
        (r"(\w+\s?)*:", "match"),
        (r"\s+$", "search"),
        (r"\s*x", "search"),
        (r"<!--.*?-->", "search"),
        (r"(?:.*,)*;", "fullmatch"),
        (r":\s*(\(?\d{1,2}[.)])?\W*$", "search"),
        (r"(?:^|[.:;!?\n])[\s*(]*\d{1,2}[.):](?=\W|$)", "sub"),
        (r"\s*(<\?xml[^>]*>\s*)?(?s:<!--.*?-->\s*)*<(!doctype html|html)\b", "match"),
        (r"(?<=one )(?:[a-z]+ )+three", "search"),
    ],
)
def test_a_pattern_that_is_slower_is_caught(pattern, use):
    # On a fast machine the mildest of them shows on a longer string alone.
    lengths = (*LENGTHS, 160_000)
    with pytest.raises(TooSlowError, match="us a character"):
        check(run(re.compile(pattern), {use}), strings_for(re.compile(pattern)), lengths)


@pytest.mark.parametrize(
    "line",
    [
        "re.search(word, text)",
        "re.sub(rf'{word}+', '', text)",
        "re.compile('|'.join(words))",
        "list(map(re.search, words))",
        "from re import search",
        "import re as regular",
        "from fnmatch import fnmatch",
    ],
)
def test_a_pattern_that_cannot_be_read_is_told_with_its_place(line):
    assert Patterns(
        "a.py", f"import re\ndef use(word, words, text):\n    {line}\n", {"re": re}
    ).unclear == ["a.py:3"]


def test_patterns_and_their_uses_are_read_from_the_code():
    code = """
import re
LETTER = "[a-z]"
WORD = re.compile(f"{LETTER}+", re.IGNORECASE)
UNUSED = re.compile("x")
HANDED_ON = re.compile("y")
def use(text):
    return WORD.fullmatch(text), re.sub("b", "", text), re.match(r"c", text, flags=re.DOTALL), other(HANDED_ON)
"""
    names = {"re": re}
    exec(code, names)

    read = Patterns("a.py", code, names)

    assert read.unclear == []
    assert {pattern.pattern: sorted(read.uses[pattern]) for pattern in read.places} == {
        "[a-z]+": ["fullmatch"],
        "x": [],
        "y": ["search"],
        "b": ["sub"],
        "c": ["match"],
    }
    assert re.compile("c", re.DOTALL) in read.places
