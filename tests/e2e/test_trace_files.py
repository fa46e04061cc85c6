"""From an export of Langfuse to what is wrong with its answers, in four clicks."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import LONG, STARTS, settled

TURNS = [
    ("Who built the old mill?", "Anna Weber built the old mill in 1812.",
     "The old mill was built by Anna Weber in 1812."),
    ("What does the mill grind?", "The mill grinds rye for the village.",
     "The mill grinds rye for the whole village."),
    ("And how high is it?", "The mill is 45 metres high and has a lift of glass.",
     "The mill is 12 metres high."),
]  # fmt: skip


def observation(trace: str, at: int, own: str, **more: object) -> dict[str, object]:
    return {
        "id": f"{trace}-{own}", "traceId": trace, "type": "SPAN", "name": own,
        "parentObservationId": None, "startTime": f"2026-11-20T10:0{at}:00.000Z",
        "sessionId": "visit-7", "input": None, "output": None, **more,
    }  # fmt: skip


def test_a_langfuse_export_leads_to_the_kinds_of_flaws_in_four_clicks(page: Page, tmp_path: Path):
    export = []
    for at, (question, answer, document) in enumerate(TURNS):
        trace = f"turn-{at}"
        found = [{"pageContent": document, "metadata": {}}]
        export += [
            observation(trace, at, "chat", input={"question": question}, output=answer),
            observation(trace, at, "search", type="RETRIEVER", output=json.dumps(found),
                        parentObservationId=f"{trace}-chat"),
        ]  # fmt: skip
    file = tmp_path / "observations.jsonl"
    file.write_text("\n".join(map(json.dumps, export)))
    page.goto("/")
    settled(page)

    page.get_by_role("link", name="Datasets", exact=True).click()
    settled(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).first.click()
    chooser.value.set_files(file)
    expect(page.get_by_text("Traces of Langfuse that became samples: 3 of 3.")).to_be_visible()
    page.get_by_role("link", name="TRACE", exact=True).click()
    page.get_by_role("button", name=STARTS).click()

    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("of 3 answers to look at first (heuristic).")).to_be_visible(
        timeout=LONG
    )
    expect(main.get_by_text("Unsupported").first).to_be_visible()

    page.goto(f"{page.url.replace('/trace', '/sample')}&sample=3")
    expect(page.locator("bdi", has_text="Earlier turn 4")).to_be_visible()
