"""What all tests share: the folder of public data, without which some are skipped, and no time limit for examples."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("plumbline", deadline=None)  # a busy machine is no failure
settings.load_profile("plumbline")


@pytest.fixture(scope="session")
def check_data() -> Path:
    folder = os.environ.get("PLUMBLINE_CHECK_DATA")
    if not folder:
        pytest.skip("PLUMBLINE_CHECK_DATA is not set")
    return Path(folder)
