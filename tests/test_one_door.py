"""One door for what strangers send: it is followed from every field of every page by what is
called with it, and whatever reads it must be the child, or stand behind the door's own decision.
"""

import ast
import builtins
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOOR = ("evaluators.sandbox.child", "child")
"""What begins the child that parses."""
DECIDES = {"is_apart", "is_large"}
"""What tells that a file is so small that it needs no child: only larger ones are followed."""
FILES, TEXTS = {"file_uploader"}, {"text_area"}
"""The fields of pages: what a file field gives is what was sent, of a text only its bytes are."""
SAME = {"getvalue", "getbuffer", "encode", "strip", "replace", "bytes", "items", "values"}
SAME |= {"list", "tuple", "sorted", "enumerate", "zip"}
"""Calls that give what was sent once more."""
LOOKS = SAME | {"startswith", "join", "sha256"} | {*dir(builtins)} - {"eval", "exec", "open"}
"""Calls that make nothing of it."""


class Module:
    """What a file defines, and where the other names in it come from."""

    def __init__(self, name, source):
        self.name = name
        self.defined = {}
        self.imported = {}
        self.fields = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.defined[node.name] = node
            if isinstance(node, ast.ClassDef):
                fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
                self.fields |= {part.target.id for part in fields if is_bytes(part.annotation)}
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (node.module, alias.name)

    def home(self, called):
        """The module and the name of what is called, as far as its imports tell."""
        if isinstance(called, ast.Name):
            return self.imported.get(called.id, (self.name, called.id))
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            return ".".join(self.imported.get(called.value.id, ("",))), called.attr
        return "", ""

    def fields_known(self):
        """Fields of bytes in the records that are defined here, or that it can know."""
        homes = {".".join(home) for home in self.imported.values()}
        known = {home for home, _ in self.imported.values()} | homes
        return self.fields.union(*(each.fields for each in map(module, known) if each))


def is_bytes(annotation):
    """Whether a type holds bytes; what only makes some holds none."""
    if annotation is None or ast.unparse(annotation).startswith("Callable["):
        return False
    inside = [part for part in ast.iter_child_nodes(annotation) if isinstance(part, ast.expr)]
    return names_in(annotation) == {"bytes"} or any(map(is_bytes, inside))


