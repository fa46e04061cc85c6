"""AdalFlow's side of the comparison, in its own environment: a line of JSON with items in, one with
results out.

It imports nothing of Plumbline. AdalFlow loads an encoding of tiktoken from the network when it is
imported; a stand-in takes its place, as the metrics under test count no tokens.
"""

import json
import os
import sys
import time
from types import SimpleNamespace

import tiktoken

answers, sys.stdout = sys.stdout, open(os.devnull, "w")  # noqa: SIM115 (AdalFlow prints)
tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: SimpleNamespace(encode=str.split)

from adalflow.eval import AnswerMatchAcc, RetrieverEvaluator  # noqa: E402


def compute(task: dict[str, list[object]]) -> object:
    if "type" in task:
        return AnswerMatchAcc(type=task["type"]).compute(*task["columns"]).per_item_scores
    return RetrieverEvaluator().compute(*task["columns"])["recall_list"]


print("ready", file=answers, flush=True)
for line in sys.stdin:
    task = json.loads(line)
    started = time.perf_counter()
    found = compute(task)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "found": found}), file=answers, flush=True)
