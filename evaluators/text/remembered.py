"""What a function made, remembered; of texts those that are short, as all of it stays in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, wraps
from threading import Lock
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


def made_once(make: Callable[P, T]) -> Callable[P, T]:
    """The function makes each result once, also where several threads ask for the first at a time.

    `cache` alone lets each of them make one of its own.
    """
    making = Lock()
    recall = cache(make)

    @wraps(make)
    def get(*args: P.args, **kwargs: P.kwargs) -> T:
        with making:
            return recall(*args, **kwargs)  # type: ignore[arg-type]  # those that can be hashed

    return get
