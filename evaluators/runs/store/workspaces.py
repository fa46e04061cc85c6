"""Workspaces: who comes back, how much is kept for them, and all of it moved or deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from evaluators.runs.store.bodies import timestamp
from evaluators.runs.store.database import Database
from evaluators.runs.store.runs import EXAMPLES, RunTable
from evaluators.runs.store.uploads import Uploads

CLOCK = "clock"
"""In the place of a token: its last visit is what the host's clock said last."""

ROW = 60
"""About the bytes of a row's entries in indexes."""

_OWNED = ("runs", "documents", "calls")
"""The tables with a column `workspace`."""
_OF_RUNS = ("results", "revisions", "figures", "viewed", "documents", "person_labels", "rounds")
"""The tables with a column `run_id`."""


def _in(column: str, of: str, where: str, key: str = "id") -> str:
    return f"{column} in (select {key} from {of} where {where})"


_OF_RUN = _in("run_id", "runs", "workspace = ?1")
_OF_ROUND = _in("round_id", "rounds", _OF_RUN)

WHOSE: Sequence[tuple[str, str]] = (
    *((table, "workspace = ?1") for table in _OWNED),
    *((table, _OF_RUN) for table in _OF_RUNS),
    ("samples", _in("fingerprint", "runs", "workspace = ?1", "fingerprint")),
    ("round_participants", _OF_ROUND),
    ("round_labels", _in("participant", "round_participants", _OF_ROUND, "number")),
)
"""Every table in which something of a workspace stands, with the condition for its rows."""


class WorkspaceTable:
    def __init__(
        self,
        database: Database,
        uploads: Uploads,
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
            db.execute(query, (timestamp(self._database.now()), workspace))

    def note_clock(self, wall: datetime) -> None:
        """Keeps what the host's clock says, for the process after this one, and the wall's."""
        query = """insert into workspaces values (?, ?, ?) on conflict (token)
                   do update set created = excluded.created, last_visit = excluded.last_visit"""
        moments = timestamp(wall), timestamp(self._database.now())
        with self._database.transaction() as db:
            db.execute(query, (CLOCK, *moments))

    def noted_wall(self) -> datetime | None:
        """The furthest moment of the wall's clock that was noted here."""
        rows = self._database.rows("select created from workspaces where token = ?", CLOCK)
        return datetime.fromisoformat(rows[0][0]) if rows else None

    def newest_visit(self) -> datetime | None:
        """The newest moment that the host's clock has noted here."""
        [[moment]] = self._database.rows("select max(last_visit) from workspaces")
        return datetime.fromisoformat(moment) if moment else None

    def created_between(self, after: datetime, until: datetime) -> int:
        """How many workspaces there are that were new then.

        Where the clock was set back, some may be new in the future, and are not new now.
        """
        query = """select count(*) from workspaces
                   where created > ? and created <= ? and token <> ?"""
        return int(self._database.rows(query, timestamp(after), timestamp(until), CLOCK)[0][0])

    def unvisited_since(self, moment: datetime) -> list[str]:
        """The workspaces that nobody came to after that moment.

        That of a person's own machine is never among them, nor that of the examples.
        """
        query = """select token from workspaces where last_visit < ?
                   and token not in ('local', ?, ?) order by last_visit"""
        rows = self._database.rows(query, timestamp(moment), EXAMPLES, CLOCK)
        return [token for (token,) in rows]

    def bytes_of(self, workspace: str) -> int:
        """Bytes that all of the workspace takes up: every column of every row that belongs to it or
        to one of its runs.
        """
        return int(self._database.rows(self._sum_of_sizes, workspace)[0][0])

    @cached_property
    def _sum_of_sizes(self) -> str:
        sums = []
        for table, where in WHOSE:
            columns = self._database.columns(table)
            sizes = [f'coalesce(length(cast("{name}" as blob)), 0)' for name in columns]
            size = " + ".join([str(ROW), *sizes])
            sums.append(f"select coalesce(sum({size}), 0) as size from {table} where {where}")
        return f"select sum(size) from ({' union all '.join(sums)}) as sums"

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
            for table in _OWNED:
                db.execute(f"delete from {table} where workspace = ?", (workspace,))
            db.execute("delete from workspaces where token = ?", (workspace,))
