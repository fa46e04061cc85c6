"""Classifiers on this computer's processor: where their files lie, and what they answer.

A model is a folder or an id of the Hugging Face hub; its own config.json says of which kind it is:
a token classifier marks the words of an answer that nothing carries (LettuceDetect), a pair
classifier names one of several labels for documents and a claim (MiniCheck, FactCG), a
cross-encoder gives one number for them. Only safetensors are loaded, and no code of a model runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from evaluators.config import ROOT, config
from evaluators.errors import ParameterError
from evaluators.extras import install_line
from evaluators.named_files import read_file
from evaluators.records import Record
from evaluators.text.language import mark, say
from evaluators.text.printable import printable
from evaluators.text.strangers_json import strangers_json

Progress = Callable[[int, int], None]
"""Is told how many bytes are here, and how many there are in all."""

MOST_BYTES = 4 * 2**30
"""Of the weights of a model: larger ones take minutes a sample without a graphics card."""
SECONDS = 10
"""How long the hub may say nothing."""
_LONGEST_CONFIG = 2**20

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

_NO_CONFIG = mark(
    "{model} holds no config.json, so no model. Choose one that has it beside model.safetensors."
)

_MISREAD = (KeyError, TypeError, AttributeError, json.JSONDecodeError)
"""What the hub's library raises where a reply is none, or lacks what it reads: an id, a list."""

LOADING = threading.RLock()
"""Held while a model is fetched or loaded: two at once would fill the memory."""

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
ASKS: dict[str, str] = _TABLES["asks"]
"""How documents and an answer are put to models that want one text."""
KNOWN = {entry["id"]: KnownModel.model_validate(entry) for entry in _TABLES["model"]}


def known(model: str) -> KnownModel | None:
    """What is known of a model: a folder is that whose name it has."""
    name = name_of(model).lower()
    return next((own for own in KNOWN.values() if name_of(own.id).lower() == name), None)


def name_of(model: str) -> str:
    """The name of a folder or of a model of the hub, without what it lies in."""
    return Path(model).name or model


def check_allowed() -> None:
    """Raises `ParameterError` on a public host."""
    if config().public:
        raise ParameterError(
            say(
                "A public host runs no local model, which would take its memory from all. Run "
                "Plumbline on your own computer, or let the heuristic or a judge label."
            )
        )


def check_installed() -> None:
    """The same, and where what loads models is not installed; it loads nothing."""
    check_allowed()
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
    check_allowed()
    with LOADING:
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
    except (OSError, httpx2.HTTPError, errors.EntryNotFoundError, *_MISREAD) as error:
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
    if not too_long:
        text = read_file(folder / _CONFIG, ParameterError).decode(errors="replace")
        with suppress(ValueError):
            config = strangers_json(text)
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
