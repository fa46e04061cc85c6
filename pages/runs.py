"""Runs: everything this workspace ran."""

from ui.parts import head
from ui.runs import overview

head.show(
    "Runs", "Every result is stored the moment it exists. A stopped run resumes where it was."
)
overview.show(limit=100, editable=True)
