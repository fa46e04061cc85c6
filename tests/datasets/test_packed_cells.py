"""What stands in one cell: documents, or only their ids, files, pages, addresses and titles."""

import csv
import io
import json

import pytest

from evaluators.datasets.mapping import load, open_file
from evaluators.datasets.references import is_reference, is_title
from evaluators.errors import DatasetError

# 31 kinds of names of documents: each alone, and several in a cell
NAMES = {
    "uuid": ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "7d444840-9dc0-11d1-b245-5ffdce74fad2"),
    "sha": ("9fceb02d0ae598e95dc970b74767f19372d61af8", "ca82a6dff817ec66f44342007202690a93763949"),
    "integer": ("4711", "4712"),
    "number of a ticket": ("SUP-4711", "SUP-4712"),
    "number with a hash": ("#4711", "#4712"),
    "name with a number": ("chunk_12", "chunk_13"),
    "node": ("node-0af3::2", "node-0af4::3"),
    "hexadecimal": ("507f1f77bcf86cd799439011", "507f191e810c19729de860ea"),
    "arXiv": ("arXiv:2005.11401v2", "arXiv:1706.03762"),
    "bare arXiv": ("2005.11401", "1706.03762"),
    "DOI": ("10.18653/v1/2020.emnlp-main.550", "10.1145/3397271"),
    "named DOI": ("doi: 10.18653/v1/2020", "doi: 10.1145/3397271"),
    "ISBN": ("978-3-16-148410-0", "978-0-306-40615-7"),
    "named ISBN": ("ISBN 978 3 16 148410 0", "ISBN 978 0 306 40615 7"),
    "PMID": ("PMID: 12345678", "PMID: 23456789"),
    "slug": ("how-to-reset-a-password", "how-to-pay-by-card"),
    "path": ("docs/guides/setup", "docs/guides/pay"),
    "folder with spaces": ("/srv/shared files/Travel Policy", "/srv/shared files/Car Policy"),
    "path of Windows": ("C:\\Docs\\My Guide\\intro", "C:\\Docs\\My Guide\\end"),
    "address": ("https://example.com/help?id=3", "https://example.com/help?id=4"),
    "address without a scheme": ("www.example.com/help", "www.example.com/pay"),
    "link": ("[Refunds](https://example.com/a)", "[Payment](https://example.com/b)"),
    "title with an address": ("Refunds (https://example.com/a)", "Payment (https://example.com/b)"),
    "file": ("handbook.pdf", "prices.xlsx"),
    "file with spaces": ("Verification Guide.pdf", "Travel Policy 2024.docx"),
    "page of a file": ("report.pdf (page 3)", "report.pdf, p. 12"),
    "line of a file": ("annual report.md:12-14", "annual report.md:20"),
    "page": ("Page 3", "Page 10 of 12"),
    "section": ("Section 4.2", "§ 12(3)"),
    "page of a book": ("Employee Handbook, p. 12", "Employee Handbook (page 14)"),
    "Chinese page": ("第3页", "文档12"),
}

# Short, but said of something: what such a question could be answered from
PASSAGES = [
    "Built in 1812.",
    "The mill was built in 1812",
    "It was built by Anna, in 1812",
    "Open daily 9-17, closed on 24 December",
    "see page 3 for the rules",
    "Section 4 covers refunds",
    "Part 2 was harder than part 1",
    "COVID-19 spreads by air",
    "Water boils at 100 C",
    "1. Open the lid",
    "- It grinds rye",
    "2 + 2 = 4",
    "Fees: $30 per year; $3 per month",
    "Refunds take 5 days, exchanges take 7 days",
    "Born 1912 in Ulm, died 1999 in Bern",
    "In 1812, 1813 and 1814 it burned",
    "Email us at help@example.com",
    "Visit https://example.com/refund for refunds",
    "No. 5 is a perfume",
    "Table 4 shows the results",
    "Anna was there; Bert and Carl were not",
    "铁塔高330米",
]

TEXTS = ["The mill was built in 1812 by Anna Berg.", "It grinds rye, from the north and the south."]
LINES = [
    "The mill was built in 1812 by Anna Berg, who came from the north of the country.",
    "Rye was ground there until the river changed its bed, and the wheel stood still.",
]


def written(rows, columns=("question", "response", "contexts")):
    file = io.StringIO()
    csv.writer(file).writerows([columns, *rows])
    return file.getvalue().encode()


def of(cell, column="contexts"):
    rows = [[f"How old is mill {n}?", f"It is {n}.", cell] for n in (1, 2, 3)]
    return open_file("a.csv", written(rows, ("question", "response", column)))


