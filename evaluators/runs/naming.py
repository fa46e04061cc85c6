"""What a run is called: the title a person gave, else one that tells it from its neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from evaluators.catalogue import from_spec
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.records import EvaluatorSpec, ModelSpec, Run
from evaluators.runs.notes import written
from evaluators.runs.run_options import SETTINGS
from evaluators.runs.settings import settings_of
from evaluators.surrogates import without_surrogates
from evaluators.text.language import say
from evaluators.text.printable import printable
from evaluators.text.words import short_name

MOST_TITLE = 120
"""Characters that a person may give a run as its title."""
MOST_SUGGESTED = 80
"""Characters of a suggested title without its number: what a line of a table has room for."""
MOST_OF_A_PART = 40
MOST_NAMES = 2
"""Models or metrics that are named in a suggested title, the others are counted."""
MOST_SETTINGS = 2

PARTS = " · "
"""What stands between the parts of a title."""
_ENDING_OF_FILE = re.compile(r"(?<=.)\.[A-Za-z]{2,8}$")

HAVE_A_PART = ("data set", "metrics")
"""What has a part of its own in a title."""


def suggested_title(run: Run, others: Iterable[Run]) -> str:
    """A title for a new run: its data, who answers or judges, and what else tells it apart.

    That is in what it differs from `others` over the same data. The same runs give the same title,
    and none has one that another has.
    """
    others = list(others)
    neighbours = [other for other in others if other.dataset_name == run.dataset_name]
    parts = [run.dataset_name, *_who(run, neighbours), *_settings_apart(run, neighbours)]
    short = [_cut(part, MOST_OF_A_PART) for part in parts]
    title = _cut(PARTS.join(filter(None, short)), MOST_SUGGESTED)
    taken = {other.title for other in others}
    number, numbered = 1, title
    while numbered in taken:
        number += 1
        numbered = f"{title} ({number})"
    return numbered


def parts_apart(titles: Sequence[str]) -> list[str]:
    """Of each title what the others do not have: "bot_new", "bot_old" of two files by one judge."""
    if len(set(titles)) < 2:
        return list(titles)
    parts = [title.split(PARTS) for title in titles]
    common = set.intersection(*map(set, parts))
    own = [[part for part in of_title if part not in common] for of_title in parts]
    if not all(own):
        # One that has nothing of its own is known by the last part that all have.
        last = [part for part in parts[0] if part in common][-1]
        own = [[part for part in of_title if part not in common - {last}] for of_title in parts]
    names = [PARTS.join(of_title) for of_title in own]
    endings = {"".join(_ENDING_OF_FILE.findall(name)) for name in names}
    if len(endings) == 1:
        names = [name.removesuffix(*endings) for name in names]
    return names


def described(
    run: Run,
    title: str,
    note: str,
    tags: Iterable[str],
    others: Iterable[Run],
) -> Run:
    """The run with what a person calls it and writes of it; without a title the suggested one.

    Raises `ParameterError` where one of them is too long.
    """
    own = " ".join(printable(without_surrogates(title)).split())
    if len(own) > MOST_TITLE:
        raise ParameterError(
            say(
                "The title has {count:,} characters. Shorten it to {most}.",
                count=len(own),
                most=MOST_TITLE,
            )
        )
    tidied = written(note, tags, run.created)
    is_suggested = not own or (run.is_title_suggested and own == run.title)
    if not own:
        own = suggested_title(run, (other for other in others if other.id != run.id))
    return run.model_copy(
        update={
            "title": own,
            "is_title_suggested": is_suggested,
            "note": tidied.text,
            "tags": tidied.tags,
        }
    )


def metric_title(spec: EvaluatorSpec) -> str:
    """The metric's title; of one that is gone, what it was called."""
    with suppress(ParameterError):
        return from_spec(spec).title
    return spec.name


def _who(run: Run, neighbours: Sequence[Run]) -> list[str]:
    """Who answers, and by what it is judged where nobody does or others are judged otherwise."""
    parts = [_names_in_a_line(_short_titles(run.models))]
    metrics = [metric_title(spec) for spec in run.evaluators]
    if not run.models or any(_metrics(other) != _metrics(run) for other in neighbours):
        parts.append(_names_in_a_line(metrics))
    if run.judges and (not run.models or any(other.judges != run.judges for other in neighbours)):
        parts.append(f"by {_names_in_a_line(_short_titles(run.judges))}")
    return parts


def _short_titles(models: Iterable[ModelSpec]) -> list[str]:
    return [short_name(model_title(spec)) for spec in models]


def _settings_apart(run: Run, neighbours: Sequence[Run]) -> list[str]:
    """What differs from the first run of the same models, metrics and judges, as "seed 2"."""
    who = _who_in_all(run)
    alike = [other for other in neighbours if _who_in_all(other) == who]
    if not alike:
        return []
    first = settings_of(min(alike, key=lambda other: other.created))
    left_out = {setting.title for setting in SETTINGS.values() if not setting.in_titles}
    words = []
    for setting, value in settings_of(run).items():
        if setting not in {*HAVE_A_PART, *left_out} and first.get(setting, value) != value:
            # Behind the name of a parameter stands its metric, which the title has already.
            words.append(f"{setting.partition(' (')[0]} {value}")
    return words[:MOST_SETTINGS]


def _who_in_all(run: Run) -> tuple[object, ...]:
    return run.models, _metrics(run), run.judges


def _metrics(run: Run) -> list[str]:
    return [spec.name for spec in run.evaluators]


def _names_in_a_line(names: Sequence[str]) -> str:
    """The names in a line, those beyond `MOST_NAMES` counted."""
    shown = ", ".join(names[:MOST_NAMES])
    further = len(names) - MOST_NAMES
    return f"{shown} and {further} more" if further > 0 else shown


def _cut(text: str, most: int) -> str:
    text = " ".join(printable(text).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
