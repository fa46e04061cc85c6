"""A plain function of a sample as a metric: its name, its docstring, and what it returns."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from traceback import extract_tb
from typing import Any, ClassVar

from evaluators.base import Evaluator, evaluator, forget, registered
from evaluators.errors import OwnCodeError, ParameterError
from evaluators.llm.asking import in_words
from evaluators.records import Sample, Score
from evaluators.text.language import mark, say
from evaluators.text.normalise import slug
from evaluators.text.printable import shown

Function = Callable[[Sample], Any]


class FunctionMetric(Evaluator):
    """Calls the function, and reads a number, a yes or no, nothing, or a mapping of such."""

    function: ClassVar[Function]

    def score(self, sample: Sample) -> Score:
        try:
            # Of the class: taken from the object it would be a method.
            returned = type(self).function(sample)
        except Exception as error:  # a person's own code may raise anything
            last = extract_tb(error.__traceback__)[-1]
            raise OwnCodeError(
                say(
                    "{metric} raised {problem} (line {line}). Correct it, then try again what "
                    "failed.",
                    metric=self.name,
                    problem=in_words(error),
                    line=last.lineno,
                )
            ) from error
        given = returned if isinstance(returned, Mapping) else {self.name: returned}
        values = {str(name): self._value(str(name), value) for name, value in given.items()}
        if not values:
            raise self._refused(returned)
        is_nothing = all(value is None for value in values.values())
        reason = mark("The function says that it does not apply.") if is_nothing else ""
        return Score(values=values, reason=reason)

    def _value(self, name: str, value: Any) -> float | None:
        # A number of numpy, a tensor of one number.
        plain = value.item() if callable(getattr(value, "item", None)) else value
        if plain is None:
            return None
        with suppress(OverflowError):  # an integer beyond all floats
            if isinstance(plain, int | float) and math.isfinite(plain):
                return float(plain)
        raise self._refused(value if name == self.name else {name: value})

    def _refused(self, value: Any) -> OwnCodeError:
        return OwnCodeError(
            say(
                "{metric} returned {value}. Return a number, True or False, None where it does not "
                "apply, or a mapping of such.",
                metric=self.name,
                value=shown(value),
            )
        )


def metric_of(function: Function) -> FunctionMetric:
    """The metric of a function, known by its name from now on; raises `ParameterError`."""
    name = getattr(function, "__name__", "") or type(function).__name__
    if not slug(name) or name == "<lambda>":
        raise ParameterError("A function without a name is no metric. Write it with def.")
    if inspect.iscoroutinefunction(function):
        raise ParameterError(f"{name} is an async function. Give one that returns its value.")
    for known in registered():
        if known.name == name:
            if not issubclass(known, FunctionMetric):
                raise ParameterError(f"A metric is called {name} already. Rename the function.")
            if known.function is function:
                return known()
            # Defined anew, as in a notebook.
            forget(name)
    fields = {
        "__doc__": inspect.getdoc(function) or f"{name}(sample), a function.",
        "__module__": getattr(function, "__module__", "") or __name__,
        "function": staticmethod(function),
        "__annotations__": {"function": ClassVar[Any]},
    }
    own: type[FunctionMetric] = type(f"{name}_metric", (FunctionMetric,), fields)
    evaluator(name, title=name.replace("_", " ").capitalize())(own)
    return own()
