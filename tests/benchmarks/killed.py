"""A run of paid calls, killed at twenty random moments: which answers were not stored yet.

`lost` are answers that had been sent and were not stored, `lost_after_50_ms` those among them that
had been sent for longer than that when the process was killed, `oldest_lost_ms` the age of the
oldest.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from evaluators.runs.store import Store
from tests.loopback import Loopback
from tests.runs import paid

KILLS = 20
SAMPLES = 400
LATENCY = 0.1
STORED_WITHIN = 0.05


def killed(seed: int) -> list[float]:
    """The ages in seconds of the answers that were lost."""
    last = random.Random(seed).randrange(20, SAMPLES - 100)
    with tempfile.TemporaryDirectory() as folder, Loopback(latency=LATENCY) as server:
        with closing(Store(Path(folder) / "runs.sqlite3")) as store:
            run = paid.paid_run(store, paid.dataset(SAMPLES, f"killed {seed}"))
            command = [sys.executable, "-m", "tests.runs.paid", folder, server.base_url]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
                while server.answered < last:
                    time.sleep(0.001)
                child.kill()
                died = time.monotonic()
            stored = sum(bill.calls for bill in store.calls.spent(run.id).values())
        sent = sorted(asked.at + LATENCY for asked in server.asked if asked.at + LATENCY < died)
        # Stored in the order in which they came: those that are lost came last.
        return [died - at for at in sent[stored:]]


if __name__ == "__main__":
    ages = [age for seed in range(KILLS) for age in killed(seed)]
    figures = {
        "kills": KILLS,
        "lost": len(ages),
        "lost_after_50_ms": sum(age > STORED_WITHIN for age in ages),
        "oldest_lost_ms": round(1000 * max(ages, default=0.0), 1),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(figures))
