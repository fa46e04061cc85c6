"""The whole attack, one part after the other, each in a process of its own; ends with 1 where a
part found a fault.

It takes about an hour on two cores and speaks to this machine only.
"""

import subprocess
import sys

PARTS = ("texts", "files", "batches", "watchdog")
LONGEST = 3600
"""Seconds that one part may take."""


def passes(part: str) -> bool:
    """Whether the part found nothing; it prints what it tries."""
    print(f"== {part}", flush=True)
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"tests.attack.{part}"], timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"{part} took longer than {LONGEST} s", flush=True)
        return False
    return done.returncode == 0


if __name__ == "__main__":
    results = {part: passes(part) for part in PARTS}
    print({part: "nothing found" if is_fine else "faults" for part, is_fine in results.items()})
    sys.exit(not all(results.values()))
