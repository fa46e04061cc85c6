"""What a program of spreadsheets finds in a file."""

import csv
import io


def csv_rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
