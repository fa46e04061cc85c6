"""Files that programs read are the same bytes, whichever language their reader has."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from evaluators.run_files.writing import written
from evaluators.runs import examples, export, run_facts
from evaluators.runs.card import run_card
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Store
from evaluators.text.language import CHINESE, ENGLISH, speaking
from ui.runs import files


def view_of(example, folder):
    store = Store(folder / "runs.sqlite3")
    return RunView.read(store, examples.find(store, example))


def card(view):
    return run_card(view.store, view.run)


def texts(view):
    return files._results_lines(view, WHAT_COUNTS)


def people(view):
    return export.people_csv(view.run, view.people, run_facts.titles(view.run))


def whole_run(view):
    with ZipFile(BytesIO(written(view.store, view.run))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    # When it was written is another moment each time.
    manifest = json.loads(parts.pop("manifest.json"))
    del manifest["written"]
    return manifest, parts


@pytest.mark.parametrize(
    ("example", "make"),
    [
        (examples.NOISE, card),
        (examples.NOISE, files.shown_values_csv),
        (examples.NOISE, texts),
        (examples.NOISE, whole_run),
        (examples.INVENTED, card),
        (examples.INVENTED, files.shown_values_csv),
        (examples.INVENTED, texts),
        (examples.INVENTED, files._label_lines),
        (examples.INVENTED, people),
    ],
)
def test_a_file_is_english_for_every_reader(tmp_path, example, make):
    view = view_of(example, tmp_path)
    with speaking(ENGLISH):
        english = make(view)
    with speaking(CHINESE):
        assert make(view) == english
