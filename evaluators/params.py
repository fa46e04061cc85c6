"""Declared parameters: what form, command line and documentation need to know of fields."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from evaluators.records import Record

Kind = Literal["bool", "int", "float", "choice", "choices", "text"]
"""What is asked for; "choices" are several of those given."""


class Parameter(Record):
    """One field of an evaluator: its kind, default, bounds (inclusive) and choices.

    The `maximum` of a text is its number of characters; without one it is a line.
    """

    name: str
    title: str
    kind: Kind
    default: Any
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


def parameters(cls: type[BaseModel]) -> tuple[Parameter, ...]:
    """The parameters a person may set, in the order in which the class declares them."""
    return tuple(
        Parameter(
            name=name,
            title=field.title or name.replace("_", " ").capitalize(),
            kind=_kind_of_field(field.annotation),
            default=field.get_default(call_default_factory=True),
            description=field.description or "",
            minimum=_bound(field.metadata, "ge"),
            maximum=_bound(field.metadata, "le") or _bound(field.metadata, "max_length"),
            choices=_choices(field.annotation),
        )
        for name, field in cls.model_fields.items()
        if name != "llm_client"
    )


def _kind_of_field(annotation: Any) -> Kind:
    if _choices(annotation):
        return "choice" if get_origin(annotation) is Literal else "choices"
    if annotation is bool:
        return "bool"
    if annotation is int:
        return "int"
    if annotation is float:
        return "float"
    # All others, as `str | None`, are entered as text, and pydantic reads it.
    return "text"


def _choices(annotation: Any) -> tuple[str, ...]:
    """The values of a `Literal`, or of the literal that a tuple of any length holds."""
    if get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,):
        return _choices(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return ()


def _bound(metadata: list[Any], name: str) -> float | None:
    # pydantic keeps each of `ge` and `le` as an object with that one attribute.
    for constraint in metadata:
        if hasattr(constraint, name):
            bound: float = getattr(constraint, name)
            return bound
    return None
