"""What froze or killed the server once: sent by one visitor of a public host while another goes on
clicking.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.attack.documents import documents
from tests.attack.rows import rows
from tests.attack.watchdog import go, send_document, send_row, visitor
from tests.benchmarks.heaviest import row_of
from tests.e2e.conftest import Server, running


@pytest.fixture(scope="module")
def host(
    browser_type_launch_args: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("attacked"), PLUMBLINE_PUBLIC="1") as served:
        yield served


SENT = {
    "a text of comments": (send_document, "comments.txt", documents()["comments.txt"]),
    "a response that is no lead-in": (
        send_row,
        "lead.jsonl",
        rows()["response of spaces after a colon.jsonl"],
    ),
    "many sentences": (send_row, "many.jsonl", lambda: row_of(4_500)),
}


FREEZES_MOST = "many sentences"
"""What else was sent is tried against its reader as well (`tests/attack/test_compact.py`)."""


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=[] if what == FREEZES_MOST else [pytest.mark.exhaustive])
        for what in SENT
    ],
)
def test_what_one_visitor_sends_is_judged_while_another_clicks(host, new_context, what):
    send, name, make = SENT[what]
    sender = visitor(new_context(), host.address)
    bystander: Page = visitor(new_context(), host.address)

    said = send(sender, name, make())
    go(bystander, "Runs")

    assert "Samples · 1 row" in said or "1 answer checked" in said
