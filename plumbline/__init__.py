"""Plumbline: whether a RAG system's answers are true to their sources.

The public names, the same objects as those of `evaluators`, under which the modules lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import evaluators
from evaluators import __version__ as __version__

if TYPE_CHECKING:
    from evaluators import *  # noqa: F403
else:
    from evaluators import __all__

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(evaluators, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
