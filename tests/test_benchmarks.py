"""The benchmarks are run by hand; what they take from the package must still be there."""

from importlib import import_module

import pytest

from tests.benchmarks.__main__ import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_a_benchmark_finds_what_it_measures(part):
    assert import_module(f"tests.benchmarks.{part}").__doc__
