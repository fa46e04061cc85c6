"""The options that commands share, and where a TOML file may stand for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import click

from evaluators.api.gate import CannotTell, Strictness
from evaluators.drawing import SIZES
from evaluators.errors import ParameterError
from evaluators.rgb_rules import Policy
from evaluators.runs.run_options import SETTINGS, Setting
from evaluators.terminal.exit_codes import Gate, demands
from evaluators.text.printable import printable
from evaluators.trace.definitions import DEFINITIONS

F = TypeVar("F", bound=Callable[..., Any])


def _read_config(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    """Takes what the file says as defaults; it may hold all options of `run`."""
    if path is None:
        return
    from evaluators.terminal import settings_file

    # `estimate` takes the file of a run too, with options that only `run` has.
    root = ctx.find_root().command
    command = root.commands["run"] if isinstance(root, click.Group) else ctx.command
    options = [
        option
        for option in command.params
        if isinstance(option, click.Option) and option.name != "config"
    ]
    by_name = {option.opts[0].removeprefix("--"): option for option in options}
    is_multiple = {name: option.multiple for name, option in by_name.items()}
    settings = settings_file.read_settings(path, is_multiple)
    for name, value in settings.items():
        try:
            by_name[name].type_cast_value(ctx, value)
        except click.BadParameter as error:
            raise ParameterError(
                f"{printable(str(path))}: {name} cannot be used. {error.message}"
            ) from error
    ctx.default_map = {by_name[name].name: value for name, value in settings.items()}


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator from several, in the order of the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def option_of(name: str, setting: Setting) -> str:
    """What the setting is called on the command line: --answer-tokens."""
    return f"--{setting.option or name.replace('_', '-')}"


def name_of_option(name: str, setting: Setting) -> str:
    """What click calls the setting."""
    return option_of(name, setting).removeprefix("--").replace("-", "_")


def _option(name: str, setting: Setting) -> Callable[[F], F]:
    """The option of a setting, with its bounds, and what is usual where that is a number."""
    flag, words = option_of(name, setting), setting.meaning
    if setting.kind is bool:
        return click.option(flag, is_flag=True, help=words)
    if usual := _numbers_in_words(setting.usual):
        words = f"{words}  [default: {usual}]"
    return click.option(
        flag,
        type=_type_of(setting),
        multiple=setting.is_several,
        metavar=setting.metavar or ("N" if setting.kind is int else None),
        help=words,
    )


def _numbers_in_words(usual: Any) -> str:
    numbers = usual if isinstance(usual, tuple) else (usual,)
    is_numbers = all(isinstance(number, int | float) for number in numbers)
    return ", ".join(f"{number:g}" for number in numbers) if is_numbers else ""


def _type_of(setting: Setting) -> click.ParamType[Any]:
    if setting.choices:
        return click.Choice(setting.choices)
    if setting.kind is int:
        least, most = setting.least, setting.most
        return click.IntRange(
            None if least is None else int(least), None if most is None else int(most)
        )
    if setting.kind is float:
        return click.FloatRange(setting.least, setting.most)
    if setting.kind is Path:
        return click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.STRING


columns = click.option(
    "--column",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="The column of a field of the file, such as response=answer. Repeatable.",
)

encoding = _option("encoding", SETTINGS["encoding"])
judge = _option("judge", SETTINGS["judge"])
system = _option("system", SETTINGS["system"])

metrics = _all(
    click.option(
        "--metric",
        required=True,
        multiple=True,
        metavar="NAME",
        help="A metric; see list metrics. Repeatable.",
    ),
    click.option(
        "--param",
        multiple=True,
        metavar="[NAME.]FIELD=VALUE",
        help=(
            "A parameter of a metric. NAME is the metric's, or its number where two are alike: "
            "2.type=f1_score. Repeatable."
        ),
    ),
)

asking = _all(
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_read_config,
        help="A TOML file with options of run; those on the command line win.",
    ),
    click.option(
        "--data",
        required=True,
        metavar="FILE|NAME",
        help="A file, or the name of a bundled or uploaded data set.",
    ),
    metrics,
    columns,
    click.option(
        "--group",
        default="",
        metavar="COLUMN",
        help="A column of the file by which results are shown: prompt_version, a model, a topic.",
    ),
    *(_option(name, setting) for name, setting in SETTINGS.items() if setting.meaning),
)

cap = _all(
    click.option(
        "--max-calls",
        metavar="N",
        type=click.IntRange(1),
        help="The budget: stop after this number of calls; everything is kept.",
    ),
    click.option(
        "--max-cost",
        metavar="DOLLARS",
        type=click.FloatRange(0, min_open=True),
        help="The budget: stop at this number of US dollars.",
    ),
)


def _as_gate(function: F) -> F:
    """Hands what a command demands to it in one, read before anything else is done."""

    @wraps(function)
    def command(
        fail_under: tuple[str, ...] = (),
        fail_if_worse: tuple[str, ...] = (),
        min_coverage: float = 1.0,
        at_least: int = 1,
        allow_heuristic: bool = False,
        cannot_tell: CannotTell = "skip",
        junit: Path | None = None,
        markdown: Path | None = None,
        **given: Any,
    ) -> Any:
        # A slip in a threshold must not cost a CI job its minutes.
        demanded = demands(fail_under) + demands(fail_if_worse, "--fail-if-worse")
        strictness = Strictness(min_coverage, at_least, allow_heuristic, "--allow-heuristic")
        return function(gate=Gate(demanded, strictness, cannot_tell, junit, markdown), **given)

    return cast(F, command)


_telling = _all(
    click.option(
        "--cannot-tell",
        type=click.Choice(get_args(CannotTell)),
        default="skip",
        show_default=True,
        help="What a threshold inside the interval is: met, missed, or neither, exit code 4.",
    ),
    click.option(
        "--junit",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write how it came out into this file as well: JUnit, a test for each threshold.",
    ),
    click.option(
        "--markdown",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write it into this file as well, as Markdown for the comment of a pull request.",
    ),
    _as_gate,
)

_allowing = click.option(
    "--allow-heuristic",
    is_flag=True,
    help="Let a threshold count labels of the heuristic, which reads wording; else: exit code 4.",
)

judging = _all(
    click.option(
        "--fail-under",
        multiple=True,
        metavar="NAME=VALUE",
        help=(
            "Exit with 1 where the 95 % interval of this mean lies below, for any model, with 4 "
            "where the value lies inside it. Repeatable."
        ),
    ),
    click.option(
        "--min-coverage",
        metavar="SHARE",
        type=click.FloatRange(0, 1),
        default=1.0,
        show_default=True,
        help="The share of samples that must be checked or not applicable.",
    ),
    _allowing,
    _telling,
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
)

corrected = _all(
    click.option(
        "--fail-under",
        multiple=True,
        metavar="NAME=VALUE",
        help="Exit with 1 where the interval of this corrected mean lies below. Repeatable.",
    ),
    _telling,
)

definition = click.option(
    "--definition",
    type=click.Choice(list(DEFINITIONS)),
    callback=lambda _ctx, _option, name: name or "",
    help="The formula by which TRACE labels are counted; that of the run unless given.",
)

labels = click.option(
    "--labels",
    metavar="LABELLER",
    help=(
        "Whose labels count: corrected (by people), people, person:NAME, a judge, jury, heuristic, "
        "gold.  [default: the run's own labeller]"
    ),
)

policy = click.option(
    "--policy",
    type=click.Choice(get_args(Policy)),
    help="The rules by which answers to RGB are read; those of the run unless given.",
)

seen_as = _all(labels, definition, policy)

width = click.option(
    "--width",
    type=click.Choice(list(SIZES)),
    default="double",
    show_default=True,
    help="How wide figures for a paper are: one column (85 mm), two (175 mm), or a slide.",
)

json_output = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON instead of a table.",
)

as_files = _all(
    click.option(
        "--report",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write a report into this file as well: one HTML page.",
    ),
    click.option(
        "--paper",
        type=click.File("wb", atomic=True),
        help="A zip for a paper: figure (SVG) and table (LaTeX, Markdown, CSV).",
    ),
    width,
    json_output,
)

run_id = click.argument("run_id", metavar="RUN")


def output(example: str) -> Callable[[F], F]:
    """The file that a command writes."""
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"The file, such as {example}.",
    )


sides = _all(
    click.option(
        "--model",
        multiple=True,
        metavar="NUMBER|ID",
        help="The model of each side in turn.  [default: the first model]",
    ),
    click.option(
        "--labels",
        multiple=True,
        metavar="LABELLER",
        help="Whose labels count, as for show; once for all sides, or for each side in turn.",
    ),
)

by = click.option(
    "--by",
    default="",
    metavar="COLUMN",
    help="Compare the groups of one run, by the column of the data that names them.",
)

not_worse = _all(
    click.option(
        "--fail-if-worse",
        multiple=True,
        metavar="NAME=MARGIN",
        help=(
            "Exit with 1 where the interval shows that the second, or a further one, is worse than "
            "the first by more than this, with 4 where that cannot be told. Repeatable."
        ),
    ),
    click.option(
        "--at-least",
        metavar="N",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Exit with 1 where --fail-if-worse rests on fewer samples.",
    ),
    _allowing,
    _telling,
)
