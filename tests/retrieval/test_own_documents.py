"""Documents of every kind become text in whole paragraphs; what cannot be read says why."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.errors import DatasetError
from evaluators.retrieval import documents
from evaluators.retrieval.documents import count_letters, document, unwrapped
from evaluators.sandbox import script
from tests.retrieval import files

LIMITS: script.ParsingLimits = {
    "name": "", "memory": 0, "seconds": 0, "decoded": 10_000_000, "rows": 0, "columns": 0,
    "longest_row": 0
}  # fmt: skip
PAGES = files.pdf(
    [
        "The plumb line hangs from a point and shows what is verti-",
        "cal. Masons have used it for four thousand years,",
    ],
    ["and Egyptian builders tied it to a wooden frame (Cairo)."],
)


def test_plain_text_loses_only_its_line_wrapping():
    text = (
        "A plumb line is what shows to each\nmason what is vertical, and\nnothing "
        "else.\n\nMasons use it.\n"
    )

    assert document("a.txt", text.encode()).text == (
        "A plumb line is what shows to each mason what is vertical, and nothing "
        "else.\n\nMasons use it."
    )


FULL = "This line is full, as it goes on to"
TEXT = "铅垂线显示什么是垂直的，泥瓦匠使用了四千年的时间，埃及人也是这样"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([FULL, "the line that follows it here."], f"{FULL} the line that follows it here."),
        (
            [f"{FULL} under-", "standing goes on to the next one."],
            f"{FULL} understanding goes on to the next one.",
        ),
        (
            [f"{FULL} Anglo-", "Saxons, who go on to the next one."],
            f"{FULL} Anglo- Saxons, who go on to the next one.",
        ),
        ([FULL, "- an entry of a list, and no more"], None),
        ([FULL, "2. an entry of a list, and no more"], None),
        ([FULL, "    code = indented(and_long_enough)"], None),
        ([f"# {FULL}", "and this is the text of that part"], None),
        (["| a table | has rows | and columns |", "| and they | stay so | all of them |"], None),
        (["```", FULL, FULL, "```"], None),
        (["A title", FULL, "the next one."], f"A title\n{FULL} the next one."),
        (
            [f"{FULL}.", "Calvin cycle", FULL, "the next one."],
            f"{FULL}.\nCalvin cycle\n{FULL} the next one.",
        ),
        (
            [f"{FULL}.", "It is short.", FULL, "the next one."],
            f"{FULL}. It is short.\n{FULL} the next one.",
        ),
        (
            [f"{FULL}.", "Stage Place", "Calvin cycle Stroma"],
            f"{FULL}.\nStage Place\nCalvin cycle Stroma",
        ),
        ([f"{TEXT}。", "卡尔文循环", TEXT, TEXT], f"{TEXT}。\n卡尔文循环\n{TEXT}{TEXT}"),
        (["The end.", FULL, FULL, FULL], f"The end.\n{FULL} {FULL} {FULL}"),
        ([TEXT, TEXT], TEXT + TEXT),
        (["a short list", "with few words", "in each line"], None),
        (["x" * 221, "y" * 221], None),
        (["x" * 165, "y" * 165], "x" * 165 + " " + "y" * 165),
        ([""], None),
    ],
)
def test_lines_of_one_paragraph_are_joined_and_others_are_not(lines, text):
    given_text = "\n".join(lines)

    assert unwrapped(given_text) == (given_text if text is None else text)


@given(st.lists(st.text(alphabet="ab1.-# |`字\u00e9", min_size=25, max_size=50), max_size=20))
def test_unwrapping_keeps_every_letter(lines):
    text = "\n".join(lines)

    assert count_letters(unwrapped(text)) == count_letters(text)


def test_html_is_what_a_reader_sees():
    page = """<!DOCTYPE html><html><head><title>Plumb &amp; level</title><style>p {color: red}</style>
        <script>alert("no")</script></head><body><!-- hidden --><h1>Tools</h1><p>A <b>plumb</b>
        line<br>hangs.<p>An unclosed one</div><ul><li>lead<li>string</ul>
        <table><tr><th>Tool<th>Age</tr><tr><td>line</td><td>4000</td></tr></table>
        <noscript>Switch it on</noscript><pre>one
