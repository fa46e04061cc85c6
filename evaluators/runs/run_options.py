"""What a run can be set to: each setting is declared here once, and every door reads it from here.

`evaluate`, `estimate`, the options of the command line, TOML files, the printed command, links of
assignments, forms, *Run again*, cards, what differs between two runs, and suggested titles.
"""

# Annotations are evaluated: they are the declaration.

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Protocol,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from evaluators.datasets.rgb import BY_ROW, NOISE_LEVELS, PASSAGES
from evaluators.declared import as_declared
from evaluators.errors import ParameterError
from evaluators.llm import LLMClient
from evaluators.llm.catalogue import OFFLINE, model_title
from evaluators.llm.connect import ANSWER_TOKENS, JUDGE_TOKENS
from evaluators.llm.money import dollars
from evaluators.numbers import number, whole_number
from evaluators.params import Kind, Parameter
from evaluators.records import Ability, Cap, ModelSpec, Run, prompt_hash
from evaluators.text.language import mark
from evaluators.text.normalise import slug
from evaluators.text.printable import shown
from evaluators.trace.definitions import DEFINITIONS, SENTENCE

MOST_REPEATS = 10
"""Beyond that more prompts tell more for the same money."""

OPTIONS = "options."
"""Where a run keeps what has no field of its own."""

Named = str | ModelSpec | LLMClient
KINDS = (Path, bool, float, int)
"""What a setting may be beside a text."""

