"""The workspaces of a public host: issued, found again, moved, limited, and deleted when nobody
comes any more.
"""

import random
import time
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from evaluators.errors import HostLimitError
from evaluators.people.records import PersonLabel
from evaluators.records import Call, Cell, Completion, Dataset, EvaluatorSpec, Run, Sample, Usage
from evaluators.runs import samples
from evaluators.runs.engine import RunRegistry
from evaluators.runs.notes import written
from evaluators.runs.store import Answer, Store
from evaluators.runs.store.database import Database
from evaluators.runs.store.workspaces import CLOCK
from evaluators.runs.workspaces import Workspaces
from tests.runs import slow

ANN, BEN = "ann-0123456789-abcdefghij", "ben-0123456789-abcdefghij"
COLUMNS = ["question", "response"]


@pytest.fixture(autouse=True)
def public(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    return monkeypatch


@pytest.fixture
def host(store) -> Workspaces:
    host = Workspaces(store)
    host._next_sweep = float("inf")  # only when a test says so
    return host


def answers(name: str = "answers", text: str = "In May.") -> Dataset:
    return Dataset(
        name=name,
        samples=(Sample(id="1", question="When?", response=text, retrieved_documents=(text,)),),
    )


def fill(store: Store, workspace: str) -> Run:
    """Something of every kind is kept for the workspace."""
    store.uploads.save(workspace, "answers", answers())
    store.metrics.save(workspace, "Kind?", EvaluatorSpec(name="prompt"))
    store.mappings.save(workspace, COLUMNS, {"question": "question"})
    run = samples.trace(store, workspace)
    RunRegistry().start(run, store).wait()
    completion = Completion(
        text="Yes.", finish_reason="stop", usage=Usage(prompt_tokens=1, answer_tokens=1)
    )
    store.calls.save(run.id, [Call(key="k", model="m", completion=completion, reusable=True)])
    store.person_labels.save(
        run.id,
        Cell(0),
        PersonLabel(label="support", key="a", value="full", created="2026-01-01T10:00:00"),
    )
    store.notes.save(run.id, Answer(0), written("Why?", ["odd"], "2026-01-01T00:00:00+00:00"))
    return run


def what_is_kept(store: Store, workspace: str) -> tuple[object, ...]:
    runs = store.runs.newest(workspace)
    return (
        list(store.uploads.names(workspace)),
        store.uploads.get(workspace, "answers"),
        list(store.metrics.by_key(workspace)),
        store.mappings.get(workspace, COLUMNS),
        [run.id for run in runs],
        [store.results.counts(run) for run in runs],
        [store.notes.by_answer(run.id) for run in runs],
        [store.person_labels.by_cell(run.id) for run in runs],
        store.calls.answer(workspace, "k"),
    )


def long_ago(store: Store, workspace: str, days: float = 8) -> None:
    moment = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    with store.database.transaction() as db:
        db.execute("update workspaces set last_visit = ? where token = ?", (moment, workspace))


# Tokens


def test_a_token_is_admitted_once_it_was_issued_and_no_other(host):
    token = host.issue()
    assert len(token) >= 22
    assert host.admits(token)
    assert not host.admits(ANN)
    assert not host.admits("local")


@pytest.mark.parametrize("kind", ["upload", "run", "metric", "mapping"])
def test_what_is_kept_makes_a_workspace_known_also_after_a_restart(store, kind):
    if kind == "upload":
        store.uploads.save(ANN, "answers", answers())
    elif kind == "run":
        samples.trace(store, ANN)
    elif kind == "metric":
        store.metrics.save(ANN, "Kind?", EvaluatorSpec(name="prompt"))
    else:
        store.mappings.save(ANN, COLUMNS, {})
    assert Workspaces(store).admits(ANN)
    assert not Workspaces(store).admits(BEN)


def test_a_token_under_which_nothing_is_kept_is_in_memory_only(store, host):
    token = host.issue()
    assert host.admits(token)
    assert not store.workspaces.knows(token)
    assert not Workspaces(store).admits(token)


def test_a_visit_is_written_down_but_not_every_click(store, host):
    store.mappings.save(ANN, COLUMNS, {})
    long_ago(store, ANN)
    assert host.admits(ANN)
    assert store.workspaces.unvisited_since(datetime.now(UTC) - timedelta(days=1)) == []
    long_ago(store, ANN)
    assert host.admits(ANN)
    assert store.workspaces.unvisited_since(datetime.now(UTC) - timedelta(days=1)) == [ANN]


# A new link


def test_a_move_takes_everything_along(store, host):
    fill(store, ANN)
    fill(store, BEN)
    before, others = what_is_kept(store, ANN), what_is_kept(store, BEN)
    new = host.move(ANN)
    assert what_is_kept(store, new) == before
    assert {run.workspace for run in store.runs.newest(new)} == {new}
    assert not any(map(bool, what_is_kept(store, ANN)[:1]))
    assert not host.admits(ANN)
    assert host.admits(new)
    assert what_is_kept(store, BEN) == others


def test_nothing_moves_while_a_run_is_at_work_or_waits(store, tmp_path, public):
    public.setenv("PLUMBLINE_RUNS_IN_ALL", "1")
    registry = RunRegistry()
    runs = [
        slow.slow_run(store, tmp_path).model_copy(update={"workspace": name, "id": name})
        for name in (ANN, BEN)
    ]
    for run in runs:
        store.runs.save(run, slow.dataset("wait"))
        registry.start_or_wait(run, store)
        with pytest.raises(HostLimitError, match="at work or waiting"):
            registry.move_workspace(run.workspace, store)
    for run in reversed(runs):
        registry.cancel(run.id)


# Limits


def test_so_many_workspaces_are_made_a_minute_and_the_known_ones_go_on(store, host, public):
    public.setenv("PLUMBLINE_WORKSPACES_PER_MINUTE", "1")
    host.check_room(ANN)
    store.mappings.save(ANN, COLUMNS, {})
    with pytest.raises(HostLimitError, match="try again in a minute"):
        host.check_room(BEN)
    host.check_room(ANN)


def test_so_many_workspaces_are_kept_in_all_and_expired_ones_make_room(store, host, public):
    public.setenv("PLUMBLINE_WORKSPACES_IN_ALL", "1")
    store.mappings.save(ANN, COLUMNS, {})
    with pytest.raises(HostLimitError, match="This host keeps 1 workspaces, and has that many"):
        host.check_room(BEN)
    long_ago(store, ANN)
    host.check_room(BEN)
    assert not store.workspaces.knows(ANN)


def test_bytes_of_a_workspace_count_all_that_is_its_own(store, host, public):
    text = "x" * 1000
    assert store.workspaces.bytes_of(ANN) == 0
    store.uploads.save(ANN, "answers", answers(text=text))
    assert 2000 < store.workspaces.bytes_of(ANN) < 2300
    run = fill(store, BEN)
    assert store.workspaces.bytes_of(BEN) > 10_000  # samples, results, answers
    store.runs.delete(run.id)
    assert store.workspaces.bytes_of(BEN) < 1000


class Column(NamedTuple):
    name: str
    kind: str
    points_to: str
    """The table whose key it holds, or none."""


def owned_tables(database: Database) -> dict[str, list[Column]]:
    """The tables that hold something of a workspace or of a run, as the schema has them.

    What others point to comes before them. Without the numbers that the database gives to rows.
    """
    owned: dict[str, list[Column]] = {}
    query = "select name from sqlite_master where type = 'table' order by rowid"
    for (table,) in database.rows(query):
        keys = database.rows(f"pragma foreign_key_list({table})")
        points_to = {name: parent for _, _, parent, name, *_ in keys}
        columns = []
        for _, name, kind, *_ in database.rows(f"pragma table_info({table})"):
            if (name, kind) not in (("id", "integer"), ("number", "integer")):
                columns.append(Column(name, kind, points_to.get(name, "")))
        names = {column.name for column in columns}
        if names & {"workspace", "run_id"} or not owned.keys().isdisjoint(points_to.values()):
            owned[table] = columns
    return owned


def test_whichever_table_something_of_a_visitor_stands_in_its_bytes_count():
    """A row of every table, with a thousand letters in each of its texts."""
    store = Store(":memory:")
    for number, (table, columns) in enumerate(owned_tables(store.database).items()):
        values = {}
        marks = []
        for name, kind, parent in columns:
            key = "number" if kind == "bigint" else "id"
            marks.append(f"(select max({key}) from {parent})" if parent else "?")
            if not parent:
                text = ANN if name == "workspace" else f"{number} {name} ".ljust(1000, "x")
                values[name] = text if kind == "text" else number
        names = ", ".join(f'"{column.name}"' for column in columns)
        before = store.workspaces.bytes_of(ANN)
        with store.database.transaction() as db:
            query = f"insert or replace into {table} ({names}) values ({', '.join(marks)})"
            db.execute(query, list(values.values()))
        letters = sum(len(value) for value in values.values() if isinstance(value, str))
        assert store.workspaces.bytes_of(ANN) - before >= letters, table


def test_beyond_its_bytes_a_workspace_is_refused_with_what_it_uses(store, host, public):
    public.setenv("PLUMBLINE_WORKSPACE_BYTES", str(3 * 2**20))
    store.uploads.save(ANN, "answers", answers(text="x" * 2**20))
    host.check_room(ANN, 2**19)
    with pytest.raises(
        HostLimitError, match=r"take up 2.0 MB, this would add 1.5 MB, and this host keeps 3.0 MB"
    ):
        host.check_room(ANN, 3 * 2**19)
    host.check_room(BEN, 3 * 2**19)


def test_a_full_store_first_lets_go_what_has_expired(store, host, public):
    # Nothing that a database could compress.
    text = random.Random(0).randbytes(2**19).hex()
    store.uploads.save(ANN, "answers", answers(text=text))
    public.setenv("PLUMBLINE_STORE_BYTES", str(2 * 2**20))
    with pytest.raises(
        HostLimitError, match=r"This host has no space left: its store may take 2.0 MB"
    ):
        host.check_room(BEN)
    long_ago(store, ANN)
    host.check_room(BEN)


def test_a_machine_of_ones_own_has_no_such_limits(store, host, public):
    public.setenv("PLUMBLINE_WORKSPACE_BYTES", "1")
    public.delenv("PLUMBLINE_PUBLIC")
    host.check_room("local", 10**9)


# Expiry


def test_what_nobody_visits_is_deleted_with_all_that_is_its_own_and_nothing_else(store, host):
    mine, yours = fill(store, ANN), fill(store, BEN)
    others = what_is_kept(store, BEN)
    long_ago(store, ANN)
    host.sweep()
    assert not host.admits(ANN)
    assert store.runs.get(mine.id) is None
    assert store.workspaces.bytes_of(ANN) == 0
    assert what_is_kept(store, BEN) == others
    assert store.samples.get(yours.fingerprint, 0)  # shared with the one that is gone
    long_ago(store, BEN)
    host.sweep()
    tables = ("samples", "runs", "documents", "results", "calls", "person_labels")
    assert {
        table: store.database.rows(f"select count(*) from {table}")[0][0] for table in tables
    } == dict.fromkeys(tables, 0)


def test_the_days_come_from_the_configuration(store, host, public):
    store.mappings.save(ANN, COLUMNS, {})
    long_ago(store, ANN, days=8)
    public.setenv("PLUMBLINE_WORKSPACE_DAYS", "9")
    host.sweep()
    assert store.workspaces.knows(ANN)


def test_the_workspace_of_a_persons_own_machine_never_expires(store, host):
    store.uploads.save("local", "answers", answers())
    long_ago(store, "local", days=1000)
    host.sweep()
    assert list(store.uploads.names("local")) == ["answers"]


def test_a_workspace_whose_run_is_at_work_elsewhere_stays(store, host):
    run = samples.trace(store, ANN)
    long_ago(store, ANN)
    lock = store.run_lock(run.id)
    lock.acquire()
    host.sweep()
    assert store.workspaces.knows(ANN)
    lock.release()
    host.sweep()
    assert not store.workspaces.knows(ANN)


def test_a_deletion_that_was_cut_off_is_finished_by_the_next_sweep(store, host):
    fill(store, ANN)
    long_ago(store, ANN)
    store.workspaces.move(ANN, f"expired {ANN}")  # and then the process was killed
    assert not host.admits(ANN)
    host.sweep()
    assert store.database.rows("select count(*) from documents")[0][0] == 0
    assert [token for (token,) in store.database.rows("select token from workspaces")] == [CLOCK]


def test_a_visit_sets_off_a_sweep_at_most_once_an_hour(store):
    host = Workspaces(store)
    store.mappings.save(BEN, COLUMNS, {})
    store.mappings.save(ANN, COLUMNS, {})
    long_ago(store, ANN)
    assert host.admits(BEN)
    for _ in range(200):
        if not store.workspaces.knows(ANN):
            break
        time.sleep(0.02)
    assert not store.workspaces.knows(ANN)
    assert host._next_sweep > time.monotonic()


# Space


def on_disk(path) -> int:
    return sum(each.stat().st_size for each in path.iterdir() if each.is_file())


def test_what_is_deleted_is_given_back_to_the_disk(store, path, tmp_path):
    empty = on_disk(tmp_path)
    store.uploads.save(ANN, "answers", answers(text="x" * 4 * 2**20))
    data = answers(text="y" * 4 * 2**20)
    run = samples.trace(store, ANN).model_copy(
        update={"id": "large", "fingerprint": data.fingerprint}
    )
    store.runs.save(run, data)
    assert on_disk(tmp_path) > 16 * 2**20
    store.uploads.delete(ANN, "answers")
    assert on_disk(tmp_path) < 10 * 2**20
    store.workspaces.delete(ANN)
    assert on_disk(tmp_path) < empty + 2**19


# A clock that is set


def days_old(store: Store, days: float) -> None:
    moment = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    with store.database.transaction() as db:
        db.execute("update workspaces set created = ?, last_visit = ?", (moment, moment))


def started(store: Store, days: float) -> Workspaces:
    """The host of a process that starts when its clock says so many days from now."""
    host = Workspaces(store, lambda: datetime.now(UTC) + timedelta(days=days))
    host._next_sweep = float("inf")
    return host


@pytest.mark.parametrize(
    "clocks",
    [
        *[(0, 30, 0), (-30, 0), (0, -30, 0), (0, 3000), (0, 30, 30), (0, 30, 30.1)],
        # A jump that is taken back, again and again
        *[(0, 30, 0, 30, 0, 30), (0, 30, 0, 31, 1, 32), (0, -30, 0, -30, 0, -30, 0)],
    ],
)
def test_a_clock_that_is_wrong_at_a_start_lets_nothing_expire(store, clocks):
    visitors = [f"visitor-{number}-0123456789abcdef" for number in range(len(clocks))]
    for visitor, days in zip(visitors, clocks, strict=True):
        host = started(store, days)
        fill(store, visitor)
        host.sweep()
    for visitor in visitors:
        assert store.runs.ids(visitor)


def test_days_that_a_process_ran_do_not_count_again_where_a_jump_comes_back(store, public):
    started(store, 0)
    fill(store, ANN)
    started(store, 30).sweep()
    # Half of the seven days are gone for the jump; three more pass by a right clock.
    host = started(store, 0)
    host._started -= 3 * 86_400
    host.sweep()
    started(store, 33).sweep()
    assert store.runs.ids(ANN)


def test_what_nobody_visits_expires_whoever_starts_the_host_in_between(store, public):
    public.setenv("PLUMBLINE_WORKSPACE_DAYS", "4")
    started(store, 0)
    fill(store, ANN)
    # Nobody comes but to look, and each process runs for a moment.
    for day in (1, 2, 3):
        started(store, day).sweep()
    assert store.runs.ids(ANN)
    for day in (4, 5):
        started(store, day).sweep()
    assert not store.runs.ids(ANN)


def test_after_a_clock_was_set_back_new_visitors_are_let_in(store, host, public):
    public.setenv("PLUMBLINE_WORKSPACES_PER_MINUTE", "1")
    fill(store, ANN)
    days_old(store, -1)

    host.check_room(BEN)
