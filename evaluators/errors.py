"""Everything that can go wrong, as a tree; each message says what happened, the value, and what to do.

PlumblineError
├── DatasetError      the file or its rows cannot be used
├── PromptError       a prompt template lacks a blank or has an unknown one
├── ParameterError    an evaluator's parameter is out of range, or needs a package that is missing
├── MissingInputError a sample lacks something that the evaluator needs
├── GeneratorError    the generator gave no usable answer
└── StoreError        the run store cannot be read or written
"""


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


class GeneratorError(PlumblineError):
    """The generator gave no usable answer."""


class StoreError(PlumblineError):
    """The run store cannot be read or written."""
