"""What a run can be set to is declared once: Python and the terminal take the same settings."""

import inspect

import pytest

from evaluators import PlumblineError, estimate, evaluate
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.llm.catalogue import OFFLINE
from evaluators.runs.inputs import local_store
from evaluators.runs.run_options import SETTINGS
from evaluators.terminal.arguments import plan_of_options


@pytest.mark.parametrize("door", [evaluate, estimate])
def test_the_help_of_a_door_names_every_setting_with_what_is_usual(door):
    listed = inspect.signature(door).parameters

    assert {name: listed[name].default for name in SETTINGS} == {
        name: setting.usual for name, setting in SETTINGS.items()
    }


def test_an_estimate_takes_the_call_of_the_run_as_it_stands():
    names = [list(inspect.signature(door).parameters) for door in (evaluate, estimate)]

    assert names[0] == names[1]
    models, judges = estimate(TRACE_SAMPLES, "trace", run="Tuesday", progress=False)
    assert not models
    assert not judges


def test_a_test_bed_is_composed_in_python_as_in_the_terminal():
    settings = {
        "model": OFFLINE.id,
        "ability": ["negative_rejection", "noise_robustness"],
        "noise": [0.4, 0],
        "passages": 4,
        "seed": 3,
        "sample": 2,
    }

    run = evaluate(ENGLISH_BED, "rgb", **settings, progress=False).run

    options = {"data": ENGLISH_BED, "metric": ["rgb"], **settings, "model": [OFFLINE.id]}
    assert run.origin["noise_levels"] == [0.0, 0.4]
    assert run.fingerprint == plan_of_options(options, local_store(), {}).dataset.fingerprint


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"noise": 0.2}, "noise is for RGB questions"),
        ({"noise": object}, "noise is a type. Give a number from 0 to 1"),
        ({"ability": "flying"}, "ability is 'flying'. Known: noise_robustness"),
        ({"temperature": 3}, "temperature is 3. Give a number from 0 to 2"),
        ({"temperature": float("nan")}, "temperature is nan. Give a number from 0 to 2"),
        ({"answer_tokens": 2.5}, "answer_tokens is 2.5. Give a whole number from 16 to 32,768"),
        ({"prompt": "$question $documents"}, "none is named. Name a model"),
        ({"use_cache": "no"}, "use_cache is 'no'. Give True or False"),
        ({"repeats": 11}, "repeats is 11. Give a whole number from 1 to 10"),
    ],
)
def test_what_a_setting_cannot_be_is_refused(settings, words):
    with pytest.raises(PlumblineError) as refused:
        evaluate(TRACE_SAMPLES, "trace", **settings, progress=False)

    assert words in str(refused.value)


def test_an_unknown_setting_is_refused_with_the_known_ones():
    with pytest.raises(TypeError, match=r"samples is not a setting\. Known: columns, table"):
        estimate(TRACE_SAMPLES, "trace", samples=3)
