"""A worker process that ends when a row asks for it, as one that ran out of memory would."""

import base64
import os
import pickle

from evaluators.batch import worker
from evaluators.runs.worker import serve

DEADLY = "Will you end?"


def answered(line: bytes) -> bytes:
    piece = pickle.loads(base64.b64decode(line)).piece
    if any(DEADLY in text for _, text in piece.lines):
        os._exit(1)
    return worker.answered(line)


def main() -> None:
    serve(answered)
