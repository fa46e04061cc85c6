"""A test whose first try fails and leaves something; `test_retries` runs it in a process of its own."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def store() -> list[str]:
    return []


@pytest.fixture(scope="module")
def server(store: list[str]) -> list[str]:
    return store


def test_the_second_try_finds_an_empty_store(server, request):
    server.append("left by a try")
    assert request.node.execution_count == 2, "the first try always fails"
    assert server == ["left by a try"]
