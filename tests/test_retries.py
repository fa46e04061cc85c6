"""A test that is tried again begins as its first try did, whatever it shares with other tests."""

import subprocess
import sys
from pathlib import Path


def test_what_a_first_try_left_is_gone_at_the_second():
    again = Path(__file__).with_name("tried_again.py")
    command = [sys.executable, "-m", "pytest", "--reruns", "1", "-p", "no:cacheprovider"]
    tried = subprocess.run([*command, str(again)], capture_output=True, text=True, check=False)
    assert "1 passed, 1 rerun" in tried.stdout, tried.stdout
