"""A key is nowhere but in memory and on its way to its provider."""

import os
import subprocess
import sys
from itertools import cycle
from pathlib import Path

from evaluators.llm.providers import PROVIDERS
from tests.runs import leaky

ROOT = Path(__file__).parents[2]
FAULTS = (
    "401",
    "400 context",
    "500",
    "reset",
    "html",
    "",
    "huge",
    "429",
    "error 200",
    "404 address",
    "",
    "422",
)


def in_turn():
    turns = cycle(FAULTS)
    return lambda asked: next(turns)


def test_no_key_is_in_any_file_log_or_message_whatever_goes_wrong(loopback, tmp_path):
    servers = [loopback(fault=in_turn()) for _ in leaky.MARKED]
    addresses = [
        server.address if PROVIDERS[provider].path else server.base_url
        for server, provider in zip(servers, leaky.MARKED, strict=True)
    ]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "OPENAI_LOG": "debug",
        "GROQ_LOG": "debug",
        "PLUMBLINE_CALL_SECONDS": "5",
        "PLUMBLINE_WORKERS": "2",
    }
    done = subprocess.run(
        [sys.executable, leaky.__file__, tmp_path, *addresses],
        capture_output=True,
        env=environment,
        check=True,
    )

    for server, key in zip(servers, leaky.MARKED.values(), strict=True):
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {key}"}
        assert {asked.fault for asked in server.asked} >= set(FAULTS)
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"debug.log", "runs.sqlite3"} <= written.keys()
    assert b"Number 3 is Mina Osei" in written["runs.sqlite3"] + written.get(
        "runs.sqlite3-wal", b""
    )
    for place, content in {**written, "stdout": done.stdout, "stderr": done.stderr}.items():
        assert b"MARKED" not in content, place
