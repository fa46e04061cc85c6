"""The teacher's way back from the wall of a public host, which its address must not be."""

from __future__ import annotations

from evaluators.config import config
from evaluators.records import Run
from evaluators.rounds.records import Round
from ui import script, session

_component = script.component("way_back")


def keep(made: Round, run: Run) -> None:
    """Lets the tab remember the run's workspace, and takes it from there after a reload.

    Only a session that is in the workspace tells it; a participant never draws this.
    """
    if not config().public:
        return
    own = run.workspace if session.find_run(run.id) else ""
    told = _component(
        key="way_back",
        data={"round": made.id, "workspace": own},
        default={"workspace": ""},
        on_workspace_change=lambda: None,
    )
    # As with the address: whoever names the workspace is in it.
    if not own and told.workspace == run.workspace:
        session.enter(run.workspace)
