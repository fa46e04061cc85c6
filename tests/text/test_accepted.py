"""Accepted answers: groups of spellings, and the line that a judge reads."""

import pytest

from evaluators.text.accepted import groups, on_one_line, spellings


@pytest.mark.parametrize(
    ("truth", "required"),
    [
        (None, []),
        ((), []),
        ("", [("",)]),
        ("Paris", [("Paris",)]),
        (("Paris", "Rome"), [("Paris",), ("Rome",)]),
        (("Paris", ("New York", "NYC")), [("Paris",), ("New York", "NYC")]),
    ],
)
def test_every_required_answer_is_a_group_of_spellings(truth, required):
    assert groups(truth) == required
    assert spellings(truth) == [spelling for group in required for spelling in group]


@pytest.mark.parametrize(
    ("group", "line"),
    [
        (("Paris",), "Paris"),
        (("New York", "NYC"), "New York / NYC"),
        (("two\nlines", "a\u2028third"), "two lines / a third"),
        (("AC / DC", " "), "AC/DC"),
        (("", " "), ""),
    ],
)
def test_no_spelling_holds_a_line_break_or_the_divider(group, line):
    assert on_one_line(group) == line
