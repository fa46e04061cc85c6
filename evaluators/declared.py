"""Arguments of public functions, read by the types with which these declare them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from evaluators.arguments import plain
from evaluators.errors import ParameterError
from evaluators.numbers import is_number, is_truth, is_whole
from evaluators.text.printable import shown

F = TypeVar("F", bound=Callable[..., Any])

_NUMBERS: Mapping[Any, Callable[[object], bool]] = {
    bool: is_truth,
    int: is_whole,
    float: is_number,
}
_WORDS: Mapping[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path",
    os.PathLike: "a path",
    NoneType: "None",
}


def as_declared(declared: Any, value: Any, name: str) -> Any:
    """The value, of an array or a column its list; raises `ParameterError` for another type."""
    if _fits(value, declared):
        return value
    converted = plain(value)
    if _fits(converted, declared):
        return converted
    raise ParameterError(f"{name} is {shown(value)}. Give {' or '.join(_in_words(declared))}.")


def checks_types(*read_elsewhere: str) -> Callable[[F], F]:
    """Makes a function refuse what is not of the types that its parameters declare.

    Those that are `read_elsewhere` take more than a type can say, and have readers of their own.
    """

    def decorate(function: F) -> F:
        declaration = signature(function)
        kinds = {name: each.kind for name, each in declaration.parameters.items()}

        @cache
        def types() -> Mapping[str, Any]:
            # At the first call: then all names are there that annotations mean.
            named = {}
            for name, declared in function.__annotations__.items():
                is_checked = name in kinds and name not in read_elsewhere
                if is_checked and kinds[name] is not Parameter.VAR_KEYWORD:
                    named[name] = declared
            return get_type_hints(SimpleNamespace(__annotations__=named), function.__globals__)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            # Of a missing or an unknown argument it raises the TypeError that Python would.
            call = declaration.bind(*args, **kwargs)
            for name in types().keys() & call.arguments.keys():
                read = partial(as_declared, types()[name], name=name)
                value = call.arguments[name]
                is_several = kinds[name] is Parameter.VAR_POSITIONAL
                call.arguments[name] = tuple(map(read, value)) if is_several else read(value)
            return function(*call.args, **call.kwargs)

        return cast(F, checked)

    return decorate


def _fits(value: Any, declared: Any) -> bool:
    """Whether the value is of the type; nothing is compared before its own type is known."""
    kind, parts = get_origin(declared) or declared, get_args(declared)
    if kind in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if kind is Literal:
        return isinstance(value, str) and value in parts
    if kind in _NUMBERS:
        return _NUMBERS[kind](value)
    if kind is Sequence:
        return isinstance(value, list | tuple) and all(_fits(each, parts[0]) for each in value)
    if kind is Mapping and isinstance(value, Mapping):
        return all(_fits(key, parts[0]) and _fits(each, parts[1]) for key, each in value.items())
    return isinstance(value, os.PathLike if kind is Path else kind)


def _in_words(declared: Any) -> list[str]:
    """What to give, each kind of it once."""
    kind, parts = get_origin(declared) or declared, get_args(declared)
    if kind in (Union, UnionType):
        return list(dict.fromkeys(word for part in parts for word in _in_words(part)))
    if kind is Literal:
        return [f'"{part}"' for part in parts]
    if kind is Sequence:
        return [f"a list (each {' or '.join(_in_words(parts[0]))})"]
    if kind is Mapping:
        key, value = (" or ".join(_in_words(part)) for part in parts)
        return [f"a mapping ({key} to {value})"]
    return [_WORDS.get(kind, kind.__name__)]
