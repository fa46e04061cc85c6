"""The options that commands share, and where a TOML file may stand for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from evaluators.datasets.rgb import BY_ROW
from evaluators.drawing import SIZES
from evaluators.errors import ParameterError
from evaluators.records import Ability
from evaluators.rgb_rules import Policy
from evaluators.runs.plan import MOST_REPEATS
from evaluators.text.printable import printable
from evaluators.trace.definitions import DEFINITIONS, SENTENCE

F = TypeVar("F", bound=Callable[..., Any])

ABILITIES = ", ".join(Ability)


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


columns = click.option(
    "--column",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="The column of a field of the file, such as response=answer. Repeatable.",
)

encoding = click.option(
    "--encoding",
    default="",
    metavar="NAME",
    help="How a text file that is not UTF-8 is written: windows-1251, shift-jis, big5.",
)

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
    click.option(
        "--table",
        default="",
        metavar="NAME",
        help="The list of a JSON file, or the sheet of a workbook, where it holds several.",
    ),
    encoding,
    click.option(
        "--skip-broken",
        is_flag=True,
        help="Leave out rows of the file that cannot be used.",
    ),
    click.option(
        "--model",
        multiple=True,
        metavar="ID",
        help="The LLM that answers where the data set has no answers. Repeatable.",
    ),
    click.option(
        "--judge",
        multiple=True,
        metavar="ID",
        help="The LLM that decides where a metric asks one; several are a jury.",
    ),
    click.option(
        "--prompt",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A template for --model with $question and $documents.",
    ),
    click.option(
        "--temperature",
        metavar="NUMBER",
        type=click.FloatRange(0, 2),
        default=0.0,
        show_default=True,
    ),
    click.option(
        "--answer-tokens",
        metavar="N",
        type=click.IntRange(16),
        help=(
            "The most that an answer may take, hidden reasoning included.  [default: 1024, "
            "or 2048 without --model]"
        ),
    ),
    click.option(
        "--ability",
        multiple=True,
        metavar="NAME",
        type=click.Choice([*(ability.value for ability in Ability), BY_ROW]),
        help=(
            f"RGB: {ABILITIES}. Repeatable.  [default: all that the data set can test; of recorded "
            f"answers the one that most rows test, {BY_ROW} mixes them]"
        ),
    ),
    click.option(
        "--noise",
        multiple=True,
        metavar="SHARE",
        type=click.FloatRange(0, 1),
        help=(
            "RGB: share of documents that are not relevant. Repeatable.  [default: 0, 0.2, "
            "0.4, 0.6, 0.8]"
        ),
    ),
    click.option(
        "--passages",
        metavar="N",
        type=click.IntRange(1, 50),
        help="RGB: documents in a prompt.  [default: 5]",
    ),
    click.option(
        "--fill-up",
        is_flag=True,
        help=(
            "RGB: give planted errors documents beside the point where fewer than --passages are "
            "forged."
        ),
    ),
    click.option(
        "--seed",
        metavar="N",
        type=click.IntRange(0),
        help=(
            "Another seed takes another --sample, and in RGB other documents in another order; 0 "
            "takes the first ones of each kind, as the benchmark does.  [default: 0]"
        ),
    ),
    click.option(
        "--sample",
        metavar="N",
        type=click.IntRange(1),
        help=(
            "Only N samples at random, the same ones in every run; of RGB questions, N for each "
            "ability.  [default: all]"
        ),
    ),
    click.option(
        "--repeats",
        metavar="N",
        type=click.IntRange(1, MOST_REPEATS),
        default=1,
        show_default=True,
        help="Ask each prompt again to see how much answers vary at this temperature.",
    ),
    click.option(
        "--definition",
        type=click.Choice(list(DEFINITIONS)),
        help=f"The formula by which TRACE labels become values.  [default: {SENTENCE}]",
    ),
    click.option("--no-cache", is_flag=True, help="Ask again even where an answer is stored."),
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

allow_heuristic = click.option(
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
            "Exit with 1 where this mean over the checked samples is lower, for any model. "
            "Repeatable."
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
    allow_heuristic,
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
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

not_worse = _all(
    click.option(
        "--fail-if-worse",
        multiple=True,
        metavar="NAME=MARGIN",
        help=(
            "Exit with 1 unless the interval shows that the second, and each further one, is worse "
            "than the first by no more than this, with 4 where that cannot be told. Repeatable."
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
    allow_heuristic,
)
