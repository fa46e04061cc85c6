"""No command that is printed installs what is not ours: each names a library by its exact version,
a lock file, or this repository itself. `plumbline` on the package index is somebody else's.
"""

import ast
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from evaluators.extras import EXTRAS, install_line

ROOT = Path(__file__).parents[1]
READ = ("*.md", "*.po", "*.toml", "*.yml", "*.yaml", "*.ipynb", "*.txt", "Dockerfile", "Makefile")
SKIPPED = {".venv", ".git", "tests", ".plumbline"}
"""What nobody reads; tests name bad lines."""
INSTALL = re.compile(
    r"\b(?:pip[3x]?|uvx?|conda|mamba|poetry|pdm)\b(?: +(?:-\S+|pip|tool))* +"
    r"(?:install|add|inject|run)\b(?P<named>(?:\\\n|[^\n`])*)"
)
PINNED = re.compile(r"[\w.-]+(?:\[[\w,]+\])?==[\w.]+")
WITH_VALUE = {"-c", "--constraint", "-t", "--target"}
OURS = re.compile(r"\.(?:\[[\w,]+\])?|(?:\./)?dist/\S+|git\+\S+|requirements[\w-]*\.(?:lock|txt)")


def files():
    for pattern in (*READ, "*.py"):
        for path in ROOT.rglob(pattern):
            if not SKIPPED & set(path.relative_to(ROOT).parts):
                yield path


def texts(path):
    """What a file says; of Python its texts, each as a whole, with what it fills in as `{}`."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [text]
    found, parts = [], set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            found.append("".join(map(filled_or_blank, node.values)))
            parts.update(map(id, node.values))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        ):
            found.append(node.value)
    return found


def filled_or_blank(part):
    return part.value if isinstance(part, ast.Constant) else "{}"


def named(arguments):
    """What the arguments of an install line name to be installed, without its options."""
    # Of a line in prose, only what stands before its closing bracket or quote is a command.
    command = re.split(r"(?<=\S)[)”。）,;]|\s#|&&", arguments.replace("\\\n", " "))[0]
    command = re.sub(r"\$\{\w+:\+([^}]*)\}", r"\1", command)  # an image with a build argument
    try:
        words = shlex.split(command.replace('\\"', '"'))
    except ValueError:
        words = command.split()
    taken, is_value = [], False
    for word in words:
        if not is_value and not word.startswith(("-", "$")):
            taken.append(word)
        is_value = word in WITH_VALUE
    return taken


@cache
def install_lines():
    """Every install line of the repository, with where it stands and what it names."""
    found = [("evaluators/extras.py", install_line(extra)) for extra in EXTRAS]
    for path in files():
        for text in texts(path):
            for line in INSTALL.finditer(text):
                # What this one file fills in is `EXTRAS`.
                if not (path.name == "extras.py" and "{" in line[0]):
                    found.append((path.relative_to(ROOT).as_posix(), line[0]))
    return [(where, line, names) for where, line in found if (names := named_in(line))]


def named_in(line):
    return named(INSTALL.search(line)["named"])


def not_ours(names):
    return [name for name in names if not PINNED.fullmatch(name) and not OURS.fullmatch(name)]


def test_an_install_line_names_a_pinned_library_or_this_repository():
    lines = install_lines()

    assert {"README.md", "Makefile", "Dockerfile", "evaluators/extras.py"} <= {
        where for where, _, _ in lines
    }
    assert not [(where, line) for where, line, names in lines if not_ours(names)]


@pytest.mark.parametrize(
    "line",
    [
        "pip install 'plumbline[ray]'",
        "pip install plumbline",
        "pip3 install -U plumbline",
        "python -m pip install --quiet plumbline-judge",
        "pip install sentence-transformers",
        "pip install sentence-transformers>=5",
        "pip install -r requirements.lock plumbline",
        "uv add plumbline",
        "uv pip install plumbline",
        "uv tool install plumbline",
        "pipx run plumbline",
        "conda install plumbline",
    ],
)
def test_a_name_that_others_may_hold_is_noticed(line):
    assert not_ours(named_in(line))


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('pip install "psycopg[binary]==3.3.9"', ["psycopg[binary]==3.3.9"]),
        ("pip install --quiet uv==0.13.8", ["uv==0.13.8"]),
        ("pip install --require-hashes -r requirements.lock", ["requirements.lock"]),
        ("pip install .", ["."]),
        ("pip install '.[ray]'", [".[ray]"]),
    ],
)
def test_what_is_ours_or_pinned_is_let_through(line, names):
    assert named_in(line) == names
    assert not not_ours(names)


def test_what_messages_install_is_what_the_extras_are():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert project["name"] == "plumbline-rag"
    assert {name: [pin] for name, pin in EXTRAS.items()} == project["optional-dependencies"]


# A hostile index: it has every name that it is asked for, in the version asked for and a newer one.


def wheel(name, version):
    """A package of that name whose contents are of a stranger."""
    file, info = io.BytesIO(), f"{name}-{version}.dist-info"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('of a stranger')")
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nProvides-Extra: binary\nProvides-Extra: torch\n",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return file.getvalue()


VERSIONS = {pin.partition("==")[2] for pin in EXTRAS.values()} | {"99.0"}


@pytest.fixture
def index():
    """A package index on this machine, and the names that it was asked for."""
    asked = []

    class Index(BaseHTTPRequestHandler):
        def do_GET(self):
            *_, last = self.path.strip("/").split("/")
            if last.endswith(".whl"):
                name, version, *_ = last.split("-")
                body, kind = wheel(name, version), "application/octet-stream"
            else:
                asked.append(last)
                files = [
                    f"{last.replace('-', '_')}-{version}-py3-none-any.whl" for version in VERSIONS
                ]
                body = "".join(f'<a href="/files/{file}">{file}</a>' for file in files).encode()
                kind = "text/html"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/simple", asked
    server.shutdown()
    server.server_close()


def download(names, index, folder):
    """What pip takes from the index for these names."""
    environment = {name: value for name, value in os.environ.items() if "PIP_" not in name}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--no-build-isolation", "--disable-pip-version-check", "--dest", str(folder)),
            *names,
        ],
        cwd=ROOT,
        env=environment
        | {"PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return sorted(path.name for path in folder.iterdir())


def test_no_printed_command_takes_more_from_a_hostile_index_than_it_pins(index, tmp_path):
    address, asked = index
    printed = {name for _, _, names in install_lines() for name in names}
    # What messages and docs tell to install beside the app; the rest is `make lock`'s own tool.
    pinned = sorted(printed & set(EXTRAS.values()))

    taken = download(pinned, address, tmp_path)

    assert pinned == sorted(EXTRAS.values())
    assert taken == [
        "mlflow_skinny-3.17.2-py3-none-any.whl",
        "psycopg-3.3.9-py3-none-any.whl",
        "ray-2.60.0-py3-none-any.whl",
        "sentence_transformers-6.2.0-py3-none-any.whl",
        "transformers-5.18.0-py3-none-any.whl",
    ]
    assert set(asked) == {
        "mlflow-skinny",
        "psycopg",
        "ray",
        "sentence-transformers",
        "transformers",
    }


def test_this_repository_installs_without_asking_an_index_for_its_name(index, tmp_path):
    address, asked = index

    download(["."], address, tmp_path)

    assert asked == []


def test_the_index_is_hostile(index, tmp_path):
    address, asked = index

    assert download(["plumbline"], address, tmp_path) == ["plumbline-99.0-py3-none-any.whl"]
    assert asked == ["plumbline"]
