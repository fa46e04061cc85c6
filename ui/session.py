"""What belongs to this visitor: the workspace, the keys, the store, and the run on the screen."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from evaluators.base import Benchmark
from evaluators.catalogue import leads
from evaluators.config import config
from evaluators.datasets.bundled import bundled
from evaluators.datasets.rgb import TestBed
from evaluators.errors import DatasetError, UnreadableRowError
from evaluators.llm import Access, clients
from evaluators.llm.keys import clean_address, keys_from_environment
from evaluators.llm.own import OwnAccess
from evaluators.llm.providers import PROVIDERS
from evaluators.llm.sign_in import PROVIDER, SignedIn
from evaluators.records import Dataset, Run
from evaluators.rounds import limits
from evaluators.runs import examples, workspaces
from evaluators.runs.engine import create_once, registry
from evaluators.runs.inputs import WORKSPACE, local_store
from evaluators.runs.plan import RunPlan
from evaluators.runs.queue import visitor_address
from evaluators.runs.store import Answer, Store
from evaluators.text.language import mark
from ui.held import held

PAGES: Mapping[Benchmark | None, str] = {
    "rgb": "../pages/rgb.py",
    "trace": "../pages/trace.py",
    None: "../pages/metrics.py",
}
"""The page that shows a run, by the benchmark of the evaluator that leads it."""

NO_PAGE = "no_page"
"""The query parameter of Home for whoever asked for a page that is not there."""
NEW_RUN, AGAIN, ASSIGNMENT = "new", "again", "assignment"
"""The query parameters of links to a new run.

The first names the data that its form begins with, the second the run whose settings it begins
with, the third holds settings that somebody else chose.
"""

CLICKED = "clicked"
"""Where a session notes which button starts a run, and since when, until that run is shown."""

DEAD_LINK = "dead_link"
"""Where a session notes that it came with a link that leads nowhere."""

SIGN_IN_ENDED = "sign_in_ended"
"""Where a session notes that the time of its sign-in is over, until it has another key."""

MOST_REMEMBERED = 10_000
"""Workspaces of which it is remembered that they had a key."""

_kept_keys: dict[Path, dict[str, Access]] = {}
"""The keys of a person's own machine until the app stops, by the folder of the workspace."""

_had_keys: dict[str, None] = {}
"""Workspaces of a public host in which a key was entered; never the key."""

Kind = TypeVar("Kind", TestBed, Dataset)


class Identity(NamedTuple):
    """Tells data of a name from all others of that name.

    It is the key under which pages remember what they counted.
    """

    workspace: str
    name: str
    uploaded_at: str
    """Empty for what comes with the app."""


def store() -> Store:
    """The process's run store."""
    return local_store()


def workspace() -> str:
    """One on a laptop; on a public host that of the address, else the session's, else a new one.

    Only tokens that this host issued count; any other makes the link a dead one (`is_link_dead`).
    """
    if not config().public:
        return WORKSPACE
    host = workspaces.of(store())
    named = st.query_params.get("w", "")
    own = st.session_state.get("workspace", "")
    # The address first: who follows a link means that workspace.
    for token in dict.fromkeys(filter(None, (named, own))):
        if host.admits(token):
            st.session_state["workspace"] = token
            return str(token)
        st.session_state[DEAD_LINK] = True
    issued = host.issue()
    st.session_state["workspace"] = issued
    return issued


def enter(token: str) -> None:
    """This session goes on in a workspace whose token it knows, where no address names one."""
    st.session_state["workspace"] = token


def is_link_dead() -> bool:
    """Whether this session came with a link that leads nowhere, and has kept nothing since."""
    token = workspace()
    return DEAD_LINK in st.session_state and not store().workspaces.knows(token)


def move_workspace() -> None:
    """Gives all that is here a new link at once; the old one leads nowhere.

    Raises `HostLimitError` during a run.
    """
    token = registry.move_workspace(workspace(), store())
    st.session_state["workspace"] = st.query_params["w"] = token


def check_room(incoming: int = 0) -> None:
    """Raises `HostLimitError` where a public host has no room for these bytes of a visitor."""
    if config().public:
        workspaces.of(store()).check_room(workspace(), incoming)


def address(**parts: str) -> dict[str, str]:
    """The query parameters of a place in the app; on a public host with the workspace."""
    if config().public:
        return {"w": workspace(), **parts}
    return parts


def visitor() -> str:
    """Where this visitor comes from, as far as that can be known.

    Runs of one address take turns with those of others.
    """
    forwarded = ""
    # Where no proxy writes this header, visitors can make it up.
    if config().behind_proxy:
        forwarded = st.context.headers.get("X-Forwarded-For", "")
    return visitor_address(st.context.ip_address or "", forwarded)


def tab() -> str:
    """What tells this session from all others, those of the same visitor too."""
    token: str = st.session_state.setdefault("tab", secrets.token_urlsafe(16))
    return token


