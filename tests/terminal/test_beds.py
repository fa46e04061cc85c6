"""`bed` in the terminal: what it writes, and what it says of doubtful rows and of those left out."""

from evaluators.terminal.exit_codes import FINE, WRONG
from tests.retrieval.test_proposals import SENTENCES, proposal


def test_documents_and_questions_become_a_bed(plumbline, tmp_path):
    (tmp_path / "mill.txt").write_text(
        "The mill was built in 1812. It was moved in 1906.\n\n" + "The mill grinds rye. " * 60
    )
    questions = tmp_path / "questions.csv"
    questions.write_text(
        "id,question,ground_truth\na,When was the mill built?,1812\nb,Is the rye ripe?,Yes\n"
    )
    bed = tmp_path / "bed.jsonl"
    files = (str(tmp_path / "mill.txt"), "--questions", str(questions), "-o", str(bed))

    found = plumbline("bed", *files, "--chunk-size", "50")

    assert found.exit_code == FINE, found.stderr
    assert "Yes and no stand in texts by chance." in found.stdout
    assert plumbline("bed", *files, "--chunk-size", "1").exit_code == WRONG
    assert plumbline("bed", str(tmp_path / "no.txt"), *files[1:]).exit_code == WRONG


def test_a_row_is_dropped_by_its_id(plumbline, tmp_path):
    (tmp_path / "a.txt").write_text("The mill was built in 1812. " + "The mill grinds rye. " * 60)
    rows = "a,When was the mill built?,1812\nb,What does the mill grind in 1812?,1812\n"
    (tmp_path / "q.csv").write_text(f"id,question,ground_truth\n{rows}")
    bed = tmp_path / "bed.jsonl"
    files = (str(tmp_path / "a.txt"), "--questions", str(tmp_path / "q.csv"), "-o", str(bed))

    plumbline("bed", *files, "--chunk-size", "50", "--drop", "a")
    left = plumbline("bed", *files, "--chunk-size", "50", "--drop", "a", "--drop", "b")

    assert [line[:10] for line in bed.read_text(encoding="utf-8").splitlines()] == ['{"id": "b"']
    assert left.exit_code == WRONG
    assert "No question makes a row." in left.stderr


def test_the_terminal_says_the_price_and_what_could_not_be_used(
    plumbline, loopback, tmp_path, monkeypatch
):
    (tmp_path / "town.txt").write_text(" ".join(SENTENCES * 9))
    monkeypatch.setenv("PLUMBLINE_CUSTOM_BASE_URL", loopback(answer=proposal).base_url)
    bed = tmp_path / "bed.jsonl"
    files = (str(tmp_path / "town.txt"), "-o", str(bed), "--chunk-size", "50")

    found = plumbline("bed", *files, "--model", "custom/judge", "--count", "2")

    assert found.exit_code == FINE, found.stderr
    assert "judge: 2 calls, unknown" in found.stderr
    assert "The LLM proposed 2 questions that can be used" in found.stderr
    assert bed.exists()
    assert plumbline("bed", *files).exit_code == WRONG


def test_all_rows_to_look_at_are_dropped_at_once(plumbline, tmp_path):
    (tmp_path / "a.txt").write_text("The mill was built in 1812. " + "The mill grinds rye. " * 60)
    (tmp_path / "q.csv").write_text("question,ground_truth\nWhen was the mill built?,1812\n")
    files = (str(tmp_path / "a.txt"), "--questions", str(tmp_path / "q.csv"))

    left = plumbline("bed", *files, "-o", str(tmp_path / "bed.jsonl"), "--drop-doubtful")

    # One document has fewer negatives than a prompt has places.
    assert left.exit_code == WRONG
