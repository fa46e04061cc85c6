"""Prompts to a provider in trouble: calls made, calls repeated, seconds.

`default` has 50 prompts and nothing set by hand: calls that hang are given up by what was seen.
`judged` are 300 answers for a judge, of whose words one in twenty cannot be read, behind a proxy
that now and then sends a page; `times` as long as without a fault.
"""

import json
import os
import random
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from pydantic import SecretStr

from evaluators.llm import Access
from evaluators.llm_judge import LLMasJudge
from evaluators.records import Dataset, ModelSpec, Sample
from evaluators.runs.engine import create_run, registry
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Counts, Store
from tests.benchmarks.common import timed
from tests.benchmarks.llm import access_to, new_run, questions
from tests.loopback import Asked, Loopback

PROMPTS = 200
PASSING = ["429"] * 10 + ["500"] * 5 + ["hang"] * 2 + ["reset"] * 2
DEFAULT_PROMPTS = 50
DEFAULT = ["429"] * 10 + ["500"] * 5 + ["truncated"] * 5 + ["hang"] * 2
JUDGED_ANSWERS = 300
JUDGED = ["429"] * 10 + ["500"] * 5 + ["no json"] * 5 + ["hang"] * 2 + ["reset in the body", "html"]
JUDGE = ModelSpec(provider="openai", model="gpt-6-luna")
VERDICT = '{"reason": "The documents say so.", "verdict": "yes"}'
LASTING = "400 context"


def passing(seed: int, faults: list[str] = PASSING) -> Callable[[Asked], str]:
    """Of 100 requests so many, usually 10 refused for a second, 5 broken, 2 hanging, 2 cut off."""
    chance = random.Random(seed)
    kinds = dict(enumerate(faults))
    return lambda asked: kinds.get(chance.randrange(100), "")


def is_lasting(asked: Asked) -> bool:
    """The same prompts, about 5 of 100, whenever they are asked."""
    return zlib.crc32(asked.text.encode()) % 20 == 0


def survived(
    name: str,
    fault: Callable[[Asked], str],
    prompts: int = PROMPTS,
) -> dict[str, object]:
    """What became of a run against the faults."""
    with tempfile.TemporaryDirectory() as folder, Loopback(latency=0.05, fault=fault) as server:
        keys = {
            "openai": Access(provider="openai", base_url=server.base_url, key=SecretStr("sk-bench"))
        }
        store = Store(Path(folder) / "bench.sqlite3")
        with timed() as running:
            run = new_run(store, questions(prompts, name))
            registry.start(run, store, keys).wait()
        counts: Counts = store.results.counts(run)
        lasting = {asked.text for asked in server.asked if asked.fault == LASTING}
        return {
            "scored": counts.scored,
            "failed": counts.failed,
            "reasons": {reason.message: count for reason, count in store.results.failures(run.id)},
            "prompts_with_lasting_faults": len(lasting),
            "calls_made": len(server.asked),
            "calls_repeated": len(server.asked) - prompts,
            "answers_paid": server.answered,
            "seconds": round(running.seconds, 1),
        }


def judged(fault: Callable[[Asked], str] = lambda asked: "") -> dict[str, object]:
    """What became of answers that a judge was asked about."""
    rows = range(JUDGED_ANSWERS)
    with (
        tempfile.TemporaryDirectory() as folder,
        Loopback(latency=0.2, fault=fault, answer=lambda text: VERDICT) as server,
    ):
        keys = {"openai": access_to(server.base_url)}
        store = Store(Path(folder) / "bench.sqlite3")
        samples = tuple(Sample(id=f"{n}", question=f"Is {n}?", response="Yes.") for n in rows)
        metric = LLMasJudge(judgement_query="Is it kind?")
        plan = RunPlan(Dataset(name="Judged", samples=samples), [metric], judges=[JUDGE])
        with timed() as running:
            run = create_run(store, plan, workspace="bench")
            registry.start(run, store, keys).wait()
        counts: Counts = store.results.counts(run)
        return {
            "scored": counts.scored,
            "failed": counts.failed,
            "reasons": {reason.message: count for reason, count in store.results.failures(run.id)},
            "calls_made": len(server.asked),
            "seconds": round(running.seconds, 1),
        }


if __name__ == "__main__":
    without = judged()
    print(json.dumps({"judged without a fault": without}), flush=True)
    for seed in (12, 22, 23):
        result = judged(passing(seed, JUDGED))
        times = round(result["seconds"] / without["seconds"], 1)
        print(json.dumps({"judged": result | {"seed": seed, "times": times}}), flush=True)
    by_default = survived("default", passing(9, DEFAULT), DEFAULT_PROMPTS)
    os.environ["PLUMBLINE_CALL_SECONDS"] = "2"
    mixed = passing(8)
    print(
        json.dumps(
            {
                "default": by_default,
                "passing": survived("passing", passing(7)),
                "passing_and_lasting": survived(
                    "lasting", lambda a: LASTING if is_lasting(a) else mixed(a)
                ),
            }
        )
    )
