"""Forms read from declarations: the parameters of an evaluator or of a search become widgets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st
from pydantic import BaseModel

from evaluators.params import Parameter, parameters
from evaluators.runs.run_options import SETTINGS
from evaluators.text.language import say
from evaluators.text.words import readable

KEPT: dict[str, Any] = {"persist_state": "session"}
"""What is chosen outlives a visit to the Settings page."""
LOW = 80
"""Pixels of a field for a text of several lines that stands beside other fields."""
LONG_TEXT = 100_000
"""Characters of a text in a field: what all fields of a page hold fits into a message."""


def parameter_widgets(
    cls: type[BaseModel],
    key: str,
    leave_out: Collection[str] = (),
) -> dict[str, Any]:
    """The values that are chosen in a widget for each parameter but those left out, in columns."""
    declared = [parameter for parameter in parameters(cls) if parameter.name not in leave_out]
    # Side by side: few evaluators have more than four.
    columns = st.columns(len(declared), vertical_alignment="bottom")
    values = {}
    for parameter, column in zip(declared, columns, strict=True):
        values[parameter.name] = _widget(parameter, column, f"{key}_{parameter.name}")
    return values


def setting_number(
    name: str,
    label: str,
    key: str,
    *,
    place: Any = st,
    words: str | None = None,
    **more: Any,
) -> Any:
    """The field of a setting that is a number, with its bounds and what is usual."""
    setting = SETTINGS[name]
    numbers = {"min_value": setting.least, "max_value": setting.most, "value": setting.usual}
    # Streamlit refuses a field whose default and bounds are not of one type.
    typed = {field: setting.kind(number) for field, number in (numbers | more).items()}
    return place.number_input(label, help=words, key=key, **typed, **KEPT)


def option_widgets(key: str) -> dict[str, Any]:
    """The values of the settings of a run that no form draws in a place of its own."""
    values = {}
    for name, setting in SETTINGS.items():
        if setting.has_no_field:
            value = _widget(setting.as_parameter(name), st, f"{key}_{name}")
            # As at other doors: what is usual is not kept with a run.
            if not setting.is_usual(value):
                values[name] = setting.checked(name, value)
    return values


def as_in_widget(parameter: Parameter, value: Any) -> Any:
    """The parameter's value as its widget shows it."""
    if parameter.kind == "choice":
        return readable(value)
    return tuple(map(readable, value)) if parameter.kind == "choices" else value


def _widget(parameter: Parameter, column: Any, key: str) -> Any:
    common: dict[str, Any] = {
        "label": say(parameter.title),
        "help": say(parameter.description) or None,
        "key": key,
        **KEPT,
    }
    if parameter.kind == "bool":
        return column.toggle(value=parameter.default, **common)
    if parameter.kind == "choice":
        index = parameter.choices.index(parameter.default)
        return column.selectbox(
            options=parameter.choices,
            index=index,
            format_func=readable,
            **common,
        )
    if parameter.kind == "choices":
        chosen = column.multiselect(
            options=parameter.choices,
            default=parameter.default,
            format_func=readable,
            **common,
        )
        return tuple(chosen)
    if parameter.kind in ("int", "float"):
        return _number_field(parameter, column, common)
    if parameter.maximum:
        return column.text_area(
            value=parameter.default, height=LOW, max_chars=int(parameter.maximum), **common
        )
    return column.text_input(value=parameter.default, **common)


def _number_field(parameter: Parameter, column: Any, common: dict[str, Any]) -> Any:
    # Streamlit refuses a field whose default and bounds are not of one type.
    cast = int if parameter.kind == "int" else float
    numbers = {
        "value": parameter.default,
        "min_value": parameter.minimum,
        "max_value": parameter.maximum,
    }
    typed = {}
    for name, number in numbers.items():
        typed[name] = None if number is None else cast(number)
    return column.number_input(**typed, **common)
