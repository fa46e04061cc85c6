"""The folder of public data for checks; tests that ask for it are skipped where it is not given."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def check_data() -> Path:
    folder = os.environ.get("PLUMBLINE_CHECK_DATA")
    if not folder:
        pytest.skip("PLUMBLINE_CHECK_DATA is not set")
    return Path(folder)
