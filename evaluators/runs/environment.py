"""What a run may depend on beside its settings: versions, and who answered at which price."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from evaluators import __version__
from evaluators.llm.catalogue import find
from evaluators.records import ModelSpec, Record, Run

PACKAGES = ("groq", "json-repair", "numpy", "openai", "pydantic")
"""Dependencies that can change a result."""

PACKAGE = Path(__file__).parents[1]
JUDGING = ("*.py", "text/*", "trace/*", "prompts/*", "llm/*.py", "datasets/sampling.py")
"""Files of the package that can change what a metric says of an answer, prompts included."""


class Versions(Record):
    """The versions that a run worked with.

    `judging` is a hash of the code and prompts that judge: a checkout changes them between two
    versions.
    """

    plumbline: str
    judging: str
    python: str
    packages: dict[str, str]


class AskedModel(Record):
    """A model that the run asked: what was paid, and the names under which it answered.

    `price_in` and `price_out` are US dollars for a million tokens when it was asked, as they stood
    on the `price_date`.
    """

    id: str
    served: tuple[str, ...] = ()
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    price_date: str = ""


class Environment(Record):
    """What was around a run: each of its `versions` in order, its models, and when it `ended`.

    `opened` is when it came out of a run file, empty for runs that were made here. Of runs of
    earlier versions of Plumbline nothing is known.
    """

    versions: tuple[Versions, ...] = ()
    ended: str = ""
    opened: str = ""
    models: tuple[AskedModel, ...] = ()


@cache
def versions() -> Versions:
    """Those of this process."""
    return Versions(
        plumbline=__version__,
        judging=_hash_of_judging(),
        python=platform.python_version(),
        packages={name: metadata.version(name) for name in PACKAGES},
    )


def models_asked(run: Run) -> tuple[AskedModel, ...]:
    """The models of the run once each, with today's prices and nothing paid."""
    specs: dict[str, ModelSpec] = {spec.id: spec for spec in (*run.models, *run.judges)}
    return tuple(map(_with_price, specs))


def at_work(run: Run, before: Environment) -> Environment:
    """What is known when work on the run begins or goes on now."""
    known = before.versions
    # A run that goes on after an update was made by both.
    if versions() not in known:
        known = (*known, versions())
    # Prices of its first day: by these its budget was planned.
    models = before.models or models_asked(run)
    return before.model_copy(update={"versions": known, "models": models})


def changed_versions(first: Environment, second: Environment) -> Sequence[str]:
    """What of the versions differs, in words: "Plumbline 0.1.0 → 0.2.0"; empty where unknown."""
    if not first.versions or not second.versions:
        return ()
    before, after = first.versions[-1], second.versions[-1]
    pairs = [("Plumbline", before.plumbline, after.plumbline)]
    if before.plumbline == after.plumbline:
        pairs.append(("rules and prompts of Plumbline", before.judging, after.judging))
    pairs.append(("Python", before.python, after.python))
    for name in before.packages.keys() & after.packages.keys():
        pairs.append((name, before.packages[name], after.packages[name]))
    return [f"{name} {old} → {new}" for name, old, new in sorted(pairs) if old != new]


def _hash_of_judging() -> str:
    digest = hashlib.sha256()
    paths = {path for pattern in JUDGING for path in PACKAGE.glob(pattern) if path.is_file()}
    for path in sorted(paths):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _with_price(model_id: str) -> AskedModel:
    listed = find(model_id)
    if listed is None:
        return AskedModel(id=model_id)
    return AskedModel(
        id=model_id,
        price_in=listed.price_in,
        price_out=listed.price_out,
        price_date=listed.source_date,
    )
