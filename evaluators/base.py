"""What an evaluator is: fields that are its parameters, and one method that scores a sample."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from evaluators.errors import AccessError, MissingInputError, ParameterError
from evaluators.records import EvaluatorSpec, Sample, Score
from evaluators.text.language import mark, say
from evaluators.text.printable import shown
from evaluators.text.words import of_sample
from evaluators.values import Value

if TYPE_CHECKING:
    from evaluators.llm import LLMClient
    from evaluators.prompts import Prompt

Judges = Literal["none", "optional", "one", "jury"]
"""The LLMs that an evaluator asks: none, one if it is there, just one, or several as a jury."""

Benchmark = Literal["rgb", "trace"]
"""Those whose runs have a page of their own."""
Evidence = Literal["rules", "sentences"]
"""What a benchmark shows of an answer: the rules that decided, or the labels of its sentences."""

BENCHMARKS: Mapping[Evidence, Benchmark] = {"rules": "rgb", "sentences": "trace"}

# Of more than five judges a majority hardly changes, and each of them is paid for every sample.
MOST_JUDGES: Mapping[Judges, int] = {"none": 0, "optional": 1, "one": 1, "jury": 5}


class Evaluator(BaseModel):
    """A metric: fields are its parameters, of which constructor, stored spec and form are made.

    `@evaluator` declares the rest: the fields of a sample that it `needs`, the `judges` that it
    asks, what its `values` are, and the `evidence` of a benchmark, whose runs it then `leads`: a
    run has one such evaluator, as its first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    judges: ClassVar[Judges] = "none"
    evidence: ClassVar[Evidence | None] = None
    leads: ClassVar[Benchmark | None] = None
    values: ClassVar[tuple[Value, ...]] = ()
    """What is said of its values; one that is not declared goes by its name."""
    gives_probabilities: ClassVar[bool] = False
    """Whether its labels tell how likely they are."""
    is_light: ClassVar[bool] = False
    """Whether a score takes less time than sending the sample to a worker process would."""

    # Hidden from type checkers, which read the constructor's arguments from the fields.
    if not TYPE_CHECKING:

        def __init__(self, *values: Any, **params: Any) -> None:
            """The evaluator with these parameters; values without a name are the fields in order.

            A value out of range raises `ParameterError` with the remedy.
            """
            try:
                super().__init__(**_named_params(type(self), values), **params)
            except ValidationError as error:
                # From None: pydantic's own text has all values in it, and one may be a key.
                raise ParameterError(_refused_parameter(type(self), error.errors()[0])) from None

    @field_validator("llm_client", mode="before", check_fields=False)
    @classmethod
    def _connected(cls, judge: object) -> object:
        """A judge may be a model id, an object of one's own, or several: see `llm.judges`."""
        # Late: to import what talks to LLMs takes a while, and most evaluators ask none.
        from evaluators.llm.judges import as_judges

        # A class that is not registered yet has no name and has declared no judges.
        most = cls.most_judges() if hasattr(cls, "name") else 1
        if not most:
            return judge
        return as_judges(judge, most, getattr(cls, "title", cls.__name__))

    @property
    def needed(self) -> tuple[str, ...]:
        """The fields of a sample that it needs with these parameters."""
        return self.needs

    def needed_for(self, sample: Sample) -> tuple[str, ...]:
        """The fields that it needs of this sample."""
        return self.needed

    @property
    def least_doubt(self) -> float:
        """Of how doubtful a sample it asks its judges, 0 to 1: above 1 of none, without a field
        `doubt_from` of all.
        """
        return getattr(self, "doubt_from", 0.0)

    @property
    def needs_judge(self) -> bool:
        """Whether it cannot do without a judge, with these parameters."""
        return self.judges in ("one", "jury") and self.least_doubt <= 1

    @property
    def asks_decisions(self) -> bool:
        """Whether its judges are decision models, which answer questions and write nothing."""
        return getattr(self, "decides", False)

    @property
    def loads_model(self) -> bool:
        """Whether it loads a model, which each worker process would do for itself."""
        return False

    @abstractmethod
    def score(self, sample: Sample) -> Score:
        """Judges one sample.

        Raises a `PlumblineError` where the sample cannot be judged; the engine stores it as failed.
        """

    def judge(self) -> LLMClient:
        """The judge, of a jury the first one; raises `AccessError` where there is none."""
        return self.jury()[0]

    def jury(self) -> tuple[LLMClient, ...]:
        """All judges that it was given; raises `AccessError` where there is none."""
        client = getattr(self, "llm_client", None)
        clients = client if isinstance(client, tuple) else (client,)
        if judges := tuple(client for client in clients if client is not None):
            return judges
        raise AccessError(
            say(
                "{metric} needs a judge. Choose a model, or give its client as llm_client.",
                metric=say(self.title),
            )
        )

    def doubt(self, sample: Sample) -> float:
        """How likely it is wrong about the sample without a judge, 0 to 1; declared by a metric
        with a field `doubt_from`.
        """
        return 1.0

    def asks_about(self, sample: Sample) -> bool:
        """Whether judges are asked about the sample: also where its answer is to come, of which
        nobody knows the doubt.
        """
        if not self.least_doubt or sample.response is None:
            return True
        return self.doubt(sample) >= self.least_doubt

    def judge_prompts(
        self,
        sample: Sample,
        prompt_budget: int | None = None,
    ) -> list[Prompt] | None:
        """What it asks a judge about the sample where it does, before anybody has answered.

        `None` leaves that to a dry run. Declared where a dry run would take long: a form counts the
        prompts of every sample.
        """
        return None

    def check_ready(self) -> None:
        """Raises `ParameterError` where it cannot run here, for example for want of a package."""

    def prepare(self) -> None:
        """Fetches what it takes, once a run is about to begin."""

    def spec(self) -> EvaluatorSpec:
        """The stored form: name and parameters."""
        # Without the client of an LLM, which may hold a key.
        params = self.model_dump(mode="json", exclude={"llm_client"})
        return EvaluatorSpec(name=self.name, params=params)

    @classmethod
    def most_judges(cls) -> int:
        """How many judges it takes: 0, 1, or the members of a jury."""
        return MOST_JUDGES[cls.judges]

    @classmethod
    def build(cls, **params: Any) -> Self:
        """The evaluator with these parameters, for names that a type checker cannot know.

        They come from a stored spec or a form.
        """
        return cls(**params)


