"""Scores of other tools beside the labels of their data, from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluators.api.shown import Shown
from evaluators.declared import checks_types
from evaluators.document import tables, terminal
from evaluators.document.blocks import Block
from evaluators.errors import ParameterError
from evaluators.people.sample_groups import By, parts
from evaluators.people.score_columns import YES_FROM, CheckedScores
from evaluators.people.score_columns import check_scores as checked_columns
from evaluators.records import Dataset
from evaluators.runs.inputs import Data, load_data
from evaluators.text.printable import printable
from evaluators.trace.definitions import SENTENCE, definition_named
from evaluators.trace.labelling import GOLD


@dataclass(frozen=True)
class ScoreChecks(Shown):
    """Columns of scores, each with its `check`, or the `problem` why there is none."""

    columns: tuple[CheckedScores, ...]
    definition: str

    def summary(self) -> list[dict[str, object]]:
        """The same for a program: a mapping for each column."""
        listed = []
        for column in self.columns:
            found = column.check
            value = found.values[0].model_dump(mode="json") if found else {}
            own = {"data": column.data, "scores": column.column, "problem": column.problem}
            listed.append({**own, "definition": self.definition, **value})
        return listed

    def document(self) -> list[Block]:
        return [*tables.scores(self.columns, self.definition)]

    def __str__(self) -> str:
        return terminal.as_text(self.document())


@checks_types("first", "others")
def check_scores(
    first: Data,
    /,
    *others: Data,
    scores: str | Sequence[str] = (),
    of: str = "",
    scale: str = "",
    yes_from: float = YES_FROM,
    against: str = GOLD,
    definition: str = SENTENCE,
    columns: Mapping[str, str] | None = None,
    by: By | None = None,
) -> ScoreChecks:
    """How far scores of other tools can be trusted: columns of data beside their labels.

    Data are what `load_data` takes, with its `columns` for all of them. `scores` names those of
    scores; without it all are checked whose value and scale are clear. `of` is the value that a
    column scores, such as "adherence", where its name does not tell; `scale` is "worst:best"
    ("1:5", "0:100", "1:0", "wrong:right"), where the scores are not numbers from 0 to 1 of which 1
    is the best. Scores of yes-or-no values count as a yes from `yes_from` on, but for AUROC.
    `against` are the published labels, counted by the formula `definition`, or the name of a
    column that holds the truth. `by` parts the answers by "group", "generator", "language" or
    "length" (words), and checks each part. Raises `ParameterError` where a column that was named
    cannot be checked so, and where the data have none to check.
    """
    definition_named(definition)
    names = [scores] if isinstance(scores, str) and scores else list(scores)
    found: list[CheckedScores] = []
    for each in (first, *others):
        loaded = load_data(each, columns=columns, on_remark=len)
        if not isinstance(loaded, Dataset):
            raise ParameterError(f"{printable(loaded.name)} is a test bed: it has no scores.")
        for part in parts(loaded, by):
            found += checked_columns(
                part,
                names,
                of=of,
                scale=scale,
                yes_from=yes_from,
                against=against,
                definition=definition,
            )
    labelled = [each for each in found if each.check and each.check.labelled]
    if not labelled:
        problems = " ".join(dict.fromkeys(each.problem for each in found if each.problem))
        raise ParameterError(
            f"Nothing can be checked: no column of scores with labels of its value. {problems} "
            'Name the columns (scores=, of=), or the column that holds the truth (against="...").'
        )
    return ScoreChecks(tuple(found), definition)
