"""Hostile documents: files that a stranger may give as a source of retrieval."""

import random
from collections.abc import Callable

from tests.attack.tables import MB, deflated

TEXT = b"BT /F1 12 Tf 72 720 Td (The tower of Paris.) Tj ET"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def documents() -> dict[str, Callable[[], bytes]]:
    """What makes each file, by its name."""
    return _pdf_files() | _html() | _markdown() | _plain()


def pdf(
    *objects: bytes,
    contents: bytes = TEXT,
    filters: bytes = b"",
    page: bytes = b"",
    pages: bytes = b"/Kids[3 0 R]/Count 1",
    font: bytes = FONT,
    trailer: bytes = b"",
) -> bytes:
    """A PDF of one page, with more `objects` from number 6 on."""
    catalogue = b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>"
    leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
    leaf += b"/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>" + page + b">>"
    numbered = [catalogue, b"<</Type/Pages" + pages + b">>", leaf, stream(contents, filters), font]
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate([*numbered, *objects], start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    end = b"trailer<</Size %d/Root 1 0 R%s>>" % (len(places) + 1, trailer)
    return data + head + table + end + b"\nstartxref\n%d\n%%%%EOF" % len(data)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (entries, len(data), data)


def _form(contents: bytes, number: int) -> bytes:
    """A drawing that draws the object of that number."""
    entries = (
        b"/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</X %d 0 R>>>>" % number
    )
    return stream(contents, entries)


def _pdf_files() -> dict[str, Callable[[], bytes]]:
    flate = b"/Filter/FlateDecode"
    operators = b"BT /F1 12 Tf " + b"(a) Tj 1 0 0 1 0 0 Tm " * 400_000 + b" ET"
    ranges = b"begincmap 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap"
    wide = (
        b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 6 0 "
        b"R/DescendantFonts[]>>"
    )
    lock = b"/Encrypt<</Filter/Standard/V 5/R 6/Length 256/P -1/O(%s)/U(%s)>>" % (
        b"a" * 48,
        b"a" * 48,
    )
    return {
        "script.pdf": pdf,
        "pages_in_a_circle.pdf": lambda: pdf(pages=b"/Kids[2 0 R 3 0 R]/Count 2"),
        "a_million_pages.pdf": lambda: pdf(
            pages=b"/Kids[" + b"3 0 R " * 1_000_000 + b"]/Count 1000000"
        ),
        "count_that_lies.pdf": lambda: pdf(pages=b"/Kids[3 0 R]/Count 99999999999"),
        "stream_of_1_gb.pdf": lambda: pdf(contents=deflated(b" " * (1000 * MB)), filters=flate),
        "stream_packed_twice.pdf": lambda: pdf(
            contents=deflated(b" " * (500 * MB), 2), filters=b"/Filter[/FlateDecode/FlateDecode]"
        ),
        "deep_array.pdf": lambda: pdf(page=b"/X " + b"[" * 100_000 + b"]" * 100_000),
        "many_operators.pdf": lambda: pdf(contents=deflated(operators), filters=flate),
        "locked_with_nonsense.pdf": lambda: pdf(trailer=lock + b"/ID[(a)(b)]"),
        "table_in_a_circle.pdf": lambda: (
            b"%PDF-1.5\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Root 1 0 R/Prev "
            b"9>>\nstartxref\n9\n%%EOF"
        ),
        "noise.pdf": lambda: b"%PDF-1.4\n" + random.Random(2).randbytes(2 * MB),
        "many_objects.pdf": lambda: (
            b"%PDF-1.4\n"
            + b"".join(b"%d 0 obj<</A %d 0 R>>endobj\n" % (n, n + 1) for n in range(300_000))
            + b"trailer<</Root 1 0 R>>\n%%EOF"
        ),
        "drawing_of_itself.pdf": lambda: pdf(_form(b"/X Do " * 3, 6), contents=b"/X Do"),
        "drawings_of_ten_drawings.pdf": lambda: pdf(
            *[_form(b"/X Do " * 10, 7 + level) for level in range(9)],
            _form(TEXT, 6),
            contents=b"/X Do",
        ),
        "range_of_all_characters.pdf": lambda: pdf(stream(ranges), font=wide),
    }


def _html() -> dict[str, Callable[[], bytes]]:
    def page(text: str) -> Callable[[], bytes]:
        return lambda: ("<html>" + text).encode()

    return {
        "script.html": page("<script>alert(1)</script><p>A <img src=x onerror=alert(2)> tower</p>"),
        "entities.html": page("&amp;" * 1_000_000),
        "open_tags.html": page("<a " * 200_000),
        "open_comments.html": page("<!--" * 200_000),
        "deep.html": page("<div>" * 500_000),
        "attributes.html": page("<a " + "x=1 " * 300_000),
        "less_than.html": page("<" * 500_000),
        "declarations.html": page("<!" * 300_000),
        "instructions.html": page("<?" * 300_000),
        "script_left_open.html": page("<script>" + "</scrip" * 200_000),
        "long_entity.html": page("&" + "a" * 1_000_000),
        "cdata.html": page("<![CDATA[" * 200_000),
        "spaces.html": page(" " * 5_000_000 + "x"),
        "file_as_entity.html": lambda: (
            b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY f SYSTEM '
            b'"file:///etc/passwd">]><html>&f; tower</html>'
        ),
    }


def _markdown() -> dict[str, Callable[[], bytes]]:
    def text(content: str) -> Callable[[], bytes]:
        return content.encode

    rows = "|a" * 5000 + "\n" + "|-" * 5000 + "\n" + ("|x" * 5000 + "\n") * 50
    return {
        "quotations.md": text(">" * 20_000 + " a"),
        "brackets.md": text("[" * 50_000 + "a"),
        "links.md": text("[a](" * 50_000),
        "stars.md": text("*a **b " * 50_000),
        "ticks.md": text("".join("`" * count + "a" for count in range(1, 2000))),
        "lists.md": text("\n".join(" " * depth + "- a" for depth in range(2000))),
        "table.md": text(rows),
        "references.md": text("\n".join(f"[a{number}]: /u{number}" for number in range(100_000))),
        "one_reference.md": text("[x]: /u\n" + "[x]" * 200_000),
        "picture.md": text(
            "<script>alert(1)</script>\n\n![x](http://127.0.0.1:1/a.png)\n\nA tower."
        ),
        "emphasis.md": text("_a__b_" * 50_000),
        "angles.md": text("<" * 100_000),
        "ampersands.md": text("&" * 200_000),
        "backslashes.md": text("\\" * 1_000_001),
        "comments.md": text("<!---->" * 2000),
        "open_link.md": text("<http://" + "a" * 300_000),
    }


def _plain() -> dict[str, Callable[[], bytes]]:
    return {
        "one_line.txt": lambda: b"a" * (20 * MB - 1),
        "line_breaks.txt": lambda: b"\n" * 5_000_000 + b"x",
        "fences.txt": lambda: b"```\n" * 300_000 + b"a b c",
        "pdf_inside.txt": lambda: b"x" * 500 + b"%PDF-1.4 junk",
        "comments.txt": lambda: b"<!---->" * 40 + b" The tower of Paris.",
        "spaces.txt": lambda: (b" " * 100 + b"a\n") * 100_000,
        "chinese.txt": lambda: ("中" * 3_000_000).encode(),
        "too_long.txt": lambda: b"ab cd. " * 3_200_000,
    }
