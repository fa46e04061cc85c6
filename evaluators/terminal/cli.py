"""The commands, from app and run to report and backup."""

from __future__ import annotations

import codecs
import io
import logging
import os
import runpy
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from string import Template
from typing import Any, BinaryIO, cast, get_args

import click

from evaluators import __version__
from evaluators.api import comparing
from evaluators.api.beds import make_bed
from evaluators.api.evaluation import with_new_cap, with_overnight
from evaluators.api.gate import Strictness
from evaluators.api.papers import bundle_of
from evaluators.api.progress_bar import work
from evaluators.api.results import Results, open_run
from evaluators.api.scores import check_scores
from evaluators.catalogue import broken, catalogue, from_spec
from evaluators.comparison.repeated import repeated
from evaluators.config import ROOT
from evaluators.document import tables as document
from evaluators.document.blocks import Blocks
from evaluators.document.terminal import rendered
from evaluators.errors import (
    AccessError,
    ParameterError,
    PlumblineError,
    StoreError,
    UnreadableRowError,
)
from evaluators.exports import formats, hub
from evaluators.extras import install_line
from evaluators.llm import Access, Keys
from evaluators.llm import catalogue as llms
from evaluators.llm.clients import access_for
from evaluators.llm.keys import keys_from_environment, quiet_logs
from evaluators.llm.money import dollar_range
from evaluators.llm.own import systems
from evaluators.llm.providers import PROVIDERS
from evaluators.own_command import own_command
from evaluators.people.checked import Against
from evaluators.people.sample_groups import By
from evaluators.people.score_columns import YES_FROM
from evaluators.records import Cap, Run, Sample
from evaluators.report.comparison_report import comparison_document
from evaluators.report.run_report import brief_document
from evaluators.retrieval.proposals import USUAL_COUNT
from evaluators.runs.again import plan_again
from evaluators.runs.backup import back_up
from evaluators.runs.engine import create_run
from evaluators.runs.forecast import forecast
from evaluators.runs.inputs import WORKSPACE, keys_for_estimates, local_store
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.planted import plan_of_planted
from evaluators.runs.rounds import USUAL
from evaluators.runs.store import Store
from evaluators.terminal import checking, files, options, tables
from evaluators.terminal.arguments import chosen_metrics, columns_of_fields, plan_of_options
from evaluators.terminal.exit_codes import (
    BELOW,
    CANNOT_TELL,
    CODES,
    FINE,
    INCOMPLETE,
    INTERRUPTED,
    MEANINGS,
    WRONG,
    ExitOutcome,
    Gate,
    batch_outcome,
    check_names,
    check_names_of_batch,
    comparison_outcome,
    run_outcome,
)
from evaluators.terminal.gate_files import write_gate_files
from evaluators.terminal.network import network_address, options_for_phones
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.terminal.stored_runs import full_id, stored_run
from evaluators.text.printable import printable
from evaluators.trace.definitions import SENTENCE

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

PLUMBLINE = own_command()


def _help(name: str) -> str:
    """The help of a command, from its file in `help`, where a line \\b keeps the lines below it."""
    variables = [
        provider.address_variable if provider.is_custom else provider.key_variable
        for provider in PROVIDERS.values()
    ]
    text = (Path(__file__).parent / "help" / f"{name}.txt").read_text(encoding="utf-8")
    codes = "\n".join(f"  {code:<4} {words}" for code, words in MEANINGS.items())
    listed = "\n".join(f"  {one.name:<11}{one.meaning}" for one in formats().values())
    filled = Template(text).substitute(
        plumbline=PLUMBLINE, keys=", ".join(variables), codes=codes, formats=listed
    )
    return filled.replace("\\b\n", "\b\n")


