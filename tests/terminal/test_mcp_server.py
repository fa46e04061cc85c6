"""`plumbline mcp`: a process that is talked to line by line, as an agent's client does."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.config import ROOT
from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.runs.inputs import local_store
from evaluators.terminal.mcp_server import DATA, MOST_BYTES, MOST_TEXT, answered, reply
from tests.comparison.made import results

QUESTIONS = [f"Question {number}?" for number in range(8)]
WORKED_OUT = ("figures", "viewed", "sqlite_stat1")
"""What may be kept of a run that was only looked at, as by the app and `plumbline show`."""


@pytest.fixture
def server(data_folder):
    """Sends lines to a server with the store of this test, and has its replies."""

    def talk(*lines):
        text = b"".join(
            (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n"
            for line in lines
        )
        done = subprocess.run(
            [sys.executable, "-m", "evaluators", "mcp"],
            input=text,
            capture_output=True,
            timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1"},
            cwd=data_folder,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return list(map(json.loads, done.stdout.splitlines()))

    return talk


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number, name, **arguments):
    return request(number, "tools/call", name=name, arguments=arguments)


def text_of(answer):
    assert not answer["result"]["isError"], answer
    [content] = answer["result"]["content"]
    return content["text"]


def shown(result):
    return "\n".join(line.rstrip() for line in result.stdout.splitlines())


def test_the_configuration_of_the_docs_starts_it(data_folder):
    text = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    [recipe] = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    own = json.loads(recipe)["mcpServers"]["plumbline"]
    # As an installed one.
    command = data_folder / own["command"]
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m plumbline "$@"\n')
    command.chmod(0o755)

    done = subprocess.run(
        [command, *own["args"]],
        input=json.dumps(request(1, "tools/list")).encode(),
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )

    assert len(recipe.splitlines()) <= 15
    assert len(json.loads(done.stdout)["result"]["tools"]) == 4


def test_a_client_is_greeted_and_told_the_tools(server):
    greeted, pinged, listed = server(
        request(1, "initialize", protocolVersion="2025-06-18", capabilities={}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("two", "ping"),
        request(3, "tools/list"),
    )

    assert greeted["result"]["protocolVersion"] == "2025-06-18"
    assert greeted["result"]["capabilities"] == {"tools": {}}
    assert greeted["result"]["serverInfo"]["name"] == "plumbline"
    assert pinged == {"jsonrpc": "2.0", "id": "two", "result": {}}
    tools = {tool["name"]: tool for tool in listed["result"]["tools"]}
    assert list(tools) == ["list", "show", "check", "compare"]
    for tool in tools.values():
        assert tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
        assert DATA in tool["description"]
        assert tool["inputSchema"]["type"] == "object"
    assert tools["show"]["inputSchema"]["required"] == ["run"]
    assert tools["check"]["inputSchema"]["properties"]["against"]["enum"] == ["people", "gold"]


def test_an_unknown_version_is_answered_by_the_newest():
    line = json.dumps(request(1, "initialize", protocolVersion="1999-01-01")).encode()

    assert reply(line)["result"]["protocolVersion"] == "2025-11-25"


def test_each_tool_says_what_the_terminal_prints_and_the_store_stays_as_it_is(
    plumbline, server, data_folder
):
    plumbline("run", "--data", TRACE_SAMPLES, "--metric", "trace")
    results(local_store(), "old", QUESTIONS, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    results(local_store(), "new", QUESTIONS, [1.0] * 8)
    trace = next(run.id for run in local_store().runs.newest("local") if run.id not in "old new")
    # A run file of that name is not what the tool means, and is not opened.
    (data_folder / "old").write_text("{}", encoding="utf-8")
    before = stored(data_folder)

    answers = server(
        call(1, "list"),
        call(2, "show", run=trace, labels="gold"),
        call(3, "check", run=trace, against="gold"),
        call(4, "compare", runs=[trace], labels=["heuristic", "gold"]),
        call(5, "compare", runs=["old", "new"]),
    )
    (data_folder / "old").unlink()
    printed = [
        plumbline("list", "runs"),
        plumbline("show", trace, "--labels", "gold"),
        plumbline("check", trace, "--against", "gold"),
        plumbline("compare", trace, "--labels", "heuristic", "--labels", "gold"),
        plumbline("compare", "old", "new"),
    ]

    assert list(map(text_of, answers)) == list(map(shown, printed))
    assert "24 answers checked" in text_of(answers[0])
    assert "new is better in answer match by 75.0 points (18.2 to 92.9)." in text_of(answers[4])
    assert stored(data_folder) == before


def stored(folder: Path):
    """Every row of the store but for figures that are worked out of the others."""
    with sqlite3.connect(folder / "plumbline.sqlite3") as db:
        names = [
            name for (name,) in db.execute("select name from sqlite_master where type='table'")
        ]
        rows = {name: db.execute(f'select * from "{name}"').fetchall() for name in names}
    db.close()
    return {name: own for name, own in rows.items() if name not in WORKED_OUT}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b'{"id": ' + b"9" * 5_000 + b"}", -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b'{"id": 1, "method": 5}', -32600),
        (b'{"id": null, "method": "ping"}', -32600),
        (b'{"id": true, "method": "ping"}', -32600),
        (b'{"id": {}, "method": "ping"}', -32600),
        (b'{"id": 1, "method": "ping", "params": []}', -32600),
        (b'{"id": 1, "method": "tools/delete"}', -32601),
        (b'{"id": 1, "method": "resources/list"}', -32601),
        (b'{"id": 1, "method": "tools/call"}', -32602),
        (b'{"id": 1, "method": "tools/call", "params": {"name": ["show"]}}', -32602),
        (b'{"id": 1, "method": "tools/call", "params": {"name": "run"}}', -32602),
    ],
)
def test_what_is_no_request_is_refused_by_its_code(line, code):
    answer = reply(line)

    assert answer["error"]["code"] == code
    assert answer["id"] == (1 if code in (-32601, -32602) else None)


def test_a_line_too_long_is_refused_and_the_next_one_answered(server):
    long, after, whole = server(
        b'{"id": 1, "method": "ping", "x": "' + b"x" * 3 * MOST_BYTES + b'"}',
        request(2, "ping"),
        b'{"id": 3, "method": "ping"' + b" " * (MOST_BYTES - 100) + b"}",
    )

    assert long["error"]["code"] == -32700
    assert (after["id"], whole["id"]) == (2, 3)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("show", {}, "run: Field required. Correct it: show takes run, labels."),
        ("show", [], "arguments: Input should be"),
        ("show", {"run": 5}, "run: Input should be a valid string."),
        ("show", {"run": ""}, "run: String should have at least 1 character."),
        ("show", {"run": "x" * 101}, "run: String should have at most 100 characters."),
        ("show", {"run": "last", "\x1b[2J": 1}, "Correct it: show takes run, labels."),
        ("list", {"run": "last"}, "Correct it: list takes nothing."),
        ("check", {"run": "old", "against": "me"}, "against: Input should be 'people' or 'gold'."),
        ("compare", {"runs": "old"}, "runs: Input should be a valid list."),
        ("compare", {"runs": []}, "runs: List should have at least 1 item"),
        ("compare", {"runs": ["old"] * 21}, "runs: List should have at most 20 items"),
        ("show", {"run": "nowhere"}, "Error: No run begins with “nowhere”. See: "),
        ("show", {"run": "\ud800"}, "run: Input should be a valid string"),
        ("show", {"run": "--help"}, "Error: No run begins with “--help”."),
        ("show", {"run": "https://localhost/x"}, "Error: No run begins with “https://"),
        ("show", {"run": "old", "labels": "mine"}, "Error: "),
        ("check", {"run": "old"}, "Error: Nobody has labelled an answer of this run."),
        ("compare", {"runs": ["old"], "by": "\x1b[2J"}, "Error: "),
        ("compare", {"runs": ["old"]}, "Error: Two sides are the same."),
    ],
)
def test_wrong_arguments_are_an_error_of_the_tool_with_what_to_give(name, arguments, words):
    results(local_store(), "old", QUESTIONS, [1.0] * 8)

    text, is_error = answered(name, arguments)

    assert is_error
    assert words in text
    assert "\x1b" not in text


def test_without_a_run_it_is_said_what_begins_one():
    assert answered("list", {}) == ("No run yet.", False)
    text, is_error = answered("show", {"run": "last"})
    assert is_error
    assert "There is no run yet. Start one with:" in text


def test_texts_of_strangers_steer_nothing_and_an_answer_has_an_end():
    for number in range(100):
        results(local_store(), f"{number:03}\x1b[31m[bold]" + "x" * 1_500, QUESTIONS[:1], [1.0])

    text, is_error = answered("list", {})

    assert not is_error
    assert "\x1b" not in text
    assert len(text) < MOST_TEXT + 100
    assert text.endswith("read it in a terminal.")


def test_rows_that_cannot_be_read_are_said_in_the_answer(data_folder):
    results(local_store(), "lost", QUESTIONS, [1.0] * 8)
    results(local_store(), "new", QUESTIONS, [1.0] * 8)
    with sqlite3.connect(data_folder / "plumbline.sqlite3") as db:
        db.execute("update runs set body = substr(body, 1, 30) where id = 'lost'")
        db.execute("update results set body = '{' where run_id = 'new' and position = 2")
    db.close()

    assert "lost cannot be read" in answered("list", {})[0]
    text, is_error = answered("show", {"run": "lost"})
    assert (is_error, "Error: The run lost cannot be read" in text) == (True, True)
    assert "cannot be read" in answered("show", {"run": "new"})[0].splitlines()[0]