Values = Callable[[Run], Any]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting: how it is asked for, where a run has it, and how it is told from another.

    `place` is where its value stands in a run, such as `cap.calls`; without one it is kept in
    `Run.options` under its name. `of` reads it from a run where it is put together of several. One
    with a `title` stands among the settings of a run, in `words` where its value says too little;
    what they leave empty is left out. `least` and `most` are inclusive.
    """

    usual: Any = None
    least: float | None = None
    most: float | None = None
    choices: Sequence[str] = ()
    meaning: str = ""
    metavar: str | None = None
    option: str = ""
    title: str = ""
    in_titles: bool = True
    in_links: bool = True
    place: str = ""
    of: Values | None = None
    words: Callable[[Run], str] | None = None
    # Read from the type beside which it stands.
    kind: type = str
    declared: Any = str
    is_several: bool = False

    @property
    def has_no_field(self) -> bool:
        """Whether a run keeps it among its `options`."""
        return self.place.startswith(OPTIONS)

    def value(self, run: Run) -> Any:
        """Its value in a run; what is usual where the run has none."""
        value = self.stored(run)
        return self.usual if value is None else value

    def stored(self, run: Run) -> Any:
        """Its value in a run, `None` where the run has none."""
        return self.of(run) if self.of else _at(run, self.place)

    def checked(self, name: str, value: Any) -> Any:
        """The value as the setting wants it; raises `ParameterError` for another one."""
        if self.is_several and (self.choices or self.kind is not str):
            is_one = isinstance(value, str) or not isinstance(value, Iterable)
            parts = [value] if is_one else value
            # JSON, in which a run is stored, has lists only.
            return [self._checked_one(name, part) for part in parts]
        return self._checked_one(name, value)

    def _checked_one(self, name: str, value: Any) -> Any:
        if self.choices and not (isinstance(value, str) and value in self.choices):
            known = ", ".join(self.choices)
            raise ParameterError(f"{name} is {shown(value)}. Known: {known}.")
        if self.kind is int:
            return whole_number(value, name, self.least, self.most)
        if self.kind is float:
            return number(value, name, self.least, self.most)
        # Models and judges may be anything that can be asked; who asks them refuses the others.
        if self.choices or self.of:
            return value
        return as_declared(self.declared, value, name)

    def fits(self, value: Any) -> bool:
        """Whether the value is of its kind and within its bounds; a run file may hold any."""
        try:
            self.checked("", value)
        except ParameterError:
            return False
        return True

    def in_words(self, run: Run) -> str:
        """Its value as it stands among the settings of a run; empty where it says nothing."""
        if self.words:
            return self.words(run)
        value = self.value(run)
        return "" if value is None or value is False else in_words(value)

    def as_parameter(self, name: str) -> Parameter:
        """What a form needs to know to draw it."""
        kinds: Mapping[type, Kind] = {bool: "bool", int: "int", float: "float"}
        kind: Kind = kinds.get(self.kind, "text")
        if self.choices:
            kind = "choices" if self.is_several else "choice"
        return Parameter(
            name=name,
            title=self.title.capitalize(),
            kind=kind,
            default=self.usual,
            description=self.meaning,
            minimum=self.least,
            maximum=self.most,
            choices=tuple(self.choices),
        )

    def is_usual(self, value: Any) -> bool:
        return (tuple(value) if isinstance(value, list) else value) in (self.usual, None, ())


def _at(run: Run, place: str) -> Any:
    value: Any = run
    for name in place.split("."):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name)
    return value


def in_words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# Values that are put together of several


def ids_of_models(run: Run) -> list[str]:
    return [spec.id for spec in run.models if spec.system is None]


def _systems(run: Run) -> list[str]:
    """As a command names them: functions, and files for those over HTTP."""
    own = [(spec, spec.system) for spec in run.models if spec.system]
    return [system.function or f"{slug(spec.model)}.toml" for spec, system in own]


def ids_of_judges(run: Run) -> list[str]:
    return [spec.id for spec in run.judges]


def _temperature(run: Run) -> float | None:
    # One stands for all: a form and a command have one field for them.
    temperatures = [spec.temperature for spec in llms_of(run) if spec.temperature]
    return max(temperatures, default=None)


def _answer_tokens(run: Run) -> int | None:
    """The largest budget; `None` where every LLM has the one that it has by itself."""
    models = [spec.answer_tokens for spec in run.models if spec != OFFLINE]
    judges = [spec.answer_tokens for spec in run.judges]
    if set(models) <= {ANSWER_TOKENS} and set(judges) <= {JUDGE_TOKENS}:
        return None
    return max(*models, *judges, 0)


class _Asking(Protocol):
    """A run, or the plan of one."""

    @property
    def models(self) -> Sequence[ModelSpec]: ...

    @property
    def judges(self) -> Sequence[ModelSpec]: ...


def llms_of(asking: _Asking) -> list[ModelSpec]:
    """Whom a run asks over a network, models before judges."""
    return [spec for spec in (*asking.models, *asking.judges) if spec != OFFLINE]


# Values in words


def _titles_of_models(run: Run) -> str:
    return ", ".join(map(model_title, run.models))


def _titles_of_judges(run: Run) -> str:
    return ", ".join(map(model_title, run.judges))


def _budget(run: Run) -> str:
    limits = [f"{run.cap.calls:,} calls"] if run.cap.calls else []
    limits += [dollars(run.cap.cost)] if run.cap.cost else []
    return ", ".join(limits)


def _asked_with(run: Run) -> str:
    """How models are asked where that is not as usual."""
    options = []
    for spec in (*run.models, *run.judges):
        parts = [f"temperature {spec.temperature:g}"] if spec.temperature else []
        parts += [f"effort {spec.effort}"] if spec.effort else []
        options.append(" and ".join(parts))
    return ", ".join(dict.fromkeys(filter(None, options))) or mark("the usual options")


class RunOptions(TypedDict, total=False):
    """What `evaluate`, `estimate` and `plumbline run` take beside data and metrics.

    A setting that is added here is offered at every door; its value is in `Run.options`.
    """

    columns: Annotated[Mapping[str, str] | None, Setting(place="origin.columns", in_links=False)]
    table: Annotated[
        str,
        Setting(
            usual="",
            metavar="NAME",
            meaning=(
                "The list of a JSON file, or the sheet of a workbook, where it holds several."
            ),
            place="origin.table",
            in_links=False,
        ),
    ]
    encoding: Annotated[
        str,
        Setting(
            usual="",
            metavar="NAME",
            meaning=(
                "How a text file that is not UTF-8 is written: windows-1251, shift-jis, big5."
            ),
            place="origin.encoding",
            in_links=False,
        ),
    ]
    skip_broken: Annotated[
        bool,
        Setting(
            usual=False,
            meaning="Leave out rows of the file that cannot be used.",
            place="origin.skip_broken",
            in_links=False,
        ),
    ]
    sample: Annotated[
        int | None,
        Setting(
            least=1,
            most=1_000_000,
            meaning=(
                "Only N samples at random, the same ones in every run; of RGB questions, N for "
                "each ability.  [default: all]"
            ),
            place="origin.sample",
            title=mark("samples"),
            words=lambda run: in_words(run.origin.get("sample") or "") or mark("all"),
        ),
    ]
    seed: Annotated[
        int,
        Setting(
            usual=0,
            least=0,
            most=2**31,
            meaning=(
                "Another seed takes other samples, and in RGB other documents in another "
                "order; 0 takes the first ones of each kind, as the benchmark does."
            ),
            place="seed",
            title=mark("seed"),
        ),
    ]
    repeats: Annotated[
        int,
        Setting(
            usual=1,
            least=1,
            most=MOST_REPEATS,
            meaning="Ask each prompt again to see how much answers vary at this temperature.",
            place="repeats",
            title=mark("repeats"),
        ),
    ]
    model: Annotated[
        Named | Sequence[Named] | None,
        Setting(
            metavar="ID",
            meaning="The LLM that answers where the data set has no answers. Repeatable.",
            of=ids_of_models,
            title=mark("models"),
            in_titles=False,
            words=_titles_of_models,
        ),
    ]
    system: Annotated[
        Any | Sequence[Any],
        Setting(
            metavar="MODULE:FUNCTION|FILE",
            meaning=(
                "Your own RAG system answers: a function of Python, or a TOML file that says where "
                "it is asked. Repeatable."
            ),
            of=_systems,
        ),
    ]
    judge: Annotated[
        Named | Sequence[Named] | None,
        Setting(
            metavar="ID",
            meaning="The LLM that decides where a metric asks one; several are a jury.",
            of=ids_of_judges,
            title=mark("judges"),
            in_titles=False,
            words=_titles_of_judges,
        ),
    ]
    prompt: Annotated[
        str | Path | None,
        Setting(
            meaning="A template for the model with $question and $documents.",
            place="prompt",
            title=mark("prompt"),
            words=lambda run: prompt_hash(run.prompt) if run.prompt else "",
        ),
    ]
    cap: Annotated[
        Cap | None,
        Setting(place="cap", title=mark("budget"), in_titles=False, words=_budget),
    ]
    temperature: Annotated[
        float,
        Setting(
            usual=0.0,
            least=0,
            most=2,
            metavar="NUMBER",
            meaning="How much answers of models that are named by their ids vary.",
            of=_temperature,
            title=mark("asked with"),
            words=_asked_with,
        ),
    ]
    answer_tokens: Annotated[
        int | None,
        Setting(
            least=16,
            most=32_768,
            meaning=(
                "The most that an answer may take, hidden reasoning included.  [default: 1024, "
                "or 2048 without a model]"
            ),
            of=_answer_tokens,
        ),
    ]
    ability: Annotated[
        str | Sequence[str],
        Setting(
            choices=(*(ability.value for ability in Ability), BY_ROW),
            metavar="NAME",
            meaning=(
                f"RGB: {', '.join(Ability)}. Repeatable.  [default: all that the data set can "
                f"test; of recorded answers the one that most rows test, {BY_ROW} mixes them]"
            ),
            place="origin.abilities",
            title=mark("abilities"),
        ),
    ]
    noise: Annotated[
        float | Sequence[float],
        Setting(
            usual=NOISE_LEVELS,
            least=0,
            most=1,
            metavar="SHARE",
            meaning="RGB: share of documents that are not relevant. Repeatable.",
            place="origin.noise_levels",
            title=mark("noise levels"),
            words=lambda run: in_words(run.origin.get("noise_levels", ())),
        ),
    ]
    passages: Annotated[
        int,
        Setting(
            usual=PASSAGES,
            least=1,
            most=50,
            meaning="RGB: documents in a prompt.",
            place="origin.passages",
            title=mark("passages"),
            words=lambda run: str(run.origin.get("passages") or ""),
        ),
    ]
    fill_up: Annotated[
        bool,
        Setting(
            usual=False,
            meaning=(
                "RGB: give planted errors documents beside the point where fewer passages "
                "are forged than a prompt has."
            ),
            place="origin.fill_up",
            title=mark("filled up"),
        ),
    ]
    definition: Annotated[
        str | None,
        Setting(
            choices=tuple(DEFINITIONS),
            meaning=f"The formula by which TRACE labels become values.  [default: {SENTENCE}]",
            # A parameter of the metric, and said as one.
            of=lambda run: None,
            in_links=False,
        ),
    ]
    use_cache: Annotated[
        bool,
        Setting(
            usual=True,
            option="no-cache",
            meaning="Ask again even where an answer is stored.",
            place="use_cache",
            in_links=False,
        ),
    ]
    overnight: Annotated[
        bool,
        Setting(
            usual=False,
            meaning=(
                "Have the models answer within 24 hours, for less money (OpenAI, Groq); resume "
                "collects."
            ),
            place="overnight",
            in_links=False,
        ),
    ]


def declared(options: type) -> dict[str, Setting]:
    """The settings of such a class by their names, each with its place."""
    settings = {}
    for name, annotation in get_type_hints(options, include_extras=True).items():
        [setting] = annotation.__metadata__
        place = setting.place or ("" if setting.of else f"{OPTIONS}{name}")
        # Of `float | Sequence[float]` both parts, of `int` itself.
        parts = (annotation.__origin__, *get_args(annotation.__origin__))
        settings[name] = replace(
            setting,
            place=place,
            declared=annotation.__origin__,
            kind=next((kind for kind in KINDS if kind in parts), str),
            is_several=any(get_origin(part) is Sequence for part in parts),
        )
    return settings


SETTINGS = declared(RunOptions)


def placed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of settings as the fields of a run hold them, each in its place."""
    facts: dict[str, Any] = {}
    for name, value in values.items():
        field, _, key = SETTINGS[name].place.partition(".")
        if field and key:
            facts.setdefault(field, {})[key] = value
        elif field:
            facts[field] = value
    return facts


def lists_settings(function: F) -> F:
    """The function, which takes `RunOptions`, with a name for each in its signature and `help`."""
    signature = inspect.signature(function)
    listed = [*signature.parameters.values()][:-1]
    for name, setting in SETTINGS.items():
        by_name = inspect.Parameter.KEYWORD_ONLY
        listed.append(inspect.Parameter(name, by_name, default=setting.usual))
    signature = signature.replace(parameters=listed)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function
