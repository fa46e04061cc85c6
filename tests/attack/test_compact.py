"""A few of the hostile inputs of each kind, read here; `make attack` reads all, and sends them to a
live app.
"""

import pytest

from tests.attack.documents import documents
from tests.attack.files import MOST_SECONDS, read_one
from tests.attack.rows import rows
from tests.attack.tables import tables

TABLES = (
    "member_above_the_folder.xlsx",
    "nested_entities.xlsx",
    "file_as_entity.xlsx",
    "flipped_bytes.parquet",
    "footer_of_2_gb.parquet",
    "marks_everywhere.csv",
    "a_million_quotes.csv",
    "deep_and_closed.json",
    "half_characters.jsonl",
    "number_of_a_million_digits.jsonl",
    "pickle.pkl",
    "response of spaces after a colon.jsonl",
    "response of line breaks.jsonl",
    "document of names.jsonl",
)
DOCUMENTS = (
    "pages_in_a_circle.pdf",
    "table_in_a_circle.pdf",
    "drawing_of_itself.pdf",
    "file_as_entity.html",
    "open_comments.html",
    "brackets.md",
    "comments.txt",
    "line_breaks.txt",
)


def test_the_attack_has_what_it_says():
    assert len(tables()) + len(documents()) + len(rows()) == 185


@pytest.mark.parametrize("name", TABLES)
def test_a_hostile_table_is_read_or_refused_in_words(name):
    outcome = read_one("table", name)

    assert outcome["crash"] == ""
    assert outcome["outcome"]
    assert outcome["cpu"] < MOST_SECONDS
    assert "root:" not in outcome["outcome"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_hostile_document_is_read_or_refused_in_words(name):
    outcome = read_one("document", name)

    assert outcome["crash"] == ""
    assert outcome["outcome"]
    assert outcome["cpu"] < MOST_SECONDS
