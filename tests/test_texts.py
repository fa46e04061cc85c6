"""What strangers write is read in linear time; `tests.attack.texts` goes on longer."""

import pytest

from tests.attack.texts import FUNCTIONS, limit, refusing
from tests.hostile import FROM_THE_START, UNITS, check, repeated


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_linear_time_on_hostile_strings(name):
    function = refusing(FUNCTIONS[name])
    function("The first call loads what it needs. 中文。")

    strings = [repeated("x.", unit, "x") for unit in UNITS]
    strings += [repeated("", unit, "x") for unit in FROM_THE_START]
    check(function, strings, limit=limit(name))
