"""Files of requests: split at a provider's terms, and read whatever they hold."""

import json

import pytest

from evaluators.errors import LLMError
from evaluators.llm import Access, ModelRequest
from evaluators.llm.batches import in_files, lines_of
from evaluators.llm.google_batches import GoogleBatches
from evaluators.llm.providers import BatchTerms
from evaluators.records import ModelSpec

SPEC = ModelSpec(provider="openai", model="gpt-6-luna")


@pytest.mark.parametrize(
    ("address", "service", "api"),
    [
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "upload",
            "https://generativelanguage.googleapis.com/upload/v1beta",
        ),
        ("http://localhost:8080/v1beta", "", "http://localhost:8080/v1beta"),
        ("http://localhost:8080/of/v1/openai", "download", "http://localhost:8080/of/download/v1"),
        # Without a path, the host is still that of the key.
        ("http://localhost:8080", "upload", "http://localhost:8080/upload"),
        ("http://localhost:8080/openai", "upload", "http://localhost:8080/upload"),
    ],
)
def test_googles_own_api_is_where_its_key_goes(address, service, api):
    access = Access(provider="google", base_url=address, key="key-of-mine")

    assert GoogleBatches(None, access)._api(service) == api


def requests(*lengths):
    return [ModelRequest(spec=SPEC, text="x" * length) for length in lengths]


def line(request):
    return request.text.encode()


@pytest.mark.parametrize(
    ("lengths", "files"),
    [
        ((), []),
        ((5,), [[5]]),
        ((5, 5), [[5, 5]]),
        ((5, 5, 1), [[5, 5], [1]]),  # 11 bytes
        ((1, 1, 1, 1), [[1, 1, 1], [1]]),  # 4 requests
        ((10, 10), [[10], [10]]),
    ],
)
def test_a_file_holds_three_requests_and_ten_bytes_at_most(lengths, files):
    terms = BatchTerms(most_requests=3, most_bytes=10)
    made = list(in_files(requests(*lengths), line, terms))

    assert [[len(request.text) for request in file.requests] for file in made] == files
    assert [len(file.content) for file in made] == [sum(sizes) for sizes in files]


def test_a_request_that_is_longer_than_a_file_is_refused():
    with pytest.raises(LLMError, match="too long for a batch"):
        list(in_files(requests(11), line, BatchTerms(most_requests=3, most_bytes=10)))


CHOICES = b'{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    ("row", "read"),
    [
        (b'{"custom_id": "k", "response": {"body": %b}}' % CHOICES, [("k", "Yes.", "")]),
        (b'{"custom_id": "k", "error": {"code": "batch_expired"}}', [("k", None, "batch_expired")]),
        (
            b'{"custom_id": "k", "response": {"body": {"error": {"code": "c"}}}}',
            [("k", None, "c")],
        ),
        (b'{"custom_id": "k", "response": null, "error": null}', [("k", None, "")]),
        (b'{"custom_id": "k", "response": [1], "error": "no"}', [("k", None, "")]),
        (b'{"custom_id": "k", "response": {"body": {"choices": []}}}', [("k", None, "")]),
        (b'{"custom_id": 5}', []),
        (b"[1, 2]", []),
        (b"{broken", []),
        (b"\xff\xfe", []),
        (b"", []),
    ],
)
def test_a_line_is_an_answer_or_a_code_and_what_is_neither_is_left_out(row, read):
    found = [
        (line.key, line.answer.text if line.answer else None, line.code)
        for line in lines_of(row + b"\n\n", 2)
    ]
    assert found == read


def test_a_file_of_far_more_lines_than_requests_is_not_read_to_its_end():
    answered = json.dumps(
        {"custom_id": "late", "response": {"body": {"choices": [{"message": {"content": "Yes."}}]}}}
    ).encode()

    assert [line.key for line in lines_of(b"\n" * 100 + answered, 1)] == ["late"]
    assert not list(lines_of(b"\n" * 2000 + answered, 1))
