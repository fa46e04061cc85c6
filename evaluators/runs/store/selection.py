"""Which answers of a run a table wants, and in which order, as SQL."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from evaluators.runs.store.bodies import sql_field

_IS_VIEWED = 'v."values" is not null'
_HAS_NO_VIEW = 'r.metric = 0 and not :is_usual and v."values" is null'
VALUES = f"""case when {_IS_VIEWED} then v."values" when {_HAS_NO_VIEW} then null
             else r."values" end"""
"""What a view has of a cell, as JSON; `r` is its result and `v` its row of the view, if any."""
STATUS = f"case when {_HAS_NO_VIEW} and r.status = 'scored' then 'failed' else r.status end"
"""A score that cannot be read has no values in a view: it counts as failed."""
CORRECTED_VIEW = "corrected"
"""The view of the run's own labels with what people say in their place."""


def changed_labels(answer: str, metric: str) -> str:
    """How many labels people changed in a cell, as SQL; `answer` is where its rows are.

    Before that view is worked out, all that people set with the labels in sight.
    """
    return f"""coalesce(
        (select sum(changed) from viewed where {answer} and {metric} and view = '{CORRECTED_VIEW}'),
        (select count(*) from person_labels where {answer} and {metric} and withdrawn is null
         and label <> 'sample' and not blind))"""


class Answer(NamedTuple):
    """A sample's answer by one of the run's models; both by their numbers, from 0."""

    position: int
    model: int = 0


class ValueName(NamedTuple):
    """One of a metric's values, by the metric's number and its own name."""

    metric: int
    name: str


class Selection(NamedTuple):
    """What a table wants of a run's answers; all that is left as it is wants everything.

    Of `values` the first that an answer has must lie from `low` to `high`. `text` is looked for in
    question and answer. `order` is a value to sort by; answers without it come last.
    """

    model: int | None = None
    ability: str = ""
    values: tuple[ValueName, ...] = ()
    low: float = 0
    high: float = 1
    is_failed: bool = False
    is_corrected: bool = False
    among: tuple[Answer, ...] | None = None
    text: str = ""
    order: ValueName | None = None
    descending: bool = False

    def named_values(self) -> dict[str, Any]:
        """The values of its conditions, by the names that they have in SQL."""
        values: dict[str, Any] = {
            "model": self.model,
            "ability": self.ability,
            "low": self.low,
            "high": self.high,
            "among": json.dumps(self.among or ()),
            "text": self.text.casefold(),
        }
        for number, value in enumerate(self.values):
            values |= {f"metric_{number}": value.metric, f"name_{number}": value.name}
        if self.order:
            values |= {"metric_order": self.order.metric, "name_order": self.order.name}
        return values


def conditions(selection: Selection) -> str:
    """What must hold of sample `s`, model `m`, result `r` and view `v`; begins with "and"."""
    every = []
    if selection.model is not None:
        every.append("m.value = :model")
    if selection.ability:
        every.append(f"{sql_field('ability', 's.facets')} = :ability")
    if selection.values:
        count = len(selection.values)
        values = ", ".join(_value(str(number)) for number in range(count))
        every.append(f"coalesce({values}, null) between :low and :high")
    if selection.is_failed:
        every.append(f"({STATUS} = 'failed' or {_ANY_FAILED})")
    if selection.is_corrected:
        every.append(_ANY_CORRECTED)
    if selection.among is not None:
        every.append(_AMONG)
    if selection.text:
        every.append(f"({_holds_text('s.body', 'question')} > 0 or {_RESPONSE_HOLDS} > 0)")
    return "".join(f" and {condition}" for condition in every)


def order(selection: Selection) -> str:
    """What comes before position and model in "order by"."""
    if selection.order is None:
        return ""
    value = _value("order")
    return f"{value} is null, {value} {'desc' if selection.descending else 'asc'},"


_OF_ANSWER = "run_id = :run and position = s.position and model = m.value"
_ANY_FAILED = f"exists (select 1 from results where {_OF_ANSWER} and status = 'failed')"
_ANY_CORRECTED = f"{changed_labels(_OF_ANSWER, 'true')} > 0"
_AMONG = """(s.position, m.value) in (
    select cast(json_extract(value, '$[0]') as integer),
           cast(json_extract(value, '$[1]') as integer) from json_each(:among))"""


def _value(parameter: str) -> str:
    """The value that the parameters `metric_` and `name_` of that ending name."""
    values = 'coalesce(w."values", x."values")'
    return f"""case when :metric_{parameter} = 0 then {_number(VALUES, parameter)} else (
        select {_number(values, parameter)} from results x
        left join viewed w on w.run_id = :run and w.view = :view and w.position = x.position
             and w.model = x.model and w.metric = x.metric
        where x.run_id = :run and x.position = s.position and x.model = m.value
        and x.metric = :metric_{parameter}) end"""


def _number(values: str, parameter: str) -> str:
    # Not by a path: the name of a value may hold anything.
    readable = f"case when json_valid({values}) then {values} else '{{}}' end"
    return f"""(select cast(e.value as double precision) from json_each({readable}) e
               where e.key = :name_{parameter} and e.type in ('integer', 'real'))"""


def _holds_text(body: str, field: str) -> str:
    return f"holds({sql_field(field, body)}, :text)"


_RESPONSE_HOLDS = f"""coalesce(
    (select max({_holds_text("y.body", "response")}) from results y where y.run_id = :run
     and y.position = s.position and y.model = m.value
     and {sql_field("response", "y.body")} is not null),
    {_holds_text("s.body", "response")})"""
