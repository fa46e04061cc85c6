"""How often a rate corrected by 50 labels holds the true one, for judges of known error: it should
in 93 to 98 % of cases.
"""

import json

from tests.people.simulation import SCENARIOS, simulated

REPETITIONS = 4000

if __name__ == "__main__":
    figures = {}
    for number, scenario in enumerate(SCENARIOS):
        corrected, alone = simulated(scenario, REPETITIONS, seed=number)
        figures[" ".join(f"{name} {value}" for name, value in scenario._asdict().items())] = {
            "held": round(corrected.share, 3),
            "half_width": round(corrected.half, 3),
            "labels_alone_held": round(alone.share, 3),
            "labels_alone_half_width": round(alone.half, 3),
        }
    print(json.dumps(figures))
