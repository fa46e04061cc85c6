"""Everything that goes wrong, with marked keys and every logger at DEBUG:
`python leaky.py <folder> <openai> <groq> <mistral>`.

The addresses are loopback providers whose refusals repeat the key. What it prints and writes is to
be searched.
"""

import logging
import sys
from pathlib import Path

from pydantic import SecretStr

from evaluators.errors import PlumblineError
from evaluators.llm import Access
from evaluators.llm.clients import ask_models
from evaluators.llm.keys import quiet_logs
from evaluators.records import ModelSpec
from evaluators.runs.job import Job
from evaluators.runs.store import Store
from tests.runs import paid
from tests.stops import stopped

MARKED = {
    "openai": "sk-MARKED0123456789abcdef",
    "groq": "gsk_MARKED0123456789abcdef",
    "mistral": "MARKED0123456789abcdefGHIJKLMNOP",
}
MODELS = {
    "openai": paid.LUNA,
    "groq": ModelSpec(provider="groq", model="openai/gpt-oss-20b", answer_tokens=200),
    "mistral": ModelSpec(provider="mistral", model="mistral-small-2603", answer_tokens=200),
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    logging.basicConfig(level=logging.DEBUG, filename=folder / "debug.log")
    quiet_logs()
    store = Store(folder / "runs.sqlite3")
    for (provider, key), address in zip(MARKED.items(), sys.argv[2:], strict=True):
        keys = {provider: Access(provider=provider, base_url=address, key=SecretStr(key))}
        run = paid.paid_run(store, paid.dataset(40, provider), (MODELS[provider],))
        for _ in range(3):
            job = Job(run, store, keys)
            job.start()
            job.wait()
            logging.error("It failed for %s", key)
            print(
                store.results.counts(run),
                stopped(store, run.id),
                store.results.failures(run.id),
                store.calls.spent(run.id),
            )
        try:
            ask_models(keys[provider])
        except PlumblineError as error:
            print(repr(error), error.__dict__)
