"""What a round is at this moment, read once for all who look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from evaluators.config import config
from evaluators.errors import UnreadableRowError
from evaluators.records import Run, Support
from evaluators.rounds import tally
from evaluators.rounds.kinds import KINDS
from evaluators.rounds.records import AskedPlace, Participant, Round, RoundLabel
from evaluators.rounds.tally import ClassAgreement, Spread
from evaluators.runs import round_content, workspaces
from evaluators.runs.round_content import RoundContent
from ui import session
from ui.held import held


class Live(NamedTuple):
    """A round with all that was said in it up to its revision."""

    made: Round
    run: Run
    content: RoundContent
    participants: Sequence[Participant]
    labels: Sequence[RoundLabel]
    spread: Mapping[AskedPlace, Spread]
    agreement: ClassAgreement

    @property
    def voted(self) -> dict[AskedPlace, Support]:
        """What the class says."""
        is_preference = KINDS[self.made.kind].is_preference
        return tally.class_labels(self.spread, is_preference=is_preference)

    @property
    def true_labels(self) -> dict[AskedPlace, Support]:
        return self.content.labels_by(self.content.truth)

    def known_truth(self, place: AskedPlace) -> Support | None:
        """What is right there, if it is known: of a preference a metric has an opinion only."""
        is_preference = KINDS[self.made.kind].is_preference
        return None if is_preference else self.true_labels.get(place)


def run_of(made: Round) -> Run | None:
    """The round's run; whoever is in the round keeps it there, as a visit of its owner would."""
    run = None
    # Of a run that cannot be read there is nothing to label.
    with suppress(UnreadableRowError):
        run = session.store().runs.get(made.run_id)
    if run is not None and config().public:
        workspaces.of(session.store()).admits(run.workspace)
    return run


def held_content(made: Round, run: Run) -> RoundContent:
    """What stands in the round's answers."""
    store = session.store()

    def read() -> RoundContent:
        return round_content.content(store, run, made)

    # Sixty people ask for it at each click; it changes with the run only, which is at its end.
    return held.read((held_content, store, made.id), read)


def live(made: Round, run: Run) -> Live:
    """The round's labels, counted once for each revision."""
    store = session.store()

    def read() -> Live:
        read_content = held_content(made, run)
        labels = store.rounds.labels(made.id)
        return Live(
            made=made,
            run=run,
            content=read_content,
            participants=store.rounds.participants(made.id),
            labels=labels,
            spread=tally.spreads(labels, read_content.places),
            agreement=tally.class_agreement(labels),
        )

    # All that happens in a round raises its revision, so nothing older is shown.
    return held.read((live, store, made.id), read, made.revision)
