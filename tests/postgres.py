"""A PostgreSQL server of the tests' own, from Debian's packages, on a free port of this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import psycopg

from evaluators.runs.store import Store

PASSWORD = "s3cret/with@signs"
PATIENCE = 30
_FAST = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 16MB
fsync = off
full_page_writes = off
"""


def programs() -> Path | None:
    """Where initdb and its like lie; `None` where PostgreSQL is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: each.parent.name)
    if folders:
        return folders[-1]
    found = shutil.which("initdb")
    return Path(found).parent if found else None


class Server:
    """A server whose databases are gone with it; none of what it writes is waited for."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self._folder, self._binaries = folder, binaries
        # PostgreSQL does not run as root.
        self._user = "postgres" if os.geteuid() == 0 else None
        self._made = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if self._user:
            shutil.chown(folder, self._user)
        words = folder / "password"
        words.write_text(PASSWORD)
        words.chmod(0o644)
        self._run("initdb", "-N", "-U", "plumbline", "-A", "scram-sha-256", "--pwfile", words,
                  "-E", "UTF8", "--locale", "C.UTF-8")  # fmt: skip
        with open(folder / "data" / "postgresql.conf", "a") as settings:
            settings.write(f"{_FAST}port = {self.port}\n")
        self.start()
        Store(self.address("template1")).close()

    def address(self, name: str, password: str = PASSWORD) -> str:
        return f"postgresql://plumbline:{quote(password, safe='')}@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        self._run("pg_ctl", "-w", "-l", self._folder / "log", "start")

    def stop(self) -> None:
        """Ends it at once, as a machine that fails does."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The address of a database with empty tables, or with other `options` of making it."""
        self._made += 1
        name = f"store_{self._made}"
        self.execute(f"create database {name} {options}")
        yield self.address(name)
        self.execute(f"drop database {name} with (force)")

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.address("postgres"), autocommit=True) as db:
            db.execute(statement)

    def _run(self, program: str, *options: str | Path) -> None:
        command = [self._binaries / program, "-D", self._folder / "data", *options]
        # Not by pipes: the server would keep them open.
        with open(self._folder / "output", "a+") as output:
            done = subprocess.run(
                command, user=self._user, cwd=self._folder, stdout=output, stderr=output
            )
            output.seek(0)
            assert done.returncode == 0, output.read()


class Cable:
    """Leads to a server; once cut, that keeps its end of each connection and knows of nothing."""

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._uncut: list[socket.socket] = []
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Ends the connections of now; those that are made later go through."""
        while self._uncut:
            self._uncut.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for end in (self._listener, *self._ends):
            # Threads that wait for it wake up by that.
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._server)
                self._ends += near, far
                self._uncut.append(near)
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=_forward, args=ends, daemon=True).start()


def _forward(source: socket.socket, target: socket.socket) -> None:
    # That the source has ended is not passed on: who closes in order says so in a message.
    with suppress(OSError):
        while received := source.recv(65536):
            target.sendall(received)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Waits for what another process or thread does; a server learns late of one that is killed."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)


@contextmanager
def server(binaries: Path) -> Iterator[Server]:
    # Not below pytest's folder, which others than its owner cannot enter.
    with tempfile.TemporaryDirectory(prefix="plumbline-postgres-") as folder:
        running = Server(Path(folder), binaries)
        try:
            yield running
        finally:
            running.stop()
