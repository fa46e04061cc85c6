"""A setting that nobody needs, declared as one that ships is; and a terminal that has it.

python -m tests.runs.patience run --data ...
"""

from __future__ import annotations

from typing import Annotated

from evaluators.runs.run_options import RunOptions, Setting, declared


class WithPatience(RunOptions, total=False):
    """The settings of a run, and one more."""

    patience: Annotated[
        int,
        Setting(
            usual=3,
            least=1,
            most=9,
            meaning="How often a silent judge is asked again.",
            title="patience",
        ),
    ]


PATIENCE = declared(WithPatience)["patience"]
