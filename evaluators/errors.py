"""Everything that can go wrong, as a tree.

Each message says what happened, the value, and what to do.

PlumblineError
├── DatasetError        the file or its rows cannot be used
├── PromptError         a prompt template lacks a blank or has an unknown one
├── ParameterError      a parameter is out of range, or needs a package that is missing
├── OwnCodeError        a function of a person's own raised, or returned no value
├── MissingInputError   a sample lacks something that the evaluator needs
├── AccessError         no key, a key that cannot be one, an address that may not be asked
├── HostLimitError      a public host allows no more for now
├── RunElsewhereError   another process works on the run
├── StoreError          the run store cannot be read or written
│   └── UnstorableError     one value is of a kind that no store can hold
├── WorkerError         a sample failed in a worker process, or ended it
├── UnreadableRowError  one row of the store cannot be read; all others can
└── LLMError            a model gave no usable answer: this sample fails
    ├── NoAnswerError   the model said nothing, in every try
    ├── UnreadableAnswerError  what the model said has not the shape that was asked for
    ├── TransientError  it may go better in a moment: tried again, and then this sample fails
    │   ├── LateError   the answer was given up; a budget counts it as paid for
    │   ├── RateLimitedError  the provider asks to wait: all that uses the key does
    │   └── UnreachableError  nobody listens at the address: after its tries the run stops
    └── RunStoppedError nothing can go on until a person acts: the run stops, all is kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from evaluators.records import Reason, ReasonKind, Remedy, Words
from evaluators.surrogates import without_surrogates

IN_PYTHON: Words = {
    "enter_key": "Set {name}, or pass api_key to connect.",
    "enter_address": "Set {name}.",
    "restore_address": "Set {name} to what it was.",
    "check_key": "Check that {name} is complete and active.",
    "reenter_key": "Set {name} again.",
    "check_address": "Check {name}.",
    "correct_address": "Correct {name}.",
    "check_network": "Check the network, and {name}.",
    "raise_cap": "Raise the budget and resume.",
    "name_judge": 'Name one: judge="groq/openai/gpt-oss-120b".',
    "name_ability": "Name one with all_with_ability(...) of evaluators.datasets.rgb.",
    "name_system": "Pass it to evaluate again: system=ask.",
    "delete_a_run": "Delete one with store.runs.delete.",
    "delete_upload": "Delete it with store.uploads.delete.",
    "save_run": (
        'Save what is stored with store.runs.raw("{name}"), or delete it with store.runs.delete.'
    ),
    "replace_file": "Choose another name, or pass replace=True.",
    "name_columns": 'To say which columns they are: columns={{"FIELD": "COLUMN"}}.',
    "choose_table": 'Choose one: table="...".',
    "name_encoding": 'Name the right one: encoding="windows-1250".',
    "skip_broken": "Or leave these rows out with skip_broken=True.",
    "collect": "Collect the answers by calling evaluate again with the same arguments.",
    "compare_groups": 'Or compare its groups: by="{name}".',
}
"""What `str(error)` says of a remedy; the app and the terminal have words of their own."""


class PlumblineError(Exception):
    """A problem that a person can solve; its text is fit for the screen.

    A remedy that differs between the app, the terminal and Python is not a part of `message`:
    `str` adds it in the words of Python, the other two say `reason.worded(...)` with theirs.
    """

    kind: ReasonKind = "unexpected"
    remedy: Remedy | None = None

    def __init__(self, message: str = "", *, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy

    @property
    def message(self) -> str:
        # Not `str`, which would make a plain text of a message.
        return self.args[0] if self.args else ""

    def __str__(self) -> str:
        return f"{self.message} {self.remedy.worded(IN_PYTHON)}" if self.remedy else self.message

    @property
    def reason(self) -> Reason:
        """What is kept of it where it stopped a run or failed a result."""
        # Half a character of a bad file's name can be shown, but not stored.
        message = without_surrogates(self.message)
        return Reason(kind=self.kind, message=message, remedy=self.remedy)


class DatasetError(PlumblineError):
    """The file or its rows cannot be used."""

    kind: ReasonKind = "data"


class RunFileError(DatasetError):
    """A run file was changed, damaged, is too large or from a newer version."""


class PromptError(PlumblineError):
    """A prompt template lacks a blank or has an unknown one."""

    kind: ReasonKind = "prompt"


class ParameterError(PlumblineError):
    """A parameter is out of range, or needs a package that is not installed."""

    kind: ReasonKind = "parameter"


class OwnCodeError(PlumblineError):
    """Code of a person's own, such as a function that is a metric, raised or returned no value."""

    kind: ReasonKind = "own_code"


