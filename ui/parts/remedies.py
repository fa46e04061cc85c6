"""What the app says of each remedy: where on its pages something is entered, changed or deleted."""

from __future__ import annotations

from evaluators.config import config
from evaluators.errors import PlumblineError
from evaluators.records import Reason, Words

IN_APP: Words = {
    "enter_key": "Enter one on the Settings page or set {name}.",
    "enter_address": "Enter one on the Settings page.",
    "restore_address": "Change it back on the Settings page.",
    "check_key": "Check on the Settings page that it is complete and active.",
    "reenter_key": "Enter it again on the Settings page.",
    "check_address": "Check the base URL on the Settings page.",
    "correct_address": "Correct it on the Settings page.",
    "check_network": "Check the network, and the base URL on the Settings page.",
    "raise_cap": "Raise the budget and resume.",
    "name_judge": "Choose one.",
    "name_ability": "Choose one.",
    "delete_a_run": "Delete one on the Runs page.",
    "delete_upload": "Delete it on the Datasets page.",
    "save_run": (
        "Save what is stored (python -m evaluators export {name} --format raw), or "
        "delete it on the Runs page."
    ),
    "replace_file": "Choose another name.",
    "name_columns": "Choose the columns on the Datasets page.",
    "choose_table": "Choose one on the Datasets page.",
    "skip_broken": "Upload the file on the Datasets page, which leaves these rows out.",
}
ON_PUBLIC_HOST: Words = {**IN_APP, "enter_key": "Enter one on the Settings page."}
"""A visitor cannot set a variable of the host."""

ON_SETTINGS: Words = {
    **IN_APP,
    "check_key": "Check that it is complete and active.",
    "reenter_key": "Enter it again.",
    "check_address": "Check the base URL.",
    "correct_address": "Correct it.",
    "check_network": "Check the network, and the base URL.",
}
"""On the Settings page itself, where a key is tested."""

NEED_SETTINGS = ("enter_key", "enter_address", "restore_address")
"""Remedies that are a click away: the page is linked beside the message."""


def worded(problem: PlumblineError | Reason) -> str:
    """What happened and what to do about it, in the words of the app."""
    reason = problem.reason if isinstance(problem, PlumblineError) else problem
    return reason.worded(ON_PUBLIC_HOST if config().public else IN_APP)
