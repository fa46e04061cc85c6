"""Every regular expression of the product is linear: found in the code by itself, run on strings made against it."""

import ast
import importlib
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evaluators.llm import trouble
from evaluators.text import injection, sentences
from tests.hostile import TooSlowError, check, strings_for

ROOT = Path(__file__).parents[1]
FOLDERS = ("evaluators", "ui", "pages")

AT_ONE_PLACE = ("match", "fullmatch")
AT_ALL_PLACES = ("search", "findall", "finditer", "split", "sub", "subn")
OTHER_DOORS = ("fnmatch", "glob", "regex", "re2")
"""Modules that make patterns too; the product uses none of them, or this test has to learn it."""
HARMLESS = ("escape", "purge", "error", "Pattern", "Match", *(name for name in dir(re) if name.isupper()))
"""What else of the module `re` there is."""

MADE_WHILE_RUNNING: dict[str, Callable[[], list[re.Pattern]]] = {
    "evaluators/llm/trouble.py error_for": lambda: [re.compile(row[1], re.IGNORECASE) for row in trouble._TABLE],
    "evaluators/text/injection.py _kind": lambda: [kind.pattern for kind in injection._KINDS],
    "evaluators/text/sentences.py period_context_re": lambda: [sentences._punkt()._lang_vars.period_context_re()],
    "evaluators/text/sentences.py word_tokenize": lambda: [sentences._punkt()._lang_vars._word_tokenizer_re()],
}
"""Patterns that a function puts together, and so nobody can read from the code: its file, its name, all it makes."""

UNCLEAR = (
    "{place}: this pattern cannot be read from the code. Write it as a constant, best as a compiled one at the top of "
    "the module; one that must be made while the program runs is listed in MADE_WHILE_RUNNING in tests/test_patterns.py."
)


class Patterns(ast.NodeVisitor):
    """The patterns of one module with their places and uses, and the places where one cannot be read (`unclear`)."""

    def __init__(self, file: str, code: str, names: dict[str, Any]) -> None:
        self.places: dict[re.Pattern, str] = {}
        self.uses: dict[re.Pattern, set[str]] = defaultdict(set)
        self.unclear: list[str] = []
        self._file, self._names = file, names
        self._functions: list[str] = []
        self._own: list[set[str]] = [set()]
        self._called: set[ast.AST] = set()
        self.visit(ast.parse(code))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:  # noqa: N802 (the name is ast's)
        self._functions.append(node.name)
        self._own.append(self._own[-1] | set(_own_names(node)))
        self.generic_visit(node)
        self._functions.pop()
        self._own.pop()

    def visit_Import(self, node: ast.Import) -> None:  # noqa: N802
        if any(alias.name in OTHER_DOORS or (alias.name == "re" and alias.asname) for alias in node.names):
            self._tell(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:  # noqa: N802
        if node.module in ("re", *OTHER_DOORS):
            self._tell(node)

    def visit_Call(self, node: ast.Call) -> None:  # noqa: N802
        if _is_of_re(node.func) and node.func.attr not in HARMLESS:
            self._called.add(node.func)
            self._add(node, node.func.attr)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:  # noqa: N802
        if _is_of_re(node) and node not in self._called and node.attr not in HARMLESS:
            self._tell(node)  # such as `map(re.search, ...)`
        value = self._value(node.value) if node.attr in (*AT_ONE_PLACE, *AT_ALL_PLACES) else None
        if isinstance(value, re.Pattern):
            self.uses[value].add(node.attr)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:  # noqa: N802
        value = self._value(node)
        if isinstance(value, re.Pattern):
            self.uses[value].add("search")  # it is handed on, and may be used in any way

    def _add(self, node: ast.Call, name: str) -> None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        pattern, *others = [self._value(argument) for argument in given] or [None]
        if not isinstance(pattern, str | bytes | re.Pattern):
            self._tell(node)
            return
        compiled = re.compile(pattern, *(other for other in others if isinstance(other, re.RegexFlag)))
        self.places.setdefault(compiled, f"{self._file}:{node.lineno}")
        self.uses[compiled].update({name} - {"compile"})

    def _value(self, node: ast.AST) -> Any:
        """What an expression stands for once the module has been read; `None` where only a running function knows."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        is_called = any(isinstance(part, ast.Call) for part in ast.walk(node))
        if names & self._own[-1] or (is_called and self._functions and not _is_of_re(getattr(node, "func", node))):
            return None
        try:
            return eval(compile(ast.Expression(node), self._file, "eval"), self._names)
        except Exception:  # whatever the expression does
            return None

    def _tell(self, node: ast.AST) -> None:
        function = self._functions[-1] if self._functions else ""
        if f"{self._file} {function}" not in MADE_WHILE_RUNNING:
            self.unclear.append(f"{self._file}:{node.lineno}")


def _is_of_re(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"


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
    for place, make in MADE_WHILE_RUNNING.items():
        whole.places = {pattern: place for pattern in make()} | whole.places
    return whole


def _names(file: str, code: str) -> dict[str, Any]:
    """What the names of a module mean; one without patterns of its own, which may be a script, is not imported."""
    if re.search(r"^\s*import re$", code, re.MULTILINE):
        return vars(importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")))
    imports = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom))
    taken = ((sys.modules.get(node.module or ""), alias) for node in imports for alias in node.names)
    return {alias.asname or alias.name: getattr(module, alias.name, None) for module, alias in taken}


def run(pattern: re.Pattern, uses: set[str]) -> Callable[[str], object]:
    """Uses a pattern as the product does; in an unknown way it is looked for at all places, which takes longest."""
    as_used = bytes if isinstance(pattern.pattern, bytes) else str
    find = pattern.fullmatch if uses == {"fullmatch"} else pattern.match

    def use(text: str) -> None:
        given = text.encode("latin-1", "replace") if as_used is bytes else text
        if uses and uses <= set(AT_ONE_PLACE):
            find(given)
        else:
            for _ in pattern.finditer(given):
                pass

    return use


def test_every_pattern_of_the_product_can_be_read_from_the_code():
    assert not [UNCLEAR.format(place=place) for place in product().unclear]


@pytest.mark.parametrize(
    "pattern", [pytest.param(pattern, id=place) for pattern, place in product().places.items()]
)
def test_a_pattern_takes_linear_time_on_the_worst_strings_made_for_it(pattern):
    check(run(pattern, product().uses[pattern]), strings_for(pattern))
