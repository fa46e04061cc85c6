"""The file of a model's repository from which the hub's leaderboards are made."""

from __future__ import annotations

import pytest
import yaml

from evaluators import evaluate
from evaluators.abilities import Ability
from evaluators.datasets.rgb import all_with_ability
from evaluators.errors import ParameterError
from evaluators.exports import formats
from evaluators.records import Dataset, Sample
from evaluators.runs.run_view import RunView

HUB = {
    "id": "someone/rgb", "config": "en", "split": "test", "rows": 4, "revision": "5f0a" * 10,
    "license": "cc-by-4.0",
}  # fmt: skip
ANSWERS = ("It is Paris.", "It is Paris.", "It is Paris.", "It is Rome.")
SAMPLES = tuple(
    Sample(
        id=str(number),
        question=f"Which capital has hill {number}?",
        response=answer,
        ground_truth="Paris",
        retrieved_documents=("Paris has hills.",),
    )
    for number, answer in enumerate(ANSWERS)
)


def view_of(metric: str = "rgb", **origin: object) -> RunView:
    data = Dataset(name="RGB", samples=SAMPLES, origin=origin)
    if metric == "rgb":
        data = all_with_ability(data, Ability.NOISE)
    results = evaluate(data, metric, progress=False)
    return RunView.read(results.store, results.run)


def test_each_rate_is_an_entry_of_the_hubs_format(data_folder):
    view = view_of(hub=HUB, noise_levels=[0.8])
    one = formats()["eval_results"]

    (entry,) = yaml.safe_load(one.whole(view))

    assert one.is_there(view)
    task = {"id": "someone/rgb", "task_id": "noise_robustness", "revision": "5f0a" * 10}
    assert entry["dataset"] == task
    # 3 of 4, and Wilson's interval of it.
    assert entry["value"] == 75.0
    assert entry["date"] == view.run.created[:10]
    assert entry["notes"].startswith(
        "4 of 4 answers checked; 95 % interval 30 to 95 %; noise 0.8; policy "
    )
    assert "; en, test; Plumbline " in entry["notes"]


def test_the_hubs_own_library_reads_it(data_folder):
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    entries = yaml.safe_load(formats()["eval_results"].whole(view_of(hub=HUB)))

    (read,) = hub.parse_eval_result_entries(entries)

    assert (read.dataset_id, read.task_id, read.value) == ("someone/rgb", "noise_robustness", 75.0)


@pytest.mark.parametrize(("metric", "origin"), [("rgb", {}), ("answer_match", {"hub": HUB})])
def test_what_no_leaderboard_can_name_is_refused_in_words(data_folder, metric, origin):
    view = view_of(metric, **origin)

    assert not formats()["eval_results"].is_there(view)
    with pytest.raises(ParameterError, match="know data sets by their names on the hub"):
        formats()["eval_results"].whole(view)
