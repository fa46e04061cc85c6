"""What Python gets of a run and a notebook shows: a check, and the probabilities of its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluators.document import terminal
from evaluators.document.blocks import Blocks
from evaluators.document.checked import CheckedLine, checked_labeller
from evaluators.document.probabilities import probabilities
from evaluators.people.checked import Check
from evaluators.people.reliability import STEPS, Reliability
from evaluators.report import page


class Shown:
    """What is a document in a notebook: without a script, in its colours, so light or dark."""

    def document(self) -> Blocks:
        """All that it has to say."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return page.rendered(self.document())


class CheckOfRun(Shown, Check):
    """A check that a notebook shows as the terminal does."""

    def document(self) -> Blocks:
        lines = [CheckedLine(None, value.name, self.labeller, value) for value in self.values]
        return checked_labeller(lines)


@dataclass(frozen=True)
class ProbabilityChecks(Shown):
    """How far the probabilities of each kind of label can be trusted, in the order of a page."""

    by_kind: Mapping[str, Reliability]

    def summary(self) -> dict[str, dict[str, object]]:
        """The same for a program: a mapping for each kind, with what each threshold gives."""
        return {
            kind: {
                **own.model_dump(mode="json", exclude={"said"}),
                "cheapest": own.cheapest(),
                "thresholds": [
                    {"threshold": number / STEPS, **own.at(number / STEPS)._asdict()}
                    for number in range(STEPS + 1)
                ],
            }
            for kind, own in self.by_kind.items()
        }

    def document(self) -> Blocks:
        return probabilities(self.by_kind)

    def __str__(self) -> str:
        return terminal.as_text(self.document())
