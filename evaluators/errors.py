"""Everything that can go wrong, as a tree; each message says what happened, the value, and what to do.

PlumblineError
├── DatasetError        the file or its rows cannot be used
├── PromptError         a prompt template lacks a blank or has an unknown one
├── ParameterError      a parameter is out of range, or needs a package that is missing
├── MissingInputError   a sample lacks something that the evaluator needs
├── AccessError         no key, a key that cannot be one, an address that may not be asked
├── HostLimitError      a public host allows no more for now
├── RunElsewhereError   another process works on the run
├── StoreError          the run store cannot be read or written
│   └── UnstorableError     one value is of a kind that no store can hold
├── WorkerError         a sample failed in a worker process, or ended it
├── UnreadableRowError  one row of the store cannot be read; all others can
└── LLMError            a model gave no usable answer: this sample fails
    ├── UnreadableAnswerError  what the model said has not the shape that was asked for
    ├── TransientError  it may go better in a moment: tried again, and then this sample fails
    │   ├── RateLimitedError  the provider asks to wait: all that uses the key waits; no try is counted
    │   └── UnreachableError  nobody listens at the address: after its tries the run stops
    └── RunStoppedError nothing can go on until a person acts or time passes: the run stops, everything is kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime


class PlumblineError(Exception):
    """A problem that a person can solve; its text is fit for the screen."""


class DatasetError(PlumblineError):
    """The file or its rows cannot be used."""


class PromptError(PlumblineError):
    """A prompt template lacks a blank or has an unknown one."""


class ParameterError(PlumblineError):
    """A parameter is out of range, or needs a package that is not installed."""


class MissingInputError(PlumblineError):
    """A sample lacks something that the evaluator needs."""


class AccessError(PlumblineError):
    """There is no key, the text cannot be a key, or the address may not be asked."""


class HostLimitError(PlumblineError):
    """A public host allows this visitor, or all together, no more for now."""


class RunElsewhereError(PlumblineError):
    """Another process works on this run, and two would pay twice."""


class StoreError(PlumblineError):
    """The run store cannot be read or written."""


class UnstorableError(StoreError):
    """One value is of a kind that no store can hold: too long, a number out of range, half a character."""


class WorkerError(PlumblineError):
    """A sample failed in a worker process, or ended it; `foreign` is the kind of an error that is none of ours."""

    def __init__(self, message: str, details: str = "", *, foreign: str = "") -> None:
        super().__init__(message)
        self.details = details
        self.foreign = foreign


class UnreadableRowError(PlumblineError):
    """One row of the store cannot be read: damaged, or written by another version. All others can."""


class LLMError(PlumblineError):
    """A model gave no usable answer; `details` holds status, code and request id for the curious."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class UnreadableAnswerError(LLMError):
    """What the model said has not the shape that was asked for; `details` are its own words.

    `texts` are the whole answers that were of no use: they are paid for, but must not serve again.
    """

    def __init__(self, message: str, details: str = "", *, texts: Sequence[str] = ()) -> None:
        super().__init__(message, details)
        self.texts = tuple(texts)


class TransientError(LLMError):
    """It may go better in a moment; `tries` is how often a request is sent in all before its sample fails."""

    def __init__(self, message: str, details: str = "", *, tries: int = 5, wait: float | None = None) -> None:
        super().__init__(message, details)
        self.tries = tries
        self.wait = wait
        """Seconds that the provider asked to wait."""


class RateLimitedError(TransientError):
    """The provider asks to wait, by its `headers`; that is no failure and is not counted as a try."""

    def __init__(
        self, message: str, details: str = "", *, wait: float | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, details, wait=wait)
        self.headers = headers or {}


class UnreachableError(TransientError):
    """No connection to the address: when the tries are used up, that is so for every other sample too."""


class RunStoppedError(LLMError):
    """Nothing in the run can go on until a person acts or, where `resume_at` is known, until then."""

    def __init__(self, message: str, details: str = "", *, resume_at: datetime | None = None) -> None:
        super().__init__(message, details)
        self.resume_at = resume_at
