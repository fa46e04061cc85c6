"""Files that programs read are the same bytes, whichever language their reader has."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from evaluators.exports import formats
from evaluators.run_files.writing import written
from evaluators.runs import examples
from evaluators.runs.card import run_card
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.text.language import CHINESE, ENGLISH, speaking


def view_of(example, folder):
    store = Store(folder / "runs.sqlite3")
    return RunView.read(store, examples.find(store, example))


def card(view):
    return run_card(view.store, view.run)


def whole_run(view):
    with ZipFile(BytesIO(written(view.store, view.run))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    # When it was written is another moment each time.
    manifest = json.loads(parts.pop("manifest.json"))
    del manifest["written"]
    return manifest, parts


def every_text(view):
    texts = [one for one in formats().values() if one.is_text and one.is_there(view)]
    return [one.whole(view) for one in texts]


@pytest.mark.parametrize("example", [examples.NOISE, examples.INVENTED])
@pytest.mark.parametrize("make", [card, whole_run, every_text])
def test_a_file_is_english_for_every_reader(tmp_path, example, make):
    view = view_of(example, tmp_path)
    with speaking(ENGLISH):
        english = make(view)
    with speaking(CHINESE):
        assert make(view) == english
