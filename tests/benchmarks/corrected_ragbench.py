"""RAGBench with its labels hidden but for 50: how often 20 draws of 50 hold the true adherence."""

import json

import numpy as np

from tests.benchmarks.common import check_data
from tests.people.published import held, rows, verdicts

SEEDS = 20

if __name__ == "__main__":
    folder = check_data()
    figures: dict[str, object] = {"data": "RAGBench validation" if folder else "not there"}
    if folder:
        subsets = {path.name: path for path in sorted((folder / "ragbench").iterdir())}
        pairs_of = {name: verdicts(rows(path)) for name, path in subsets.items()}
        pairs_of["all"] = {}
        for by_judge in list(pairs_of.values())[:-1]:
            for judge, pairs in by_judge.items():
                pairs_of["all"].setdefault(judge, []).extend(pairs)
        for name, by_judge in pairs_of.items():
            for judge, pairs in by_judge.items():
                corrected, alone = held(pairs, SEEDS)
                truth, said = np.mean(pairs, axis=0)
                figures[f"{name}, {judge}"] = {
                    "rows": len(pairs),
                    "true": round(float(truth), 3),
                    "judge": round(float(said), 3),
                    "held": f"{round(corrected.share * SEEDS)} of {SEEDS}",
                    "half_width": round(corrected.half, 3),
                    "labels_alone_held": f"{round(alone.share * SEEDS)} of {SEEDS}",
                    "labels_alone_half_width": round(alone.half, 3),
                }
    print(json.dumps(figures))
