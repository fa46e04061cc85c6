"""A batch reads rows as the app reads the whole file, however few of them it looks at together."""

import json

import pytest

from evaluators.batch.pieces import read_piece
from evaluators.batch.plan import planned
from evaluators.config import config
from evaluators.datasets.mapping import load
from evaluators.records import Sample
from tests.batch.test_files import Length

pytestmark = pytest.mark.usefixtures("data_folder")

MANY = 300
"""Rows of a piece, which are 200, and of another one."""


def asked(at):
    return {"question": f"What is {at}?", "response": f"It is {at}."}


def talk(at):
    turns = [("user", asked(at)["question"]), ("assistant", asked(at)["response"])]
    return [{"role": role, "content": text} for role, text in turns]


NUMBERED = [
    {**asked(at), "context_1": f"{at} it is.", **({"context_2": "So."} if at < 200 else {})}
    for at in range(MANY)
]
CONVERSATIONS = [
    {"messages": talk(at) if at < 200 or at > 260 else None, "documents": [f"{at} it is."]}
    for at in range(MANY)
]
NESTED = [
    {"title": "a", "qas": [{**asked(at), "contexts": [f"{at} it is."]}]} for at in range(MANY)
]
NESTED[200] = {"title": "a", "qas": []}
FILES = {
    "numbered columns that later rows do not have": NUMBERED,
    "conversations that many rows lack": CONVERSATIONS,
    "a question in a list that one row does not have": NESTED,
}


@pytest.mark.parametrize("rows", FILES.values(), ids=FILES)
def test_rows_are_read_by_how_the_file_is_laid_out(tmp_path, rows):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plan = planned(str(path), Length())
    (fragment,) = plan.source.fragments
    pieces = list(plan.source.pieces(fragment))

    together = texts_in(pieces, plan.reading)
    alone = texts_in([row for piece in pieces for row in piece.one_by_one()], plan.reading)

    app = load("a.jsonl", path.read_bytes(), skip_broken=True)
    assert together == alone == list(map(texts_of, app.samples))
    assert len(together) > 200


def texts_in(pieces, reading):
    rows = [row for piece in pieces for row in read_piece(piece, reading, config())]
    return [texts_of(row.sample) for row in rows if isinstance(row.sample, Sample)]


def texts_of(sample):
    return sample.question, sample.response, sample.retrieved_documents
