"""What a judge of one's own raises, as an error that fails one sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import format_exception_only

from evaluators.errors import LLMError, PlumblineError
from evaluators.llm.keys import mask
from evaluators.text.printable import printable


@contextmanager
def llm_errors(model: str) -> Iterator[None]:
    """Raises an `LLMError` for whatever is raised inside but an error of ours or an interrupt."""
    try:
        yield
    except PlumblineError:
        raise
    except Exception as error:  # the object's own code: it may raise anything
        problem = in_words(error)
        raise LLMError(
            f"{model}: complete(prompt) raised {problem}. Judge what failed again once it answers."
        ) from error


def in_words(error: BaseException) -> str:
    """What code that is not ours raised, on a line and without keys."""
    # Which has words for an error whose own text cannot be had.
    line = format_exception_only(error)[-1].strip().rstrip(".")
    return printable(mask(line))[:300]
