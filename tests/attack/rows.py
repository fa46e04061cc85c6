"""Hostile rows: one sample whose response or whose document is a long odd text."""

import json
from collections.abc import Callable
from itertools import cycle, islice

LENGTH = 200_000
"""Characters of a text."""

PATTERNS = {
    "exclamations and brackets": "!)",
    "dots": ".",
    "dots and spaces": ". ",
    "a letter": "a",
    "letters and question marks": "a?",
    "quotation marks": '."',
    "closing marks": '")',
    "line breaks": "\n",
    "dashes": "-",
    "commas": ",",
    "colons": ": ",
    "tabs": "a.\t",
    "ellipses": ". . .",
    "apostrophes": "'",
    "openers": "[(",
    "Chinese stops": "中。",
    "Chinese exclamations": "中!",
    "initials": "A.",
    "numbered": "1.",
    "thousands": "1,",
    "hard spaces": ".\u00a0",
    "wide spaces": "x.\u2003\u2003",
    "stars": "(*",
    "short sentences": "Aa bb cc. ",
    "dots and dashes": ".-",
    "words of no width": "a\u200b",
    "combining marks": "e\u0301\u0323",
    "think tags": "<think>",
    "names": "a Bc ",
    "refusals": "documents do not ",
    "numbers on lines": "\n1. ",
}
"""Texts that are one pattern over and over."""


def rows() -> dict[str, Callable[[], bytes]]:
    """What makes each file, by its name: one row of JSON lines, the text as the response or as the
    document.
    """
    texts = {name: _repeated(pattern) for name, pattern in PATTERNS.items()}
    texts |= {
        "spaces after a colon": "zebra :" + " " * LENGTH + "a",
        "sentences of three words": " ".join(islice(_words(), LENGTH // 6)),
    }
    found: dict[str, Callable[[], bytes]] = {}
    for name, text in texts.items():
        found[f"response of {name}.jsonl"] = _row(text, "The tower is 330 metres tall.")
        found[f"document of {name}.jsonl"] = _row("The tower is 330 metres tall: see.", text)
    return found


def _repeated(pattern: str) -> str:
    return "".join(islice(cycle(pattern), LENGTH)) + "x"


def _words():
    """Words of five letters, three in a sentence, none twice."""
    for number in range(LENGTH):
        word = "".join("bcdfghjklm"[int(digit)] for digit in f"{number:05}")
        yield word + "." * (number % 3 == 2)


def _row(response: str, document: str) -> Callable[[], bytes]:
    row = {"question": "How tall is it?", "response": response, "retrieved_documents": [document]}
    return json.dumps(row).encode
