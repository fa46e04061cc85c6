"""Classifiers that say how likely documents carry a sentence, on this computer's processor.

A model is a folder or an id of the Hugging Face hub; its own config.json says of which kind it is:
a token classifier marks the words of an answer that nothing carries (LettuceDetect), a pair
classifier names one of several labels for documents and a claim (MiniCheck, FactCG), a
cross-encoder gives one number for them. Only safetensors are loaded, and no code of a model runs.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from evaluators.config import ROOT
from evaluators.errors import DatasetError, ParameterError
from evaluators.extras import install_line
from evaluators.named_files import read_file
from evaluators.records import Record
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.printable import printable
from evaluators.text.similarity import terms
from evaluators.text.strangers_json import strangers_json
from evaluators.trace.windows import Extent, windows_within

Progress = Callable[[int, int], None]
"""Is told how many bytes are here, and how many there are in all."""

MOST_BYTES = 4 * 2**30
"""Of the weights of a model: larger ones take minutes a sample without a graphics card."""
MOST_READINGS = 2000
"""How often a model reads for one sample: about a minute of the smallest, half an hour of the
largest that are listed.
"""
SECONDS = 10
"""How long the hub may say nothing."""
_LONGEST_CONFIG = 2**20
_USUAL_TOKENS = 512
_TOGETHER = 8
"""Readings in one call of the model."""
_SPECIAL = 8
"""Tokens that a tokenizer puts around its texts, and more."""
_LABEL = 8
"""Tokens by which a passage is numbered."""

_CONFIG = "config.json"
_FILES = (
    *(_CONFIG, "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "vocab.txt", "vocab.json", "merges.txt", "spm.model", "spiece.model"),
)
_WEIGHTS = re.compile(r"model(-\d{5}-of-\d{5})?\.safetensors|model\.safetensors\.index\.json")
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_SUPPORTED = re.compile("entail|support|consistent|grounded|faithful|yes$|true$", re.IGNORECASE)
_UNSUPPORTED = re.compile("hallucinat|unsupport|not[ _-]?support|ungrounded", re.IGNORECASE)
_UNNAMED = ["LABEL_0", "LABEL_1"]

_BROKEN = (ImportError, OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError)

_NO_CONFIG = mark(
    "{model} holds no config.json, so no model. Choose one that has it beside model.safetensors."
)

_loading = threading.RLock()
_reading = threading.Lock()

Kind = Literal["tokens", "pair", "number"]


class KnownModel(Record):
    """A model of the hub that `data/local_models.toml` explains."""

    id: str
    title: str
    size: str
    license: str
    most_tokens: int
    published: str
    source: str
    source_date: str
    asks: str = ""


class Place(NamedTuple):
    """Where a model lies on this computer, and what tells its files from all others: the hub's
    commit, or a hash of the files of a folder.
    """

    folder: Path
    revision: str


class Shape(NamedTuple):
    """What a model answers: of which kind it is, and which of its labels means supported."""

    kind: Kind
    supported: int


_TABLES = tomllib.loads((ROOT / "data" / "local_models.toml").read_text(encoding="utf-8"))
KNOWN = {entry["id"]: KnownModel.model_validate(entry) for entry in _TABLES["model"]}


def known(model: str) -> KnownModel | None:
    """What is known of a model: a folder is that whose name it has."""
    name = name_of(model).lower()
    return next((own for own in KNOWN.values() if name_of(own.id).lower() == name), None)


def name_of(model: str) -> str:
    """The name of a folder or of a model of the hub, without what it lies in."""
    return Path(model).name or model


def check_installed() -> None:
    """Raises `ParameterError` where what loads models is not installed; it loads nothing."""
    if find_spec("transformers") is None or find_spec("torch") is None:
        message = say(
            "A local model needs packages that are not installed. Install them: {command}, or let "
            "the heuristic or a judge label.",
            command=install_line("local"),
        )
        raise ParameterError(message)


# Where it lies


def place(model: str, revision: str = "") -> Place | None:
    """Where the model lies; `None` where it has still to be fetched.

    Raises `ParameterError` for what is neither a folder nor an id, and for a folder without a model
    that can be used, or with other files than those of the revision.
    """
    if os.path.isdir(folder := Path(model).expanduser()):
        shape_of(folder)
        return _checked(model, Place(folder.resolve(), _hash_of(folder)), revision)
    if not _ID.fullmatch(model) or ".." in model or "--" in model:
        message = say(
            "{model!r} is neither a folder of this computer nor a model of the hub. Write it as "
            "owner/name, or name a folder that holds config.json and model.safetensors.",
            model=model[:120],
        )
        raise ParameterError(message)
    from huggingface_hub import snapshot_download

    # What is not here yet, and a revision that cannot be one: the hub says so in its words.
    with suppress(OSError, ValueError):
        where = snapshot_download(
            model, revision=revision or None, cache_dir=_cache(), local_files_only=True
        )
        folder = Path(where)
        # Weights are fetched last: with them all is there.
        if any(_is_last(file.name) for file in folder.iterdir()):
            shape_of(folder)
            return Place(folder, folder.name)
    return None


def fetch(model: str, revision: str = "", on_progress: Progress | None = None) -> Place:
    """Where the model lies, fetched from the hub where it is not here yet.

    No key is sent. Raises `ParameterError` where there is no such model, or it cannot be used.
    """
    with _loading:
        here = place(model, revision)
        return here or _fetched(model, revision, on_progress)


def _fetched(model: str, revision: str, on_progress: Progress | None) -> Place:
    from huggingface_hub import HfApi, hf_hub_download

    asked: dict[str, Any] = {
        "cache_dir": _cache(),
        "endpoint": _endpoint(),
        "token": False,
        "etag_timeout": SECONDS,
    }
    with _in_words(model, revision):
        api = HfApi(endpoint=_endpoint(), token=False)
        told = api.model_info(
            model, revision=revision or "main", files_metadata=True, timeout=SECONDS, token=False
        )
        sizes = {each.rfilename: each.size or 0 for each in told.siblings or ()}
        if _CONFIG not in sizes:
            raise ParameterError(say(_NO_CONFIG, model=model))
        # By the name of the revision: so the hub's library remembers which commit that was.
        config = hf_hub_download(model, _CONFIG, revision=revision or None, **asked)
        folder = Path(str(config)).parent
        shape_of(folder, weights=False)
        _check_weights(model, list(sizes))
        wanted = {name: sizes[name] for name in sizes if _is_loaded(name)}
        total = sum(wanted.values())
        if total > MOST_BYTES:
            message = say(
                "{model} has {size:,.0f} MB, and a model on the processor at most {most:,.0f}. "
                "Choose a smaller one.",
                model=model,
                size=total / 2**20,
                most=MOST_BYTES / 2**20,
            )
            raise ParameterError(message)
        done = 0
        for name in sorted(wanted, key=lambda name: (bool(_WEIGHTS.fullmatch(name)), name)):
            bar = _bar(on_progress, done, total) if on_progress else None
            hf_hub_download(model, name, revision=folder.name, tqdm_class=bar, **asked)
            done += wanted[name]
        shape_of(folder)
        return Place(folder, folder.name)


def _bar(on_progress: Progress, before: int, total: int) -> type[Any]:
    """What the hub's library moves while it fetches a file, in place of a bar in the terminal."""
    tqdm = import_module("tqdm").tqdm

    def begin(bar: Any, *_: Any, initial: int = 0, **__: Any) -> None:
        tqdm.__init__(bar, disable=True)
        bar.here = before + initial

    def update(bar: Any, n: float | None = 1) -> None:
        bar.here += int(n or 0)
        on_progress(min(bar.here, total), total)

    return type("Told", (tqdm,), {"__init__": begin, "update": update})


