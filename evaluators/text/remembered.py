"""What a function made of short texts, remembered; many long ones would stay in memory for good."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def remembered(most: int, longest: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """The function remembers the `most` results that were last asked for, each of arguments of
    which no text has more than `longest` characters.
    """

    def decorate(work_out: Callable[P, T]) -> Callable[P, T]:
        recall = lru_cache(maxsize=most)(work_out)

        @wraps(work_out)
        def read(*args: P.args, **kwargs: P.kwargs) -> T:
            for value in args:
                if isinstance(value, str) and len(value) > longest:
                    return work_out(*args, **kwargs)
            return recall(*args, **kwargs)  # type: ignore[arg-type]  # those that can be hashed

        return read

    return decorate
