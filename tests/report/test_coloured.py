"""The table of verdicts that page and report share."""

import re

import pytest

from evaluators.config import ROOT
from evaluators.report import coloured
from evaluators.report.coloured import LOOKS, NO_LABEL, SUPPORTS, USES

STATIC = ROOT / "ui" / "static"


def test_every_verdict_has_a_look():
    assert {*SUPPORTS.values(), *filter(None, USES.values()), NO_LABEL} == LOOKS.keys()


@pytest.mark.parametrize("verdict", LOOKS)
def test_page_and_report_colour_a_verdict_by_the_same_look(verdict):
    page = (STATIC / "evidence.css").read_text(encoding="utf-8")
    report = coloured.STYLE.read_text(encoding="utf-8")

    assert re.search(rf"\.v-{LOOKS[verdict].look}\b", page)
    # What nobody labelled has no colour in a report.
    assert bool(re.search(rf"\.{coloured.colour(verdict)}\b", report)) is (verdict != NO_LABEL)


def test_the_script_of_the_page_has_no_verdict_of_its_own():
    script = (STATIC / "evidence.js").read_text(encoding="utf-8")

    assert not [verdict for verdict in SUPPORTS.values() if f'"{verdict}"' in script]


def test_who_used_a_sentence_has_the_colour_of_use():
    assert coloured.colour("used by A") == coloured.colour("used") == "pl-used"
    assert coloured.colour("") == ""