class _Commands(click.Group):
    """A group that prints our own errors in a line, with code 2 or 3; Ctrl-C ends it with 130."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except PlumblineError as error:
            _to_stderr(f"Error: {error.reason.worded(IN_TERMINAL)}")
            ctx.exit(INCOMPLETE if isinstance(error, UnreadableRowError) else WRONG)
        except click.FileError as error:
            error.show()
            ctx.exit(WRONG)
        # Whoever reads on, such as `head`, has had enough: Click ends that without a word.
        except BrokenPipeError:
            raise
        except OSError as error:
            what = printable(str(error.filename)) if error.filename else "The output"
            # Only those of the system itself have words of their own.
            why = error.strerror or type(error).__name__
            _to_stderr(
                f"Error: {what} cannot be written or read ({why}). Mend that, and give the same "
                "command again: what is judged is kept."
            )
            # What could not be written would be tried again at the end, and be a traceback.
            sys.stdout = io.StringIO()
            ctx.exit(INCOMPLETE)
        except KeyboardInterrupt as stop:
            # Whoever knows how to go on says so.
            if str(stop):
                _to_stderr(str(stop))
            ctx.exit(INTERRUPTED)


@click.group(cls=_Commands, context_settings=SETTINGS, help=_help("plumbline"))
@click.version_option(__version__, prog_name="plumbline", message="%(prog)s %(version)s")
def main() -> None:
    quiet_logs()
    # Files that cannot be used are named where it matters: by `list metrics` and unknown names.
    logging.getLogger("evaluators.custom_files").setLevel(logging.ERROR)


# Commands


@main.command(
    short_help="Start the app in the browser.",
    context_settings={"ignore_unknown_options": True},
)
@click.option("--port", type=click.IntRange(1, 65_535), help="Where it answers.  [default: 8501]")
@click.option(
    "--class",
    "for_class",
    is_flag=True,
    help="Let phones and laptops of the same network in, for rounds with a class.",
)
@click.argument(
    "options",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar="[STREAMLIT OPTIONS]...",
)
def app(port: int | None, for_class: bool, options: tuple[str, ...]) -> None:
    """Start the app in the browser; Ctrl-C ends it.

    Other options go to Streamlit, for example: app --server.headless true
    """
    # What they name is meant from here, before the working directory changes.
    for variable in ("PLUMBLINE_DATA_DIR", "PLUMBLINE_CUSTOM_DIR"):
        if folder := os.environ.get(variable):
            os.environ[variable] = os.path.abspath(folder)
    os.chdir(ROOT)  # Streamlit reads .streamlit/config.toml of the working directory only
    where = ["--server.port", str(port)] if port else []
    if for_class:
        own = network_address()
        where += options_for_phones(own)
        _to_stderr(f"Whoever is in the network of {own} can open all of this Plumbline.")
    sys.argv = ["streamlit", "run", "app.py", *where, *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


@main.command(help=_help("run"), short_help="Run metrics over a data set.")
@options.asking
@click.option(
    "--title",
    default="",
    help="What the run is called.  [default: one that tells it from other runs of the data]",
)
@options.cap
@options.judging
def run(gate: Gate, as_json: bool, **chosen: Any) -> None:
    store = local_store()
    keys = _keys(chosen)
    plan = plan_of_options(chosen, store, keys)
    # Before the run is stored: a demand that can never be met is a slip of the command.
    check_names(gate.demanded, plan.in_order, plan.dataset.samples, plan.judges)
    new_run = create_run(store, plan, workspace=WORKSPACE)
    _work_until_end(new_run, store, keys)
    _print_and_exit(Results(new_run, store), gate, as_json)


@main.command(
    help=_help("batch"), short_help="Judge files of any size, row by row, into Parquet files."
)
@click.argument("data", metavar="IN")
@click.argument("output", metavar="OUT")
@options.metrics
@options.columns
@options.encoding
@options.judge
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN[:PERIOD]",
    help="Means by a column as well, or by day, week or month of its times. Repeatable.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    help=f"Processes of this machine, or Ray ({install_line('ray')}).  [default: local]",
)
@click.option(
    "--ray-address",
    metavar="ADDRESS",
    help="The cluster of the engine ray, such as auto.  [default: one on this machine]",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 10_000),
    help="Processes for metrics that ask no judge.  [default: one for each processor]",
)
@click.option("--retry-failed", is_flag=True, help="Judge also the rows again that failed.")
@options.cap
@options.judging
def batch(
    data: str,
    output: str,
    metric: tuple[str, ...],
    param: tuple[str, ...],
    column: tuple[str, ...],
    judge: tuple[str, ...],
    by: tuple[str, ...],
    max_calls: int | None,
    max_cost: float | None,
    gate: Gate,
    as_json: bool,
    **how: Any,
) -> None:
    # They take long to import, and others need them not.
    from evaluators.batch.columns import columns_of
    from evaluators.batch.files import evaluate_batch_files

    saved = local_store().metrics.by_key(WORKSPACE)
    metrics = chosen_metrics(metric, param, saved)
    check_names_of_batch(gate.demanded, metrics, columns_of(metrics, has_judge=bool(judge)))
    results = evaluate_batch_files(
        data,
        output,
        metrics,
        judge=judge or None,
        columns=columns_of_fields(column),
        by=by,
        cap=Cap(calls=max_calls, cost=max_cost),
        **{name: value for name, value in how.items() if value is not None},
    )
    if as_json:
        click.echo(tables.as_json(results.manifest()))
    else:
        tables.echo(*rendered(results.document(by)))
    outcome = batch_outcome(results, gate.demanded, gate.strictness)
    _leave_by(outcome, gate, results.folder, results.document(by))


@main.command(
    help=_help("resume"),
    short_help="Go on with a run that stopped, or try again what failed.",
)
@options.run_id
@click.option("--now", is_flag=True, help="Ask at once from now on what an overnight run has left.")
@options.system
@options.cap
@options.judging
@options.definition
def resume(
    run_id: str,
    now: bool,
    system: tuple[str, ...],
    gate: Gate,
    as_json: bool,
    definition: str,
    **cap: Any,
) -> None:
    store = local_store()
    resumed = _with_raised_cap(_run_meant(run_id, store), store, **cap)
    if now:
        resumed = with_overnight(store, resumed, False)
    # A sample for each ability shows which values there will be.
    outlines = store.results.outlines(resumed)
    position_by_ability = {outline.ability: outline.position for outline in outlines}
    rows = store.samples.get_many(resumed.fingerprint, position_by_ability.values())
    samples = [sample for sample in rows.values() if isinstance(sample, Sample)]
    evaluators = [from_spec(spec) for spec in resumed.evaluators]
    check_names(gate.demanded, evaluators, samples, resumed.judges)
    _work_until_end(resumed, store, _keys({"system": system}))
    _print_and_exit(Results(resumed, store, definition), gate, as_json)


@main.command(short_help="Say what a run would take, without sending anything.")
@options.asking
@click.option("--title", default="", hidden=True)
@options.cap
@options.json_output
def estimate(as_json: bool, **chosen: Any) -> None:
    """Say what a run would take: calls, tokens, money and minutes for each model.

    Takes the options of run. Nothing is sent, no key is needed, and no run is stored.
    """
    store = local_store()
    keys = keys_for_estimates(_keys(chosen))
    plan = plan_of_options(chosen, store, keys)
    count_stored = partial(store.calls.answered, WORKSPACE)
    rows = forecast(plan, keys, count_stored).named()
    if as_json:
        click.echo(tables.as_json(tables.estimate_summary(rows)))
    elif rows:
        tables.echo(*tables.estimates_in_parts(rows, plan.cap))
    else:
        count = len(plan.dataset.samples)
        click.echo(f"No LLM is asked about these {count:,} samples: it costs nothing.")


@main.group(name="list", short_help="List metrics, models, or runs.")
def lists() -> None:
    """List what there is."""


@lists.command("metrics")
def list_metrics() -> None:
    """Metrics, with what they need and their parameters; your own included."""
    store = local_store()
    saved = store.metrics.by_key(WORKSPACE)
    tables.echo(tables.metrics_table(catalogue(), saved))
    for lost in store.metrics.unreadable(WORKSPACE):
        _to_stderr(
            f"{lost.name}, saved in the app, cannot be read ({lost.reason}). Delete it on "
            "the Metrics page."
        )
    for file in broken():
        _to_stderr(f"{file.file}, line {file.line}, cannot be used: {file.message}")


@lists.command("models")
def list_llms() -> None:
    """Models for --model and --judge, with prices, and what keeps one from being asked."""
    keys = keys_from_environment(os.environ)
    tables.echo(tables.models_table(llms.model_choices(keys, {})))


@lists.command("runs")
def list_runs() -> None:
    """Runs, newest first; those of the app included."""
    parts, lost = tables.runs_in_parts(local_store())
    tables.echo(*parts)
    for words in lost:
        _to_stderr(words)


@main.command(short_help="Show a run, its means, and the command to begin it again.")
@options.run_id
@options.seen_as
@options.json_output
def show(run_id: str, as_json: bool, **seen_as: Any) -> None:
    """Show a run: what it was, its means, what failed, what it cost, and the command for it.

    RUN is the id that run or list shows, its first characters, or "last".
    """
    results = _results_of(run_id, **seen_as)
    if as_json:
        click.echo(tables.as_json(tables.run_summary(results)))
    else:
        tables.echo(*tables.run_in_parts(results))
    _leave_if_damaged(results)


@main.command(short_help="Print what a run was, for a paper or a hand-in.")
@options.run_id
@options.seen_as
def card(run_id: str, **seen_as: Any) -> None:
    """Print the reproducibility card: data with their hash, metrics, prompts, models, versions.

    RUN is the id that run or list shows, its first characters, or "last".
    """
    results = _results_of(run_id, **seen_as)
    click.echo(results.card(), nl=False)
    _leave_if_damaged(results)


@main.command(help=_help("compare"), short_help="Compare runs, models, labellers or groups.")
@click.argument("runs", metavar="RUN [RUN ...]", nargs=-1, required=True)
@options.sides
@options.by
@options.definition
@options.policy
@options.not_worse
@options.as_files
def compare(
    runs: tuple[str, ...],
    model: tuple[str, ...],
    labels: tuple[str, ...],
    by: str,
    definition: str,
    policy: str | None,
    gate: Gate,
    **as_files: Any,
) -> None:
    if gate.demanded and by:
        raise ParameterError(
            "--fail-if-worse holds others against the first, and of groups the best is the first. "
            "Leave it or --by."
        )
    results = _results_of_several(runs, definition, policy)
    comparison = comparing.compared_sides(comparing.chosen_sides(results, model, labels, by))
    document = _show_and_write(comparison, **as_files)
    outcome = comparison_outcome(comparison, gate.demanded, gate.strictness)
    title = " · ".join(own.title for own in results)
    _leave_by(outcome, gate, title, document, *results)


@main.command(help=_help("leaderboard"), short_help="Rank the models of runs by data or ability.")
@click.argument("runs", metavar="RUN [RUN ...]", nargs=-1, required=True)
@click.option("--value", multiple=True, metavar="NAME", help="Rank by this value. Repeatable.")
@options.seen_as
@options.as_files
def leaderboard(
    runs: tuple[str, ...],
    value: tuple[str, ...],
    labels: str | None,
    definition: str,
    policy: str | None,
    **as_files: Any,
) -> None:
    results = _results_of_several(runs, definition, policy, labels)
    _show_and_write(comparing.leaderboard(results, values=value), **as_files)
    _leave_if_damaged(*results)


def _results_of_several(
    runs: Iterable[str], definition: str, policy: str | None, labels: str | None = None
) -> list[Results]:
    store = local_store()
    # Before a run file is opened, which makes its run the newest.
    runs = [_full_id(run, store) if run == "last" else run for run in runs]
    results = [_results_of(run, definition, policy, labels) for run in runs]
    for own in results:
        # Said also where nothing can be compared then.
        own.damage()
    return results


def _show_and_write(
    found: comparing.ComparisonOfSides | comparing.SeveralSides | comparing.LeaderboardOfRuns,
    report: Path | None,
    paper: BinaryIO | None,
    width: str,
    as_json: bool,
) -> Blocks:
    """Prints what was found and writes its files; gives what was printed."""
    if paper:
        paper.write(bundle_of(found, width).zipped())
    document = comparison_document(found, by_name=True)
    if as_json:
        click.echo(tables.as_json(found.summary()))
    else:
        tables.echo(*rendered(document))
    if report:
        found.report(report)
    return document


@main.command(
    help=_help("check"),
    short_help="Check a run's labeller against people's labels.",
)
@click.argument("checked", metavar="RUN|FILE...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="people|gold|COLUMN",
    help=(
        "Whose labels: people's, or those that the data have; of files gold, or a column that "
        "holds the truth.  [default: people; of files gold]"
    ),
)
@click.option(
    "--scores",
    multiple=True,
    metavar="COLUMN",
    help="Check this column of scores of the data, in place of the run's labeller. Repeatable.",
)
@click.option(
    "--of",
    default="",
    metavar="VALUE",
    help="The value that the column scores, where its name does not tell: adherence.",
)
@click.option(
    "--scale",
    default="",
    metavar="WORST:BEST",
    help="How the column is scored, where not from 0 to 1: 1:5, 0:100, 1:0, wrong:right.",
)
@click.option(
    "--yes-from",
    type=click.FloatRange(0, 1),
    default=YES_FROM,
    show_default=True,
    help="From where on a score of a yes-or-no value is a yes, from 0 to 1.",
)
@options.columns
@click.option(
    "--by",
    type=click.Choice(get_args(By)),
    help="Part the answers of files by this, and check each part.",
)
@options.corrected
@click.option(
    "--planted",
    is_flag=True,
    help="Without labels: plant errors into its answers, label them in a run of their own.",
)
@options.definition
@options.json_output
def check(
    checked: tuple[str, ...],
    against: str | None,
    scores: tuple[str, ...],
    of: str,
    scale: str,
    yes_from: float,
    column: tuple[str, ...],
    by: By | None,
    gate: Gate,
    planted: bool,
    definition: str,
    as_json: bool,
) -> None:
    if all(map(os.path.isfile, checked)):
        if planted or gate.demanded:
            raise ParameterError("Files are checked as they are: leave --planted and --fail-under.")
        found = check_scores(
            *checked,
            scores=scores,
            against=against or "gold",
            definition=definition or SENTENCE,
            columns=columns_of_fields(column),
            by=by,
            of=of,
            scale=scale,
            yes_from=yes_from,
        )
        blocks: Blocks = [*document.scores(found.columns, found.definition)]
        if as_json:
            click.echo(tables.as_json(found.summary()))
        else:
            tables.echo(*rendered(blocks))
        _leave_by(ExitOutcome(FINE), gate, " · ".join(checked), blocks)
        return
    if len(checked) > 1 or by or against not in (None, *get_args(Against)):
        raise ParameterError(
            f"{printable(' '.join(checked))[:200]}: give one run, against people or gold and "
            "without --by, or files."
        )
    labels = cast(Against, against or "people")
    results = _results_of(checked[0], definition)
    if planted:
        if gate.demanded:
            raise ParameterError("--fail-under holds labels against a mean. Leave it or --planted.")
        plan = plan_of_planted(results.read(), results.view)
        _say_price(plan, results.store)
        tested = create_run(results.store, plan, workspace=WORKSPACE)
        _work_until_end(tested, results.store)
        _print_and_exit(Results(tested, results.store), Gate((), Strictness(0.0)), as_json)
        return
    lines = checking.checked_lines(results, labels, scores, of=of, scale=scale, yes_from=yes_from)
    likely = [] if scores else checking.checked_probabilities(results, labels)
    outcome, blocks = checking.check_outcome(lines, gate.demanded), checking.document(lines, likely)
    if as_json:
        click.echo(tables.as_json(checking.check_summary(results, labels, lines, likely)))
    else:
        tables.echo(*rendered(blocks))
    _leave_by(outcome, gate, results.title, blocks, results)


@main.command(help=_help("export"), short_help="Write a run's results to a file.")
@options.run_id
@click.option(
    "--format",
    "kind",
    type=click.Choice([*formats(), files.PAPER, files.RAW]),
    default="csv",
    show_default=True,
)
@click.option(
    "-o",
    "--output",
    type=click.File("wb", atomic=True),
    help="A file in place of the screen.",
)
@options.width
@options.seen_as
def export(
    run_id: str,
    kind: str,
    output: BinaryIO | None,
    width: str,
    **seen_as: Any,
) -> None:
    store = local_store()
    meant = _full_id(run_id, store)
    parts: Iterable[bytes]
    results = None
    if kind == files.RAW:
        parts = store.runs.raw(meant)
        with suppress(UnreadableRowError):
            results = Results(stored_run(meant, store), store)
    else:
        results = _results_of(meant, **seen_as)
        if kind == files.PAPER:
            parts = [bundle_of(results, width).zipped()]
        else:
            parts = formats()[kind].parts(results.read(), results.view)
    if results:
        # Said also where the file is refused then.
        results.damage()
    stream = output or sys.stdout.buffer
    # Bytes of a zip on a screen could steer the terminal; into a pipe or a file they are wanted.
    is_screen = stream.isatty()
    endings = {one.name: one.ending for one in formats().values() if not one.is_text}
    endings[files.PAPER] = "zip"
    if is_screen and kind in endings:
        raise ParameterError(f"That is not text. Name a file: -o NAME.{endings[kind]}")
    # Part by part: a run of a hundred thousand samples need not fit into memory.
    for part in parts:
        if output is None:
            # The mark is for spreadsheets, which open files; a pipe would pass it on.
            part = part.removeprefix(codecs.BOM_UTF8)
        stream.write(files.escaped_for_terminal(part) if is_screen else part)
    stream.flush()
    if results:
        _leave_if_damaged(results)


@main.command(short_help="Push a run to the Hugging Face hub, as a data set.")
@options.run_id
@click.argument("name", metavar="OWNER/NAME")
@click.option("--public", is_flag=True, help="Open to everybody.  [default: you alone see it]")
@options.seen_as
def push(run_id: str, name: str, public: bool, **seen_as: Any) -> None:
    """Push a run's results, and people's labels with their names, to the hub as Parquet.

    The data set is made; again replaces the files. The key is HF_TOKEN, which must be one that may
    write there.
    """
    results = _results_of(run_id, **seen_as)
    access = hub.hub_access(keys_from_environment(os.environ))
    if access is None:
        raise AccessError("There is no key of Hugging Face's hub. Set HF_TOKEN to one.")
    click.echo(hub.push(results.read(), results.view, name, access.key, private=not public))
    _leave_if_damaged(results)


@main.command(short_help="Write a run's report: one HTML page.")
@options.run_id
@options.output("report.html")
@options.seen_as
def report(run_id: str, output: Path, **seen_as: Any) -> None:
    """Write a run's report: one HTML page that opens offline and prints on A4.

    RUN is the id that run or list shows, its first characters, or "last". The page has all figures,
    ten samples with their evidence, what it cost, and how it was done.
    """
    results = _results_of(run_id, **seen_as)
    results.report(output)
    _to_stderr(f"{output}: open it in a browser.")
    _leave_if_damaged(results)


@main.command(short_help="Write a sheet with empty boxes, or its key, to print.")
@options.run_id
@options.output("sheet.html")
@click.option("-n", "--number", default=USUAL, show_default=True, help="How many answers, 1 to 20.")
@click.option("--key", is_flag=True, help="The labels and values of the same answers.")
@options.definition
def sheet(run_id: str, output: Path, number: int, key: bool, definition: str) -> None:
    """Write answers of a TRACE run with empty boxes for labels: one HTML page, A4.

    RUN is the id that run or list shows, its first characters, or "last". The answers are those
    that teach most: labellers differ, they say too much, or all is supported.
    """
    results = _results_of(run_id, definition)
    results.sheet(output, number, key=key)
    _to_stderr(f"{output}: open it in a browser and print it.")
    _leave_if_damaged(results)


@main.command("open", short_help="Open a run file: the run is in the store from now on.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def open_run_file(file: Path) -> None:
    """Open a run file, as export --format plumbline and the app write it.

    The run is in the store from now on, with its samples, results, labels and notes. A file that
    was changed, is damaged or from a newer version is refused. Its values are worked out anew, as
    far as nobody need be asked: exits with 1 where one does not follow from its answers and labels.
    """
    results = open_run(file)
    _to_stderr(f"Run {results.run.id[: tables.SHORT]}: {results.run.title}")
    recount = results.recount()
    tables.echo(*tables.means_in_parts(results), printable(recount.sentence()))
    if not recount.is_same:
        raise click.exceptions.Exit(BELOW)


@main.command(help=_help("again"), short_help="Do a run again and compare the two.")
@click.argument("run", metavar="RUN|FILE")
@click.option("--stored-answers", is_flag=True, help="Ask only what has no stored answer.")
@options.json_output
def again(run: str, stored_answers: bool, as_json: bool) -> None:
    store = local_store()
    # A run file of a colleague is done again in one step.
    first = _run_meant(run, store)
    plan = plan_again(store, first, use_cache=stored_answers)
    _say_price(plan, store)
    second = create_run(store, plan, workspace=WORKSPACE)
    _work_until_end(second, store)
    found = repeated(store, first, second)
    if as_json:
        click.echo(tables.as_json(found.summary()))
    else:
        tables.echo(*tables.repeat_in_parts(found))
    if found.open:
        _to_stderr(tables.go_on(second))
        raise click.exceptions.Exit(INCOMPLETE)
    if not found.is_reproduced:
        raise click.exceptions.Exit(BELOW)


@main.command(help=_help("bed"), short_help="Make a test bed of RGB from documents.")
@click.argument("documents", metavar="FILE|FOLDER ...", nargs=-1, required=True)
@click.option(
    "--questions",
    metavar="FILE",
    help="Questions with their true answers: a table with columns question and ground_truth.",
)
@click.option("--model", metavar="MODEL", help="Without questions: the LLM that proposes them.")
@click.option(
    "--count", type=int, default=USUAL_COUNT, show_default=True, help="Questions to propose."
)
@options.cap
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the bed is written.")
@click.option("--chunk-size", type=int, default=120, show_default=True, help="Words of a chunk.")
@click.option("--drop", multiple=True, metavar="ID", help="Leave out the row of this id.")
@click.option("--drop-doubtful", is_flag=True, help="Leave out all rows to look at.")
def bed(
    documents: tuple[str, ...],
    questions: str | None,
    model: str | None,
    count: int,
    max_calls: int | None,
    max_cost: float | None,
    output: str,
    chunk_size: int,
    drop: tuple[str, ...],
    drop_doubtful: bool,
) -> None:
    cap = Cap(calls=max_calls, cost=max_cost)
    made = make_bed(
        documents,
        questions,
        model=model,
        count=count,
        cap=cap,
        chunk_size=chunk_size,
        on_remark=_to_stderr,
    )
    made = made.without(drop)
    if drop_doubtful:
        made = made.without(own.row.id for own in made.doubtful)
    made.save(output)
    tables.echo(repr(made), *tables.bed_in_parts(made))


@main.command(help=_help("backup"), short_help="Copy the store into one file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace FILE where it is there already.")
def backup(file: Path, replace: bool) -> None:
    copy = back_up(local_store(), file, replace=replace)
    runs = "1 run" if copy.runs == 1 else f"{copy.runs:,} runs"
    size = f"{copy.size / 2**20:,.1f} MB"
    click.echo(printable(f"{copy.path}: {runs}, {size}, checked by opening it."))


@main.command(help=_help("mcp"), short_help="Let an agent read runs: an MCP server.")
def mcp() -> None:
    from evaluators.terminal.mcp_server import serve

    serve(sys.stdin.buffer, sys.stdout.buffer)


@main.command(short_help="Stop what providers have of an overnight run.")
@options.run_id
def cancel(run_id: str) -> None:
    """Stop what providers have of an overnight run; what they have answered is kept and paid for.

    RUN is the id that run or list shows, its first characters, or "last".
    """
    store = local_store()
    run = _run_meant(run_id, store)
    job = Job(run, store, keys_from_environment(os.environ), withdraws=True)
    job.start()
    job.wait()
    reasons = store.runs.stop_reasons(run.id)
    for reason in reasons:
        _to_stderr(reason.worded(IN_TERMINAL))
    _to_stderr(tables.go_on(run))
    if any(reason.kind != "batch" for reason in reasons):
        raise click.exceptions.Exit(INCOMPLETE)


# What they share


def _say_price(plan: RunPlan, store: Store) -> None:
    """What the plan will take of each model and judge; raises `AccessError` without a key."""
    keys = keys_from_environment(os.environ)
    for spec in plan.llms:
        # Before the run is stored: without a key nothing comes of it.
        access_for(spec, keys)
    rows = forecast(plan, keys, partial(store.calls.answered, WORKSPACE)).named()
    for name, estimate in rows:
        cost = dollar_range(estimate.cost_low, estimate.cost_high)
        _to_stderr(f"{name}: {estimate.calls:,} calls, {cost}, {estimate.cached:,} stored")


def _keys(chosen: dict[str, Any]) -> dict[str, Access]:
    """Those of the environment, and the systems that are named, which the options hold from now."""
    chosen["system"] = systems(list(chosen.get("system", ())))
    own = {access.provider: access for access in chosen["system"]}
    return {**keys_from_environment(os.environ), **own}


def _work_until_end(run: Run, store: Store, keys: Keys | None = None) -> None:
    """Works on the run until its end; Ctrl-C says how to go on."""
    _to_stderr(f"Run {run.id[: tables.SHORT]}: {run.title}")
    try:
        work(run, store, keys or keys_from_environment(os.environ))
    except KeyboardInterrupt:
        counts = store.results.counts(run)
        _to_stderr(
            f"Stopped with {counts.scored:,} of {counts.asked:,} checked; all of it is kept."
        )
        _to_stderr(tables.go_on(run))
        raise
    except StoreError as error:
        _to_stderr(f"Error: {error.reason.worded(IN_TERMINAL)}")
        raise click.exceptions.Exit(INCOMPLETE) from error


def _print_and_exit(results: Results, gate: Gate, as_json: bool) -> None:
    """Prints the results, and leaves with the code that says how the run came out."""
    if as_json:
        click.echo(tables.as_json(tables.run_summary(results)))
    else:
        tables.echo(*tables.means_in_parts(results))
    outcome = run_outcome(results, gate.demanded, gate.strictness)
    if results.counts.scored < results.counts.asked:
        outcome = outcome._replace(words=(*outcome.words, tables.go_on(results.run)))
    document = brief_document(results.read(), results.view, tables.in_terminal)
    _leave_by(outcome, gate, results.title, document)


def _leave_by(
    outcome: ExitOutcome, gate: Gate, title: str, document: Blocks, *read: Results
) -> None:
    """Says what is wanting, and leaves with the code for it where something is.

    Rows that cannot be read of the runs that were `read` are said already.
    """
    if any([results.damage().sentence() for results in read]):
        outcome = ExitOutcome(INCOMPLETE, (), outcome.rulings)
    write_gate_files(gate, outcome, title, document)
    for words in outcome.words:
        _to_stderr(words)
    code = CODES[gate.cannot_tell] if outcome.code == CANNOT_TELL else outcome.code
    if code:
        raise click.exceptions.Exit(code)


def _leave_if_damaged(*several: Results) -> None:
    """Leaves with the exit code for it where rows of a run cannot be read, which is said once."""
    if any([results.damage().sentence() for results in several]):
        raise click.exceptions.Exit(INCOMPLETE)


def _results_of(
    run_id: str, definition: str = "", policy: str | None = None, labels: str | None = None
) -> Results:
    """The run that is meant, by the labels, formula and rules of the command's options."""
    store = local_store()
    return Results(_run_meant(run_id, store), store, definition, policy).under(labels=labels)


def _run_meant(run_id: str, store: Store) -> Run:
    """The run of that id, of an id that begins so, or the newest; raises `UnreadableRowError`."""
    return stored_run(_full_id(run_id, store), store)


def _full_id(run_id: str, store: Store) -> str:
    """The id, of an id that begins so, of the newest run, of a run file, or of a finished batch."""
    if run_id != "last" and (os.path.exists(run_id) or "://" in run_id):
        return open_run(run_id, store=store).run.id
    return full_id(run_id, store)


def _with_raised_cap(
    run: Run,
    store: Store,
    max_calls: int | None,
    max_cost: float | None,
) -> Run:
    """The run with what it may spend from now on, where that changes."""
    if not max_calls and not max_cost:
        return run
    cap = Cap(calls=max_calls or run.cap.calls, cost=max_cost or run.cap.cost)
    return with_new_cap(store, run, cap)


def _to_stderr(words: str) -> None:
    """Standard output is for results alone, so that it can be piped."""
    print(printable(words), file=sys.stderr)
