"""Every evaluator there is: what ships, found by its file, and what was dropped into a folder."""

from __future__ import annotations

import inspect
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import RLock

from evaluators import custom_files
from evaluators.base import Benchmark, Evaluator, Evidence, registered
from evaluators.custom_files import Broken
from evaluators.errors import ParameterError
from evaluators.records import EvaluatorSpec
from evaluators.text.language import say
from evaluators.values import Value

# One thread at a time brings the catalogue up to date; the others wait until it is whole again.
# Reentrant, because a file that is dropped in may ask for the catalogue while it is read.
_CHANGING = RLock()


def catalogue() -> dict[str, type[Evaluator]]:
    """All evaluators by name, those of the files in `config().custom_dir` as they are now.

    Benchmarks come first, then what costs nothing, what asks a judge, and metrics of one's own.
    """
    with _CHANGING:
        _load_shipped()
        custom_files.refresh()
        in_order = sorted(registered(), key=_place)
        return {cls.name: cls for cls in in_order}


def metric_named(name: str) -> type[Evaluator] | None:
    """The evaluator of that name; `None` where it is gone."""
    # A page asks a hundred times: the folder of one's own is looked into for its own files alone.
    return _shipped().get(name) or catalogue().get(name)


def from_spec(spec: EvaluatorSpec) -> Evaluator:
    """The evaluator that a stored spec describes."""
    cls = metric_named(spec.name)
    if cls is None:
        names = ", ".join(sorted(catalogue()))
        raise ParameterError(
            say("No metric is called {metric!r}. Known: {names}.", metric=spec.name, names=names)
        )
    return cls.build(**spec.params)


def leads(name: str) -> Benchmark | None:
    """The benchmark whose runs the evaluator of that name leads; `None` also where it is gone."""
    cls = metric_named(name)
    return cls.leads if cls else None


def labels_sentences(spec: EvaluatorSpec) -> bool:
    """Whether a run by that metric has labels of sentences: labellers, formulas, coloured texts."""
    return _evidence(spec) == "sentences"


def goes_by_rules(spec: EvaluatorSpec) -> bool:
    """Whether a run by that metric has verdicts by sets of rules that can be changed later."""
    return _evidence(spec) == "rules"


def _evidence(spec: EvaluatorSpec) -> Evidence | None:
    cls = metric_named(spec.name)
    return cls.evidence if cls else None


def declared_values(name: str) -> tuple[Value, ...]:
    """What the metric of that name declares of its values; nothing where it is gone."""
    cls = metric_named(name)
    return cls.values if cls else ()


def broken() -> tuple[Broken, ...]:
    """The dropped-in files that cannot be used as they are now, by name."""
    catalogue()
    known = custom_files.known().values()
    return tuple(file.problem for file in known if file.problem)


def files() -> dict[str, tuple[type[Evaluator], ...]]:
    """The dropped-in files that can be used, by name, with the metrics that each of them holds."""
    catalogue()
    usable = {}
    for path, file in custom_files.known().items():
        if file.metrics:
            usable[path.name] = file.metrics
    return usable


def ships(cls: type[Evaluator]) -> bool:
    """Whether the evaluator comes with Plumbline, not from a dropped-in file or from a script."""
    return cls.__module__.rpartition(".")[0] == __package__


def explanations(cls: type[Evaluator]) -> list[str]:
    """What the metric says of itself: the docstrings of its class and of its file."""
    texts = (cls.__doc__, inspect.getdoc(inspect.getmodule(cls)))
    return [inspect.cleandoc(text) for text in texts if text]


@cache
def _shipped() -> dict[str, type[Evaluator]]:
    return {cls.name: cls for cls in catalogue().values() if ships(cls)}


@cache
def _load_shipped() -> None:
    """Imports the files of this folder; one that holds an evaluator registers it."""
    # Not `__main__`, which would start the command, and not folders, which hold no metrics.
    for module in pkgutil.iter_modules([str(Path(__file__).parent)], f"{__package__}."):
        if not module.ispkg and not module.name.endswith("__main__"):
            import_module(module.name)


def _place(cls: type[Evaluator]) -> tuple[bool, bool, bool, str]:
    """What `catalogue` sorts by; of two truth values the false one comes first."""
    is_own = not ships(cls)
    is_benchmark = cls.leads is not None
    asks_judge = cls.judges in ("one", "jury")
    return is_own, not is_benchmark, asks_judge, cls.title