BaseEvaluator = Evaluator
"""AdalFlow's name for what its metrics have in common."""


def _named_params(cls: type[Evaluator], values: tuple[Any, ...]) -> dict[str, Any]:
    if len(values) > len(cls.model_fields):
        raise ParameterError(
            say(
                "{metric} takes {names}, and {count} values are given.",
                metric=say(cls.title),
                names=", ".join(cls.model_fields),
                count=len(values),
            )
        )
    return dict(zip(cls.model_fields, values, strict=False))


def _refused_parameter(cls: type[Evaluator], first: Mapping[str, Any]) -> str:
    """What is wrong with a parameter; its value is cut to 60 characters."""
    field = ".".join(str(part) for part in first["loc"]) or "parameters"
    title = say(cls.title)
    if first["type"] == "missing":
        return say("{metric}: {field} is missing. Give it a value.", metric=title, field=field)
    # Without its value: what stands under an unknown name may be a key.
    if first["type"] == "extra_forbidden":
        if field == "model" and "llm_client" in cls.model_fields:
            return say(
                "{metric}: model belongs to the client. Write llm_client=connect(client, "
                'model="...").',
                metric=title,
            )
        names = ", ".join(name for name in cls.model_fields if name != "llm_client")
        return say(
            "{metric}: {field} is not a parameter. Known: {names}.",
            metric=title,
            field=field,
            names=names,
        )
    return say(
        "{metric}: {field} is {value}. {problem}.",
        metric=title,
        field=field,
        value=f"{first['input']!r:.60}",
        problem=say(first["msg"]),
    )


E = TypeVar("E", bound=type[Evaluator])

_REGISTRY: dict[str, type[Evaluator]] = {}


