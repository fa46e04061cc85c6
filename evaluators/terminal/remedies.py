"""What the terminal says of each remedy: as Python does, but with its own options and commands."""

from __future__ import annotations

from evaluators.errors import IN_PYTHON
from evaluators.own_command import own_command
from evaluators.records import Words

IN_TERMINAL: Words = {
    **IN_PYTHON,
    "enter_key": "Set {name}.",
    "raise_cap": "Raise the budget with --max-calls or --max-cost and resume.",
    "name_judge": "Name one: --judge groq/openai/gpt-oss-120b.",
    "name_ability": "Name one: --ability noise_robustness.",
    "name_system": "Name it: --system module:function, or --system rag.toml.",
    "delete_a_run": "Delete one on the Runs page of the app.",
    "delete_upload": "Delete it on the Datasets page of the app.",
    "save_run": (
        f"Save what is stored ({own_command()} export {{name}} --format raw), "
        "or delete it on the Runs page of the app."
    ),
    "replace_file": "Choose another name, or replace it on purpose (--replace).",
    "name_columns": "To say which columns they are: --column FIELD=COLUMN for each.",
    "choose_table": "Choose one: --table NAME.",
    "name_encoding": "Name the right one: --encoding windows-1250.",
    "skip_broken": "Or leave these rows out with --skip-broken.",
    "collect": "Collect the answers with resume.",
    "compare_groups": 'Or compare its groups: --by "{name}".',
}
