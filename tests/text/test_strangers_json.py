"""JSON of strangers: read, or refused by one kind of error."""

import pytest

from evaluators.text.strangers_json import strangers_json


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[1", "", b"\xff\x00"])
def test_what_is_no_json_or_is_nested_too_deeply_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"."):
        strangers_json(text)


@pytest.mark.parametrize("text", ['{"a": [1]}', b'{"a": [1]}'])
def test_text_and_bytes_are_read(text):
    assert strangers_json(text) == {"a": [1]}
