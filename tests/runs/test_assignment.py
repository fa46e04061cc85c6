"""An assignment's link: it carries the settings of a run and nothing else, and no other is read."""

from __future__ import annotations

import base64
import json

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.errors import ParameterError
from evaluators.llm import catalogue
from evaluators.llm.catalogue import OFFLINE
from evaluators.records import Ability, Cap, EvaluatorSpec, ModelSpec, Run
from evaluators.runs import assignment
from evaluators.runs.examples import INVENTED, NOISE, find
from evaluators.runs.settings import settings_of
from evaluators.runs.store import Store

TRACE = {"data": TRACE_SAMPLES, "evaluators": [{"name": "trace"}]}
SECRET = "sk-0123456789-secret"
LUNA = catalogue.find("openai/gpt-6-luna").spec(temperature=0.5, answer_tokens=3000)


def token(link: object) -> str:
    text = link if isinstance(link, bytes) else json.dumps(link).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def run_of(**fields: object) -> Run:
    usual = {
        "id": "r",
        "workspace": "mine-4fT9qLx2Vb7Rz1_KcW",
        "created": "2026-11-23T07:00:00+00:00",
        "title": "t",
        "dataset_name": TRACE_SAMPLES,
        "fingerprint": "f",
        "evaluators": (EvaluatorSpec(name="trace", params={"chunk_size": 300}),),
    }
    return Run.model_validate(usual | fields)


def carried(run: Run) -> Run:
    return assignment.as_run(assignment.read(assignment.token_of(run)))


@pytest.mark.parametrize(("name", "models"), [(NOISE, [OFFLINE.id]), (INVENTED, [])])
def test_an_example_comes_out_with_its_settings_but_those_models_that_are_made_up(
    name, models, tmp_path
):
    store = Store(tmp_path / "plumbline.sqlite3")
    run = find(store, name)
    store.close()
    assert run is not None

    begun = carried(run)

    assert [spec.id for spec in begun.models] == models
    assert begun.judges == ()
    of_models = {"models", "judges", "asked with"}
    expected = {name: words for name, words in settings_of(run).items() if name not in of_models}
    assert settings_of(begun).items() >= expected.items()


def test_a_run_comes_out_with_the_settings_that_went_in():
    run = run_of(
        dataset_name=ENGLISH_BED,
        evaluators=(EvaluatorSpec(name="rgb", params={"nfkc": False, "policy": "paper"}),),
        models=(LUNA,),
        judges=(LUNA,),
        prompt="Answer $question from $documents, 简体",
        seed=7,
        cap=Cap(cost=1.5),
        repeats=3,
        origin={
            "sample": 20,
            "abilities": [Ability.NOISE],
            "noise_levels": [0.0, 0.3, 0.6],
            "passages": 4,
        },
    )

    begun = carried(run)

    # The parameters that the run left as they are stand there as well.
    assert settings_of(begun).items() >= settings_of(run).items()
    assert begun.origin["noise_levels"] == [0.0, 0.3, 0.6]
    assert begun.models == begun.judges == (LUNA,)


def test_a_link_holds_no_workspace_and_no_address_of_a_model():
    own = ModelSpec(provider="custom", model="mine", base_url=f"http://10.0.0.1/?key={SECRET}")
    run = run_of(judges=(own,), evaluators=(EvaluatorSpec(name="gpt_labeling"),))
    padded = assignment.token_of(run) + "=="

    text = base64.urlsafe_b64decode(padded).decode()

    assert run.workspace not in text
    assert "10.0.0.1" not in text
    assert SECRET not in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"evaluators": (EvaluatorSpec(name="prompt"),)}, "A metric of your own"),
        ({"prompt": "$question $documents" + "x" * 9000}, "prompt: String should have at most"),
        ({"prompt": "$question $documents" + "简" * 7000}, "too long for a link"),
    ],
)
def test_what_others_cannot_have_gets_no_link(fields, words):
    with pytest.raises(ParameterError, match=words.replace("$", r"\$")):
        assignment.token_of(run_of(**fields))