def evaluator(
    name: str,
    *,
    title: str,
    needs: tuple[str, ...] = (),
    judges: Judges | None = None,
    evidence: Evidence | None = None,
    values: Sequence[Value] = (),
) -> Callable[[E], E]:
    """Registers an evaluator under a name that stored runs refer to, and declares what it can do.

    Where nothing is said of judges, a field `llm_client` is the place of one.
    """

    def register(cls: E) -> E:
        if name in _REGISTRY:
            raise ValueError(
                mark("Two evaluators are called {name}; rename one.").format(name=repr(name))
            )
        if "name" in vars(cls):
            raise ValueError(
                mark(
                    "{class_name} is an evaluator already: {name}. Derive a class of your "
                    "own from it."
                ).format(class_name=cls.__name__, name=repr(cls.name))
            )
        if evidence not in (None, *BENCHMARKS):
            raise ValueError(
                mark("evidence is {value}. Known: {known}.").format(
                    value=repr(evidence), known=", ".join(BENCHMARKS)
                )
            )
        checked_values = _declared_values(cls, values)
        cls.name = name
        cls.title = title
        cls.needs = _declared_needs(needs)
        cls.judges = _declared_judges(cls, judges)
        cls.evidence = evidence
        cls.leads = BENCHMARKS[evidence] if evidence else None
        cls.values = checked_values
        # Last: what is refused above must not stand in the catalogue.
        _REGISTRY[name] = cls
        return cls

    return register


def _declared_values(cls: type[Evaluator], declared: Sequence[Value]) -> tuple[Value, ...]:
    """What is declared; where nothing is, what the class that it derives from has."""
    if not isinstance(declared, list | tuple) or not all(
        isinstance(value, Value) for value in declared
    ):
        raise ValueError(
            mark("values is {value}. Write values=[Value({name})].").format(
                value=shown(declared), name=repr("share_of_hedges")
            )
        )
    names = [value.name for value in declared]
    if len(set(names)) < len(names):
        raise ValueError(
            mark("Two values are called {name}; rename one.").format(
                name=repr(next(name for name in names if names.count(name) > 1))
            )
        )
    return tuple(declared) or getattr(cls, "values", ())


def _declared_judges(cls: type[Evaluator], declared: Judges | None) -> Judges:
    """What is declared; where nothing is, one judge if there is a place for it."""
    if declared not in (None, *MOST_JUDGES):
        raise ValueError(
            mark("judges is {value}. Known: {known}.").format(
                value=repr(declared), known=", ".join(MOST_JUDGES)
            )
        )
    # Whoever decorates something else is told so when the file is checked.
    has_place = issubclass(cls, Evaluator) and "llm_client" in cls.model_fields
    if declared not in (None, "none") and not has_place:
        raise ValueError(
            mark("{class_name} asks a judge and has no field llm_client. Add it.").format(
                class_name=cls.__name__
            )
        )
    return declared or ("one" if has_place else "none")


def _declared_needs(needs: tuple[str, ...]) -> tuple[str, ...]:
    """The fields of a sample by these names; raises `ValueError` where there is no such field."""
    if isinstance(needs, str):
        raise ValueError(
            mark("needs is one string; write needs=({needs},).").format(needs=repr(needs))
        )
    if unknown := set(needs).difference(Sample.model_fields):
        raise ValueError(
            mark("A sample has no {name}; it has {fields}.").format(
                name=repr(min(unknown)), fields=", ".join(Sample.model_fields)
            )
        )
    return tuple(needs)


def registered(module: str | None = None) -> tuple[type[Evaluator], ...]:
    """The evaluators that this module has registered, or all modules."""
    # A copy, as another thread may register what a changed file holds.
    every = _REGISTRY.copy().values()
    return tuple(cls for cls in every if module in (None, cls.__module__))


def withdraw(module: str) -> None:
    """Takes the evaluators of this module out of the registry."""
    for cls in registered(module):
        del _REGISTRY[cls.name]


def forget(name: str) -> None:
    """Takes the evaluator of this name out of the registry."""
    _REGISTRY.pop(name, None)


def missing(
    needs: tuple[str, ...],
    sample: Sample,
    *,
    given: Collection[str] = (),
) -> list[str]:
    """The fields among `needs` that the sample lacks or has nothing in.

    An empty response counts as there, and so does what is `given` by who answers.
    """
    lacking = [field for field in needs if getattr(sample, field) in (None, ())]
    return [field for field in lacking if field not in given]


def require(needs: tuple[str, ...], sample: Sample, who: str) -> None:
    """Raises `MissingInputError` where the sample lacks a field, `ParameterError` where it is none.

    An empty field is the evaluator's to judge.
    """
    if not isinstance(sample, Sample):
        raise ParameterError(f"sample is {shown(sample)}. Give a Sample(id=..., question=...).")
    lacking = [field for field in needs if getattr(sample, field) is None]
    if lacking:
        problem = say(
            "{fields} missing, and {metric} needs it. Fill it in.",
            fields=", ".join(lacking),
            metric=say(who),
        )
        raise MissingInputError(of_sample(sample.id, problem))
