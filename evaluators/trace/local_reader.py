"""A classifier in memory, and how it is asked how likely documents carry a sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from evaluators.errors import DatasetError, ParameterError
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.printable import printable
from evaluators.text.similarity import terms
from evaluators.trace.local_models import (
    ASKS,
    LOADING,
    Place,
    check_installed,
    fetch,
    known,
    name_of,
    shape_of,
)
from evaluators.trace.windows import Extent, windows_within

MOST_READINGS = 2000
"""How often a model reads for one sample: about a minute of the smallest, half an hour of the
largest that are listed.
"""
_USUAL_TOKENS = 512
_TOGETHER = 8
"""Readings in one call of the model."""
_SPECIAL = 8
"""Tokens that a tokenizer puts around its texts, and more."""
_LABEL = 8
"""Tokens by which a passage is numbered."""
_BROKEN = (ImportError, OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError)

_reading = threading.Lock()


@lru_cache(maxsize=1)
def _loaded(model: str, revision: str) -> Reader:
    here = fetch(model, revision)
    return Reader(model, here)


def reader(model: str, revision: str) -> Reader:
    """The model, loaded once; another one takes its place in memory.

    Raises `ParameterError` where it cannot be loaded.
    """
    check_installed()
    with LOADING:
        return _loaded(model, revision)


class Claim(NamedTuple):
    """A sentence of an answer."""

    key: str
    text: str


class _Piece(NamedTuple):
    """A text that a model can read, and how many tokens it has."""

    text: str
    tokens: int


_Group = Sequence[tuple[int, str]]
"""Parts of an answer that are read at once, by their numbers."""


class _Reading(NamedTuple):
    """What a model reads at once."""

    question: str
    window: Sequence[tuple[int, str]]
    """Sentences of documents, with the number of each document."""
    group: _Group

    @property
    def documents(self) -> list[str]:
        by_document = groupby(self.window, key=itemgetter(0))
        return [" ".join(text.strip() for _, text in own) for _, own in by_document]

    @property
    def answer(self) -> str:
        return " ".join(text for _, text in self.group)


class Reader:
    """A model in memory, with the way in which it is asked."""

    def __init__(self, model: str, here: Place) -> None:
        own = known(model)
        self._name = printable(name_of(model))
        self._shape = shape_of(here.folder)
        self._asks = ASKS[own.asks].lstrip("\n") if own and own.asks else ""
        if self._shape.kind == "tokens" and not self._asks:
            self._asks = ASKS["lettucedetect"].lstrip("\n")
        self._torch = import_module("torch")
        self._model, self._tokenizer = self._load(here.folder)
        self._most = own.most_tokens if own else self._most_tokens()

    def support(
        self,
        question: str,
        documents: Sequence[Sequence[str]],
        claims: Sequence[Claim],
        chunks: tuple[int, int],
    ) -> dict[str, float]:
        """How likely each claim is supported, 0 to 1, by its key.

        Documents are sentences. What is too long is read in windows of whole ones, of which the one
        that supports a claim most counts; a claim that is too long is as supported as its weakest
        part. Raises `DatasetError` where that would be too many readings.
        """
        with _reading:
            texts = self._pieces([claim.text for claim in claims], self._most // 2)
            parts = [
                (claim.key, piece)
                for claim, pieces in zip(claims, texts, strict=True)
                for piece in pieces
            ]
            asked = self._pieces([question], self._most // 8)[0][0].text
            groups = self._groups([piece for _, piece in parts])
            windows = self._windows(documents, self._room(asked, groups), chunks)
            if len(groups) * len(windows) > MOST_READINGS:
                message = say(
                    "{model} would have to read {count:,} times for this sample, the limit is "
                    "{most:,}. Shorten its texts, or split it.",
                    model=self._name,
                    count=len(groups) * len(windows),
                    most=MOST_READINGS,
                )
                raise DatasetError(message)
            readings = [_Reading(asked, window, group) for group in groups for window in windows]
            best: dict[int, float] = {}
            for start in range(0, len(readings), _TOGETHER):
                for number, likely in self._read(readings[start : start + _TOGETHER]):
                    best[number] = max(likely, best.get(number, 0.0))
        weakest: dict[str, float] = {}
        for number, (key, _) in enumerate(parts):
            weakest[key] = min(best.get(number, 0.0), weakest.get(key, 1.0))
        return weakest

    def _load(self, folder: Path) -> tuple[Any, Any]:
        transformers = import_module("transformers")
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        auto = transformers.AutoModelForSequenceClassification
        if self._shape.kind == "tokens":
            auto = transformers.AutoModelForTokenClassification
        safe = {"local_files_only": True, "trust_remote_code": False}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, use_fast=True, **safe)
            model, told = auto.from_pretrained(
                folder, use_safetensors=True, output_loading_info=True, **safe
            )
        # A stranger's files may be wrong in many ways.
        except (*_BROKEN, import_module("safetensors").SafetensorError) as error:
            words = mark("{model} cannot be loaded ({why}). Fetch it again, or choose another.")
            why = printable(f"{type(error).__name__}: {error}")[:300]
            raise ParameterError(say(words, model=self._name, why=why)) from error
        if told["missing_keys"] or told["mismatched_keys"] or not tokenizer.is_fast:
            words = mark(
                "{model} is not whole: weights that it needs, or the tokenizer.json, are missing."
            )
            raise ParameterError(say(words, model=self._name))
        return model.float().eval(), tokenizer

    def _most_tokens(self) -> int:
        """What a model of which nothing is known reads at once: what it says itself, in bounds."""
        told = (
            self._tokenizer.model_max_length,
            # Some count positions from 2.
            getattr(self._model.config, "max_position_embeddings", _USUAL_TOKENS) - 2,
        )
        return max(64, int(min(*told, 4096)))

    def _count(self, text: str) -> int:
        tokens: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return len(tokens)

    def _pieces(self, texts: Sequence[str], most: int) -> list[list[_Piece]]:
        """Each text, in parts of at most so many tokens where it has more."""
        if not texts:
            return []
        texts = [without_surrogates(text) for text in texts]
        told = self._tokenizer(list(texts), add_special_tokens=False, return_offsets_mapping=True)
        found = []
        for text, offsets in zip(texts, told["offset_mapping"], strict=True):
            pieces = []
            for start in range(0, max(1, len(offsets)), most):
                begin = offsets[start][0] if start else 0
                end = offsets[start + most][0] if start + most < len(offsets) else len(text)
                pieces.append(_Piece(text[begin:end], min(most, len(offsets) - start)))
            found.append(pieces)
        return found

    def _groups(self, parts: Sequence[_Piece]) -> list[_Group]:
        """Of pairs each claim by itself, of tokens the whole answer, in parts where it is long."""
        numbered = [(number, part.text) for number, part in enumerate(parts)]
        if self._shape.kind != "tokens":
            return [[own] for own in numbered]
        extents = [Extent(0, part.tokens + 1) for part in parts]
        spans = windows_within(extents, Extent(1, self._most // 2), 0)
        return [numbered[start:end] for start, end in spans]

    def _room(self, question: str, groups: Sequence[_Group]) -> int:
        """The tokens that are left for documents beside the longest that they are read with."""
        longest = max((_Reading(question, (), group) for group in groups), key=self._length)
        return max(4 * _LABEL, self._most - self._length(longest) - _SPECIAL)

    def _length(self, reading: _Reading) -> int:
        return sum(map(self._count, self._texts(reading)))

    def _windows(
        self, documents: Sequence[Sequence[str]], room: int, chunks: tuple[int, int]
    ) -> list[list[tuple[int, str]]]:
        """All documents, or windows of as many sentences as there is room for."""
        sentences: list[tuple[int, str]] = []
        extents: list[Extent] = []
        for number, texts in enumerate(documents):
            label = _LABEL
            for piece in chain.from_iterable(self._pieces(texts, room - _LABEL)):
                sentences.append((number, piece.text))
                extents.append(Extent(len(terms(piece.text)), piece.tokens + label))
                label = 1
        if sum(extent.size for extent in extents) <= room:
            return [sentences] if sentences else []
        words, overlap = chunks
        # A window may begin within a document, which is numbered all the same.
        spans = windows_within(extents, Extent(words, room - _LABEL), overlap)
        return [sentences[start:end] for start, end in spans]

    def _texts(self, reading: _Reading) -> list[str]:
        """What is put to the model: one text, or documents and what is claimed."""
        documents = reading.documents
        if self._shape.kind == "tokens":
            documents = [f"passage {number}: {text}" for number, text in enumerate(documents, 1)]
        joined = "\n".join(documents)
        asked = Template(self._asks).substitute(
            question=reading.question,
            count=len(documents),
            documents=joined,
            claim=reading.answer,
        )
        if self._shape.kind == "tokens":
            return [asked, reading.answer]
        return [asked] if self._asks else [joined, reading.answer]

    def _read(self, readings: Sequence[_Reading]) -> Iterator[tuple[int, float]]:
        """How likely each part of an answer is supported in each of these readings."""
        texts = list(zip(*map(self._texts, readings), strict=True))
        told = self._tokenizer(
            *map(list, texts),
            truncation="only_first" if len(texts) == 2 else True,
            max_length=self._most,
            padding=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = told.pop("offset_mapping").tolist()
        with self._torch.inference_mode():
            logits = self._model(**told).logits
            is_number = self._shape.kind == "number"
            likely = logits.sigmoid() if is_number else logits.softmax(-1)
        likely = likely[..., self._shape.supported]
        if not self._torch.isfinite(likely).all():
            words = mark("{model} gives no number. Its weights are broken: fetch it again.")
            raise ParameterError(say(words, model=self._name))
        for row, reading in enumerate(readings):
            if self._shape.kind != "tokens":
                yield reading.group[0][0], likely[row].item()
                continue
            of_answer = [
                (begin, own)
                for (begin, end), own, text in zip(
                    offsets[row], likely[row].tolist(), told.sequence_ids(row), strict=True
                )
                if text == 1 and begin < end
            ]
            start = 0
            for number, claim in reading.group:
                end = start + len(claim)
                # Its weakest word decides: one that nothing carries makes a sentence unsupported.
                words_of_claim = [own for begin, own in of_answer if start <= begin < end]
                yield number, min(words_of_claim, default=0.0)
                start = end + 1