class MissingInputError(PlumblineError):
    """A sample lacks something that the evaluator needs."""

    kind: ReasonKind = "input"


class AccessError(PlumblineError):
    """There is no key, the text cannot be a key, or the address may not be asked."""

    kind: ReasonKind = "access"


class HostLimitError(PlumblineError):
    """A public host allows this visitor, or all together, no more for now."""

    kind: ReasonKind = "host"


class RunElsewhereError(PlumblineError):
    """Another process works on this run, and two would pay twice."""

    kind: ReasonKind = "elsewhere"


class StoreError(PlumblineError):
    """The run store cannot be read or written."""

    kind: ReasonKind = "store"


class UnstorableError(StoreError):
    """One value cannot be stored: too long, a number out of range, half a character."""


class WorkerError(PlumblineError):
    """A sample failed in a worker process, or ended it.

    `foreign` is the class of an error that is not ours; `kind` and `remedy` are those of the error
    in the worker, where there was one.
    """

    kind: ReasonKind = "worker"

    def __init__(
        self,
        message: str,
        details: str = "",
        *,
        foreign: str = "",
        kind: ReasonKind = "worker",
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.details = details
        self.foreign = foreign
        self.kind = kind


class UnreadableRowError(PlumblineError):
    """One row of the store cannot be read, all others can.

    It is damaged, or was written by another version.
    """

    kind: ReasonKind = "row"


class LLMError(PlumblineError):
    """A model gave no usable answer; `details` holds status, code and request id."""

    kind: ReasonKind = "model"
    did_nothing = False
    """Whether the provider surely did nothing, as it refused or was not reached."""

    def __init__(
        self,
        message: str,
        details: str = "",
        *,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.details = details


class NoAnswerError(LLMError):
    """The model said nothing, in every try: of one that answers a question that is its answer."""

    documents: tuple[str, ...] | None = None
    """What a system retrieved all the same."""


class UnreadableAnswerError(LLMError):
    """What the model said has not the shape that was asked for; `details` are its own words.

    `texts` are the whole answers that were of no use: they are paid for, but must not serve again.
    """

    kind: ReasonKind = "unreadable"

    def __init__(
        self,
        message: str,
        details: str = "",
        *,
        texts: Sequence[str] = (),
    ) -> None:
        super().__init__(message, details)
        self.texts = tuple(texts)


MOST_TRIES = 5
"""How often a request is sent at most, not counting those that the provider asked to wait."""


class TransientError(LLMError):
    """It may go better in a moment.

    `tries` is how often a request may end so before its sample fails.
    """

    kind: ReasonKind = "outage"

    def __init__(
        self,
        message: str,
        details: str = "",
        *,
        tries: int = MOST_TRIES,
        wait: float | None = None,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message, details, remedy=remedy)
        self.tries = tries
        self.wait = wait
        """Seconds that the provider asked to wait."""


class LateError(TransientError):
    """The answer was given up; it may be written to its end, and paid for, all the same."""


class RateLimitedError(TransientError):
    """The provider asks to wait, by its `headers`; that does not count as a try."""

    kind: ReasonKind = "limits"

    def __init__(
        self,
        message: str,
        details: str = "",
        *,
        wait: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, details, wait=wait)
        self.headers = headers or {}


class UnreachableError(TransientError):
    """No connection to the address.

    When the tries are used up, the run stops: no other sample would reach it either.
    """

    kind: ReasonKind = "unreachable"
    did_nothing = True


class RunStoppedError(LLMError):
    """Nothing in the run can go on until a person acts, or until `resume_at` where it is known."""

    def __init__(
        self,
        message: str,
        details: str = "",
        *,
        kind: ReasonKind = "model",
        resume_at: datetime | None = None,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message, details, remedy=remedy)
        self.kind = kind
        self.resume_at = resume_at