@contextmanager
def _in_words(model: str, revision: str) -> Iterator[None]:
    """Turns what goes wrong on the way to the hub into a `ParameterError` with the remedy."""
    import httpx2
    from huggingface_hub import errors

    facts = {"model": model, "host": urlsplit(_endpoint()).netloc}
    try:
        yield
    except errors.GatedRepoError as error:
        words = mark(
            "{model} is given by {host} only to who has agreed to its conditions. Fetch it there "
            "and name its folder."
        )
        raise ParameterError(say(words, **facts)) from error
    except errors.RepositoryNotFoundError as error:
        words = mark("{host} has no model {model}, or not for everybody. Check its id.")
        raise ParameterError(say(words, **facts)) from error
    except (errors.RevisionNotFoundError, errors.HFValidationError) as error:
        words = mark("{model} has no revision {revision!r}. Give a commit of it, or leave it out.")
        raise ParameterError(say(words, revision=revision[:80], **facts)) from error
    except (OSError, httpx2.HTTPError, errors.EntryNotFoundError) as error:
        words = mark(
            "{model} could not be fetched from {host}: is this computer offline, or its disk full? "
            "Try again, or copy the model's files into a folder and name that."
        )
        raise ParameterError(say(words, **facts)) from error


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _cache() -> str | None:
    return os.environ.get("HF_HUB_CACHE")


def _hash_of(folder: Path) -> str:
    """Of the files that are loaded from a folder."""
    with _unreadable(folder):
        files = [file for file in sorted(folder.iterdir()) if _is_loaded(file.name)]
        stats = [(file, file.stat()) for file in files]
    return _hash_of_files(tuple((file, own.st_size, own.st_mtime_ns) for file, own in stats))


# Weights of a gigabyte take a second, and a form asks at every click.
@lru_cache(maxsize=16)
def _hash_of_files(files: Sequence[tuple[Path, int, int]]) -> str:
    whole = hashlib.sha256()
    for path, size, _ in files:
        with _unreadable(path.parent), path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.name} {size} {content}\n".encode())
    # As long as a commit, which it stands for.
    return whole.hexdigest()[:40]