BETWEEN_NAMES = {
    "a bar": "|",
    "a bar with spaces": " | ",
    "a semicolon": ";",
    "a semicolon with a space": "; ",
    "a comma": ", ",
    "line breaks": "\n",
    "entries": "\n- ",
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_documents_are_no_documents(kind):
    one, other = NAMES[kind]

    for name in (one, other):
        assert is_reference(name) or is_title(name), name
    for between in BETWEEN_NAMES.values():
        assert is_reference(between.join([one, other, one])), between


@pytest.mark.parametrize("passage", PASSAGES)
def test_a_short_passage_is_a_document(passage):
    assert not is_reference(passage)
    assert not is_title(passage)


@pytest.mark.parametrize("column", ["contexts", "documents", "retrieved_documents", "passage"])
@pytest.mark.parametrize("between", BETWEEN_NAMES)
def test_a_column_of_names_is_asked_about(between, column):
    loaded = of(BETWEEN_NAMES[between].join(["report.pdf (page 3)", "chunk_12", "Page 4"]), column)

    assert "retrieved_documents" not in loaded.guess.columns
    assert not loaded.guess.is_sure
    assert f"{column} holds ids or names of documents, not their texts." in loaded.guess.why


@pytest.mark.parametrize("column", ["contexts", "passages", "chunk"])
@pytest.mark.parametrize("cell", ["[12, 15, 33]", "12, 15, 33", "12|15"])
def test_numbers_of_documents_are_asked_about(cell, column):
    loaded = of(cell, column)

    assert "retrieved_documents" not in loaded.guess.columns
    assert not loaded.guess.is_sure


def test_a_list_of_objects_under_an_unknown_name_is_asked_about():
    loaded = of(json.dumps([{"id": "a", "text": text} for text in LINES]), "retrieved")

    assert loaded.guess.columns["retrieved_documents"] == "retrieved"
    assert not loaded.guess.is_sure


@pytest.mark.parametrize("column", ["context2", "retrieval", "snippet_of_page", "my documents"])
def test_short_texts_under_a_name_that_speaks_of_documents_are_asked_about(column):
    loaded = of(TEXTS[0], column)

    assert loaded.guess.columns["retrieved_documents"] == column
    assert not loaded.guess.is_sure


@pytest.mark.parametrize("column", ["contexts", "document"])
@pytest.mark.parametrize(
    "cell", ["Employee Handbook; Travel Policy", '["Employee Handbook", "Travel Policy"]']
)
def test_titles_are_no_documents(cell, column):
    loaded = of(cell, column)

    assert "retrieved_documents" not in loaded.guess.columns
    assert not loaded.guess.is_sure


def test_passages_stay_documents_beside_a_few_ids():
    rows = [[f"q{n}?", f"It is {n}.", passage] for n, passage in enumerate(PASSAGES)]
    loaded = open_file("a.csv", written([*rows, ["q?", "r", "chunk_12"]]))

    assert loaded.guess.columns["retrieved_documents"] == "contexts"
    assert loaded.usable == len(PASSAGES) + 1


@pytest.mark.parametrize(
    ("cell", "is_sure"),
    [
        ("north river bed", False),
        ("河床", False),
        ("It grinds rye.", True),
        ("rye was ground there until the wheel stood still", True),
        ("磨坊于一八一二年由安娜建成，位于北方", True),
    ],
)
def test_very_short_documents_are_asked_about(cell, is_sure):
    loaded = of(json.dumps([cell, cell]))

    assert loaded.guess.columns["retrieved_documents"] == "contexts"
    assert loaded.guess.is_sure is is_sure
    assert ("characters on average, so they may be titles or ids" in loaded.guess.why) != is_sure


# 24 packings: what stands between the documents, and what the documents are written as
PACKINGS = {
    "JSON list": (json.dumps(TEXTS), TEXTS),
    "JSON list over lines": (json.dumps(TEXTS, indent=2), TEXTS),
    "JSON list of objects": (json.dumps([{"text": text, "score": 0.5} for text in TEXTS]), TEXTS),
    "JSON list of page_content": (
        json.dumps([{"page_content": text, "metadata": {"page": 3}} for text in TEXTS]),
        TEXTS,
    ),
    "JSON list of pairs": (json.dumps([[text, 0.5] for text in TEXTS]), TEXTS),
    "JSON list of titled": (json.dumps([["Mill", TEXTS]]), ["Mill\n" + " ".join(TEXTS)]),
    "JSON object by id": (json.dumps({"doc1": TEXTS[0], "doc2": TEXTS[1]}), TEXTS),
    "JSON object of objects": (
        json.dumps({"a": {"text": TEXTS[0]}, "b": {"text": TEXTS[1]}}),
        TEXTS,
    ),
    "JSON object of one": (json.dumps({"title": "Mill", "content": TEXTS[0]}), TEXTS[:1]),
    "JSON object of a list": (json.dumps({"documents": [{"text": each} for each in TEXTS]}), TEXTS),
    "Python list": (repr(TEXTS), TEXTS),
    "Python tuple": (repr(tuple(TEXTS)), TEXTS),
    "Python list of objects": (repr([{"text": text} for text in TEXTS]), TEXTS),
    "Python object by id": (repr({"doc1": TEXTS[0], "doc2": TEXTS[1]}), TEXTS),
    "list of numpy": ("['" + "'\n '".join(TEXTS) + "']", TEXTS),
    "list of LangChain": (
        "[" + ", ".join(f"Document(metadata={{}}, page_content={text!r})" for text in TEXTS) + "]",
        TEXTS,
    ),
    "three bars": (" ||| ".join(TEXTS), TEXTS),
    "a bar": (" | ".join(LINES), LINES),
    "tags": ("<sep>".join(TEXTS), TEXTS),
    "numbered lines": ("\n".join(f"{n}. {text}" for n, text in enumerate(TEXTS, 1)), TEXTS),
    "lines in brackets": ("\n".join(f"[{n}] {text}" for n, text in enumerate(TEXTS, 1)), TEXTS),
    "dotted lines": ("\n".join(f"- {text}" for text in TEXTS), TEXTS),
    "lines of sentences": ("\n".join(TEXTS), TEXTS),
    "one text": (TEXTS[0], TEXTS[:1]),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_documents_are_unpacked_however_a_cell_holds_them(packing):
    cell, documents = PACKINGS[packing]
    loaded = of(cell)

    assert loaded.guess.is_sure, loaded.guess.why
    assert list(loaded.data.samples[0].retrieved_documents) == documents


@pytest.mark.parametrize("between", ["\n\n", "\n---\n"])
def test_what_may_part_paragraphs_too_is_asked_about(between):
    loaded = of(between.join(LINES))

    assert not loaded.guess.is_sure
    assert list(loaded.data.samples[0].retrieved_documents) == LINES


# Objects in cells


@pytest.mark.parametrize("write", [json.dumps, repr])
def test_objects_in_cells_are_read_by_their_fields(write):
    given = {"question": "How old is the mill?"}
    came = {"answer": "Over 200 years.", "contexts": TEXTS}
    data = written([[write(given), write(came)]] * 2, ("inputs", "outputs"))

    sample = load("a.csv", data, {"response": "outputs.answer"}).samples[0]

    assert (sample.question, sample.response) == ("How old is the mill?", "Over 200 years.")
    assert list(sample.retrieved_documents) == TEXTS


def test_an_answer_that_is_json_is_not_judged_as_the_text_of_an_object():
    data = written([["q?", '{"height": "330 metres"}', TEXTS[0]]] * 2)

    with pytest.raises(DatasetError, match="response"):
        load("a.csv", data)
    chosen = load("a.csv", data, {"response": "response"})
    assert chosen.samples[0].response == '{"height": "330 metres"}'


# Answers and truths


@pytest.mark.parametrize(
    "cells", [["1", "0", "1"], [1, 0, 1], [True, False], ["1.0", "1.0", "0.0"]]
)
@pytest.mark.parametrize("column", ["response", "answer", "ground_truth", "model_answer"])
def test_verdicts_are_no_answers(column, cells):
    rows = [{"question": "Is it?", column: cell, "contexts": TEXTS} for cell in cells]
    guess = open_file("a.json", json.dumps(rows).encode()).guess

    assert column not in guess.columns.values()
    if column in ("response", "answer"):
        assert not guess.is_sure


@pytest.mark.parametrize("cells", [["1", "2", "0"], ["1", "yes", "no"]])
def test_numbers_are_answers(cells):
    rows = [{"question": "How many?", "response": cell, "contexts": TEXTS} for cell in cells]

    assert open_file("a.json", json.dumps(rows).encode()).guess.columns["response"] == "response"


@pytest.mark.parametrize("name", ["reference", "ground_truth", "expected_answer"])
@pytest.mark.parametrize(
    "cell", ["https://example.com/help", "handbook.pdf", "handbook.pdf, page 3"]
)
def test_an_address_or_a_file_is_not_the_truth(name, cell):
    rows = [
        {"question": f"q{n}?", "response": "It is.", "contexts": TEXTS, name: cell} for n in (1, 2)
    ]
    guess = open_file("a.json", json.dumps(rows).encode()).guess

    assert "ground_truth" not in guess.columns


@pytest.mark.parametrize("name", ["answers", "ground_truths", "accepted_answers"])
@pytest.mark.parametrize("between", [" || ", "||", "|", " | "])
def test_accepted_answers_joined_by_bars_are_spellings_of_one(name, between):
    rows = [[f"q{n}?", TEXTS[0], between.join(["Anna Berg", "Anna"])] for n in (1, 2)]
    loaded = open_file(
        "a.csv", written([*rows, ["q?", TEXTS[0], "1812"]], ("question", "contexts", name))
    )

    truths = [sample.ground_truth for sample in loaded.data.samples]
    assert truths == [(("Anna Berg", "Anna"),), (("Anna Berg", "Anna"),), "1812"]
    assert loaded.guess.is_sure


def test_accepted_answers_joined_by_semicolons_are_asked_about():
    rows = [[f"q{n}?", "It is.", "Anna Berg; Anna"] for n in (1, 2)]
    data = written(rows, ("question", "response", "ground_truths"))
    loaded = open_file("a.csv", data)
    confirmed = open_file("a.csv", data, loaded.guess.columns)

    assert not loaded.guess.is_sure
    assert "ground_truths may hold several accepted answers, parted by ;." in loaded.guess.why
    assert confirmed.data.samples[0].ground_truth == (("Anna Berg", "Anna"),)


@pytest.mark.parametrize("name", ["ground_truth", "expected_answer", "标准答案"])
def test_a_column_named_for_one_answer_is_not_parted(name):
    data = written([["q?", "r", "a|b"], ["p?", "s", "c|d"]], ("question", "response", name))

    assert open_file("a.csv", data).data.samples[0].ground_truth == "a|b"


@pytest.mark.parametrize(
    ("text", "field"), [("It is 330 metres tall, said Anna.", "ground_truth"), (" ".join(TEXTS * 4), "retrieved_documents")]
)  # fmt: skip
def test_a_reference_beside_no_documents_is_asked_about(text, field):
    rows = [{"question": f"q{n}?", "response": "It is tall.", "reference": text} for n in (1, 2)]
    guess = open_file("a.json", json.dumps(rows).encode()).guess

    assert guess.columns[field] == "reference"
    assert not guess.is_sure
    assert "reference may be the true answer, or what was retrieved." in guess.why


def test_a_reference_beside_documents_is_the_truth():
    rows = [{"question": "q?", "response": "r", "contexts": TEXTS, "reference": "It is tall."}]

    assert open_file("a.json", json.dumps(rows).encode()).guess.is_sure


# Rows that break off


def test_rows_with_fewer_cells_than_the_header_are_named():
    data = b"question,response,contexts\nq?,r,The tower is tall.\np?,s\no?\n"
    loaded = open_file("a.csv", data)

    assert loaded.usable == 3
    assert "Rows 2, 3 have fewer cells than there are column names" in loaded.note
    assert "fewer cells" not in open_file("a.csv", data[:47]).note


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("belege", ["report.pdf", "Guide to pay.docx (page 3)", "faq.md"]),
        ("quellen", ["doc_17", "doc_4 | doc_5", "doc_9"]),
        ("retrieved_doc_ids", ["[17, 4]", "[5, 9]", "[1, 2]"]),
        ("seen", ["https://a.example/1", "https://a.example/2", "https://b.example/x"]),
    ],
)
def test_names_of_documents_under_another_name_are_said_and_nobody_is_asked(column, cells):
    lines = [f"question,response,{column}"]
    for number, cell in enumerate(cells):
        lines.append(f'Who is number {number}?,It was somebody called {number}.,"{cell}"')

    loaded = open_file("a.csv", "\n".join(lines).encode())

    assert loaded.guess.is_sure
    assert "retrieved_documents" not in loaded.guess.columns
    words = f"{column} holds ids or names of documents, not their texts."
    assert loaded.remarks[1] == words


@pytest.mark.parametrize("column", ["model", "topic", "created", "latency", "tags"])
def test_a_column_of_anything_else_is_not_taken_for_names_of_documents(column):
    cell = {"model": "gpt-4.1", "topic": "Pay and Leave", "created": "2026-01-03T10:00:00Z"}
    shown = cell.get(column, "0.25")
    text = f"question,response,{column}\nWho?,It was him.,{shown}\nWhen?,It was then.,{shown}\n"

    assert open_file("a.csv", text.encode()).note == ""
