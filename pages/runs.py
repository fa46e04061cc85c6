"""Runs: everything this workspace ran."""

from ui.parts import head
from ui.runs import files, overview

head.show(
    "Runs", "Every result is stored the moment it exists. A stopped run resumes where it was."
)
files.opener()
overview.show(limit=100, editable=True)
