"""Makers of PDF files for tests."""

import io

from pypdf import PdfReader, PdfWriter

_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def pdf(*pages):
    """A PDF with these lines on each page; a page without lines is blank."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        _FONT,
    ]
    for number, lines in enumerate(pages):
        objects += [_page(5 + 2 * number), _content(lines)]
    return written(objects)


def written(objects):
    """The file that holds these objects, numbered from 1."""
    made, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{len(made)}\n%%EOF\n"
    return made + end.encode()


def encrypted(data, password):
    """The same file, to be opened with the password only."""
    writer, made = PdfWriter(clone_from=PdfReader(io.BytesIO(data))), io.BytesIO()
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    writer.write(made)
    return made.getvalue()


def _page(content):
    resources = "/Resources << /Font << /F1 3 0 R >> >>"
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents "
        f"{content} 0 R >>"
    )


def _content(lines):
    shown = "".join(f"({_escaped(line)}) Tj T* " for line in lines)
    stream = f"BT /F1 11 Tf 14 TL 50 740 Td {shown}ET"
    return f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream"


def _escaped(line):
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
