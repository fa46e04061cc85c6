"""Makers of files for tests: the same rows in every format, and files that are small and hold far
too much.
"""

import gzip
import io
import json
import zipfile
import zlib
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

MB = 2**20

_WORKBOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    " "
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>{}</sheets></workbook>'
)
_LINKS = (
    "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
)
_LINK = (
    '<Relationship Id="rId{0}" Target="worksheets/sheet{0}.xml"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/>'
)
_START = (
    "<Relationships "
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="rId1"'
    ' Target="xl/workbook.xml"'
    " "
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
_SHEET_START = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
)
_SHEET_END = "</sheetData></worksheet>"


def json_lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def parquet(rows, **options):
    return parquet_of(pa.Table.from_pylist(rows), **options)


def parquet_of(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def xlsx(*sheets):
    """A workbook with a sheet for each list of rows of cells."""
    numbers = range(1, len(sheets) + 1)
    return archive(
        {
            "[Content_Types].xml": (
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
            ),
            "_rels/.rels": _START,
            "xl/workbook.xml": _WORKBOOK.format(
                "".join(f'<sheet name="Sheet {n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
            ),
            "xl/_rels/workbook.xml.rels": _LINKS.format("".join(map(_LINK.format, numbers))),
        }
        | {
            f"xl/worksheets/sheet{n}.xml": _sheet(rows)
            for n, rows in zip(numbers, sheets, strict=True)
        }
    )


def archive(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return file.getvalue()


def _sheet(rows):
    lines = (
        (
            "<row "
            f'r="{number}">{"".join(_cell(column, number, cell) for column, cell in enumerate(cells))}</row>'
        )
        for number, cells in enumerate(rows, start=1)
    )
    return _SHEET_START + "".join(lines) + _SHEET_END


def _cell(column, number, cell):
    place = f"{chr(ord('A') + column)}{number}"
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell}</v></c>'


# Files that hold far too much


def repeated(start, middle, times, end=b""):
    """`middle` over and over, packed with gzip without ever being held whole."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = [
        packer.compress(start),
        *(packer.compress(middle) for _ in range(times)),
        packer.compress(end),
    ]
    return b"".join([*parts, packer.flush()])


def gzip_bomb():
    """300 MB of rows in 1 MB."""
    return repeated(b"", b'{"question": "q"}\n' * 60_000, 300)


def long_line():
    """One line of 300 MB, packed."""
    return repeated(b'{"question": "', b"x" * MB, 300, b'"}\n')


def parquet_bomb():
    """2000 rows of the same megabyte, which is stored once."""
    text = pa.array(["x" * MB])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), text)
    return parquet_of(pa.table({"question": column}), compression="zstd")


def parquet_list_bomb():
    """One row with a list of 250 million numbers, all the same."""
    numbers = pa.array([0], pa.int64()).take(pa.array([0] * 1000, pa.int32()))
    chunk = pa.chunked_array([numbers] * 20_000).combine_chunks()
    return parquet_of(
        pa.table({"a": pa.ListArray.from_arrays([0, len(chunk)], chunk)}), compression="zstd"
    )


def xlsx_bomb():
    """A sheet of 400 MB."""
    return _with_member("xl/worksheets/sheet2.xml", f"<row>{_cell(0, 1, 'x' * 1000)}</row>" * 1000)


def xlsx_texts_bomb():
    """400 MB of texts for the cells, of which the archive says that they are 1000 bytes."""
    made = bytearray(
        _with_member("xl/sharedStrings.xml", f"<si><t>{'x' * 1000}</t></si>" * 1000, "<sst>")
    )
    entry = made.rindex(b"PK\x01\x02")
    made[entry + 24 : entry + 28] = (1000).to_bytes(4, "little")
    return bytes(made)


def _with_member(name, middle, start=""):
    file = io.BytesIO(xlsx([["a"], ["b"]]))
    with (
        zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as made,
        made.open(name, "w", force_zip64=True) as member,
    ):
        member.write(start.encode())
        for _ in range(400):
            member.write(middle.encode())
    return file.getvalue()


def xlsx_far_cell():
    """A header, and one cell in the last row and column that a sheet can have."""
    cells = (
        f'<row r="1">{_cell(0, 1, "a")}</row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    )
    return archive_with_sheet(_SHEET_START + cells + _SHEET_END)


def archive_with_sheet(sheet):
    file = io.BytesIO(xlsx([]))
    with zipfile.ZipFile(file) as made:
        members = {name: made.read(name) for name in made.namelist()}
    return archive(members | {"xl/worksheets/sheet1.xml": sheet})


def packed(data):
    return gzip.compress(data, mtime=0)
