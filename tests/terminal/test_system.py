"""A RAG system of one's own in the terminal: module:function, and HTTP by a TOML file or its table."""

import pytest
from click.testing import CliRunner

from evaluators.runs.inputs import local_store
from evaluators.terminal.cli import main
from evaluators.terminal.command import command
from tests.rag_service import RagService

QUESTIONS = (
    "question,ground_truth\n"
    "When was the tower built?,The tower was built in 1889.\n"
    "When was the bridge opened?,The bridge was opened in 1932.\n"
)
MODULE = """
def ask(question):
    if "bridge" in question:
        raise ValueError("no bridge")
    return {"response": "The tower was built in 1889.", "retrieved_documents": ["1889."]}


def mended(question):
    return "The bridge was opened in 1932."
"""
SYSTEM = """
name = "shop"
address = "{address}/ask"
answer = "result.answer"
documents = "result.sources[].text"
headers = {{ Authorization = "Bearer $RAG_TOKEN" }}
"""


@pytest.fixture
def folder(data_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    return tmp_path


def plumbline(*words):
    return CliRunner().invoke(main, list(words), catch_exceptions=False)


def test_a_function_answers_and_resume_takes_another_one(folder):
    (folder / "my_rag_module.py").write_text(MODULE)
    data = ("--data", "questions.csv", "--metric", "answer_match")
    done = plumbline("run", *data, "--system", "my_rag_module:ask")
    assert done.exit_code == 3
    (run,) = local_store().runs.newest("local")
    assert run.models[0].id == "system/ask"
    assert "ask raised ValueError: no bridge" in done.output
    assert "--system my_rag_module:ask" in command(run)
    without = CliRunner().invoke(main, ["resume", "last"])
    assert "ask is a RAG system that is not at hand" in without.output
    again = plumbline("resume", "last", "--system", "my_rag_module:ask")
    assert again.exit_code == 3


@pytest.mark.parametrize("as_table", [False, True])
def test_http_is_a_file_or_a_table_of_the_runs_file_and_the_key_is_on_no_disk(
    folder, monkeypatch, as_table
):
    monkeypatch.setenv("RAG_TOKEN", "token-of-mine-0123456789")
    with RagService(key="token-of-mine-0123456789") as service:
        words = SYSTEM.format(address=service.address)
        (folder / "rag.toml").write_text(f"[system]{words}" if as_table else words)
        data = ("--data", "questions.csv", "--metric", "answer_match", "--json")
        given = ("--config", "rag.toml") if as_table else ("--system", "rag.toml")
        done = plumbline("run", *given, *data)
    assert done.exit_code == 0, done.output
    (run,) = local_store().runs.newest("local")
    assert run.models[0].id == "system/shop"
    assert run.models[0].system.headers == ("Authorization",)
    shown = command(run)
    assert "--system shop.toml" in shown
    assert '#   answer = "result.answer"' in shown
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"token-of-mine" not in kept
