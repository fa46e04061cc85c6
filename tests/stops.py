"""Why a run stopped, as tests compare it."""

from evaluators.records import Reason, ReasonKind
from evaluators.runs.store import Store
from ui.parts.remedies import worded


def stopped(store: Store, run_id: str) -> str:
    """The words that the app shows; empty where the run did not stop."""
    return " ".join(map(worded, store.runs.stop_reasons(run_id)))


def stop(store: Store, run_id: str, message: str, kind: ReasonKind = "access") -> None:
    """As if the run had stopped for this reason."""
    store.runs.save_stop_reasons(run_id, Reason(kind=kind, message=message))
