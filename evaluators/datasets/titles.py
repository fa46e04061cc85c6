"""What a data set is called where its file's name says nothing, as that of one part of a split."""

from __future__ import annotations

import re

from evaluators.datasets.table import Table

# The hub's library writes "validation-00000-of-00001.parquet", whatever the data set
_PART = re.compile(r"(.+?)-\d{5}-of-\d{5}")
_SPLITS = ("train", "training", "validation", "valid", "val", "dev", "test")
_SAYS_NOTHING = (*_SPLITS, "data", "dataset", "results", "output", "export", "download", "file")
_NAMING = "dataset_name"
"""The column by which RAGBench and others say in each row what they are a part of."""


def data_name(file: str, table: Table) -> str:
    """Such as "hotpotqa · validation"; the file's name where it says something by itself."""
    stem, dot, ending = file.partition(".")
    part = _PART.fullmatch(stem)
    stem = part[1] if part else stem
    is_telling = stem.casefold() not in _SAYS_NOTHING
    names = {str(row.get(_NAMING) or "") for _, row in table.rows}
    own_name = names.pop() if len(names) == 1 else ""
    if is_telling or not own_name:
        return stem + dot + ending
    # RAGBench has the split in the name: "hotpotqa_validation"
    name, _, split = own_name.rpartition("_")
    if name and split in _SPLITS:
        return f"{name} · {split}"
    return f"{own_name} · {stem}" if stem in _SPLITS else own_name
