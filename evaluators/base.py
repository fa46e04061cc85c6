"""What an evaluator is: a small class whose fields are its parameters and whose one method scores a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from evaluators.errors import MissingInputError, ParameterError
from evaluators.records import EvaluatorSpec, Sample, Score


class Evaluator(BaseModel):
    """A metric: fields are parameters (constructor, stored spec and form are read from them), `score` judges."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:  # a type checker reads the fields

        def __init__(self, **params: Any) -> None:
            """The evaluator with these parameters; a value out of range raises `ParameterError` with the remedy."""
            try:
                super().__init__(**params)
            except ValidationError as error:
                raise ParameterError(_refused(type(self), error.errors()[0])) from None

    @field_validator("llm_client", mode="before", check_fields=False)
    @classmethod
    def _connected(cls, given: object) -> object:
        """A judge may be a model id, an object of one's own, or several: see `llm.judges`."""
        from evaluators.llm.judges import as_judges  # late: who asks no LLM need not wait

        most = most_judges(cls) if hasattr(cls, "name") else 1
        return as_judges(given, most, getattr(cls, "title", cls.__name__)) if most else given

    @property
    def needed(self) -> tuple[str, ...]:
        """The fields of a sample that it needs with these parameters; `needs` where they make no difference."""
        return self.needs

    def score(self, sample: Sample) -> Score:
        """Judges one sample.

        Raises a `PlumblineError` where the sample cannot be judged; the engine stores it as failed.
        """
        raise NotImplementedError

    def check_ready(self) -> None:
        """Raises `ParameterError` where the evaluator cannot run on this machine, e.g. for want of a package."""

    def spec(self) -> EvaluatorSpec:
        """The stored form: name and parameters, without the client of an LLM (it may hold a key)."""
        return EvaluatorSpec(name=self.name, params=self.model_dump(mode="json", exclude={"llm_client"}))

    @classmethod
    def build(cls, **params: Any) -> Self:
        """The evaluator with parameters whose names are not known before, as in a stored spec or a form."""
        return cls(**params)


def _refused(cls: type[Evaluator], first: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in first["loc"]) or "parameters"
    return f"{cls.title}: {field} {_problem(cls, first)}."


def _problem(cls: type[Evaluator], first: Mapping[str, Any]) -> str:
    """What is wrong with a parameter; values are cut, and one under an unknown name (it may be a key) is not told."""
    if first["type"] == "missing":
        return "is missing. Give it a value"
    if first["type"] == "extra_forbidden":
        return f"is not a parameter. Known: {', '.join(name for name in cls.model_fields if name != 'llm_client')}"
    return f"is {first['input']!r:.60}. {first['msg']}"


MOST_JUDGES = 5
JURIES = ("gpt_labeling", "hybrid")
"""Evaluators of which several judges are a jury; another that asks an LLM has one judge."""

E = TypeVar("E", bound=type[Evaluator])

_CATALOGUE: dict[str, type[Evaluator]] = {}
_CHANGING = RLock()
"""One thread at a time brings the catalogue up to date; the others wait until it is whole again."""
_MODULES = (
    "evaluators.rgb_evaluator",
    "evaluators.trace_evaluator",
    "evaluators.advanced_rag_evaluator",
    "evaluators.evaluation_pipeline",
    "evaluators.answer_match",
    "evaluators.retriever_recall",
    "evaluators.context_recall",
    "evaluators.llm_judge",
    "evaluators.g_eval",
    "evaluators.prompt_metric",
)


def evaluator(name: str, *, title: str, needs: tuple[str, ...] = ()) -> Callable[[E], E]:
    """Registers an evaluator under a name that stored runs refer to."""

    def register(cls: E) -> E:
        if name in _CATALOGUE:
            raise ValueError(f"Two evaluators are called {name!r}; rename one.")
        if "name" in vars(cls):
            raise ValueError(
                f"{cls.__name__} is an evaluator already: {cls.name!r}. Derive a class of your own from it."
            )
        cls.name, cls.title, cls.needs = name, title, _fields(needs)
        _CATALOGUE[name] = cls
        return cls

    return register


def _fields(needs: tuple[str, ...]) -> tuple[str, ...]:
    """The fields of a sample by these names; raises `ValueError` where there is no such field."""
    if isinstance(needs, str):
        raise ValueError(f"needs is one string; write needs=({needs!r},).")
    if unknown := set(needs).difference(Sample.model_fields):
        raise ValueError(f"A sample has no {min(unknown)!r}; it has {', '.join(Sample.model_fields)}.")
    return tuple(needs)


def catalogue() -> dict[str, type[Evaluator]]:
    """All evaluators by name: those that ship, and those of the files in `config().custom_dir` as they are now."""
    with _CHANGING:
        for module in _MODULES:
            import_module(module)
        import_module("evaluators.custom").refresh()
        return dict(_CATALOGUE)


def registered(module: str) -> tuple[type[Evaluator], ...]:
    """The evaluators that this module has registered."""
    return tuple(cls for cls in _CATALOGUE.values() if cls.__module__ == module)


def withdraw(module: str) -> None:
    """Takes the evaluators of this module out of the catalogue."""
    for cls in registered(module):
        del _CATALOGUE[cls.name]


def from_spec(spec: EvaluatorSpec) -> Evaluator:
    """The evaluator that a stored spec describes."""
    cls = catalogue().get(spec.name)
    if cls is None:
        raise ParameterError(f"No evaluator is called {spec.name!r}. Known: {', '.join(sorted(catalogue()))}.")
    return cls.build(**spec.params)


def most_judges(cls: type[Evaluator]) -> int:
    """How many judges the evaluator takes: none, one, or a jury of several."""
    if cls.name == "trace" or "llm_client" not in cls.model_fields:  # TRACE takes a client, but asks it nothing
        return 0
    return MOST_JUDGES if cls.name in JURIES else 1


def missing(needs: tuple[str, ...], sample: Sample, *, has_generator: bool = False) -> list[str]:
    """The fields among `needs` that the sample lacks or has nothing in; an empty response counts as there.

    So does one that a generator will give.
    """
    lacking = [field for field in needs if getattr(sample, field) in (None, ())]
    return [field for field in lacking if not (has_generator and field == "response")]


def require(needs: tuple[str, ...], sample: Sample, who: str) -> None:
    """Raises `MissingInputError` where the sample lacks a field; an empty one is the evaluator's to judge."""
    lacking = [field for field in needs if getattr(sample, field) is None]
    if lacking:
        what = ", ".join(lacking)
        raise MissingInputError(f"Sample {sample.id}: {what} missing, and {who} needs it. Fill it in.")
