"""A key that its endpoint sends back is kept nowhere: not in the store, and so in no page, table or
export either.
"""

import pytest
from pydantic import SecretStr

from evaluators.api.results import Results
from evaluators.errors import LLMError
from evaluators.llm import Access
from evaluators.llm.clients import ask_models
from evaluators.records import Dataset, EvaluatorSpec, ModelSpec
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from tests.echoes import FORMS, traces, ways
from tests.loopback import in_json, problem
from tests.runs import paid

KEY = "MARKEDKEY-7f3a9c1e5b2d4860aabbccdd"


def test_the_search_finds_every_form_of_a_key():
    assert [form for form, made in FORMS.items() if not traces(made(KEY).encode(), KEY)] == []
    assert traces(b"nothing of the kind", KEY) == set()


def kept_and_shown(store, run):
    """The bytes of the store's files, and what a terminal or an export makes of the run."""
    files = [path.read_bytes() for path in store.path.parent.iterdir() if path.is_file()]
    results = Results(run, store)
    return b"".join(
        [*files, repr(results).encode(), *(str(line).encode() for line in results.lines())]
    )


def test_no_form_of_a_key_that_comes_back_is_stored_or_shown(store, registry, loopback):
    found = ways(KEY)
    server = loopback(respond=lambda asked: found[asked.model])
    models = tuple(
        ModelSpec(provider=provider, model=way) for provider in ("openai", "groq") for way in found
    )
    run = paid.paid_run(store, paid.dataset(1), models)
    registry.start(run, store, access_to(server)).wait(60)

    assert sorted({asked.model for asked in server.asked}) == sorted(found)
    content = kept_and_shown(store, run)
    assert traces(content, KEY) == set()
    assert b"MARK" not in content.upper()
    # Three answers are withheld or no answers, the others of what came with status 200 were paid for
    # and count.
    answers = [way for way in found if found[way].status == 200]
    assert store.results.counts(run).scored == 2 * (len(answers) - 3)


def test_what_a_judge_says_of_a_key_is_not_kept(store, registry, loopback):
    found = {name: ways(KEY)[name] for name in ("as it is in the answer", "as it is in no JSON")}
    server = loopback(respond=lambda asked: found[asked.model])
    sample = paid.dataset(1).samples[0].model_copy(update={"response": "Mina Osei."})
    for way in found:
        judges = (ModelSpec(provider="openai", model=way),)
        spec = EvaluatorSpec(name="llm_judge")
        run = create_run(
            store,
            RunPlan(
                Dataset(name="d", samples=(sample,)),
                inputs.evaluators(spec),
                title=way,
                judges=judges,
            ),
            workspace="w",
        )
        registry.start(run, store, access_to(server)).wait(60)
        assert traces(kept_and_shown(store, run), KEY) == set()
    assert "***" in store.results.get(run.id, 0).details


def access_to(server):
    addresses = {"openai": server.base_url, "groq": server.address}
    return {
        name: Access(provider=name, base_url=address, key=SecretStr(KEY))
        for name, address in addresses.items()
    }


@pytest.mark.parametrize("provider", ["openai", "groq"])
def test_a_list_of_models_shows_no_key(provider, loopback):
    listed = [
        KEY,
        "good",
        f"x{KEY}",
        KEY.upper(),
        5,
        None,
        {"id": "fine/2"},
        {"id": ["no"]},
        {"id": "y" * 10**6},
    ]
    entries = [each if isinstance(each, dict) else {"id": each} for each in listed]

    def listed_by(response):
        return ask_models(access_to(loopback(models=response))[provider])

    assert listed_by(in_json({"object": "list", "data": entries})) == {"good": "", "fine/2": ""}
    assert listed_by(in_json(["good", 7])) == {"good": ""}
    with pytest.raises(LLMError) as caught:
        listed_by(problem(403, "x" * 280 + KEY, "x" * 190 + KEY))
    assert traces((str(caught.value) + caught.value.details).encode(), KEY) == set()
