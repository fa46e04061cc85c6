"""How the values of a batch differ between groups of rows: over time, or by a column."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import streamlit as st

from evaluators.batch.charts import over_time
from evaluators.batch.groups import NOT_A_TIME, Group, first_day, group_named
from evaluators.batch.results import NONE, BatchResults, Means
from evaluators.runs import shown_values
from evaluators.runs.aggregate import Mean
from evaluators.text.language import mark, say
from ui.parts import charts, dots, value_table
from ui.parts.untrusted import plain
from ui.parts.value_table import Column, Row

TITLES = {
    "": mark("By {column}"),
    "day": mark("By day: {column}"),
    "week": mark("By week: {column}"),
    "month": mark("By month: {column}"),
}
_NAMES = {NONE: mark("(none)"), NOT_A_TIME: mark("not a time")}
"""Groups that no cell is called as."""

YEARS = range(1990, 2101)
"""Years of a chart over time: a 0 or a 9999 stands for no time, and would leave no room."""

MOST_NAMED = 5
"""Groups that are named as not drawn."""

MOST_POINTS = 12
"""Groups of a column that a chart has rows for; the table has all."""


def show(results: BatchResults, titles: Mapping[str, str]) -> None:
    """For each group of the command a chart of every value, and all means in a table."""
    for text, means in results.groups.items():
        group = group_named(text)
        st.header(plain(say(TITLES[group.period], column=group.column)))
        if not means:
            st.info(say("There are too many different values for groups of them."))
            continue
        _charts(group, means, titles)
        with st.expander(say("Numbers"), icon=":material/table_rows:", key=f"numbers_{text}"):
            _table(group, means, titles)


def _charts(group: Group, by_name: Mapping[str, Means], titles: Mapping[str, str]) -> None:
    days = _days(group, by_name)
    grid = st.grid(2, min_column_width=320)
    for value, title in titles.items():
        means = {name: own[value] for name, own in by_name.items() if value in own}
        with grid.container(border=True, height="stretch"):
            st.markdown(f"**{plain(title)}**")
            _chart(title, means, days, f"drift_{group.text}_{value}")
    words = say("Dot: mean. Line: 95 % interval.")
    if days:
        words = say("Dot: mean. Line: 95 % interval. n: rows that were judged.")
    if not days and len(by_name) > MOST_POINTS:
        largest = say("The {most} largest groups are drawn.", most=MOST_POINTS)
        words = f"{words} {largest}"
    if days and len(days) < len(by_name):
        left_out = [name_in_words(name) for name in by_name if name not in days]
        named = say(", ").join([*left_out[:MOST_NAMED], *["…"][: len(left_out) > MOST_NAMED]])
        words = f"{words} {say('Not drawn: {names}.', names=named)}"
    st.caption(plain(words))


def _chart(title: str, means: Mapping[str, Mean], days: Mapping[str, date], key: str) -> None:
    if days:
        # Those without a time have no place on its axis; the table has them.
        drawn = {name: mean for name, mean in means.items() if name in days}
        charts.show(over_time(title, drawn, days), key, charts.BESIDE)
    else:
        rows = [
            shown_values.Dot(name_in_words(name), mean) for name, mean in _largest(means).items()
        ]
        dots.show([shown_values.Group("", "", rows)])


def _largest(means: Mapping[str, Mean]) -> dict[str, Mean]:
    largest = sorted(means, key=lambda name: means[name].asked, reverse=True)[:MOST_POINTS]
    return {name: mean for name, mean in means.items() if name in largest}


def _days(group: Group, names: Mapping[str, object]) -> dict[str, date]:
    """When each period that is drawn began, in the order of time; none for a column as it is."""
    days = {name: first_day(name, group.period) for name in names} if group.period else {}
    drawn = {name: day for name, day in days.items() if day and day.year in YEARS}
    return dict(sorted(drawn.items(), key=lambda pair: pair[1]))


def _table(group: Group, by_name: Mapping[str, Means], titles: Mapping[str, str]) -> None:
    columns = [Column(title, term=name) for name, title in titles.items()]
    lines = []
    for name, own in by_name.items():
        lines.append(Row(name_in_words(name), [own.get(value) for value in titles]))
    value_table.show(group.column, columns, lines)


def name_in_words(name: str) -> str:
    """The group's name; of rows whose cell is empty, or no time, what it is."""
    return say(_NAMES[name]) if name in _NAMES else name