@cache
def module(name):
    path = ROOT.joinpath(*(name or "none").split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return Module(name, path.read_text(encoding="utf-8")) if path.exists() else None


def pages():
    for folder in ("ui", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield module(".".join(path.relative_to(ROOT).with_suffix("").parts))


class Followed:
    """Who reads what was sent outside the door, and how often the door was reached."""

    def __init__(self, modules):
        self.readers = set()
        self.doors = 0
        self._seen = set()
        for each in modules:
            for function in each.defined.values():
                if isinstance(function, ast.FunctionDef):
                    self._function(each, function, frozenset())

    def _function(self, where, function, given):
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        sent = given | {each.arg for each in arguments if is_bytes(each.annotation)}
        if (where.name, function.name, sent) not in self._seen:
            self._seen.add((where.name, function.name, sent))
            _Reading(self, where, sent).block(function.body)

    def call(self, where, call, handed):
        """A call that is handed what was sent, by these arguments."""
        home = where.home(call.func)
        if home == DOOR:
            self.doors += 1
            return
        target = where if home[0] == where.name else module(home[0])
        defined = target.defined.get(home[1]) if target else None
        if isinstance(defined, ast.FunctionDef):
            places = [each.arg for each in defined.args.args]
            rest = [defined.args.vararg.arg if defined.args.vararg else ""] * len(call.args)
            placed = zip(call.args, [*places, *rest], strict=False)
            names = {name for part, name in placed if part in handed}
            names |= {each.arg for each in call.keywords if each.value in handed}
            self._function(target, defined, frozenset(names))
        elif not isinstance(defined, ast.ClassDef) and last_name(call.func) not in LOOKS:
            self.readers.add(f"{where.name}: {ast.unparse(call.func)}")


class _Reading:
    """A function with the names that are what was sent."""

    def __init__(self, followed, where, sent):
        self._followed = followed
        self._where = where
        self._fields = where.fields_known()
        self._sent = set(sent)
        self._typed = set()

    def block(self, body):
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                self.block(statement.body)
            elif isinstance(statement, ast.If) and DECIDES & names_in(statement.test):
                if not isinstance(statement.test, ast.UnaryOp):
                    self.block(statement.body)
                    return
            else:
                self._statement(statement)

    def _statement(self, statement):
        for part in ast.iter_child_nodes(statement):
            context = part.context_expr if isinstance(part, ast.withitem) else part
            if isinstance(context, ast.expr):
                self._expression(context)
        if isinstance(statement, ast.For) and self._is_sent(statement.iter):
            self._sent |= each_of(statement)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            targets = getattr(statement, "targets", None) or [statement.target]
            self._assigned(set().union(*map(names_in, targets)), statement.value)
        for part in ("body", "orelse", "finalbody"):
            self.block(getattr(statement, part, []))
        for handler in getattr(statement, "handlers", []):
            self.block(handler.body)

    def _expression(self, expression):
        for node in ast.walk(expression):
            if isinstance(node, ast.NamedExpr):
                self._assigned(names_in(node.target), node.value)
            if isinstance(node, ast.comprehension) and self._is_sent(node.iter):
                self._sent |= each_of(node)
        for call in ast.walk(expression):
            if isinstance(call, ast.Call):
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                handed = [part for part in given if self._is_sent(part)]
                is_method = isinstance(call.func, ast.Attribute)
                if handed or (is_method and self._is_sent(call.func.value)):
                    self._followed.call(self._where, call, handed)

    def _assigned(self, names, value):
        called = {last_name(each.func) for each in ast.walk(value) if isinstance(each, ast.Call)}
        if FILES & called or self._is_sent(value):
            self._sent |= names
        if TEXTS & called:
            self._typed |= names

    def _is_sent(self, node):
        """Whether an expression is what was sent, or holds it."""
        if isinstance(node, ast.Name):
            return node.id in self._sent
        if isinstance(node, ast.Attribute):
            return node.attr in self._fields
        if isinstance(node, ast.Call):
            if last_name(node.func) not in SAME:
                return last_name(node.func) in FILES
            of = node.func.value if isinstance(node.func, ast.Attribute) else None
            is_typed = last_name(node.func) == "encode" and names_in(node.func) & self._typed
            return bool(is_typed) or any(map(self._is_sent, filter(None, [of, *node.args])))
        if isinstance(node, ast.Compare | ast.JoinedStr | ast.Lambda):
            return False
        return any(map(self._is_sent, ast.iter_child_nodes(node)))


def last_name(called):
    return getattr(called, "attr", "") or getattr(called, "id", "")


def each_of(loop):
    """The names of what a loop goes through, without the numbers and names beside it."""
    called = last_name(loop.iter.func) if isinstance(loop.iter, ast.Call) else ""
    is_pair = called in ("enumerate", "items")
    return names_in(loop.target.elts[-1] if is_pair else loop.target)


def names_in(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


MESSAGES = {"ui.middleware: message.ParseFromString"}
"""A message of the browser, of 2 MB at most: Streamlit reads it as well."""


def test_what_pages_are_sent_is_read_in_the_child_alone():
    followed = Followed(pages())

    assert followed.readers == MESSAGES
    assert followed.doors >= 3  # of tables and texts, of documents, of run files


FIELD = "import json, zipfile\nimport pandas as pd\nimport streamlit as st\n"


@pytest.mark.parametrize(
    "source",
    [
        "def show():\n    file = st.file_uploader('x')\n    json.loads(file.getvalue())",
        "def show():\n    file = st.file_uploader('x')\n    pd.read_csv(file)",
        "def show():\n    for file in st.file_uploader('x'):\n        file.read()",
        "def show():\n    if file := st.file_uploader('x'):\n        zipfile.ZipFile(file)",
        "def show():\n    file = st.file_uploader('x')\n    file.getvalue().decode().splitlines()",
        "def show():\n    typed = st.text_area('x')\n    json.loads(typed.strip().encode())",
        "def read(data: bytes):\n    return json.loads(data)",
        "def show():\n    read(st.file_uploader('x').getvalue())\ndef read(x):\n    eval(x)",
        "from evaluators.datasets.encoding import text_of\ndef read(data: bytes):\n"
        "    return text_of('x', data, None)",
        "from evaluators.datasets import text_tables\ndef read(data: bytes):\n"
        "    return text_tables.text_table(data, None)",
        "class Kept:\n    content: bytes\n    def table(self):\n        json.loads(self.content)",
        "from ui.datasets.reading import Reading\ndef show(reading: Reading):\n"
        "    json.loads(reading.content)",
    ],
)
def test_a_reader_beside_the_door_is_found_by_what_is_called(source):
    assert Followed([Module("ui.new", FIELD + source)]).readers
