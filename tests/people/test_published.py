"""On RAGBench with its labels hidden but for 50: the corrected adherence holds the published."""

from tests.people.published import held, rows, verdicts


def test_fifty_labels_with_the_heuristic_hold_the_published_adherence(check_data):
    pairs = verdicts(rows(check_data / "ragbench" / "covidqa"))["heuristic"]

    corrected, _ = held(pairs, seeds=20)

    assert corrected.share >= 18 / 20
    # The heuristic alone says .948 of these 267, where .865 are adherent
    assert corrected.half < 0.1
