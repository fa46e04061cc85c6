"""One first run: by `evaluate` over a list of mappings, by `plumbline run`, or by the bare SDK.

The SDK is imported before the clock starts; all else that a door loads counts, and `imports` is what
of it comes before the call. Prints JSON last.
"""

import asyncio
import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai

TABLES = ("pandas", "pyarrow", "plotly", "scipy")
"""What no run without a table needs."""


def by_evaluate(data: str, model: str, count: int) -> Iterator[None]:
    from plumbline import evaluate

    yield
    rows = list(map(json.loads, Path(data).read_text(encoding="utf-8").splitlines()))
    results = evaluate(rows, "answer_match", model=model, progress=False)
    assert results.counts.scored == count


def by_run(data: str, model: str, count: int) -> Iterator[None]:
    from evaluators.terminal.cli import main

    yield
    command = ["run", "--data", data, "--metric", "answer_match", "--model", model]
    main(command, standalone_mode=False)


def by_the_sdk(data: str, model: str, count: int) -> Iterator[None]:
    async def ask(client: Any, prompts: Iterator[str]) -> None:
        for text in prompts:
            await client.chat.completions.create(
                model=model.split("/")[1], messages=[{"role": "user", "content": text}]
            )

    async def ask_all() -> None:
        rows = map(json.loads, Path(data).read_text(encoding="utf-8").splitlines())
        prompts = ("\n".join((*row["retrieved_documents"], row["question"])) for row in rows)
        async with openai.AsyncOpenAI(max_retries=0) as client:
            await asyncio.gather(*(ask(client, prompts) for _ in range(WORKERS)))

    yield
    asyncio.run(ask_all())


WORKERS = 32
"""As many as a run asks at once."""

WAYS = {"evaluate": by_evaluate, "run": by_run, "sdk": by_the_sdk}


def processor_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    way, data, model, count = sys.argv[1:]
    processor, started = processor_seconds(), time.perf_counter()
    steps = WAYS[way](data, model, int(count))
    next(steps)
    imported = time.perf_counter()
    next(steps, None)
    figures = {
        "imports": round(imported - started, 2),
        "seconds": round(time.perf_counter() - started, 2),
        "processor": round(processor_seconds() - processor, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10, 1),
        "loaded": [name for name in TABLES if name in sys.modules],
    }
    print(json.dumps(figures))
