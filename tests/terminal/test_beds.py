"""`bed` in the terminal: what it writes, and what it says of doubtful rows and of those left out."""

from evaluators.terminal.exit_codes import FINE, WRONG


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
