"""Workspaces: who comes back, how much is kept for them, and all of it moved or deleted."""

from __future__ import annotations

from datetime import datetime

from evaluators.errors import ParameterError
from evaluators.runs.store.bodies import timestamp
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.runs import RunTable
from evaluators.runs.store.uploads import UploadTable
from evaluators.text.language import say

EXAMPLES = "examples"
"""The workspace of the finished runs that come with Plumbline: nobody's, and open to all."""

ROW = 120
"""About the bytes of a row's keys, numbers and times, and of its entries in indexes."""


def _bytes(*columns: str) -> str:
    """In SQL: the bytes of these columns of a row, and of what every row has."""
    return " + ".join(
        [str(ROW), *(f"coalesce(length(cast({name} as blob)), 0)" for name in columns)]
    )


_SIZES = (
    ("uploads", _bytes("body")),
    ("calls", _bytes("answer")),
    ("runs", _bytes("body")),
    ("saved_metrics", _bytes("body")),
    ("saved_mappings", _bytes("body")),
)
_OF_RUNS = (
    ("results", _bytes("body", '"values"', "facets")),
    ("person_labels", _bytes("person", "key", "value", "sentence", "queue")),
    ("notes", _bytes("text", "tags")),
    ("label_queues", _bytes("body")),
    ("rounds", _bytes("body")),
    ("environments", _bytes("body")),
    ("figures", _bytes("body")),
)
"""The tables of a workspace and of its runs, each with the size of a row."""

_OWNED = ("uploads", "runs", "saved_metrics", "saved_mappings", "calls", "file_batches")
"""The tables with a column `workspace`."""


class WorkspaceTable:
    def __init__(
        self,
        database: Database,
        uploads: UploadTable,
        runs: RunTable,
    ) -> None:
        self._database = database
        self._uploads = uploads
        self._runs = runs

    def knows(self, workspace: str) -> bool:
        """Whether anything is, or was, kept for the workspace."""
        query = "select 1 from workspaces where token = ?"
        return bool(self._database.rows(query, workspace))

    def visit(self, workspace: str) -> None:
        """Notes that somebody came to the workspace now; nothing where nothing is kept for it."""
        query = "update workspaces set last_visit = ? where token = ?"
        with self._database.transaction() as db:
            db.execute(query, (timestamp(), workspace))

    def created_between(self, after: datetime, until: datetime) -> int:
        """How many workspaces there are that were new then.

        Where the clock was set back, some may be new in the future, and are not new now.
        """
        query = "select count(*) from workspaces where created > ? and created <= ?"
        return int(self._database.rows(query, timestamp(after), timestamp(until))[0][0])

    def unvisited_since(self, moment: datetime) -> list[str]:
        """The workspaces that nobody came to after that moment.

        That of a person's own machine is never among them, nor that of the examples.
        """
        query = """select token from workspaces where last_visit < ?
                   and token not in ('local', ?) order by last_visit"""
        rows = self._database.rows(query, timestamp(moment), EXAMPLES)
        return [token for (token,) in rows]

    def bytes_of(self, workspace: str) -> int:
        """Bytes that all of the workspace takes up: its uploads, its answers, and its runs with all
        that belongs to them.
        """
        own = "(select id from runs where workspace = ?1)"
        sizes = [
            *(f"select {size} from {table} where workspace = ?1" for table, size in _SIZES),
            """select length(cast(body as blob)) from samples where fingerprint in
                (select fingerprint from runs where workspace = ?1)""",
            *(f"select {size} from {table} where run_id in {own}" for table, size in _OF_RUNS),
            f"""select {ROW} from round_labels join round_participants on number = participant
                where round_id in (select id from rounds where run_id in {own})""",
        ]
        first, *others = sizes
        together = " union all ".join([first.replace(" from ", " size from ", 1), *others])
        query = f"select coalesce(sum(size), 0) from ({together}) as sizes"
        return int(self._database.rows(query, workspace)[0][0])

    def move(self, workspace: str, new: str) -> None:
        """Gives the workspace another name, with all that is in it."""
        # A body that cannot be read stays as it is: it must not keep the others back.
        rename_in_bodies = """update runs set body = json_set(body, '$.workspace', workspace)
                              where workspace = ? and json_valid(body)"""
        with self._database.transaction() as db:
            db.execute("update workspaces set token = ? where token = ?", (new, workspace))
            for table in _OWNED:
                db.execute(
                    f"update {table} set workspace = ? where workspace = ?", (new, workspace)
                )
            db.execute(rename_in_bodies, (new,))

    def delete(self, workspace: str) -> None:
        """Removes all that is in the workspace, a part at a time.

        Others read and write in between.
        """
        for name in self._uploads.names(workspace):
            self._uploads.delete(workspace, name)
        for run_id in self._runs.ids(workspace):
            self._runs.delete(run_id)
        with self._database.transaction() as db:
            for table in ("calls", "saved_metrics", "saved_mappings", "file_batches"):
                db.execute(f"delete from {table} where workspace = ?", (workspace,))
            db.execute("delete from workspaces where token = ?", (workspace,))


def check_not_shared(db: Connection, run_id: str, what: str) -> None:
    """Raises `ParameterError` where a person would write into an example, naming what."""
    # Asked by the tables, so that no door can forget it: whoever opens an example sees the same.
    shared = "select 1 from runs where id = ? and workspace = ?"
    if db.execute(shared, (run_id, EXAMPLES)).fetchone():
        raise ParameterError(
            say(
                "Everybody who opens this example sees the same {what}. Press “Make it "
                "yours” and change your own copy.",
                what=say(what),
            )
        )