def check_join(place: str) -> None:
    """Counts that this visitor takes a place in a round or queue.

    Raises `HostLimitError` where that came too often, of this session or of its address.
    """
    of_session, of_address = f"{tab()} {place}", f"{visitor()} {place}"
    limits.joins_of_session.check(of_session)
    limits.joins.check(of_address)
    limits.joins_of_session.count(of_session)
    limits.joins.count(of_address)


def check_pace(place: str) -> None:
    """Counts that somebody labels in a round or queue, or by hand in a run, who is known by this.

    Raises `HostLimitError` where that comes faster than anybody reads.
    """
    # A refused one is not counted, so that whoever waits a minute can go on.
    limits.labels_given.check(place)
    limits.labels_given.count(place)


def keys() -> dict[str, Access]:
    """What this visitor may use, by provider: own keys, else (on a laptop) the environment's."""
    return keys_from_environment(os.environ) | own_keys()


def own_keys() -> dict[str, Access]:
    """The keys that were entered, by provider; they are in memory and nowhere else.

    On a person's own machine they outlive a reload; on a public host they are this session's.
    """
    if config().public:
        own: dict[str, Access] = st.session_state.setdefault("keys", {})
        if any(isinstance(access, SignedIn) and access.has_ended for access in own.values()):
            own.pop(PROVIDER)
            st.session_state[SIGN_IN_ENDED] = True
        return own
    return _kept_keys.setdefault(config().data_dir, {})


def signed_in() -> SignedIn | None:
    """This visitor's account at Hugging Face, as long as it is signed in."""
    access = own_keys().get(PROVIDER)
    return access if isinstance(access, SignedIn) else None


def systems() -> list[OwnAccess]:
    """The visitor's own RAG systems; they stand among the keys, each under its id."""
    return [access for access in own_keys().values() if isinstance(access, OwnAccess)]


def keep_key(access: Access) -> None:
    """Uses the key from now on."""
    own_keys()[access.provider] = access
    st.session_state.pop(SIGN_IN_ENDED, None)
    if config().public:
        _had_keys[workspace()] = None
        while len(_had_keys) > MOST_REMEMBERED:
            # A dict keeps the order in which keys came, so this is the oldest.
            oldest = next(iter(_had_keys))
            _had_keys.pop(oldest)


def forget_key(provider: str) -> None:
    own_keys().pop(provider, None)
    if not own_keys():
        _had_keys.pop(workspace(), None)


def address_of(provider: str) -> str:
    """Where a key of the provider goes; on a laptop the environment may name another address."""
    record = PROVIDERS[provider]
    own = "" if config().public else os.environ.get(record.address_variable, "")
    return clean_address(own) if own else record.address


def has_lost_key() -> bool:
    """Whether a key was entered in this workspace of a public host, and a reload forgot it."""
    if not config().public or own_keys() or SIGN_IN_ENDED in st.session_state:
        return False
    return workspace() in _had_keys


def offered() -> dict[str, dict[str, str]]:
    """The ids of the models that each provider lists for these keys, as far as it was asked.

    Each with the day on which it is shut down, where its provider tells one.
    """
    listed = {}
    for provider, access in keys().items():
        models = clients.offered_models(access)
        if models is not None:
            listed[provider] = models
    return listed


def sources() -> dict[str, str]:
    """The names of all data this visitor can use, bundled first, each with where it is from."""
    uploads = store().uploads.names(workspace())
    return dict.fromkeys(bundled(), mark("bundled")) | dict.fromkeys(uploads, mark("uploaded"))


def source(name: str) -> TestBed | Dataset | None:
    """The data of that name; raises `UnreadableRowError`."""
    if name in bundled():
        return bundled()[name]
    uploaded_at = store().uploads.names(workspace()).get(name)
    if uploaded_at is None:
        return None
    return _upload(store(), workspace(), name, uploaded_at)


def dataset(name: str) -> Dataset:
    """The samples of that name; raises `DatasetError` where they are gone."""
    return _source_of_kind(Dataset, name)


def test_bed(name: str) -> TestBed:
    """The test bed of that name; raises `DatasetError` where it is gone."""
    return _source_of_kind(TestBed, name)


def identity(name: str) -> Identity:
    # By its moment an upload is told from one of the same name that it took the place of.
    uploaded_at = store().uploads.names(workspace()).get(name, "")
    return Identity(workspace(), name, uploaded_at)


def named(kind: type[TestBed | Dataset]) -> list[str]:
    """The names of the data of that kind, bundled first."""
    return [name for name in sources() if _traits_of(name).kind is kind]


def answered() -> list[str]:
    """The names of those data sets that hold answers to judge."""
    return [name for name in sources() if _traits_of(name).has_answers]


def _source_of_kind(kind: type[Kind], name: str) -> Kind:
    data = source(name)
    if not isinstance(data, kind):
        raise DatasetError(f"{name} is no longer there. Choose another one.")
    return data