def _checked(model: str, here: Place, revision: str) -> Place:
    if revision not in ("", here.revision):
        message = say(
            "The files in {model} are others than those of revision {revision}. Put these back, or "
            "leave the revision out in a new run.",
            model=printable(model)[:120],
            revision=printable(revision)[:80],
        )
        raise ParameterError(message)
    return here


# What it is


def shape_of(folder: Path, *, weights: bool = True) -> Shape:
    """What the model in a folder answers, by its config.json.

    Raises `ParameterError` where it is no classifier of ours, brings code of its own, or has no
    safetensors.
    """
    name = folder.name
    if not (folder / _CONFIG).is_file():
        raise ParameterError(say(_NO_CONFIG, model=printable(name)))
    with _unreadable(folder):
        too_long = (folder / _CONFIG).stat().st_size > _LONGEST_CONFIG
    config: Any = None
    with suppress(ValueError):
        config = (
            None
            if too_long
            else strangers_json(
                read_file(folder / _CONFIG, ParameterError).decode(errors="replace")
            )
        )
    if not isinstance(config, dict):
        words = mark("The config.json of {model} cannot be read. Fetch the model again.")
        raise ParameterError(say(words, model=printable(name)))
    shape = _shape(name, config)
    if weights:
        with _unreadable(folder):
            _check_weights(name, [file.name for file in folder.iterdir()])
    return shape


def _check_weights(model: str, names: Sequence[str]) -> None:
    if any(map(_is_last, names)):
        return
    message = say(
        "{model} has no model.safetensors. Other weights can run code when they are loaded: "
        "choose a model, or a revision of it, with safetensors.",
        model=printable(model),
    )
    raise ParameterError(message)


def _is_loaded(name: str) -> bool:
    return name in _FILES or bool(_WEIGHTS.fullmatch(name))


def _is_last(name: str) -> bool:
    return name in ("model.safetensors", "model.safetensors.index.json")


def _shape(name: str, config: Mapping[str, Any]) -> Shape:
    told = config.get("architectures")
    architecture = str(told[0]) if isinstance(told, list) and told else ""
    facts = {"model": printable(name), "architecture": printable(architecture)[:80] or "?"}
    if config.get("auto_map"):
        words = mark(
            "{model} brings program code of its own, which is never run. Choose another model, or "
            "a revision that transformers knows by itself."
        )
        raise ParameterError(say(words, **facts))
    is_tokens = architecture.endswith("ForTokenClassification")
    if not is_tokens and not architecture.endswith("ForSequenceClassification"):
        words = mark(
            "{model} is no classifier ({architecture}). Choose one of tokens or of pairs of texts; "
            "a model that writes can be a judge, through Ollama or vLLM."
        )
        raise ParameterError(say(words, **facts))
    names = config.get("id2label")
    labels = [str(label) for label in names.values()] if isinstance(names, dict) else _UNNAMED
    if len(labels) == 1 and not is_tokens:
        return Shape("number", 0)
    supported = _supported(labels, is_tokens)
    if supported is None or (is_tokens and len(labels) != 2):
        words = mark(
            "Which of the labels of {model} means “supported” is not known: {labels}. Choose a "
            "model with one label, or whose labels say it (such as supported, entailment)."
        )
        listed = printable(", ".join(labels[:10]))[:200]
        raise ParameterError(say(words, labels=listed, **facts))
    return Shape("tokens" if is_tokens else "pair", supported)


def _supported(labels: Sequence[str], is_tokens: bool) -> int | None:
    """The one that means supported; of unnamed labels the second means that a model has found what
    it looks for.
    """
    if list(labels) == _UNNAMED:
        return 0 if is_tokens else 1
    found = [number for number, label in enumerate(labels) if _SUPPORTED.match(label)]
    against = [number for number, label in enumerate(labels) if _UNSUPPORTED.match(label)]
    if not found and len(labels) == 2 and len(against) == 1:
        return 1 - against[0]
    return found[0] if len(found) == 1 else None


@contextmanager
def _unreadable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        words = mark("{model} cannot be read ({why}). Mend that, or name another folder.")
        why = error.strerror or type(error).__name__
        raise ParameterError(say(words, model=printable(folder.name), why=why)) from error


# What it says


@lru_cache(maxsize=1)
def _loaded(model: str, revision: str) -> Reader:
    here = fetch(model, revision)
    return Reader(model, here)


def reader(model: str, revision: str) -> Reader:
    """The model, loaded once; another one takes its place in memory.

    Raises `ParameterError` where it cannot be loaded.
    """
    check_installed()
    with _loading:
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
        self._asks = _TABLES["asks"][own.asks].lstrip("\n") if own and own.asks else ""
        if self._shape.kind == "tokens" and not self._asks:
            self._asks = _TABLES["asks"]["lettucedetect"].lstrip("\n")
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