HOSTILE = {
    "not base64": ("$$$", "not whole"),
    "cut": (token(TRACE)[:-3], "cannot be used"),
    "empty": ("", "cannot be used"),
    "too long": ("a" * 12_001, "too long"),
    "not JSON": (token(b"<script>alert(1)</script>"), "not whole"),
    "not UTF-8": (token(b'{"data":"\xff"}'), "not whole"),
    "half a character": (token(b'{"data":"\\ud800","evaluators":[]}'), "not whole"),
    "a list": (token([]), "should be an object"),
    "deep": (token(b"[" * 8000), "not whole"),
    "no data": (token({"evaluators": [{"name": "trace"}]}), "data: Field required"),
    "long name": (token({**TRACE, "data": "d" * 300}), "at most 200"),
    "no metric": (token({**TRACE, "evaluators": []}), "at least 1"),
    "unknown field": (token({**TRACE, "w": "mine-4fT9qLx2Vb7Rz1_KcW"}), "w: Extra inputs"),
    "a key": (token({**TRACE, "api_key": SECRET}), "api_key: Extra inputs"),
    "seed below": (token({**TRACE, "seed": -1}), "seed: Input should be greater"),
    "seed above": (token({**TRACE, "seed": 2**31 + 1}), "seed: Input should be less"),
    "seed of thousands of figures": (
        token(b'{"data":"d","evaluators":[{"name":"trace"}],"seed":' + b"9" * 5000 + b"}"),
        "not whole",
    ),
    "no number": (token({**TRACE, "temperature": float("nan")}), "temperature"),
    "too many samples": (token({**TRACE, "sample": 10**9}), "sample"),
    "budget": (token({**TRACE, "cap": {"calls": 10**18}}), "cap.calls"),
    "repeats": (token({**TRACE, "repeats": 11}), "repeats"),
    "noise beyond": (token({**TRACE, "noise": [1.0]}), "noise.0"),
    "noise between": (token({**TRACE, "noise": [0.25]}), "multiple of 0.1"),
    "ability": (token({**TRACE, "ability": ["<b>"]}), "ability"),
    "no model": (token({**TRACE, "model": ["x"]}), "model.0"),
    "hub address": (
        token({**TRACE, "hub": {"id": "https://evil", "config": "c", "split": "s", "rows": 1}}),
        "hub.id",
    ),
    "markup as a metric": (
        token({**TRACE, "evaluators": [{"name": "<img src=x onerror=alert(1)>"}]}),
        "No metric is called",
    ),
    "a parameter's value": (
        token({**TRACE, "evaluators": [{"name": "trace", "params": {"chunk_size": 10**9}}]}),
        "chunk_size",
    ),
    "a parameter's name": (
        token({**TRACE, "evaluators": [{"name": "trace", "params": {"chunksize": 100}}]}),
        "chunksize is not a parameter",
    ),
    "a client": (
        token({**TRACE, "evaluators": [{"name": "gpt_labeling", "params": {"llm_client": "x"}}]}),
        "cannot be used",
    ),
    "somebody's prompt": (
        token({**TRACE, "evaluators": [{"name": "prompt", "params": {"title": "x"}}]}),
        "somebody wrote",
    ),
    "two benchmarks": (
        token({**TRACE, "evaluators": [{"name": "trace"}, {"name": "rgb"}]}),
        "do not go together",
    ),
    "a metric twice": (
        token({**TRACE, "evaluators": [{"name": "answer_match"}, {"name": "answer_match"}]}),
        "do not go together",
    ),
    "too many judges": (
        token(
            {
                **TRACE,
                "evaluators": [{"name": "gpt_labeling"}],
                "judge": [f"a/{n}" for n in range(9)],
            }
        ),
        "more judges",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_link_is_refused_in_a_short_message(name):
    text, words = HOSTILE[name]

    with pytest.raises(ParameterError) as refused:
        assignment.read(text)

    message = str(refused.value)
    assert words in message
    assert len(message) < 400
    assert SECRET not in message