def _upload(
    runs: Store,
    owner: str,
    name: str,
    uploaded_at: str,
) -> TestBed | Dataset | None:
    """The upload, parsed once as long as it is in use."""

    def parse() -> TestBed | Dataset | None:
        return runs.uploads.get(owner, name)

    # Parsing takes long, and a form looks at its data at every click.
    return held.read((_upload, runs, owner, name), parse, uploaded_at)


class _Traits(NamedTuple):
    """What kind of data they are, and whether they hold answers."""

    kind: type
    has_answers: bool


# Remembered apart from the data, so that a form need not hold all uploads of a visitor to list
# them.
@lru_cache(maxsize=1000)
def _traits(_runs: Store, _owner: str, name: str, _uploaded_at: str) -> _Traits:
    """The traits of the data of that name; of no kind if unreadable."""
    data = None
    # The Datasets page is where unreadable data are shown with the reason.
    with suppress(UnreadableRowError):
        data = source(name)
    samples = data.samples if isinstance(data, Dataset) else ()
    has_answers = any(sample.response is not None for sample in samples)
    return _Traits(type(data), has_answers)


def _traits_of(name: str) -> _Traits:
    return _traits(store(), *identity(name))


def find_run(run_id: str | None) -> Run | None:
    """The run of that id, if it is one of this workspace or an example, and can be read."""
    if not run_id:
        return None
    example = examples.find(store(), run_id)
    if example is not None:
        return example
    stored = None
    with suppress(UnreadableRowError):
        stored = store().runs.get(run_id)
    # An id alone opens nothing: the run of another workspace is as good as absent.
    if stored is None or stored.workspace != workspace():
        return None
    return stored


def shown_run(benchmark: Benchmark | None = None) -> Run | None:
    """The run on the page of this benchmark: the one in the address, else the one shown last.

    Without a benchmark it is a run of metrics alone. None is shown where a link asks for a new run.
    """
    last = f"shown_{PAGES[benchmark]}"
    for parameter in (NEW_RUN, AGAIN, ASSIGNMENT):
        if parameter in st.query_params:
            # Taken out of the address: else every choice in the form would be undone by it.
            st.session_state[parameter] = st.query_params.pop(parameter)
            st.session_state.pop(last, None)
            st.query_params.pop("run", None)
    run_id = st.query_params.get("run") or st.session_state.get(last)
    shown = find_run(run_id)
    if shown is None or leads(shown.evaluator.name) != benchmark:
        return None
    st.session_state.pop(CLICKED, None)
    # Streamlit drops the parameters of an address at a click on its menu.
    st.session_state[last] = st.query_params["run"] = shown.id
    return shown


def is_on_page(run: Run, page: str) -> bool:
    """Whether the page of this address shows the run itself, as `shown_run` chooses it."""
    own_page = PAGES[leads(run.evaluator.name)]
    if Path(own_page).stem != page or {NEW_RUN, AGAIN, ASSIGNMENT} & {*st.query_params}:
        return False
    return run.id == (st.query_params.get("run") or st.session_state.get(f"shown_{own_page}"))


def open_run(run: Run) -> None:
    """Goes to the page that shows the run."""
    page = PAGES[leads(run.evaluator.name)]
    st.switch_page(page, query_params=address(run=run.id))


def open_sample(run: Run, answer: Answer) -> None:
    """Goes to the page of one of its samples."""
    st.switch_page("../pages/sample.py", query_params=address_of_sample(run, answer))


def address_of_sample(run: Run, answer: Answer) -> dict[str, str]:
    # Addresses count from 1, as tables do.
    return address(run=run.id, sample=str(answer.position + 1), model=str(answer.model + 1))


def forget_earlier_widgets() -> None:
    """Lets go of what widgets that are not drawn any more were given, and of the runs behind it.

    Streamlit keeps their callbacks until the tab is closed. For a page that is drawn to its end.
    """
    # Private parts of Streamlit: its version is pinned, and a test counts what is left.
    context: Any = get_script_run_ctx()
    widgets = context.session_state._state._new_widget_state
    drawn = {*context.shared.widget_ids_this_run.snapshot(), *widgets.states}
    kept = {name: own for name, own in widgets.widget_metadata.items() if name in drawn}
    widgets.widget_metadata = kept


def start(plan: RunPlan) -> None:
    """Starts a run as it is planned, or lets it wait where a public host is full; goes to its page.

    An equal one that this session just began is shown in its place. Raises a `PlumblineError` where
    it cannot be run.
    """
    # As at every door: no run in which each sample would fail for want of the same field.
    plan.check_data()
    context = get_script_run_ctx()
    by = context.session_id if context else ""
    run = create_once(store(), plan, workspace=workspace(), by=by)
    registry.start_or_wait(run, store(), keys(), visitor())
    open_run(run)