two</pre></body></html>"""

    assert document("a.html", page.encode()).text == (
        "Plumb & level\nTools\nA plumb line\nhangs.\nAn unclosed one\nlead\nstring\nTool "
        "Age\nline 4000\none\ntwo"
    )


@pytest.mark.parametrize(
    "start",
    ["<html><p>", "  <!doctype HTML><p>", '<?xml version="1.0"?><html>', "<!-- a --><html>"],
)
def test_html_is_known_by_its_beginning(start):
    assert document("a.txt", f"{start}Text</p>".encode()).text == "Text"


def test_entries_of_one_length_stay_lines_of_their_own():
    page = f"<html><ul><li>{FULL}<li>{FULL}</ul>"

    assert document("a.html", page.encode()).text == f"{FULL}\n{FULL}"


def test_text_with_a_few_tags_is_no_html():
    assert document("a.txt", b"The <b> element is bold.").text == "The <b> element is bold."


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (
            "# Lecture\n\nEnergy\n\n## Glycolysis ##\nTakes place.",
            "Lecture\nEnergy\nGlycolysis\nTakes place.",
        ),
        ("A title\n=======\nText.", "A title\nText."),
        (
            "A **bold**, *slanted* and `coded` snake_case_name; 2 * 3 * 4.",
            "A bold, slanted and coded snake_case_name; 2 * 3 * 4.",
        ),
        ("See [the page](http://x.org) and ![a picture](b.png).", "See the page and ."),
        ("See [the page][1].\n\n[1]: http://x.org", "See the page."),
        ("A line that is\nwrapped.\n\nAnother.", "A line that is wrapped.\nAnother."),
        ("- one\n- two\n  1. three\n\n> said", "one\ntwo\nthree\nsaid"),
        ("| step | place |\n|---|---|\n| one | a **membrane** |", "step place\none a membrane"),
        (
            "Before.\n```python\nx = 1\n# no heading\n```\nAfter.",
            "Before.\nx = 1\n# no heading\nAfter.",
        ),
        ("H<sub>2</sub>O\n\n<script>x</script>\n\n1 &lt; 2", "H2O\n1 < 2"),
    ],
)
def test_markdown_is_what_a_reader_sees(markdown, text):
    assert document("a.md", markdown.encode()).text == text


def test_a_text_that_is_named_a_pdf_is_read_and_told():
    read = document("fake.pdf", b"This is no PDF.")

    assert (read.text, read.note) == (
        "This is no PDF.",
        "It is not a PDF file, whatever its name; it was read as text.",
    )


def test_a_pdf_is_one_text_that_knows_its_pages():
    read = document("a.pdf", PAGES)

    assert read.text == (
        "The plumb line hangs from a point and shows what is vertical. "
        "Masons have used it for four thousand years, and Egyptian builders tied it to a "
        "wooden frame (Cairo)."
    )
    first = (
        "The plumb line hangs from a point and shows what is vertical Masons have used it "
        "for four thousand years"
    )
    assert read.page_ends == (count_letters(first), count_letters(read.text))
    assert read.note == ""


def test_pages_without_text_are_told():
    assert (
        document("a.pdf", files.pdf(["Some words."], [], [])).note
        == "2 of 3 pages hold no text that can be read."
    )


def test_a_pdf_that_only_its_owner_may_change_is_read():
    assert document("a.pdf", files.encrypted(PAGES, "")).text.startswith("The plumb line")


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        ("Gruß".encode("utf-8-sig"), "Gruß", ""),
        ("Gruß".encode("utf-16"), "Gruß", ""),
        (
            "Grüße aus der Straße".encode("latin-1"),
            "Grüße aus der Straße",
            "Windows-1252 (Western)",
        ),
        (
            "铅垂线显示什么是垂直的。\n泥瓦匠使用它。".encode("gb18030"),
            "铅垂线显示什么是垂直的。\n泥瓦匠使用它。",
            "GB18030 (Chinese)",
        ),
        (gzip.compress(b"packed", mtime=0), "packed", ""),
        (b"one\r\ntwo\rthree", "one\ntwo\nthree", ""),
        (
            "Straße, ein langer Satz über Grüße".encode() + b"\xff.",
            None,
            "Some bytes are not characters",
        ),
    ],
)
def test_encodings_are_those_of_the_readers(data, text, note):
    read = document("a.txt", data)

    assert text is None or read.text == text
    assert note in read.note
    assert bool(note) == bool(read.note)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" \n", "a is empty. Choose a file with text."),
        (b"\x89PNG\r\n", "a is a picture. Save it as PDF, HTML, Markdown or plain text."),
        (
            b"PK\x03\x04",
            "a is an archive or an Office file. Save it as PDF, HTML, Markdown or plain text.",
        ),
        (b"---", "a holds no text. Choose another file."),
        (b"<html><script>x</script></html>", "a holds no text. Choose another file."),
        (b"<html><![[", "a cannot be read (AssertionError). Save it again, or as plain text."),
        (
            files.pdf([], []),
            "a holds pictures of its 2 pages, not the text. Run a text recognition (OCR)",
        ),
        (
            files.pdf([]),
            "a holds a picture of its one page, not the text. Run a text recognition (OCR)",
        ),
        (
            files.encrypted(PAGES, "secret"),
            "a is encrypted. Save it without a password, or print it into a new PDF.",
        ),
        (
            b"%PDF-1.4\nnothing",
            "a cannot be read (PdfStreamError). Save it again, or as plain text.",
        ),
    ],
)
def test_a_file_without_readable_text_is_refused_with_the_remedy(data, message):
    with pytest.raises(DatasetError) as caught:
        document("a", data)

    assert str(caught.value).startswith(message)


def test_a_document_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_UPLOAD_BYTES", str(2**20))

    with pytest.raises(DatasetError, match="a has 2 MB; the limit is 1 MB"):
        document("a", b"x" * 2 * 2**20)


def test_a_document_with_too_much_text_is_refused():
    with pytest.raises(DatasetError, match="a holds more than 20 million characters, the limit"):
        document("a", gzip.compress(b"word " * 4_100_000, 1))


def test_a_page_that_needs_much_memory_is_refused():
    with pytest.raises(DatasetError, match="needs more memory than a document may"):
        document("a.html", b"<a " + b"x " * 2**20)


def test_what_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setitem(documents.SECONDS, "html", 1)

    with pytest.raises(DatasetError, match="needs more memory or time than a document may"):
        document("a.html", b"<!--" * 2**20)


@pytest.mark.parametrize("parse", [script.html, script.pdf, script.markdown])
@given(data=st.binary(max_size=400), place=st.integers(0, len(PAGES) - 1))
def test_the_child_only_refuses_whatever_it_is_given(parse, data, place):
    for each in (data, PAGES[:place] + data + PAGES[place + len(data) :], b"<html><p>" + data):
        found = list(script.messages_about(parse, each, LIMITS))

        assert set(found[-1]) <= {"refused", "end"}


@pytest.mark.parametrize(
    "start", ["<!---->" * 40, "<!--" * 400, "<?xml " * 300, " " * 1900, "<!-- a -->\n" * 150]
)
def test_a_text_that_only_begins_like_a_page_is_read_as_text(start):
    assert document("notes.txt", f"{start}hello".encode()).text == f"{start}hello".strip()


@pytest.mark.parametrize(
    "start", ["", "<!-- a --><!-- b -->\n", '<?xml version="1.0"?>\n<!-- a -->']
)
def test_comments_before_a_page_do_not_matter(start):
    assert document("notes.txt", f"{start}<!DOCTYPE html><p>hello".encode()).text == "hello"


BODY = "It was built in 1812 of oak and stone, and it grinds rye for three villages to this day."


def test_headers_and_footers_of_pages_are_left_out_and_named():
    words = ["Oak stands there.", "Rye is ground.", "Water runs.", "Stones turn."]
    pages = [
        ["The Mill of the Valley", word, f"It is so: {word}", f"And {word}", f"Page {number} of 4"]
        for number, word in enumerate(words, start=1)
    ]

    read = document("a.pdf", files.pdf(*pages))

    assert "The Mill of the Valley" not in read.text
    assert "of 4" not in read.text
    assert "It is so: Rye is ground." in read.text
    assert read.note.startswith(
        "Repeated headers and footers were left out, such as “The Mill of the Valley”, "
    )


def test_pages_of_nothing_but_numbered_titles_keep_them():
    read = document("a.pdf", files.pdf(*[[f"Chapter {number}"] for number in range(1, 6)]))

    assert "Chapter 5" in read.text
    assert read.note == ""


def test_two_pages_that_begin_alike_keep_their_lines():
    read = document("a.pdf", files.pdf(["Chapter", "One thing."], ["Chapter", "Another thing."]))

    assert read.text.count("Chapter") == 2
    assert read.note == ""


@pytest.mark.parametrize(
    "menu",
    [
        "<nav><ul><li><a href=/>Home</a><li>Search</ul></nav>",
        "<footer><p>All rights reserved</p></footer>",
        "<ul><li><a>Home</a><li><a>News</a><li><a>About</a><li><a>Contact</a></ul>",
    ],
)
def test_menus_and_footers_of_a_page_are_left_out_and_counted(menu):
    page = f"<html><body>{menu}<p>{BODY} See <a>the sources</a>.</p></body></html>"

    read = document("a.html", page.encode())

    assert read.text == f"{BODY} See the sources."
    assert read.note.startswith("Lines of menus and footers left out: ")


@pytest.mark.parametrize(
    "page",
    [
        "<html><ul><li><a>Home</a><li><a>News</a><li><a>About</a><li><a>Contact</a></ul></html>",
        f"<html><nav>Menu<p>{BODY}</html>",
    ],
)
def test_a_page_of_nothing_but_menus_keeps_them(page):
    read = document("a.html", page.encode())

    assert read.text
    assert read.note == ""


def test_a_few_links_are_a_part_of_the_text():
    page = f"<html><p>{BODY}</p><ul><li><a>Source one</a><li><a>Source two</a></ul></html>"

    assert document("a.html", page.encode()).text == f"{BODY}\nSource one\nSource two"
