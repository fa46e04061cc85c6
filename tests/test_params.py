"""Declared parameters: what a form reads from the fields of an evaluator."""

from typing import Any, Literal

import pytest
from pydantic import Field

from evaluators.base import Evaluator
from evaluators.catalogue import catalogue
from evaluators.params import Parameter, parameters
from evaluators.rgb_evaluator import RGBEvaluator


class Everything(Evaluator):
    """One field of each kind."""

    is_strict: bool = False
    chunk_size: int = Field(512, ge=50, le=2000, description="Words per chunk")
    share: float = Field(0.5, ge=0, le=1, title="Part")
    at_least: int = Field(1, ge=1)
    policy: Literal["documented", "paper"] = "paper"
    fields: tuple[Literal["question", "response"], ...] = ("response",)
    note: str = "none"
    llm_client: Any = None


@pytest.mark.parametrize(
    "expected",
    [
        {"name": "is_strict", "title": "Is strict", "kind": "bool", "default": False},
        {"name": "chunk_size", "title": "Chunk size", "kind": "int", "default": 512, "description": "Words per chunk",
         "minimum": 50, "maximum": 2000},
        {"name": "share", "title": "Part", "kind": "float", "default": 0.5, "minimum": 0, "maximum": 1},
        {"name": "at_least", "title": "At least", "kind": "int", "default": 1, "minimum": 1},
        {"name": "policy", "title": "Policy", "kind": "choice", "default": "paper",
         "choices": ("documented", "paper")},
        {"name": "fields", "title": "Fields", "kind": "choices", "default": ("response",),
         "choices": ("question", "response")},
        {"name": "note", "title": "Note", "kind": "text", "default": "none"},
    ],
    ids=lambda parameter: parameter["name"],
)  # fmt: skip
def test_a_field_becomes_a_parameter(expected):
    assert Parameter(**expected) in parameters(Everything)


def test_parameters_keep_their_order_and_leave_out_the_client():
    names = [parameter.name for parameter in parameters(Everything)]

    assert names == ["is_strict", "chunk_size", "share", "at_least", "policy", "fields", "note"]


def test_rgb_offers_its_policy_its_two_options_and_how_its_judge_is_asked():
    kinds = {
        parameter.name: (parameter.kind, parameter.default)
        for parameter in parameters(RGBEvaluator)
    }

    assert kinds == {
        "policy": ("choice", "documented"),
        "nfkc": ("bool", True),
        "remove_reasoning": ("bool", True),
        "decides": ("bool", False),
    }


def test_every_parameter_of_the_catalogue_is_described_and_its_default_fits():
    for name, cls in catalogue().items():
        if name.startswith("test_"):
            continue
        for parameter in parameters(cls):
            assert parameter.description, f"{name}.{parameter.name}"
            assert cls.build(**{parameter.name: parameter.default}) == cls.build()
