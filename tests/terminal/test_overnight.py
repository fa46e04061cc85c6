"""A run that is answered by tomorrow, in the terminal: each command may be a day after the last."""

import json

from evaluators.own_command import own_command
from evaluators.terminal.exit_codes import FINE, INCOMPLETE
from tests import judge

LABEL = ("--metric", "gpt_labeling", "--judge", "openai/gpt-6-luna")


def test_sent_cancelled_collected_and_asked_at_once(plumbline, loopback, monkeypatch, data_folder):
    server = loopback(answer=judge.labels_for)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-of-the-terminal")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    rows = [{"question": "Who?", "response": f"{n}.", "documents": ["One."]} for n in range(6)]
    (data_folder / "answers.json").write_text(json.dumps(rows))

    estimated = plumbline("estimate", "--data", "answers.json", *LABEL)
    assert "Overnight: under $0.01, answered within 24 hours." in estimated.stdout

    sent = plumbline("run", "--data", "answers.json", *LABEL, "--overnight")
    assert sent.exit_code == INCOMPLETE
    assert "0 of 6 requests are answered by OpenAI" in sent.stderr
    assert "Collect the answers with resume." in sent.stderr

    for command in (("list", "runs"), ("show", "last")):
        found = plumbline(*command).stdout
        assert "answers by tomorrow" in found
        assert "0 of 6" in found

    plumbline("cancel", "last")
    assert "being cancelled, 0 of 6" in plumbline("list", "runs").stdout
    server.batches.finish()
    collected = plumbline("cancel", "last")
    assert f"Go on with: {own_command()} resume" in collected.stderr

    now = plumbline("resume", "last", "--now")
    assert (now.exit_code, len(server.asked), len(server.batches.answered)) == (FINE, 3, 3)
    assert "6 requests sent in batches" in " ".join(plumbline("card", "last").stdout.split())
