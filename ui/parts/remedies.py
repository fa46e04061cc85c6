"""What the app says of each remedy: where on its pages something is entered, changed or deleted."""

from __future__ import annotations

from evaluators.config import config
from evaluators.errors import PlumblineError
from evaluators.own_command import own_command
from evaluators.records import Reason, Words
from evaluators.text.language import mark, say, translated
from evaluators.text.words import joined_sentences

IN_APP: Words = {
    "enter_key": mark("Enter one on the Settings page or set {name}."),
    "enter_address": mark("Enter one on the Settings page."),
    "restore_address": mark("Change it back on the Settings page."),
    "check_key": mark("Check on the Settings page that it is complete and active."),
    "reenter_key": mark("Enter it again on the Settings page."),
    "check_address": mark("Check the base URL on the Settings page."),
    "correct_address": mark("Correct it on the Settings page."),
    "check_network": mark("Check the network, and the base URL on the Settings page."),
    "raise_cap": mark("Raise the budget and resume."),
    "name_judge": mark("Choose one."),
    "name_ability": mark("Choose one."),
    "name_system": mark(
        "Add it on the Settings page under the same name, or go on in Python or the terminal."
    ),
    "delete_a_run": mark("Delete one on the Runs page."),
    "delete_upload": mark("Delete it on the Datasets page."),
    "save_run": mark(
        "Save what is stored ({plumbline} export {name} --format raw), or "
        "delete it on the Runs page."
    ),
    "replace_file": mark("Choose another name."),
    "name_columns": mark("Choose the columns on the Datasets page."),
    "choose_table": mark("Choose one on the Datasets page."),
    "name_encoding": mark("Choose one on the Datasets page."),
    "skip_broken": mark("Upload the file on the Datasets page, which leaves these rows out."),
    "collect": mark("Resume collects the answers."),
    "compare_groups": mark("Or compare its groups on its page: Compare by {name}."),
}
ON_PUBLIC_HOST: Words = {
    **IN_APP,
    "enter_key": mark("Enter one on the Settings page."),
    "name_system": mark("A public host asks none: go on where it runs."),
}
"""A visitor cannot set a variable of the host, and it asks no systems of theirs."""

ON_SETTINGS: Words = {
    **IN_APP,
    "check_key": mark("Check that it is complete and active."),
    "reenter_key": mark("Enter it again."),
    "check_address": mark("Check the base URL."),
    "correct_address": mark("Correct it."),
    "check_network": mark("Check the network, and the base URL."),
}
"""On the Settings page itself, where a key is tested."""

NEED_SETTINGS = ("enter_key", "enter_address", "restore_address")
"""Remedies that are a click away: the page is linked beside the message."""


def worded(problem: PlumblineError | Reason, words: Words | None = None) -> str:
    """What happened and what to do about it, in these words of the app, else in the usual ones."""
    reason = problem.reason if isinstance(problem, PlumblineError) else problem
    message = translated(reason.message)
    if reason.remedy is None:
        return message
    usual = ON_PUBLIC_HOST if config().public else IN_APP
    code, name = reason.remedy.code, reason.remedy.name
    remedy = say((words or usual)[code], name=name, plumbline=own_command())
    return joined_sentences((message, remedy))
