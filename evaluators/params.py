"""Declared parameters: what a form, a command line and the documentation need to know of an evaluator's fields."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from evaluators.base import Evaluator
from evaluators.types import Record


class Parameter(Record):
    """One field of an evaluator: its kind, default, bounds (inclusive) and choices."""

    name: str
    title: str
    kind: Literal["bool", "int", "float", "choice", "text"]
    default: Any
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


def parameters(cls: type[Evaluator]) -> tuple[Parameter, ...]:
    """The parameters a person may set, in the order in which the class declares them."""
    return tuple(
        Parameter(
            name=name,
            title=field.title or name.replace("_", " ").capitalize(),
            kind=_kind(field.annotation),
            default=field.default,
            description=field.description or "",
            minimum=_bound(field.metadata, "ge"),
            maximum=_bound(field.metadata, "le"),
            choices=get_args(field.annotation) if get_origin(field.annotation) is Literal else (),
        )
        for name, field in cls.model_fields.items()
        if name != "llm_client"
    )


def _kind(annotation: Any) -> Literal["bool", "int", "float", "choice", "text"]:
    if get_origin(annotation) is Literal:
        return "choice"
    if annotation is bool:
        return "bool"
    if annotation is int:
        return "int"
    return "float" if annotation is float else "text"


def _bound(metadata: list[Any], name: str) -> float | None:
    return next((getattr(item, name) for item in metadata if hasattr(item, name)), None)
