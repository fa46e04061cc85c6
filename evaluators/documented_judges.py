"""The constructor that AdalFlow documents for its judges, as Plumbline understands it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from evaluators.base import Evaluator
from evaluators.errors import AccessError, ParameterError
from evaluators.llm import LLMClient
from evaluators.llm.connect import connect, sdk_name
from evaluators.llm.judges import as_judges, judge_of_environment, key_variables
from evaluators.llm.remembered import RememberedAnswers
from evaluators.text.printable import shown


@dataclass
class DocumentedJudge:
    """A judge with its settings.

    `model_client` is whatever may be given as an `llm_client`, `model_kwargs` may name the model
    (`{"model": "gpt-6-luna"}`), and with `use_cache` the same question is sent once. A template is
    refused with the place where one can say what to judge.
    """

    who: ClassVar[str] = "The judge"
    own_words: ClassVar[str] = ""
    """Where a person's own words go."""

    model_client: Any = None
    model_kwargs: Mapping[str, Any] | None = None
    template: str | None = None
    use_cache: bool = True
    client: LLMClient | None = field(init=False, repr=False)
    """What is asked; `None` leaves it to the key of the environment."""

    def __post_init__(self) -> None:
        if self.template is not None:
            raise ParameterError(f"{self.who}: template cannot be set here. {self.own_words}.")
        if not isinstance(self.model_kwargs, Mapping | None):
            raise ParameterError(
                f'{self.who}: model_kwargs is {shown(self.model_kwargs)}. Give {{"model": "..."}}.'
            )
        kwargs = dict(self.model_kwargs or {})
        model = kwargs.pop("model", None)
        if kwargs:
            raise ParameterError(
                f"{self.who}: model_kwargs can name the model only, not {min(kwargs)!r}. "
                "The other settings belong to the client, as its ModelSpec."
            )
        if model and self.model_client is None:
            client: Any = connect(model)
        elif model and sdk_name(self.model_client):
            client = connect(self.model_client, model=model)
        elif model:
            raise ParameterError(
                f"{self.who}: the client asks a model of its own. Leave model_kwargs out."
            )
        else:
            client = as_judges(self.model_client, 1, self.who)
        remembers = client is not None and self.use_cache
        self.client = RememberedAnswers(client) if remembers else client


def with_client(params: Any) -> Any:
    """Parameters of an evaluator in which `llm_judge` is one more name of `llm_client`.

    A documented judge stands for its client.
    """
    if not isinstance(params, dict):
        return params
    renamed = {"llm_client" if name == "llm_judge" else name: params[name] for name in params}
    judge = renamed.get("llm_client")
    if isinstance(judge, DocumentedJudge):
        renamed["llm_client"] = judge.client
    return renamed


def client_of(evaluator: Evaluator) -> LLMClient:
    """The judge that the evaluator was given, or else the one that the environment has a key for.

    Raises `AccessError` where there is neither. For the documented `compute` alone: a run names its
    judge, so that it is known beforehand who is paid.
    """
    named = getattr(evaluator, "llm_client", None)
    judge = named or judge_of_environment()
    if judge is None:
        *first, last = key_variables()
        raise AccessError(
            f"{evaluator.title} needs a judge. Set {', '.join(first)} or {last} in the "
            "environment, or give a model, or its client, as llm_client."
        )
    return judge
