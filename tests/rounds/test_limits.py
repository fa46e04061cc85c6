"""How often codes are guessed, places taken and labels given: each one for itself."""

import pytest

from evaluators.errors import HostLimitError
from evaluators.rounds.limits import WINDOW, RateLimit


def test_one_is_bounded_and_after_a_minute_free_again():
    limit = RateLimit(most_of_one=2, refusal="Too often.")
    for moment in (0, 1):
        limit.check("a", moment)
        limit.count("a", moment)

    with pytest.raises(HostLimitError, match="Too often"):
        limit.check("a", 2)
    limit.check("b", 2)
    limit.check("a", WINDOW + 0.5)
